// The page's own messages: a hint above the board, a bubble at a unit, and dialogs.

import { byId, button, capital, element } from "./elements.js";
import { useKey } from "./service.js";

/** @param {string} text */
export const hint = (text) => {
  byId("hint").textContent = text;
};

/** Milliseconds until the ruling of an earlier question is dimmed: most answers arrive sooner. */
const DIM_MS = 150;

let dimmed = 0;

/** Say whether an answer is waited for. @param {boolean} waiting */
export function busy(waiting) {
  undim();
  byId("ruling").setAttribute("aria-busy", String(waiting));
  if (waiting) dimmed = window.setTimeout(() => byId("ruling").classList.add("old"), DIM_MS);
}

export function undim() {
  clearTimeout(dimmed);
  byId("ruling").classList.remove("old");
}

/** Show a message at a unit, or at the top of the board. @param {Element | undefined} group @param {string} message */
export function bubble(group, message) {
  const note = byId("bubble");
  const stage = byId("stage").getBoundingClientRect();
  const about = (group ?? byId("board")).getBoundingClientRect();
  note.textContent = capital(message);
  note.hidden = false;
  const half = note.offsetWidth / 2;
  const x = about.left + about.width / 2 - stage.left;
  note.style.left = `${Math.min(stage.width - half, Math.max(half, x))}px`;
  note.style.top = `${(group ? about.bottom : about.top) - stage.top}px`;
}

export const hideBubble = () => {
  byId("bubble").hidden = true;
};

/** The key for a gateway that needs one is entered once for this tab. */
export function needKey() {
  const field = element("input", { type: "password", "aria-label": "API key", autocomplete: "off" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    useKey(field.value);
    location.reload();
  };
  byId("ruling").replaceChildren(
    element("h2", {}, "This service asks for a key"),
    element("form", { submit }, field, " ", element("button", { class: "main" }, "Use it")),
  );
}

/** @param {string} text */
export function showText(text) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("dialog"));
  dialog.replaceChildren(
    element("h2", { id: "dialog-title" }, "Copy it from here"),
    element("textarea", { readonly: true, "aria-label": "The question" }, text),
    element("p", {}, button("Close", () => dialog.close())),
  );
  dialog.showModal();
}
