// The user's own table: a pasted scene, or the map of a virtual tabletop as its board.

import { button, element, select } from "./elements.js";
import { Problem, ask } from "./service.js";

/**
 * @param {any[]} games
 * @param {string} game
 * @param {any} scene the scene that is open, into which a map is put
 * @param {(game: string, from: string, own: any) => Promise<void>} open
 */
export function openOwn(games, game, scene, open) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("dialog"));
  let chosen = game;
  const text = element("textarea", { spellcheck: "false", placeholder: '{"board": …}' });
  const file = element("input", { type: "file", accept: ".dd2vtt,.uvtt,.df2vtt,.json" });
  const wrong = element("p", { role: "alert", class: "dim" });
  const say = (/** @type {unknown} */ error) => {
    const more = error instanceof Problem && error.errors[0] ? ` (${error.errors[0].pointer})` : "";
    wrong.textContent = `${/** @type {Error} */ (error).message}${more}`;
  };
  const show = async () => {
    try {
      const pasted = JSON.parse(text.value);
      await open(chosen, "own", pasted.case?.scene ?? pasted.scene ?? pasted);
      dialog.close();
    } catch (error) {
      say(error);
    }
  };
  const importMap = async () => {
    try {
      const [map] = file.files ?? [];
      if (!map) throw new Error("Choose the file of a map first.");
      const { answer } = await ask(`/v1/boards/import?game=${chosen}`, await map.text());
      const base = chosen === game ? scene : (await (await fetch(`/table/scenes/${chosen}.json`)).json()).scene;
      text.value = JSON.stringify({ ...base, board: answer.board }, null, 1);
      wrong.textContent = `The map has become the board of the scene above; move the units to where they stand, then open it. ${answer.warnings.length} notes.`;
    } catch (error) {
      say(error);
    }
  };
  dialog.replaceChildren(
    element("h2", { id: "dialog-title" }, "Your own table"),
    select("Game", games.map((each) => [each.name, each.title]), game, (value) => (chosen = value)),
    element("label", {}, element("span", {}, "A scene, or the body of a question, as JSON"), text),
    element("label", {}, element("span", {}, "Or a map (Universal VTT, or a scene of Foundry VTT)"), file),
    element("p", {}, button("Import the map", importMap)),
    wrong,
    element("p", { class: "bar" }, button("Open it", show, { class: "main" }), button("Cancel", () => dialog.close())),
  );
  dialog.showModal();
}
