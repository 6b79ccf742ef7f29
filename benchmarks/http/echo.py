"""The bare peer of the gateway: a Flask view that parses the posted body with orjson and echoes a small answer."""

import orjson
from flask import Flask, Response, request

app = Flask(__name__)


@app.post("/echo")
def echo() -> Response:
    """Parse, and answer with a small part of the posted body."""
    posted = orjson.loads(request.get_data())
    return Response(orjson.dumps({"observer": posted["case"]["observer"]}), content_type="application/json")


CONSTANT = b'{"allowed":true,"answer":{"targets":[]},"findings":[]}'.ljust(1_500)


@app.get("/constant")
def constant() -> Response:
    """Answer with the size of a short ruling."""
    return Response(CONSTANT, content_type="application/json")


@app.route("/known", methods=["QUERY"])
def known() -> Response:
    """Read the body, and answer that the client already has the answer."""
    request.get_data()
    return Response(status=304)
