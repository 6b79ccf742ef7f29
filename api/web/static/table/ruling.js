// A ruling next to the board: the verdict first, then the reasons with their sources, readings to switch, changes.

import { button, element, select, words } from "./elements.js";

/** @typedef {import("./elements.js").Child} Child */

const FIRST_STEPS = 8;

/**
 * @param {import("./types.js").Sheet} sheet
 * @param {{ question: string, link: string | null, readings: any[], take: () => void,
 *   read: (id: string, option: string) => void }} page
 */
export function shown({ verdict, tone, gist, why, ruling }, page) {
  /** @type {Map<string, any>} */
  const sources = new Map(ruling.citations.map((/** @type {any} */ each) => [each.id, each]));
  return [
    element("h2", { class: `verdict ${tone}` }, verdict),
    ...(ruling.notices ?? []).map(noticed),
    gist && !ruling.needs && !DRAWN.has(page.question) && element("p", { class: "gist" }, gist),
    ruling.rolls.length > 0 && dice(ruling.rolls),
    ruling.effects.patch.length > 0 &&
      element(
        "p",
        { class: "take" },
        button("Take it", page.take, { class: "main" }),
        ` ${counted(ruling.effects.events.length, "change")} on the table, then go on from there.`,
      ),
    why.some((group) => group.steps.length) && element("h3", {}, "Why"),
    ...(why.length > 1 ? groups(why, sources) : list(why[0]?.steps ?? [], sources)),
    facts(ruling.facts ?? []),
    switches(ruling.readings, page),
    page.link && element("p", { class: "dim" }, element("a", { href: page.link }, "Link to this ruling")),
  ];
}

/** What was given and looks misspelt. @param {{ message: string, hint: string }} notice */
const noticed = ({ message, hint }) =>
  element("p", { class: "notice" }, element("b", {}, "Not used: "), `${message}; ${hint}`);

/** Questions whose answer the picture shows, line by line or shaded. */
const DRAWN = new Set(["line-of-sight", "moves"]);

/** @param {number} many @param {string} what */
const counted = (many, what) => `${many} ${what}${many === 1 ? "" : "s"}`;

/**
 * Steps in groups by unit, each folded under the verdict of its line; the others below them.
 * @param {import("./types.js").Group[]} why
 * @param {Map<string, any>} sources
 * @returns {Child[]}
 */
function groups(why, sources) {
  const rest = why.flatMap((group) => (group.about ? [] : group.steps));
  return [
    ...why.filter((group) => group.about).map((group) => folded(group, sources)),
    rest.length > 0 &&
      element("details", { class: "group" }, element("summary", {}, counted(rest.length, "step")), items(rest, sources)),
  ];
}

/** @param {import("./types.js").Group} group @param {Map<string, any>} sources */
function folded({ about, name, gist, tone, steps }, sources) {
  const head = [element("b", {}, name), " ", element("span", { class: tone }, gist || steps[0].text)];
  const under = gist ? steps : steps.slice(1);
  return under.length
    ? element("details", { class: "group", "data-about": about }, element("summary", {}, head), items(under, sources))
    : element("p", { class: "group", "data-about": about }, head);
}

/** @param {import("./types.js").Step[]} steps @param {Map<string, any>} sources @param {number} [start] */
function items(steps, sources, start = 1) {
  return element(
    "ol",
    { class: "steps", start },
    steps.map((step) =>
      element(
        "li",
        {},
        step.text,
        " ",
        element(
          "small",
          { title: step.cites.map((id) => sources.get(id)?.gist ?? "").join(" ") },
          [...new Set(step.cites.map((id) => sources.get(id)?.where ?? id))].join("; "),
        ),
      ),
    ),
  );
}

/**
 * @param {import("./types.js").Step[]} steps
 * @param {Map<string, any>} sources
 * @returns {Child[]}
 */
function list(steps, sources) {
  const rest = steps.slice(FIRST_STEPS);
  return [
    items(steps.slice(0, FIRST_STEPS), sources),
    rest.length > 0 &&
      element(
        "details",
        {},
        element("summary", {}, `${counted(rest.length, "more step")}`),
        items(rest, sources, FIRST_STEPS + 1),
      ),
  ];
}

/** @param {any[]} rolls */
function dice(rolls) {
  return element(
    "ul",
    { class: "rolls" },
    rolls
      .filter((roll) => roll.faces.length)
      .map((roll) => {
        const sum = roll.total == null ? "" : ` = ${roll.total}`;
        const more = roll.modifiers.map(
          (/** @type {any} */ each) => ` ${each.value < 0 ? "\u2212" : "+"} ${Math.abs(each.value)} ${words(each.id)}`,
        );
        const against = roll.against == null ? "" : ` against ${roll.against}`;
        const needed = roll.needed == null ? "" : `, needs ${roll.needed}${roll.most ? " or less" : "+"}`;
        return element(
          "li",
          {},
          roll.faces.map((/** @type {any} */ face) => element("span", { class: "die" }, String(face))),
          element("span", {}, `${words(roll.label)}${more.join("")}${sum}${against}${needed}`),
        );
      }),
  );
}

/** @param {any[]} facts */
function facts(facts) {
  return facts.length > 0 && element("ul", { class: "dim" }, facts.map((fact) => element("li", {}, fact.text)));
}

/**
 * @param {any[]} used
 * @param {{ readings: any[], read: (id: string, option: string) => void }} page
 */
function switches(used, page) {
  if (!used.length) return null;
  return element(
    "details",
    { class: "readings" },
    element("summary", {}, `${counted(used.length, "unclear passage")} of the rules: how we read ${used.length === 1 ? "it" : "them"}`),
    used.map((reading) => {
      const known = page.readings.find((each) => each.id === reading.id);
      /** @type {[string, string][]} */
      const options = (known?.options ?? [{ id: reading.option, gist: reading.option }]).map(
        (/** @type {any} */ option) => [option.id, option.gist],
      );
      return select(reading.question, options, reading.option, (option) => page.read(reading.id, option));
    }),
  );
}
