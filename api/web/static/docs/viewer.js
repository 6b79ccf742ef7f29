// The contract's page in the dark and on phones: the viewer takes what it looks like from its attributes alone.

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

const viewer = document.querySelector("openapi-explorer");
if (matchMedia("(prefers-color-scheme: dark)").matches) {
  for (const [name, colour] of Object.entries(DARK)) viewer?.setAttribute(name, colour);
}
// A narrow screen has no room for the list of operations at its side: it shows them alone, folded.
if (matchMedia("(max-width: 768px)").matches) {
  viewer?.setAttribute("render-style", "view");
  viewer?.setAttribute("hide-info", "true");
}

// What scrolls is to be reached by keys.
viewer?.addEventListener("spec-loaded", () => {
  requestAnimationFrame(() => viewer.shadowRoot?.querySelector(".main-content")?.setAttribute("tabindex", "0"));
});
