// The needs of a ruling: faces to click or a seed to roll with, options of a choice, facts that players see.

import { button, element, words } from "./elements.js";

/** @typedef {import("./elements.js").Child} Child */

/**
 * @typedef {{ hand: (label: string, faces: (number | string)[]) => void, roll: () => void,
 *   choose: (label: string, option: any) => void, weigh: (() => void) | null,
 *   give: (key: string, value: any) => void }} Answers
 */

/**
 * @param {any} needs
 * @param {Answers} answers
 * @returns {Child[]}
 */
export function asked(needs, answers) {
  if (needs.dice) return [dice(needs.dice, answers)];
  if (needs.choice) return [choice(needs.choice, answers)];
  return (needs.facts ?? []).map((/** @type {any} */ fact) => factOf(fact, answers));
}

/**
 * Faces to click for each die; or the service rolls.
 * @param {any} need
 * @param {Answers} answers
 */
function dice(need, answers) {
  /** @type {(number | string)[]} */
  const faces = [];
  const many = need.count === 1 ? `one ${need.die}` : `${need.count} ${need.die}`;
  const fallen = element("p", { class: "fallen", "aria-live": "polite" });
  const show = () => {
    const open = need.count - faces.length;
    fallen.textContent = faces.length ? `${faces.join(", ")}; ${open} to go` : "";
  };
  return element(
    "fieldset",
    { class: "need" },
    element("legend", {}, `${words(need.label)}: ${many}`),
    element("p", {}, button("Roll for me", () => answers.roll(), { class: "main" }), " or click what you rolled:"),
    element(
      "div",
      { class: "faces" },
      need.faces.map((/** @type {number | string} */ face) =>
        button(
          String(face),
          () => {
            faces.push(face);
            show();
            if (faces.length === need.count) answers.hand(need.label, faces);
          },
          { class: "face" },
        ),
      ),
    ),
    fallen,
  );
}

/**
 * @param {any} need
 * @param {Answers} answers
 */
function choice(need, answers) {
  return element(
    "fieldset",
    { class: "need" },
    element("legend", {}, `${words(need.who)}: ${words(need.label)}`),
    need.options.map((/** @type {any} */ option) =>
      button(option.label, () => answers.choose(need.label, option.id), { class: "option" }),
    ),
    answers.weigh && element("p", {}, button("What is each worth?", answers.weigh)),
  );
}

/**
 * @param {any} fact
 * @param {Answers} answers
 */
function factOf(fact, answers) {
  const give = (/** @type {any} */ value) => answers.give(fact.key, value);
  const field = element("input", {
    type: fact.type === "number" ? "number" : "text",
    "aria-label": fact.question,
    min: fact.least,
    max: fact.most,
    step: fact.whole ? 1 : "any",
    required: true,
  });
  const value = () => (fact.type === "number" ? Number(field.value) : field.value.split(/[\s,]+/).filter(Boolean));
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    give(value());
  };
  return element(
    "fieldset",
    { class: "need" },
    element("legend", {}, fact.question),
    fact.why && element("p", { class: "dim" }, fact.why),
    fact.type === "yes-no"
      ? [button("Yes", () => give(true)), button("No", () => give(false))]
      : fact.type === "option"
        ? fact.options.map((/** @type {string} */ option) => button(words(option), () => give(option)))
        : element("form", { submit }, field, ` ${fact.unit ?? `some of ${fact.options.join(", ")}`} `, element("button", {}, "Answer")),
  );
}
