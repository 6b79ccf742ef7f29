// The open games, the state in the address, and the current scene.

import { fresh } from "./address.js";
import { words } from "./elements.js";
import { deedsOf, unitsOf } from "./games.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Deed} Deed */
/** @typedef {import("./types.js").Pick} Pick */
/** @typedef {import("./board.js").Board} Board */

/**
 * `games` lists all games, `game` has the facts of the open one; `opened` is its scene before any step, `scene` is the
 * scene after all of them. `picks` are the weapons of the chosen unit.
 * @type {{ games: { name: string, title: string }[], game: Game | null, state: State, opened: any, scene: any,
 *   picks: Pick[] }}
 */
export const here = { games: [], game: null, state: fresh(""), opened: null, scene: null, picks: [] };

export const path = () => `/v1/games/${here.state.game}`;

export const units = () => (here.game ? unitsOf(here.game, here.scene) : []);

export const unit = () => units().find((each) => each.id === here.state.unit) ?? null;

/**
 * The questions about the chosen unit; those about decisions by rules only for units that the picture marks.
 * @param {Board} board
 * @returns {Deed[]}
 */
export function deeds(board) {
  if (!here.game) return [];
  const chosen = here.state.unit && board.units(here.state.unit)[0];
  return deedsOf(here.game).filter((each) => !each.by_rules || !chosen || chosen.hasAttribute("data-by-rules"));
}

/** @returns {Deed | null} the current question */
export const deed = () =>
  (here.game && deedsOf(here.game).find((each) => each.question === here.state.deed)) ?? null;

/** Whether dice have a part in a question, and so odds. @param {string} question */
export const hasDice = (question) =>
  here.game?.questions.find((each) => each.name === question)?.dice ?? false;

/** Drop the answers so far, for another question or another table. */
export function anew() {
  Object.assign(here.state, { seed: null, hand: {}, choices: {}, given: {}, view: "ruling" });
}

/** Members of the current case that no tool shows. @returns {Record<string, any>} */
const others = () => here.state.others[here.state.deed ?? ""] ?? {};

/** The other units of the current question. @returns {string[]} */
export function targets() {
  const name = deed()?.target;
  return name ? (others()[name] ?? [here.state.target ?? []].flat()) : [];
}

/** Choose a target, in the place of all that came with the question. @param {string | null} id */
export function aimAt(id) {
  const chosen = deed();
  here.state.target = id;
  if (chosen?.target) delete here.state.others[chosen.question]?.[chosen.target];
}

/** Letters of such a member that the head of a ruling shows. */
const LONGEST = 40;

/** The current question in words. */
export function asking() {
  const chosen = deed();
  const more = Object.entries(others()).map(([name, value]) => {
    if (name === chosen?.target) return "";
    const written = typeof value === "string" ? value : JSON.stringify(value);
    return `, ${words(name)}: ${written.slice(0, LONGEST)}`;
  });
  return [`${here.state.unit}: ${chosen?.label}`, targets().join(" and ")].filter(Boolean).join(" ") + more.join("");
}

/** @returns {any} the body of the question, or null while a choice is missing */
export function body() {
  const { state, scene } = here;
  const chosen = deed();
  if (!chosen || !state.unit || (chosen.target && !state.target)) return null;
  const target = chosen.target ? { [chosen.target]: chosen.several ? targets() : state.target } : {};
  const given = Object.keys(state.given).length ? { given: state.given } : {};
  return {
    case: { ...others(), scene, [chosen.actor]: state.unit, ...target, ...state.pick, ...given },
    dice: state.seed ? { seed: state.seed, hand: state.hand } : { hand: state.hand },
    ...(Object.keys(state.choices).length ? { choices: state.choices } : {}),
    ...(Object.keys(state.readings).length ? { readings: state.readings } : {}),
    surplus: "ignore",
  };
}
