// A ruling beside the board: the verdict first, then the reasons with their sources, readings to switch, the changes.

import { button, capital, element, select, words } from "./elements.js";

/** @typedef {import("./elements.js").Child} Child */

/** Numbers of an answer that say how it ended, and members that say what else happened. */
const COUNTED = ["damage", "wounds", "hits"];
const HAPPENED = ["grievous", "slain", "stunned", "felled", "out", "dead", "jammed", "escaping", "out_of_game"];
const FIRST_STEPS = 8;

/**
 * Say in a few words how a question ended, and in which colour that is written.
 * @param {any} ruling
 * @returns {[string, "yes" | "part" | "no" | "plain"]}
 */
export function verdict(ruling) {
  if (!ruling.allowed) return ["Not allowed", "no"];
  if (ruling.status === "needs_dice") return ["Roll the dice", "part"];
  if (ruling.status === "needs_choice") return [`${capital(ruling.needs.choice.who)} chooses`, "part"];
  if (ruling.status === "needs_fact") return ["Look at the table", "part"];
  const answer = ruling.answer ?? {};
  if (ruling.question === "line-of-sight" && Array.isArray(answer.lines)) {
    const seen = answer.seen?.length ?? answer.seen ?? answer.visible ?? 0;
    if (answer.lines.length === 1) return seen ? ["In sight", "yes"] : ["Not in sight", "no"];
    return [`${seen} of ${answer.lines.length} in sight`, seen ? "yes" : "no"];
  }
  const counted = COUNTED.find((name) => typeof answer[name] === "number");
  const said = counted ? [`${answer[counted] || "no"} ${counted}`] : [];
  for (const name of HAPPENED) {
    if (answer[name] && !(Array.isArray(answer[name]) && !answer[name].length)) said.push(words(name));
  }
  if (typeof answer.success === "boolean") said.push(answer.success ? "success" : "failed");
  if (!said.length) return [ruling.question === "moves" ? "Where it may go" : "Ruled", "plain"];
  return [capital(said.join(", ")), said[0].startsWith("no ") || said.includes("failed") ? "plain" : "yes"];
}

/**
 * @param {any} ruling
 * @param {{ sentence: string, link: string | null, readings: any[], take: () => void,
 *   read: (id: string, option: string) => void }} page
 */
export function shown(ruling, page) {
  const [said, tone] = verdict(ruling);
  const steps = told(ruling);
  /** @type {Map<string, any>} */
  const sources = new Map(ruling.citations.map((/** @type {any} */ each) => [each.id, each]));
  return [
    element("h2", { class: `verdict ${tone}` }, said),
    page.sentence && !ruling.needs && element("p", { class: "gist" }, page.sentence),
    ruling.rolls.length > 0 && dice(ruling.rolls),
    ruling.effects.patch.length > 0 &&
      element(
        "p",
        { class: "take" },
        button("Take it", page.take, { class: "main" }),
        ` ${counted(ruling.effects.events.length, "change")} on the table, then go on from there.`,
      ),
    steps.length > 0 && element("h3", {}, "Why"),
    ...list(steps, sources),
    facts(ruling.facts ?? []),
    switches(ruling.readings, page),
    page.link && element("p", { class: "dim" }, element("a", { href: page.link }, "Link to this ruling")),
  ];
}

/** @param {number} many @param {string} what */
const counted = (many, what) => `${many} ${what}${many === 1 ? "" : "s"}`;

/** @param {any} ruling */
function told(ruling) {
  const seen = new Set();
  return [...ruling.reasons, ...ruling.findings].filter((step) => !seen.has(step.text) && seen.add(step.text));
}

/**
 * @param {any[]} steps
 * @param {Map<string, any>} sources
 * @returns {Child[]}
 */
function list(steps, sources) {
  const item = (/** @type {any} */ step) =>
    element(
      "li",
      {},
      step.text,
      " ",
      element(
        "small",
        { title: step.cites.map((/** @type {string} */ id) => sources.get(id)?.gist ?? "").join(" ") },
        [...new Set(step.cites.map((/** @type {string} */ id) => sources.get(id)?.where ?? id))].join("; "),
      ),
    );
  const rest = steps.slice(FIRST_STEPS);
  return [
    element("ol", { class: "steps" }, steps.slice(0, FIRST_STEPS).map(item)),
    rest.length > 0 &&
      element(
        "details",
        {},
        element("summary", {}, `${counted(rest.length, "more step")}`),
        element("ol", { class: "steps", start: FIRST_STEPS + 1 }, rest.map(item)),
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
    element("summary", {}, `${counted(used.length, "unclear passage")} read our way`),
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
