// The replay of a battle: its events, shown one by one on the picture of the initial table.

import { spot } from "./grid.js";
import { words } from "./elements.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").Grid} Grid */
/** @typedef {{ name: string, values: Record<string, any> }} Told */
/** @typedef {{ id: string, places: [number, number][] | null, gone: boolean, hurt: boolean, text: string }} Frame */

// The games use the same few names for the same values: `arbiter/skirmish/overlay.py` lists them.
const MOVED = new Set(["moved", "thrown", "pushed", "fell", "fled", "deployed", "placed", "risen", "returned"]);
const GONE = new Set(["slain", "eliminated", "out", "killed", "out-of-action", "casualty", "downed", "disabled", "left-table"]);
const HURT = new Set(["wounded", "damaged", "suffered", "crossed-out", "stunned"]);
/** Bookkeeping events without their own frame. */
const SILENT = new Set(["die-spent", "paid", "points-spent", "rounds-spent", "card-turned-down", "marked", "step", "points-renewed", "activation-over", "turn-ended", "destiny-die-returned", "markers_removed"]);
const UNITS = ["unit", "model", "figure", "fighter", "card"];

/**
 * Make the frames of a battle from its events.
 * @param {Told[]} events
 * @returns {Frame[]}
 */
export function framesOf(events) {
  return events
    .filter((event) => !SILENT.has(event.name))
    .map(({ name, values }) => ({
      id: String(UNITS.map((member) => values[member]).find((value) => typeof value === "string") ?? ""),
      places: MOVED.has(name) ? placesOf(values) : null,
      gone: GONE.has(name),
      hurt: HURT.has(name),
      text: sentence(name, values),
    }));
}

/** @param {Record<string, any>} values @returns {[number, number][] | null} */
function placesOf(values) {
  if (values.models?.length) return values.models;
  const last = values.end ?? values.to ?? values.at ?? values.hex ?? values.way?.at(-1);
  return Array.isArray(last) && last.length >= 2 ? [[last[0], last[1]]] : null;
}

/** @param {string} name @param {Record<string, any>} values */
function sentence(name, values) {
  const who = UNITS.map((member) => values[member]).find((value) => typeof value === "string");
  const rest = Object.entries(values)
    .filter(([member, value]) => !UNITS.includes(member) && value !== null && !["start", "way", "models"].includes(member))
    .map(([member, value]) => `${words(member)} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return `${who ? `${who} ` : ""}${words(name)}${rest.length ? `: ${rest.join(", ")}` : ""}`;
}

export class Replay {
  /**
   * @param {Board} board
   * @param {Told[]} events
   * @param {string} after the picture of the table when it is over, which has those who came later
   */
  constructor(board, events, after) {
    this.board = board;
    this.frames = framesOf(events);
    this.arrivals(after);
  }

  /** Bring in those who come later from the picture of the end, unseen until they do. @param {string} after */
  arrivals(after) {
    const parsed = new DOMParser().parseFromString(after.replace(/<style>[^]*?<\/style>/, ""), "image/svg+xml");
    const host = this.board.svg?.querySelector("[data-grid]");
    for (const group of parsed.querySelectorAll("[data-id]")) {
      if (this.board.units(group.getAttribute("data-id") ?? "").length) continue;
      const late = /** @type {SVGGElement} */ (document.importNode(group, true));
      late.classList.add("late", "gone");
      host?.append(late);
    }
  }

  /**
   * Show the table after this many frames.
   * @param {number} many
   */
  show(many) {
    const { svg, grid } = this.board;
    if (!svg || !grid) return;
    /** @type {Map<string, [number, number][]>} */
    const places = new Map();
    /** @type {Set<string>} */
    const gone = new Set([...svg.querySelectorAll(".late")].map((late) => late.getAttribute("data-id") ?? ""));
    for (const frame of this.frames.slice(0, many)) {
      if (frame.places) {
        places.set(frame.id, frame.places);
        gone.delete(frame.id);
      }
      if (frame.gone) gone.add(frame.id);
    }
    const now = this.frames[many - 1];
    for (const id of new Set([...svg.querySelectorAll("[data-id]")].map((unit) => unit.getAttribute("data-id") ?? ""))) {
      this.place(id, places.get(id), gone.has(id), now?.id === id ? now : null);
    }
  }

  /**
   * @param {string} id
   * @param {[number, number][] | undefined} places
   * @param {boolean} gone
   * @param {Frame | null} now
   */
  place(id, places, gone, now) {
    this.board.units(id).forEach((unit, index) => {
      const to = places?.[Math.min(index, places.length - 1)];
      if (to && this.board.grid) this.board.put(unit, spot(this.board.grid, to));
      else unit.removeAttribute("transform");
      unit.classList.toggle("gone", gone || Boolean(places && index >= places.length));
      unit.classList.toggle("now", now !== null);
      unit.classList.toggle("hurt", Boolean(now?.hurt || now?.gone));
    });
    // The hull of a squad is still at its initial position.
    this.board.hull(id)?.classList.toggle("gone", gone || Boolean(places));
  }
}
