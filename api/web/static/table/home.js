// The front page needs no script; with one, its request can be copied.

import { copy } from "./copy.js";

const button = /** @type {HTMLButtonElement} */ (document.getElementById("copy"));
button.hidden = false;
button.addEventListener("click", async () => {
  const request = document.querySelector(".curl pre")?.textContent ?? "";
  button.textContent = (await copy(request)) ? "Copied" : "Select it";
});
