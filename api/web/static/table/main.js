// The table: the open scene, the current question, and the display of the answer.

import { fresh, read, written } from "./address.js";
import { Board } from "./board.js";
import { openOwn } from "./own.js";
import { capital, byId, element, select, words } from "./elements.js";
import { questionOf } from "./games.js";
import { aimAt, anew, asking, body, deed, deeds, hasDice, here, path, units } from "./here.js";
import { asked } from "./needs.js";
import { bubble, busy, hideBubble, hint, needKey, undim } from "./notes.js";
import { bars, best } from "./odds.js";
import { patched } from "./patch.js";
import { playOut } from "./player.js";
import { shown } from "./ruling.js";
import { Problem, ask, askSheet, get, picture } from "./service.js";
import { findPicks, flat, tools } from "./tools.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Deed} Deed */

let controller = new AbortController();

const board = new Board(byId("board"), { choose, move, tap });

/** The scene after all steps. */
const played = () => here.state.steps.reduce((/** @type {any} */ before, step) => patched(before, step), here.opened);

// What the player does

/** @param {string} id */
function choose(id) {
  const { state } = here;
  if (deed()?.target && state.unit && !state.target && id !== state.unit) aimAt(id);
  else {
    Object.assign(state, { unit: id, target: null, pick: null, others: {} });
    const offered = deeds(board).map((each) => each.question);
    if (state.deed && !offered.includes(state.deed)) state.deed = null;
    // Without a board the page cannot ask who sees whom.
    if (board.grid) state.deed ??= offered[0] ?? null;
  }
  anew();
  void refresh();
}

/** @param {string | null} question */
function setDeed(question) {
  Object.assign(here.state, { deed: question, pick: null });
  aimAt(null);
  anew();
  void refresh();
}

/** @param {string} _id @param {string} where @param {[number, number]} place */
function move(_id, where, place) {
  anew();
  here.state.steps.push([{ op: "replace", path: where, value: place }]);
  void refresh(true);
}

/** A tap on the board, after a unit was chosen: it goes there. @param {[number, number]} place */
function tap(place) {
  const group = here.state.unit ? board.units(here.state.unit)[0] : null;
  if (!group || deed()?.target) return;
  board.dropped = performance.now();
  move(here.state.unit ?? "", group.getAttribute("data-place") ?? "", place);
}

function undo() {
  here.state.steps.pop();
  anew();
  void refresh();
}

/** @param {any} operations */
function take(operations) {
  here.state.steps.push(operations);
  const first = deeds(board)[0]?.question ?? null;
  Object.assign(here.state, { deed: first, target: null, pick: null, others: {} });
  anew();
  void refresh();
}

// Asking and showing

/** Ask what is to be asked now, and show it; a move that cannot be is taken back. @param {boolean} [moved] */
async function refresh(moved = false) {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  const started = board.dropped ?? performance.now();
  board.dropped = undefined;
  busy(true);
  try {
    here.scene = played();
    await findPicks(signal);
    const question = body();
    const answered = question ? answer(question, signal) : bare(signal);
    // The questions about a unit depend on its picture, too; the tools are made while the service decides.
    if (board.svg) showTools();
    await answered;
    signal.throwIfAborted();
    showTools();
    undim();
    hideBubble();
    aim();
    board.focus();
    emphasise();
    finished(started, signal);
  } catch (error) {
    if (/** @type {any} */ (error).name === "AbortError") return;
    failed(/** @type {Error} */ (error), moved);
    settle();
    aim();
  }
}

/** Announce the answer, and store the state in the address. */
function settle() {
  history.replaceState(null, "", written(here.state));
  busy(false);
}

const aim = () => byId("board").classList.toggle("aiming", Boolean(deed()?.target && !here.state.target));

const showTools = () => tools(board, { choose, setDeed, refresh });

/** @param {AbortSignal} signal */
async function bare(signal) {
  draw(await drawn(`${path()}/picture`, { case: { scene: here.scene } }, signal));
  byId("board").classList.add("bare");
  const chosen = deed();
  hint(
    !here.state.unit
      ? "Choose a unit: click it, tap it, or press Tab and Enter. Drag it to move it."
      : chosen?.target
        ? `${chosen.label}: now choose the target.`
        : `${here.state.unit} is chosen. Ask something, or drag it somewhere else.`,
  );
  byId("ruling").replaceChildren(
    element("p", { class: "dim" }, chosen?.target ? `${here.state.unit} \u2192 whom?` : "Choose a unit to ask about it."),
  );
}

