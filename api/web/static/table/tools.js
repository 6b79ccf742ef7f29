// The tools around the board: unit, question, weapon and target; and the question to copy.

import { FORMS, copy } from "./copy.js";
import { button, byId, element, select, words } from "./elements.js";
import { aimAt, anew, body, deed, deeds, hasDice, here, path, targets, unit, units } from "./here.js";
import { showText } from "./notes.js";
import { Problem, ask } from "./service.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").State} State */

/** The last content of the tools: they are rebuilt only when it changes. */
let shownTools = "";

/** @param {any[]} parts */
export const flat = (parts) => parts.flat(3).filter(Boolean);

/**
 * @param {Board} board
 * @param {{ choose: (id: string) => void, setDeed: (question: string) => void, refresh: () => Promise<void> }} on
 */
export function tools(board, on) {
  const { state, picks } = here;
  const chosen = deed();
  const again = () => {
    anew();
    void on.refresh();
  };
  /** @type {[string, string][]} */
  const named = units().map((each) => [each.id, each.side ? `${each.id} (${words(each.side)})` : each.id]);
  /** @type {[string, string][]} */
  const several = targets().length > 1 ? [[targets().join(), targets().join(" and ")]] : [];
  const offered = deeds(board);
  const shows = JSON.stringify([state, picks, named, offered.map((each) => each.label)], (name, value) =>
    name === "steps" ? value.length > 0 : name === "scene" ? undefined : value,
  );
  copies();
  if (shows === shownTools) return;
  shownTools = shows;
  const odds = chosen && hasDice(chosen.question) && !(chosen.target && !state.target);
  const view = (/** @type {State["view"]} */ which, /** @type {string} */ label) =>
    button(label, () => {
      state.view = state.view === which ? "ruling" : which;
      void on.refresh();
    }, { "aria-pressed": String(state.view === which) });
  const focus = document.activeElement?.getAttribute("data-tool");
  byId("asks").replaceChildren(
    ...flat([
      select("Unit", [["", "Choose a unit"], ...named], state.unit ?? "", (id) => id && on.choose(id)),
      offered.map((each) =>
        button(each.label, () => on.setDeed(each.question), {
          "aria-pressed": String(each.question === state.deed),
          disabled: !state.unit,
        }),
      ),
      picks.length > 1 &&
        select(
          "With",
          picks.map((each) => [JSON.stringify(each.members), each.label]),
          JSON.stringify(state.pick),
          (value) => {
            state.pick = JSON.parse(value);
            again();
          },
        ),
      chosen?.target &&
        select(
          "Target",
          [["", "Choose the target"], ...several, ...named.filter(([id]) => id !== state.unit)],
          several[0]?.[0] ?? state.target ?? "",
          (id) => {
            aimAt(id || null);
            again();
          },
        ),
      odds && [view("odds", "Odds"), chosen.target && view("best", "Best reactions")],
    ]),
  );
  // A button that is pressed with a key keeps the focus.
  for (const tool of byId("asks").querySelectorAll("button, select")) {
    const name = tool.closest("label")?.firstElementChild?.textContent ?? tool.textContent ?? "";
    tool.setAttribute("data-tool", name);
    if (name === focus) /** @type {HTMLElement} */ (tool).focus({ preventScroll: true });
  }
  /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !state.steps.length;
}

/** Offer the question for programs, as it is when a button is pressed. */
function copies() {
  const host = byId("copies");
  if (!host.childElementCount) {
    const copyAs = (/** @type {(where: string, question: any) => string} */ form) => async (/** @type {Event} */ event) => {
      const [question, chosen] = [body(), deed()];
      if (!question || !chosen) return;
      const text = form(`${path()}/${chosen.question}`, question);
      const pressed = /** @type {HTMLButtonElement} */ (event.target);
      if (await copy(text)) pressed.textContent = "Copied";
      else showText(text);
    };
    host.append(
      element("span", { class: "dim" }, "This question for programs:"),
      ...Object.entries(FORMS).map(([name, form]) => button("", copyAs(form), { value: name })),
    );
  }
  const asks = body() !== null;
  /** @type {HTMLElement} */ (host.firstElementChild).hidden = !asks;
  for (const each of host.querySelectorAll("button")) {
    each.disabled = !asks;
    const label = `Copy as ${each.value}`;
    if (each.textContent !== label) each.textContent = label;
  }
}

/** The weapons or actions of the unit of `picks`; a move does not change them. */
let picked = "";

/** Find out with what the chosen unit can do it, where the game answers that. @param {AbortSignal} signal */
export async function findPicks(signal) {
  const { state } = here;
  const chosen = deed();
  if (!chosen?.weapons.length || !state.unit) {
    here.picks = [];
    picked = "";
    return;
  }
  const wanted = [state.game, state.from, state.unit, chosen.question].join();
  if (picked !== wanted) {
    const question = { case: { scene: here.scene, [chosen.actor]: state.unit }, dice: { hand: {} } };
    // Without a board their reach is unknown: the weapons are those that the scene names.
    const named = (unit()?.value.weapons ?? []).map((/** @type {any} */ weapon) => ({ weapon: weapon.id ?? weapon }));
    const weapons = await ask(`${path()}/targets`, question, signal).then(
      ({ answer: found }) => found.answer?.weapons ?? named,
      (error) => {
        if (!(error instanceof Problem)) throw error;
        return named;
      },
    );
    here.picks = weapons.map((/** @type {any} */ weapon) => ({
      label: weapon.name ?? weapon.weapons?.map(words).join(" and ") ?? words(weapon.weapon),
      members: Object.fromEntries(
        chosen.weapons.flatMap((name) => (weapon[name] == null ? [] : [[name, weapon[name]]])),
      ),
    }));
    picked = wanted;
  }
  const now = JSON.stringify(state.pick);
  if (!here.picks.some((each) => JSON.stringify(each.members) === now)) state.pick = here.picks[0]?.members ?? null;
}
