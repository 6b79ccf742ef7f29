// The board: the picture from the service, with units that can be moved by mouse, touch and keys.

import { next, snap } from "./grid.js";

/** @typedef {import("./types.js").Grid} Grid */
/** @typedef {import("./types.js").Spot} Spot */

/**
 * @typedef {{ choose: (id: string) => void, move: (id: string, path: string, place: [number, number]) => void,
 *   tap: (place: [number, number]) => void }} Handlers
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const DRAG_PX = 5;
/** The size on the screen of the names that narrow screens show. */
const TAG_PX = 13;
/** How far below the middle of a unit its letters begin there, in the units of the picture. */
const UNDER = 9;
/** Milliseconds after the last arrow key until the question about the move is sent. */
const PAUSE_MS = 250;

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {Handlers} on
   */
  constructor(host, on) {
    this.host = host;
    this.on = on;
    /** The legend of the picture, in letters that do not shrink with it. */
    this.legend = document.createElement("ul");
    this.legend.className = "legend";
    this.legend.setAttribute("aria-label", "What the signs mean");
    host.after(this.legend);
    /** @type {SVGSVGElement | null} */
    this.svg = null;
    /** @type {Grid | null} */
    this.grid = null;
    /** @type {{ unit: SVGGElement, x: number, y: number, dragged: boolean, spot: Spot | null } | null} */
    this.drag = null;
    /** @type {{ unit: SVGGElement, spot: Spot, timer: number } | null} */
    this.step = null;
    this.locked = false;
    /** The game whose table is on the board. */
    this.of = "";
    /** The JSON Pointer of the focused unit, while another picture is drawn. @type {string | null | undefined} */
    this.held = null;
    host.addEventListener("pointerdown", (event) => this.down(event));
    host.addEventListener("pointermove", (event) => this.motion(event));
    host.addEventListener("pointerup", (event) => this.up(event));
    host.addEventListener("pointercancel", () => this.cancel());
    host.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.scale()).observe(host);
  }

  /**
   * Replace the picture; the focus stays on the same unit.
   * @param {string} text
   * @param {string | null} chosen
   * @param {string | null} [target]
   */
  draw(text, chosen, target = null) {
    // Its style sheet is linked by the page: a strict policy allows no other.
    const plain = text.replace(/<style>[^]*?<\/style>/, "");
    const parsed = new DOMParser().parseFromString(plain, "image/svg+xml").documentElement;
    const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.adoptNode(parsed)));
    const size = svg.getAttribute("width");
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    this.explain(svg);
    const grid = svg.querySelector("[data-grid]")?.getAttribute("data-grid");
    if (grid) this.grid = JSON.parse(grid);
    this.held = this.host.contains(document.activeElement) ? document.activeElement?.getAttribute("data-place") : null;
    for (const unit of svg.querySelectorAll("[data-id]")) {
      const name = unit.querySelector("title")?.textContent ?? unit.getAttribute("data-id") ?? "";
      unit.setAttribute("tabindex", "0");
      unit.setAttribute("role", "button");
      unit.setAttribute("aria-label", name);
      unit.setAttribute("aria-pressed", String(unit.getAttribute("data-id") === chosen));
    }
    abbreviate(svg, [chosen, target]);
    if (this.svg && this.svg.getAttribute("viewBox") === svg.getAttribute("viewBox")) renew(this.svg, svg);
    else {
      const { scrollLeft, scrollTop } = this.host;
      if (!grid) this.floor(svg).forEach((each, index) => each.replaceWith(this.floor()[index]));
      this.host.replaceChildren(svg);
      this.svg = svg;
      this.host.scrollTo(scrollLeft, scrollTop);
    }
    // At most twice the width of the picture: on a large screen a small board stays small.
    this.svg.style.maxWidth = `${Math.min(2 * Number(size), 1400)}px`;
    this.step = null;
    this.scale();
    for (const id of [chosen, target]) if (id) this.tag(id);
  }

  /** Give the style sheet the picture's units for each screen pixel, for letters that do not shrink with it. */
  scale() {
    const wide = this.svg?.viewBox.baseVal.width ?? 0;
    this.host.style.setProperty("--pixel", String(wide / (this.host.clientWidth || wide) || 1));
  }

  /** Write the name of a unit in letters that stay large on a small board; narrow screens show only it.
   * @param {string} id */
  tag(id) {
    const unit = this.units(id)[0];
    if (!unit || !this.svg) return;
    const [left, top, wide] = (this.svg.getAttribute("viewBox") ?? "0 0 0 0").split(" ").map(Number);
    const size = (TAG_PX * wide) / (this.host.clientWidth || wide);
    const [x, y] = this.centre(unit);
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const half = 0.32 * size * id.length;
    text.setAttribute("class", "name f-ink s-floor tag");
    text.setAttribute("x", String(Math.min(left + wide - half, Math.max(left + half, x))));
    text.setAttribute("y", String(y - 1.6 * size > top ? y - 0.9 * size : y + 1.7 * size));
    text.style.fontSize = `${size}px`;
    text.textContent = id;
    this.svg.append(text);
  }

  /** What of a picture stays while units move. @param {SVGSVGElement | null} svg */
  floor(svg = this.svg) {
    return [...(svg?.querySelectorAll("[data-ground]") ?? [])];
  }

  /** The id of the ground on the page, so that the service leaves it out of the next picture. */
  get ground() {
    return this.floor()[0]?.getAttribute("data-ground") ?? "";
  }

  /** Return the focus to the unit that had it, if a new picture has been drawn. */
  focus() {
    if (this.held && !this.svg?.contains(document.activeElement)) this.unit(this.held)?.focus({ preventScroll: true });
    this.held = null;
  }

  /** Take the legend out of a picture, and write it below. @param {SVGSVGElement} svg */
  explain(svg) {
    const legend = svg.querySelector(".legend");
    const [left, top, width] = (svg.getAttribute("viewBox") ?? "0 0 0 0").split(" ");
    if (legend) svg.setAttribute("viewBox", `${left} ${top} ${width} ${legend.getAttribute("data-top")}`);
    legend?.remove();
    if (legend && this.explained?.isEqualNode(legend)) return;
    this.explained = legend?.cloneNode(true);
    const entries = [...(legend?.children ?? [])].map((entry) => {
      const [x, y] = (entry.getAttribute("data-at") ?? "0 0").split(" ").map(Number);
      const sample = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      for (const [name, value] of [["viewBox", `${x - 12} ${y - 9} 24 18`], ["width", "24"], ["height", "18"], ["aria-hidden", "true"]]) {
        sample.setAttribute(name, value);
      }
      entry.querySelector(":scope > text:last-child")?.remove();
      sample.append(...entry.children);
      const item = document.createElement("li");
      item.append(sample, entry.getAttribute("data-text") ?? "");
      return item;
    });
    this.legend.replaceChildren(...entries);
  }

  /** Show a sentence in the place of a picture. @param {string} sentence */
  clear(sentence) {
    this.legend.replaceChildren();
    this.explained = undefined;
    const text = document.createElement("p");
    text.textContent = sentence;
    this.host.replaceChildren(text);
    this.svg = this.grid = null;
  }

  /**
   * The group of a unit or model, by the JSON Pointer of its position.
   * @param {string} path
   * @returns {SVGGElement | null}
   */
  unit(path) {
    return this.svg?.querySelector(`[data-place="${CSS.escape(path)}"]`) ?? null;
  }

  /**
   * The groups of a unit by its id: one for each model of a squad.
   * @param {string} id
   * @returns {SVGGElement[]}
   */
  units(id) {
    return [...(this.svg?.querySelectorAll(`[data-id="${CSS.escape(id)}"]`) ?? [])].map(
      (group) => /** @type {SVGGElement} */ (group),
    );
  }

  /** The hull around a squad, by its id. @param {string} id @returns {Element | null} */
  hull(id) {
    return this.svg?.querySelector(`[data-hull="${CSS.escape(id)}"]`) ?? null;
  }

  /** @param {Element} unit @returns {[number, number]} */
  centre(unit) {
    const [x, y] = (unit.getAttribute("data-at") ?? "0 0").split(" ").map(Number);
    return [x, y];
  }

  /** @param {{ clientX: number, clientY: number }} event */
  point(event) {
    const matrix = /** @type {SVGSVGElement} */ (this.svg).getScreenCTM()?.inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return { x, y };
  }

  /**
   * The unit whose centre is nearest: the invisible circles of neighbours, as wide as a finger, overlap.
   * @param {{ clientX: number, clientY: number }} event
   */
  nearest(event) {
    const { x, y } = this.point(event);
    const distance = (/** @type {Element} */ unit) => {
      const [cx, cy] = this.centre(unit);
      return Math.hypot(cx - x, cy - y);
    };
    const all = [.../** @type {SVGSVGElement} */ (this.svg).querySelectorAll("[data-id]")];
    return /** @type {SVGGElement} */ (all.reduce((best, unit) => (distance(unit) < distance(best) ? unit : best)));
  }

  /** @param {SVGGElement} unit @param {Spot} to */
  put(unit, to) {
    const [x, y] = this.centre(unit);
    unit.setAttribute("transform", `translate(${to.x - x} ${to.y - y})`);
  }

  /** @param {PointerEvent} event */
  down(event) {
    // Contacts of lines are drawn above the units, and may hide one.
    const touched = document.elementsFromPoint(event.clientX, event.clientY).some((each) => each.closest("[data-id]"));
    const unit = touched && this.nearest(event);
    if (!unit || this.locked || event.button !== 0 || !event.isPrimary) return;
    this.flush();
    this.drag = { unit, ...this.point(event), dragged: false, spot: null };
    this.from = { x: event.clientX, y: event.clientY };
    unit.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  motion(event) {
    const { drag, grid, from } = this;
    if (!drag || !grid || !from || !event.isPrimary) return;
    if (!drag.dragged && Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_PX) return;
    drag.dragged = true;
    this.hull(drag.unit.getAttribute("data-id") ?? "")?.classList.add("gone");
    drag.unit.classList.add("dragged");
    const { x, y } = this.point(event);
    const [cx, cy] = this.centre(drag.unit);
    drag.spot = snap(grid, cx + x - drag.x, cy + y - drag.y);
    this.put(drag.unit, drag.spot);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { drag } = this;
    this.drag = null;
    if (drag?.dragged && drag.spot) {
      drag.unit.classList.remove("dragged");
      this.dropped = performance.now();
      this.moved(drag.unit, drag.spot);
    } else if (drag) this.on.choose(drag.unit.getAttribute("data-id") ?? "");
    else if (event.pointerType !== "mouse" && this.grid && this.svg?.contains(/** @type {Node} */ (event.target))) {
      const { x, y } = this.point(event);
      this.on.tap(snap(this.grid, x, y).place);
    }
  }

  cancel() {
    this.restore();
    this.drag = null;
  }

  /** @param {SVGGElement} unit @param {Spot} to */
  moved(unit, to) {
    const [x, y] = this.centre(unit);
    if (Math.hypot(to.x - x, to.y - y) < 0.05) {
      unit.removeAttribute("transform");
      return;
    }
    this.on.move(unit.getAttribute("data-id") ?? "", unit.getAttribute("data-place") ?? "", to.place);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const unit = /** @type {SVGGElement | null} */ (/** @type {Element} */ (event.target).closest("[data-id]"));
    if (!unit || !this.grid || this.locked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!this.flush()) this.on.choose(unit.getAttribute("data-id") ?? "");
    } else if (event.key in ARROWS) {
      event.preventDefault();
      const [cx, cy] = this.centre(unit);
      const now = this.step?.unit === unit ? this.step.spot : { x: cx, y: cy };
      clearTimeout(this.step?.timer);
      const to = next(this.grid, now.x, now.y, ARROWS[event.key]);
      this.put(unit, to);
      this.step = { unit, spot: to, timer: window.setTimeout(() => this.flush(), PAUSE_MS) };
    }
  }

  /** Send the question about the move of the arrow keys now; return whether there was one. */
  flush() {
    const { step } = this;
    this.step = null;
    if (!step) return false;
    clearTimeout(step.timer);
    this.dropped = performance.now();
    this.moved(step.unit, step.spot);
    return true;
  }

  /** Return every unit to its position in the picture. */
  restore() {
    for (const hull of this.svg?.querySelectorAll("[data-hull]") ?? []) hull.classList.remove("gone");
    for (const unit of this.svg?.querySelectorAll("[data-id]") ?? []) unit.removeAttribute("transform");
  }
}