/** @param {any} question @param {AbortSignal} signal */
async function answer(question, signal) {
  const chosen = /** @type {Deed} */ (deed());
  const where = `${path()}/${chosen.question}`;
  const head = element("p", { class: "asked" }, `${title()} \u00b7 ${asking()}`);
  if (here.state.view !== "ruling") {
    const { case: of, readings } = question;
    const policies = { "*": here.state.view === "best" ? "best" : "first" };
    const [{ answer: law }, text] = await Promise.all([
      ask(`${where}/odds`, { case: of, policies, ...(readings ? { readings } : {}) }, signal),
      drawn(where, question, signal),
    ]);
    signal.throwIfAborted();
    draw(text);
    byId("ruling").replaceChildren(head, ...flat(here.state.view === "best" ? best(law) : bars(law)));
    hint(`${here.state.view === "best" ? "What each option is worth" : "How it can end, and how often"}: press the button again to play it.`);
    return;
  }
  const { sheet, link } = await askSheet(where, question, board.ground, signal, (left) =>
    hint(`The service is working on it${left ? `: ${Math.ceil(left)} s` : ""}.`),
  );
  const { ruling } = sheet;
  const readings = ruling.readings.length ? (await get(`${path()}/readings`)).readings : [];
  // The ruling of a job has no picture: the board stays as it is.
  const text = sheet.picture ?? (await drawn(`${path()}/picture`, { case: { scene: here.scene } }, signal));
  signal.throwIfAborted();
  draw(text);
  byId("ruling").replaceChildren(
    head,
    ...flat([
      ...shown(sheet, {
        question: chosen.question,
        link,
        readings,
        take: () => take(ruling.effects.patch),
        read: (id, option) => {
          here.state.readings[id] = option;
          void refresh();
        },
      }).flatMap((part, index) =>
        // The needs are directly below the verdict.
        index === 0 && ruling.needs ? [part, ...asked(ruling.needs, answers(chosen))] : [part],
      ),
    ]),
  );
  hint(next(chosen.question, ruling));
}

/** Say what a player can do next. @param {string} question @param {any} ruling */
function next(question, ruling) {
  const name = here.state.unit;
  if (ruling.needs) return "The referee waits for you: answer in the ruling.";
  if (question === "line-of-sight") return `Drag any figure: what ${name} sees is decided again. Click another to ask about that one.`;
  if (question === "moves" && ruling.allowed) return `Shaded: where ${name} may go. Drag it to ask again from another place.`;
  if (ruling.effects.patch.length) return "Take it: the table changes as the ruling says, and the game goes on.";
  return "Drag a figure to ask again, or click another one.";
}

/** Open the reasons about the unit that was moved last. */
function emphasise() {
  const last = here.state.steps.at(-1)?.[0]?.path;
  const moved = last && units().find((each) => last.startsWith(`${each.path}/`));
  const group = moved && byId("ruling").querySelector(`[data-about="${CSS.escape(moved.id)}"]`);
  if (!group) return;
  group.classList.add("about");
  group.setAttribute("open", "");
  const panel = byId("ruling");
  const beyond = group.getBoundingClientRect().bottom - panel.getBoundingClientRect().bottom;
  if (beyond > 0) panel.scrollTop += beyond + 20;
}

const title = () => here.game?.title ?? here.state.game;

/** @param {Deed} chosen @returns {import("./needs.js").Answers} */
function answers(chosen) {
  const { state } = here;
  const again = () => void refresh();
  return {
    hand: (label, faces) => {
      state.hand[label] = [...(state.hand[label] ?? []), ...faces];
      again();
    },
    roll: () => {
      state.seed = Math.random().toString(36).slice(2, 10);
      again();
    },
    choose: (label, option) => {
      state.choices[label] = [...(state.choices[label] ?? []), option];
      again();
    },
    weigh: hasDice(chosen.question)
      ? () => {
          state.view = "best";
          again();
        }
      : null,
    give: (key, value) => {
      state.given[key] = value;
      again();
    },
  };
}

/** A picture, or nothing where only players see the table. @param {string} where @param {any} question
 * @param {AbortSignal} signal */
async function drawn(where, question, signal) {
  try {
    return await picture(where, question, board.ground, signal);
  } catch (error) {
    if (error instanceof Problem && (error.status === 406 || error.status === 404)) return "";
    throw error;
  }
}

/** @param {string} text */
function draw(text) {
  byId("board").classList.remove("bare");
  if (text) board.draw(text, here.state.unit, here.state.target);
  else board.clear("This table has no board: answer the questions.");
  board.of = here.state.game;
}

/**
 * Work to do after a frame has been painted with the answer: the time that it took, and the address.
 * @param {number} started
 * @param {AbortSignal} signal
 */
function finished(started, signal) {
  requestAnimationFrame(() =>
    setTimeout(() => {
      const measured = performance.measure("answered", { start: started });
      byId("time").textContent = `answered in ${Math.round(measured.duration)} ms`;
      // A question in the meantime updates both itself.
      if (!signal.aborted) settle();
    }),
  );
}

