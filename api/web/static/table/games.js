// What the table has to know about each game beside what the service says of it: where scenes list units, and which
// question, with which members, is behind each button.

/** @typedef {import("./types.js").GameTable} GameTable */
/** @typedef {import("./types.js").UnitEntry} UnitEntry */

const SEE = "Who can it see?";
const GO = "Where may it go?";
const HOSTILE = "What does it do?";

/** @param {any} weapon */
const byId = (weapon) => ({ weapon: weapon.id });

/** @type {Record<string, GameTable>} */
export const GAMES = {
  "blackstone-fortress": {
    units: [["explorers", null], ["hostiles", "group"]],
    deeds: [
      { id: "see", label: SEE, question: "line-of-sight", actor: "observer" },
      { id: "go", label: GO, question: "moves", actor: "unit" },
      {
        id: "attack",
        label: "Attack",
        question: "attack",
        actor: "attacker",
        target: "targets",
        several: true,
        pick: (weapon, unit) => (unit.group ? { weapon: weapon.id } : { action: weapon.id }),
      },
      { id: "act", label: HOSTILE, question: "behaviour", actor: "hostile", who: (unit) => Boolean(unit.group) },
    ],
    battle: { turns: 6 },
  },
  rapture: {
    units: [["units", "side"]],
    deeds: [
      { id: "see", label: SEE, question: "line-of-sight", actor: "observer" },
      { id: "go", label: GO, question: "moves", actor: "unit" },
      { id: "shoot", label: "Shoot", question: "shoot", actor: "shooter", target: "target" },
      { id: "fight", label: "Fight", question: "attack", actor: "attacker", target: "target" },
    ],
    battle: { rounds: 3 },
  },
  "size-skirmish": {
    units: [["models", "side"]],
    deeds: [
      { id: "see", label: SEE, question: "line-of-sight", actor: "observer" },
      { id: "go", label: GO, question: "moves", actor: "model" },
      { id: "shoot", label: "Shoot", question: "shoot", actor: "shooter", target: "target" },
      { id: "fight", label: "Fight", question: "attack", actor: "attacker", target: "target" },
    ],
    battle: { rounds: 3 },
  },
  stargrave: {
    units: [["figures", "crew"]],
    deeds: [
      { id: "see", label: SEE, question: "line-of-sight", actor: "observer" },
      { id: "go", label: GO, question: "moves", actor: "figure" },
      { id: "shoot", label: "Shoot", question: "shoot", actor: "shooter", target: "targets", several: true, pick: byId },
      { id: "fight", label: "Fight", question: "attack", actor: "fighter", target: "opponent" },
      { id: "act", label: HOSTILE, question: "behaviour", actor: "creature", who: (unit) => !unit.crew },
    ],
    battle: { turns: 3 },
  },
  warleague: {
    units: [["units", "side"]],
    deeds: [
      { id: "see", label: SEE, question: "line-of-sight", actor: "observer" },
      { id: "go", label: GO, question: "moves", actor: "unit" },
      {
        id: "attack",
        label: "Attack",
        question: "attack",
        actor: "attacker",
        target: "target",
        pick: (weapon) => ({ hands: weapon.hands }),
      },
      { id: "act", label: HOSTILE, question: "behaviour", actor: "unit", who: (unit) => unit.side === "wild" },
    ],
    battle: { rounds: 4 },
  },
};

/**
 * List the units of a scene.
 * @param {string} game
 * @param {any} scene
 * @returns {UnitEntry[]}
 */
export function unitsOf(game, scene) {
  return (GAMES[game]?.units ?? []).flatMap(([list, side]) =>
    (scene?.[list] ?? []).map((/** @type {any} */ value, /** @type {number} */ index) => ({
      id: String(value.id),
      name: String(value.id),
      side: String((side && value[side]) || list),
      path: `/${list}/${index}`,
      value,
    })),
  );
}
