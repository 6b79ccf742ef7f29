// The page of a contract: gives the viewer its colours, and the contract part by part.
//
// The viewer resolves every reference of a document before it shows any of it. So it gets the operations without
// their bodies, and each body with its references resolved when it is shown.

const DARK = {
  "bg-color": "#24221e",
  "text-color": "#f1ece0",
  "primary-color": "#6db7f2",
  "secondary-color": "#f2b047",
  "nav-bg-color": "#171613",
  "nav-text-color": "#f1ece0",
  "nav-hover-bg-color": "#3f3a32",
  "nav-hover-text-color": "#6db7f2",
};

/** @type {any} The viewer has no types. */
const viewer = document.querySelector("openapi-explorer");
if (matchMedia("(prefers-color-scheme: dark)").matches) {
  for (const [name, colour] of Object.entries(DARK)) viewer.setAttribute(name, colour);
}
// A narrow screen has no space for the list of operations at its side: it shows only the folded operations.
if (matchMedia("(max-width: 768px)").matches) {
  viewer.setAttribute("render-style", "view");
  viewer.setAttribute("hide-info", "true");
}

const contract = await (await fetch(viewer.dataset.contract)).json();
/** @type {Map<string, any>} */
const written = new Map();

/**
 * Resolve the references of a part of the contract. A recursive component is only named.
 * @param {any} part
 * @returns {any}
 */
function writeOut(part) {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map(writeOut);
  if (typeof part.$ref !== "string") return mapped(part, writeOut);
  const { $ref, ...own } = part;
  return { ...component($ref), ...own };
}

/** @param {string} reference */
function component(reference) {
  if (!written.has(reference)) {
    const [name = ""] = reference.split("/").slice(-1);
    const named = { $ref: reference, name, id: name };
    written.set(reference, { $ref: reference, title: name, circularReference: named });
    const whole = find(reference);
    written.set(reference, { ...writeOut(whole), title: whole.title ?? name });
  }
  return written.get(reference);
}

/** @param {string} reference */
function find(reference) {
  const [, , section, name] = reference.split("/");
  return contract.components[section][name];
}

/**
 * Give an object with the same names, and each value mapped.
 * @param {object} whole
 * @param {(value: any) => any} change
 */
function mapped(whole, change) {
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, change(value)]));
}

/**
 * Give an operation without its bodies; its answers keep only their media types.
 * @param {any} operation
 */
function outline({ requestBody, responses, ...operation }) {
  const parameters = writeOut(operation.parameters ?? []);
  return { ...operation, parameters, responses: mapped(responses, bare) };
}

/** @param {any} answer */
function bare(answer) {
  const { content = {} } = typeof answer.$ref === "string" ? find(answer.$ref) : answer;
  return { content: mapped(content, () => ({})) };
}

/**
 * Resolve a member once, when it is first read: the viewer treats a different object as a different form.
 * @param {any} holder
 * @param {string} name
 * @param {any} part
 */
function writeLater(holder, name, part) {
  const get = () => {
    const value = writeOut(part);
    Object.defineProperty(holder, name, { value });
    return value;
  };
  Object.defineProperty(holder, name, { get });
}

/** The answers to a question of a game, not to its odds. */
const QUESTION = /^(\/v1\/games\/[^/]+)\/([^/{}]+)$/;
/** The number of examples that a list shows. */
const MOST_EXAMPLES = 12;

/**
 * Resolve the body of a request when it is first read, with examples from the service that can be sent unchanged: the
 * viewer's own samples from a schema are not legal cases. It keeps the first body that it shows, so none exists before.
 * @param {any} shown
 * @param {any} part
 */
function writeBody(shown, part) {
  const show = async () => {
    const [, game, question] = QUESTION.exec(shown.path) ?? [];
    const answer = question ? await fetch(`${game}/questions/${question}/examples`).catch(() => null) : null;
    const listed = answer?.ok ? (await answer.json()).examples.slice(0, MOST_EXAMPLES) : [];
    const examples = Object.fromEntries(listed.map((/** @type {any} */ { title, body }) => [title, { value: body }]));
    const body = writeOut(part);
    const content = mapped(body.content, (form) => (listed.length ? { ...form, examples } : form));
    Object.defineProperty(shown, "requestBody", { value: { ...body, content } });
    viewer.requestUpdate();
  };
  const get = () => {
    Object.defineProperty(shown, "requestBody", { value: {}, configurable: true });
    void show();
    return {};
  };
  Object.defineProperty(shown, "requestBody", { get, configurable: true });
}

viewer.addEventListener("spec-loaded", (/** @type {any} */ { detail }) => {
  for (const { paths } of detail.tags) {
    for (const shown of paths) {
      const { requestBody, responses } = contract.paths[shown.path][shown.method];
      if (requestBody) writeBody(shown, requestBody);
      writeLater(shown, "responses", responses);
    }
  }
  const sections = detail.components;
  for (const { componentKeyId, subComponents } of sections) {
    for (const shown of subComponents) {
      writeLater(shown, "component", contract.components[componentKeyId][shown.name]);
    }
  }
  // A browser needs over a minute to lay out all components: only the chosen one is shown.
  viewer.addEventListener("event", (/** @type {any} */ chosen) => {
    for (const shown of sections.flatMap((/** @type {any} */ section) => section.subComponents)) {
      shown.expanded = chosen.detail.explorerLocation === `cmp--${shown.id}`;
    }
  });
  // The list of components is long, and is added after the first paint, unless the address names one of them.
  if (!location.hash.includes("cmp--")) {
    detail.components = [];
    requestAnimationFrame(() => setTimeout(() => {
      detail.components = sections;
      viewer.requestUpdate();
    }));
  }
  // Scrolling elements must be reachable by keys.
  requestAnimationFrame(() => viewer.shadowRoot.querySelector(".main-content")?.setAttribute("tabindex", "0"));
});
const paths = mapped(contract.paths, (item) => mapped(item, outline));
const { securitySchemes, ...others } = contract.components;
const components = { securitySchemes, ...mapped(others, (section) => mapped(section, () => ({}))) };
await customElements.whenDefined("openapi-explorer");
viewer.loadSpec({ ...contract, paths, components });

export {};
