// Odds as bars, with the exact fraction on demand; and what each option of a reaction is worth under best play.

import { element, words } from "./elements.js";

const MOST_BARS = 12;
const MOST_FIELDS = 4;

/** The most informative members of an answer, in this order; others follow in their own order. */
const TELLING = ["damage", "wounds", "hits", "out", "stunned", "slain", "success", "grievous"];

/**
 * @param {any} law
 */
export function bars(law) {
  if (!law.allowed) {
    return [
      element("h2", { class: "verdict no" }, "Not allowed"),
      element("ol", { class: "steps" }, law.reasons.map((/** @type {any} */ each) => element("li", {}, each.text))),
    ];
  }
  const rank = (/** @type {any} */ each) => (TELLING.indexOf(each.field) + TELLING.length + 1) % (TELLING.length + 1);
  const several = law.marginals
    .filter((/** @type {any} */ each) => each.values.length > 1)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => rank(a) - rank(b));
  const exact = element("input", { type: "checkbox", id: "exact" });
  const host = element("div", { class: "odds" }, several.slice(0, MOST_FIELDS).map(field));
  exact.addEventListener("change", () => host.classList.toggle("exact", exact.checked));
  return [
    element("h2", { class: "verdict plain" }, headline(several[0])),
    element("p", { class: "dim" }, how(law)),
    element("label", { class: "check" }, exact, " exact fractions"),
    host,
    !several.length && element("p", {}, "There is only one way for this to end."),
  ];
}

/** @param {any} law */
function how(law) {
  const policies = Object.entries(law.policies).map(([who, policy]) => `${who === "*" ? "everyone" : who}: ${policy}`);
  const choices = policies.length ? ` Choices by policy: ${policies.join(", ")}.` : "";
  return law.method === "law" ? `Exact, over ${law.paths} ways it can go.${choices}` : `A crowd of games.${choices}`;
}

/** @param {any} most */
function headline(most) {
  if (!most) return "Certain";
  if (most.mean != null) return `${most.mean.toFixed(2)} ${words(most.field)} on average`;
  const likeliest = most.values.reduce((/** @type {any} */ a, /** @type {any} */ b) =>
    b.probability > a.probability ? b : a,
  );
  return `${words(most.field)}: ${label(likeliest.answer)}, ${percent(likeliest.probability)}`;
}

/** @param {any} value */
const label = (value) =>
  value === true ? "yes" : value === false ? "no" : value == null ? "none" : typeof value === "object" ? JSON.stringify(value) : words(value);

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** @param {any} marginal */
function field(marginal) {
  const numbers = marginal.values.every((/** @type {any} */ each) => typeof each.answer === "number");
  const values = [...marginal.values].sort((a, b) => (numbers ? a.answer - b.answer : b.probability - a.probability));
  const mean = marginal.mean == null ? "" : `, ${marginal.mean.toFixed(2)} on average`;
  return element(
    "section",
    {},
    element("h3", {}, `${words(marginal.field)}${mean}`),
    element("table", { class: "bars" }, values.slice(0, MOST_BARS).map(row)),
    values.length > MOST_BARS && element("p", { class: "dim" }, `and ${values.length - MOST_BARS} rarer ones`),
  );
}

/** @param {any} chance */
function row(chance) {
  const bar = element("span", { class: "bar" });
  bar.style.width = `${Math.max(0.5, 100 * chance.probability)}%`;
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, label(chance.answer)),
    element("td", { class: "track" }, bar),
    element("td", { class: "share" }, percent(chance.probability), element("span", { class: "mass" }, chance.mass)),
  );
}

/**
 * Show the value of each option of each decision when all sides play optimally.
 * @param {any} law
 */
export function best(law) {
  const decisions = law.best?.decisions ?? [];
  return [
    element("h2", { class: "verdict plain" }, decisions.length ? "Best play" : "Nothing to decide"),
    decisions.length > 0 &&
      element("p", { class: "dim" }, "Each option weighed by all that may follow it; more is better for who decides."),
    decisions.map((/** @type {any} */ decision) =>
      element(
        "section",
        {},
        element("h3", {}, `${words(decision.label)} (${percent(decision.probability)} of games)`),
        element(
          "ul",
          { class: "worths" },
          [...decision.options]
            .sort((a, b) => b.mean - a.mean)
            .map((each) =>
              element(
                "li",
                { class: each.picked ? "picked" : null, title: each.mean_exact },
                element("b", {}, each.mean.toFixed(2)),
                " ",
                each.option.label,
                each.picked ? " (best)" : "",
              ),
            ),
        ),
      ),
    ),
    ...bars(law).slice(1),
  ];
}