/** @param {Error} error @param {boolean} moved */
function failed(error, moved) {
  const fault = error instanceof Problem ? error.errors[0] : undefined;
  const near = fault && units().find((each) => fault.pointer.startsWith(`/case/scene${each.path}`));
  const last = here.state.steps.at(-1)?.[0]?.path;
  const subject = near?.id ?? (moved && last ? units().find((each) => last.startsWith(each.path))?.id : here.state.unit);
  if (moved) {
    here.state.steps.pop();
    here.scene = played();
  }
  board.restore();
  if (here.game) showTools();
  if (error instanceof Problem && error.status === 401) needKey();
  const later = error instanceof Problem && error.later;
  const message = later ? `The service takes no more questions for the moment: try again in ${later} s.` : error.message;
  // A table that could not be opened leaves the board empty.
  if (board.of !== here.state.game) board.clear(message);
  if (later) hint(message);
  else bubble(subject ? board.units(subject)[0] : undefined, message);
}

// Opening a table

/** List the games and their scenes; the many examples are added after the table is shown. */
async function scenes() {
  const { state, game, games } = here;
  const tables = element("select", {
    change: (/** @type {Event} */ event) => void open(state.game, /** @type {HTMLSelectElement} */ (event.target).value),
  });
  tables.append(element("option", { value: "story" }, "In the middle of a game"));
  if (state.from === "own") tables.append(element("option", { value: "own" }, "Your own table"));
  byId("scenes").replaceChildren(
    select("Game", games.map((each) => [each.name, each.title]), state.game, (name) => void open(name, "story")),
    element("label", {}, element("span", {}, "Scene"), tables),
  );
  for (const { question } of game?.deeds ?? []) {
    const list = await get(`${path()}/questions/${question}/examples`).catch(() => null);
    if (!list || here.game !== game) return;
    const options = list.examples.map((/** @type {any} */ example, /** @type {number} */ index) =>
      element("option", { value: `${question}.${index}` }, example.title),
    );
    tables.append(element("optgroup", { label: capital(words(question)) }, options));
    tables.value = state.from;
  }
  if (tables.value !== state.from) tables.append(element("option", { value: state.from, selected: true }, "An example"));
}

/**
 * Open a table from its beginning, with its question if it has one.
 * @param {string} game
 * @param {string} from
 * @param {any} [own]
 */
async function open(game, from, own) {
  here.state = fresh(game);
  here.state.from = from;
  if (own) here.state.scene = own;
  try {
    Object.assign(here.state, await load());
    await refresh();
    await scenes();
  } catch (error) {
    failed(/** @type {Error} */ (error), false);
  }
}

/** Fetch the game and the scene of the state; give its unit, deed and target. @returns {Promise<any>} */
async function load() {
  const { state } = here;
  const game = (here.game = /** @type {import("./types.js").Game} */ (await get(path())));
  byId("battle").hidden = !game.battle;
  if (state.from === "own" && state.scene) {
    here.opened = state.scene;
    return { unit: null, deed: null };
  }
  if (state.from.includes(".")) {
    const [question, index] = state.from.split(".");
    const example = (await get(`${path()}/questions/${question}/examples`)).examples[Number(index)];
    if (example) {
      here.opened = example.body.case.scene;
      const about = game.deeds.find((each) => each.question === question);
      return about ? questionOf(about, example.body.case) : { unit: null, deed: null };
    }
  }
  state.from = "story";
  const story = await get(`/table/scenes/${state.game}.json`);
  here.opened = story.scene;
  return { unit: story.unit, deed: game.deeds.find((each) => !each.target)?.question ?? null };
}

async function start() {
  try {
    here.games = (await get("/v1/games")).games;
    const [first] = here.games;
    here.state = read(location.hash, first.name);
    if (!here.games.some((game) => game.name === here.state.game)) here.state = fresh(first.name);
    const untouched = !location.hash.includes("u=") && !here.state.steps.length;
    const found = await load();
    if (untouched) Object.assign(here.state, found);
    await refresh();
    await scenes();
  } catch (error) {
    failed(/** @type {Error} */ (error), false);
  }
}

byId("larger").addEventListener("click", () => {
  const larger = byId("board").classList.toggle("larger");
  byId("larger").setAttribute("aria-pressed", String(larger));
  if (larger && here.state.unit) board.units(here.state.unit)[0]?.scrollIntoView({ block: "nearest", inline: "center" });
});
byId("undo").addEventListener("click", undo);
byId("own").addEventListener("click", () => openOwn(here.games, here.state.game, here.scene, open));
byId("battle").addEventListener("click", () => {
  const { game, scene } = here;
  if (game?.battle) void playOut(board, path(), game.battle, scene, () => void refresh(), (patch) => take(patch));
});
// A link into the table from another page of the same tab.
addEventListener("hashchange", () => void start());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideBubble();
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key === "z" && (event.ctrlKey || event.metaKey) && here.state.steps.length && !typing) undo();
});
void start();