/**
 * Write the letters of each unit below it as well, for narrow screens, where those on it are too small; once for a
 * squad, and not for units with their full names.
 * @param {SVGSVGElement} svg
 * @param {(string | null)[]} named
 */
function abbreviate(svg, named) {
  const done = new Set(named);
  for (const unit of svg.querySelectorAll("[data-id]")) {
    const letters = unit.querySelector(".in");
    if (!letters || done.has(unit.getAttribute("data-id"))) continue;
    done.add(unit.getAttribute("data-id"));
    const below = /** @type {Element} */ (letters.cloneNode(true));
    below.setAttribute("class", "letters f-ink s-floor");
    below.setAttribute("y", String(Number((unit.getAttribute("data-at") ?? "0 0").split(" ")[1]) + UNDER));
    unit.append(below);
  }
}

/**
 * Make a picture equal to another one, and keep their equal beginning and end: the floor of a board and its many
 * coordinates take longer to lay out than everything else.
 * @param {Element} now
 * @param {Element} fresh
 */
function renew(now, fresh) {
  const [old, young] = [[...now.childNodes], [...fresh.childNodes]];
  let first = 0;
  while (first < old.length && first < young.length && alike(old[first], young[first])) first++;
  let last = 0;
  const most = Math.min(old.length, young.length) - first;
  while (last < most && alike(old[old.length - 1 - last], young[young.length - 1 - last])) last++;
  const [gone, come] = [old.slice(first, old.length - last), young.slice(first, young.length - last)];
  const board = gone.findIndex((node) => isBoard(node));
  const other = come.findIndex((node) => isBoard(node));
  if (board >= 0 && other >= 0 && isSame(gone[board], come[other])) {
    renew(/** @type {Element} */ (gone[board]), /** @type {Element} */ (come[other]));
    come.splice(other, 1, gone[board]);
  }
  const after = old[old.length - last] ?? null;
  for (const node of gone) if (!come.includes(node)) /** @type {ChildNode} */ (node).remove();
  const kept = come.findIndex((node) => gone.includes(node));
  come.forEach((node, index) => {
    if (index !== kept) now.insertBefore(node, index < kept ? come[kept] : after);
  });
}

/** Whether a node of a picture equals a new one, which lacks the ground that is already on the page.
 * @param {Node} one @param {Node} other */
const alike = (one, other) => one.isEqualNode(other) || (isGround(one) && isGround(other) && !other.hasChildNodes());

/** @param {Node} node */
const isGround = (node) => node instanceof Element && node.hasAttribute("data-ground");

/** @param {Node} node */
const isBoard = (node) => node instanceof Element && node.classList.contains("board");

/** Whether a fresh board has the same places. @param {Node} one @param {Node} other */
function isSame(one, other) {
  const [old, young] = [one, other].map((each) => /** @type {Element} */ (each).getAttribute("data-grid"));
  return young === null || young === old;
}
