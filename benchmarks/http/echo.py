"""The bare peer of the gateway: a Flask view that parses the posted body with orjson and echoes a small answer."""

import orjson
from flask import Flask, Response, request

app = Flask(__name__)


@app.post("/echo")
def echo() -> Response:
    """Parse, and answer with a little of what was posted."""
    posted = orjson.loads(request.get_data())
    return Response(orjson.dumps({"observer": posted["case"]["observer"]}), content_type="application/json")


CONSTANT = b'{"allowed":true,"answer":{"targets":[]},"findings":[]}'.ljust(1_500)


@app.get("/constant")
def constant() -> Response:
    """Answer with as much as a short ruling is."""
    return Response(CONSTANT, content_type="application/json")


@app.route("/known", methods=["QUERY"])
def known() -> Response:
    """Read the body, and say that the client has the answer already."""
    request.get_data()
    return Response(status=304)
