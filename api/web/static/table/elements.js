// Elements of the page, made without markup: the content of names and sentences stays text.

/**
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Properties
 * @typedef {Node | string | null | undefined | false} Child
 */

/**
 * Make an element; functions among the properties are listeners, others are attributes, without false and null ones.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Properties} [properties]
 * @param {(Child | Child[])[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, String(value));
  }
  made.append(...children.flat().flatMap((child) => (child ? [child] : [])));
  return made;
}

/**
 * @param {string} label
 * @param {(event: Event) => void} click
 * @param {Properties} [properties]
 */
export const button = (label, click, properties = {}) =>
  element("button", { type: "button", click, ...properties }, label);

/**
 * Make a select element.
 * @param {string} label
 * @param {[value: string, text: string][]} options
 * @param {string} chosen
 * @param {(value: string) => void} change
 */
export function select(label, options, chosen, change) {
  const list = element(
    "select",
    { change: (/** @type {Event} */ event) => change(/** @type {HTMLSelectElement} */ (event.target).value) },
    options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)),
  );
  return element("label", {}, element("span", {}, label), list);
}

/**
 * Give the element with an id.
 * @param {string} id
 */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {any} value */
export const words = (value) => String(value).replaceAll(/[_-]/g, " ");
