// The facts of a game that the page uses: where its scenes list units, and what can be asked about one.

/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Deed} Deed */
/** @typedef {import("./types.js").UnitEntry} UnitEntry */

/** @type {Record<string, string>} */
const LABELS = {
  "line-of-sight": "Who can it see?",
  moves: "Where may it go?",
  shoot: "Shoot",
  attack: "Attack",
  behaviour: "What does it do?",
};

/**
 * List what can be asked about units of a game, with the words on the buttons.
 * @param {Game} game
 * @returns {Deed[]}
 */
export function deedsOf(game) {
  const shoots = game.deeds.some((deed) => deed.question === "shoot");
  return game.deeds.map((deed) => ({
    ...deed,
    label: deed.question === "attack" && shoots ? "Fight" : (LABELS[deed.question] ?? deed.question),
  }));
}

/**
 * List the units of a scene.
 * @param {Game} game
 * @param {any} scene
 * @returns {UnitEntry[]}
 */
export function unitsOf(game, scene) {
  return game.rosters.flatMap(({ list, side }) =>
    (scene?.[list] ?? []).map((/** @type {any} */ value, /** @type {number} */ index) => ({
      id: String(value.id),
      side: String(side ? (value[side] ?? "") : list),
      path: `/${list}/${index}`,
      value,
    })),
  );
}

/**
 * Split the case of a question: the members that the tools show, and the others, which are sent again.
 * @param {Deed} deed
 * @param {Record<string, any>} of
 */
export function questionOf(deed, of) {
  const targets = deed.target ? [of[deed.target] ?? []].flat() : [];
  const [target = null] = targets;
  // The tools choose one target: several are sent again unchanged.
  const shown = ["scene", "given", deed.actor, targets.length > 1 ? null : deed.target, ...deed.weapons];
  const chosen = (/** @type {(name: string) => boolean} */ which) =>
    Object.fromEntries(Object.entries(of).filter(([name]) => which(name)));
  return {
    unit: of[deed.actor] ?? null,
    deed: deed.target && !target ? null : deed.question,
    target,
    pick: chosen((name) => deed.weapons.includes(name)),
    given: of.given ?? {},
    others: { [deed.question]: chosen((name) => !shown.includes(name)) },
  };
}
