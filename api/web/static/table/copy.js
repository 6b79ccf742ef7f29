// The request for other programs: with curl, as JSON, in Python.

/** @param {string} text */
const quoted = (text) => text.replaceAll("'", "'\\''");

/** @type {Record<string, (path: string, body: any) => string>} */
export const FORMS = {
  curl: (path, body) =>
    `curl ${location.origin}${path} -H 'Content-Type: application/json' -d '${quoted(JSON.stringify(body))}'`,
  JSON: (_path, body) => JSON.stringify(body, null, 2),
  Python: (path, body) =>
    [
      "import json",
      "import urllib.request",
      "",
      `body = json.loads(${JSON.stringify(JSON.stringify(body))})`,
      `request = urllib.request.Request("${location.origin}${path}", json.dumps(body).encode(),`,
      '                                 {"Content-Type": "application/json"})',
      "with urllib.request.urlopen(request) as answer:",
      "    print(json.dumps(json.load(answer), indent=2))",
      "",
    ].join("\n"),
};

/**
 * Copy a text; if the browser refuses, show it to be copied by hand.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
