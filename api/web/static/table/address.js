// The address contains the state, so that a reload or a friend gets the same table.

/** @typedef {import("./types.js").State} State */

/**
 * @param {string} game
 * @returns {State}
 */
export const fresh = (game) => ({
  game,
  from: "story",
  steps: [],
  unit: null,
  deed: null,
  target: null,
  pick: null,
  seed: null,
  hand: {},
  choices: {},
  given: {},
  readings: {},
  others: {},
  view: "ruling",
});

/** @type {Record<string, keyof State>} */
const PLAIN = { g: "game", e: "from", u: "unit", q: "deed", t: "target", s: "seed", v: "view" };
/** @type {Record<string, keyof State>} */
const JSONS = { m: "steps", p: "pick", d: "hand", c: "choices", f: "given", r: "readings", x: "others", scene: "scene" };

/** @param {any} value */
const empty = (value) => value == null || (typeof value === "object" && Object.keys(value).length === 0);

/** @param {State} state */
export function written(state) {
  const parameters = new URLSearchParams();
  for (const [short, name] of Object.entries(PLAIN)) {
    if (state[name] && state[name] !== "ruling") parameters.set(short, state[name]);
  }
  for (const [short, name] of Object.entries(JSONS)) {
    if (!empty(state[name])) parameters.set(short, JSON.stringify(state[name]));
  }
  return `#${parameters}`;
}

/**
 * Read a state from an address; unreadable parts are left out.
 * @param {string} hash
 * @param {string} game
 * @returns {State}
 */
export function read(hash, game) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  /** @type {any} */
  const state = fresh(parameters.get("g") ?? game);
  for (const [short, name] of Object.entries(PLAIN)) {
    const value = parameters.get(short);
    if (value) state[name] = value;
  }
  for (const [short, name] of Object.entries(JSONS)) {
    try {
      state[name] = JSON.parse(parameters.get(short) ?? "") ?? state[name];
    } catch {
      // A truncated address.
    }
  }
  return state;
}
