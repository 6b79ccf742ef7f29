// The only function that changes a scene: a move is a patch of one operation, a ruling is a patch of many.

/** @typedef {import("./types.js").Operation} Operation */

/** @param {string} path */
const keysOf = (path) => path.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

/**
 * Give the value at a JSON Pointer, or undefined.
 * @param {any} document
 * @param {string} path
 */
export function at(document, path) {
  return keysOf(path).reduce((value, key) => value?.[key], document);
}

/**
 * Give a document after a JSON Patch; throws if a test fails or a path is missing. The original does not change, and
 * unchanged parts are shared.
 * @param {any} document
 * @param {Operation[]} operations
 */
export function patched(document, operations) {
  const root = { whole: document };
  for (const { op, path, value } of operations) {
    const keys = ["whole", ...keysOf(path)];
    const last = /** @type {string} */ (keys.pop());
    /** @type {any} */
    let holder = root;
    for (const key of keys) {
      const inner = holder[key];
      if (typeof inner !== "object" || inner === null) throw new Error(`The scene has nothing at ${path}.`);
      holder = holder[key] = Array.isArray(inner) ? [...inner] : { ...inner };
    }
    if (op === "test") {
      if (JSON.stringify(holder[last]) !== JSON.stringify(value)) throw new Error(`The scene differs at ${path}.`);
    } else if (Array.isArray(holder)) {
      const index = last === "-" ? holder.length : Number(last);
      if (op === "remove") holder.splice(index, 1);
      else holder.splice(index, op === "replace" ? 1 : 0, structuredClone(value));
    } else if (op === "remove") delete holder[last];
    else holder[last] = structuredClone(value);
  }
  return root.whole;
}
