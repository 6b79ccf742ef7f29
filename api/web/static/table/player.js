// Plays out a battle of the table, and replays it with a slider, keys and speed.

import { byId, button, element, select } from "./elements.js";
import { busy } from "./notes.js";
import { Replay } from "./replay.js";
import { Problem, ask, picture } from "./service.js";
import { patched } from "./patch.js";

/** @typedef {import("./board.js").Board} Board */

/** Frames in a second, by the name of the speed. */
const SPEEDS = { slow: 1, normal: 3, fast: 10 };

/**
 * @param {Board} board
 * @param {string} path
 * @param {NonNullable<import("./types.js").Game["battle"]>} battle
 * @param {any} scene
 * @param {() => void} close
 * @param {(patch: any) => void} take
 */
export async function playOut(board, path, battle, scene, close, take) {
  const host = byId("replay");
  const hint = byId("hint");
  hint.textContent = "The battle is played…";
  try {
    const body = { case: { scene, ...battle.case }, dice: { seed: "table" }, policies: battle.policies };
    const { answer } = await ask(`${path}/battle`, body, undefined, (left) => {
      hint.textContent = `The battle is played${left ? `: ${Math.ceil(left)} s left` : "…"}`;
    });
    if (answer.status !== "ruled") throw new Error("The battle stopped at a choice that no policy makes.");
    const after = patched(scene, answer.effects.patch);
    const [start, end] = await Promise.all([
      // On the final board: a battle may add to it.
      picture(`${path}/picture`, { case: { scene: { ...scene, board: after.board } } }),
      picture(`${path}/picture`, { case: { scene: after } }),
    ]);
    board.draw(start, null);
    watch(board, new Replay(board, answer.effects.events, end), close, () => take(answer.effects.patch));
    hint.textContent = "";
  } catch (error) {
    host.hidden = true;
    const fault = error instanceof Problem ? error.errors[0] : undefined;
    hint.textContent = `${/** @type {Error} */ (error).message}${fault ? ` (${fault.pointer})` : ""}`;
    busy(false);
  }
}

/**
 * @param {Board} board
 * @param {Replay} replay
 * @param {() => void} close
 * @param {() => void} take
 */
function watch(board, replay, close, take) {
  const host = byId("replay");
  const last = replay.frames.length;
  let now = 0;
  let speed = SPEEDS.normal;
  let timer = 0;
  const text = element("p", { class: "now-text", "aria-live": "off" });
  const slider = element("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Moment of the battle" });
  const log = element("ol", { class: "steps log" });
  const play = button("Play", () => toggle(), { class: "main" });
  const show = (/** @type {number} */ frame) => {
    now = Math.max(0, Math.min(last, frame));
    slider.value = String(now);
    replay.show(now);
    text.textContent = now ? `${now} of ${last}: ${replay.frames[now - 1].text}` : `${last} events. Press Play.`;
    const from = Math.max(0, now - 8);
    log.start = from + 1;
    log.replaceChildren(...replay.frames.slice(from, now).map((each) => element("li", {}, each.text)));
    if (now === last) stop();
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  };
  const toggle = () => {
    if (timer) return stop();
    if (now === last) show(0);
    play.textContent = "Pause";
    timer = window.setInterval(() => show(now + 1), 1000 / speed);
  };
  const end = () => {
    stop();
    host.hidden = true;
    host.replaceChildren();
    board.locked = false;
    board.host.classList.remove("replaying");
    document.removeEventListener("keydown", keys);
  };
  /** @type {Record<string, () => void>} */
  const KEYS = {
    " ": toggle,
    ArrowRight: () => show(now + 1),
    ArrowLeft: () => show(now - 1),
    Home: () => show(0),
    End: () => show(last),
    Escape: () => {
      end();
      close();
    },
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const tag = /** @type {Element} */ (event.target).tagName;
    if (!(event.key in KEYS) || ["SELECT", "TEXTAREA"].includes(tag) || (tag === "BUTTON" && event.key === " ")) return;
    event.preventDefault();
    KEYS[event.key]();
  };
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.addEventListener("keydown", keys);
  board.locked = true;
  board.host.classList.add("replaying");
  host.hidden = false;
  host.replaceChildren(
    slider,
    element(
      "div",
      { class: "bar" },
      play,
      button("\u2190 Back", () => show(now - 1)),
      button("Next \u2192", () => show(now + 1)),
      select("Speed", Object.keys(SPEEDS).map((name) => [name, `${name} speed`]), "normal", (name) => {
        speed = SPEEDS[/** @type {keyof typeof SPEEDS} */ (name)];
        if (timer) {
          stop();
          toggle();
        }
      }),
      button("Take the end", () => {
        end();
        take();
      }),
      button("Close", () => {
        end();
        close();
      }),
    ),
    text,
  );
  byId("ruling").replaceChildren(element("h2", {}, "The battle"), log);
  busy(false);
  show(0);
  slider.focus({ preventScroll: true });
}
