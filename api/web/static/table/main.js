// The table: what is open, what is asked, and what the page shows of the answer.

import { fresh, read, written } from "./address.js";
import { Board } from "./board.js";
import { openOwn } from "./own.js";
import { capital, button, byId, element, select, words } from "./elements.js";
import { FORMS, copy } from "./copy.js";
import { GAMES, unitsOf } from "./games.js";
import { asked } from "./needs.js";
import { bars, best } from "./odds.js";
import { patched } from "./patch.js";
import { playOut } from "./player.js";
import { shown } from "./ruling.js";
import { Problem, ask, get, picture, useKey } from "./service.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Deed} Deed */
/** @typedef {import("./types.js").Pick} Pick */

const FIRST_GAME = "stargrave";

/** @type {any[]} */
let games = [];
/** @type {State} */
let state = fresh(FIRST_GAME);
/** @type {any} What was opened, before any step. */
let opened = null;
/** @type {any} The scene as it stands now. */
let scene = null;
/** @type {Pick[]} */
let picks = [];
let controller = new AbortController();

const board = new Board(byId("board"), { choose, move, tap });

/** @param {string} [game] */
const path = (game = state.game) => `/v1/games/${game}`;
const units = () => unitsOf(state.game, scene);
const unit = () => units().find((each) => each.id === state.unit) ?? null;

/** What can be asked about the chosen unit. */
function deeds() {
  const value = unit()?.value;
  const questions = new Set(games.find((game) => game.name === state.game)?.questions ?? []);
  const all = GAMES[state.game]?.deeds ?? [];
  return all.filter((each) => questions.has(each.question) && (!each.who || !value || each.who(value)));
}

const deed = () => deeds().find((each) => each.id === state.deed) ?? null;

/** Forget what was answered so far: another question, or another table. */
function anew() {
  Object.assign(state, { seed: null, hand: {}, choices: {}, given: {}, view: "ruling" });
}

/** @returns {any} the body of the question, or null while something is not chosen yet */
function body() {
  const chosen = deed();
  if (!chosen || !state.unit || (chosen.target && !state.target)) return null;
  const target = chosen.target ? { [chosen.target]: chosen.several ? [state.target] : state.target } : {};
  const given = Object.keys(state.given).length ? { given: state.given } : {};
  return {
    case: { scene, [chosen.actor]: state.unit, ...target, ...state.pick, ...given },
    dice: state.seed ? { seed: state.seed, hand: state.hand } : { hand: state.hand },
    ...(Object.keys(state.choices).length ? { choices: state.choices } : {}),
    ...(Object.keys(state.readings).length ? { readings: state.readings } : {}),
    surplus: "ignore",
  };
}

// What the player does

/** @param {string} id */
function choose(id) {
  const chosen = deed();
  if (chosen?.target && state.unit && !state.target && id !== state.unit) state.target = id;
  else {
    state.unit = id;
    state.target = null;
    state.pick = null;
    if (state.deed && !deed()) state.deed = null;
    // Without a board nobody can say who sees whom.
    if (board.grid) state.deed ??= deeds()[0]?.id ?? null;
  }
  anew();
  void refresh();
}

/** @param {string | null} id */
function setDeed(id) {
  Object.assign(state, { deed: id, target: null, pick: null });
  anew();
  void refresh();
}

/** @param {string} _id @param {string} where @param {[number, number]} place */
function move(_id, where, place) {
  anew();
  state.steps.push([{ op: "replace", path: where, value: place }]);
  void refresh(true);
}

/** A tap on the board, after a unit was chosen: it goes there. @param {[number, number]} place */
function tap(place) {
  const group = state.unit ? board.units(state.unit)[0] : null;
  if (!group || deed()?.target) return;
  board.dropped = performance.now();
  move(state.unit ?? "", group.getAttribute("data-place") ?? "", place);
}

function undo() {
  state.steps.pop();
  anew();
  void refresh();
}

/** @param {any} operations */
function take(operations) {
  state.steps.push(operations);
  Object.assign(state, { deed: "see", target: null, pick: null });
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
  byId("ruling").classList.add("old");
  try {
    scene = state.steps.reduce((/** @type {any} */ before, step) => patched(before, step), opened);
    await findPicks(signal);
    tools();
    const question = body();
    if (question) await answer(question, signal);
    else await bare(signal);
    signal.throwIfAborted();
    byId("ruling").classList.remove("old");
    hideBubble();
    finished(started);
  } catch (error) {
    if (/** @type {any} */ (error).name === "AbortError") return;
    failed(/** @type {Error} */ (error), moved);
  }
  history.replaceState(null, "", written(state));
  byId("board").classList.toggle("aiming", Boolean(deed()?.target && !state.target));
}

/** @param {AbortSignal} signal */
async function bare(signal) {
  draw(await drawn(`${path()}/picture`, { case: { scene } }, signal));
  const chosen = deed();
  hint(
    !state.unit
      ? "Choose a unit: click it, tap it, or press Tab and Enter. Drag it to move it."
      : chosen?.target
        ? `${chosen.label}: now choose the target.`
        : `${state.unit} is chosen. Ask something, or drag it somewhere else.`,
  );
  byId("ruling").replaceChildren(
    element("p", { class: "dim" }, chosen?.target ? `${state.unit} \u2192 whom?` : "Choose a unit to ask about it."),
  );
}

/** @param {any} question @param {AbortSignal} signal */
async function answer(question, signal) {
  const chosen = /** @type {Deed} */ (deed());
  const where = `${path()}/${chosen.question}`;
  const head = element("p", { class: "asked" }, `${title()} \u00b7 ${asking(chosen)}`);
  if (state.view !== "ruling") {
    const { case: of, readings } = question;
    const policies = { "*": state.view === "best" ? "best" : "first" };
    const [{ answer: law }, text] = await Promise.all([
      ask(`${where}/odds`, { case: of, policies, ...(readings ? { readings } : {}) }, signal),
      drawn(where, question, signal),
    ]);
    signal.throwIfAborted();
    draw(text);
    byId("ruling").replaceChildren(head, ...flat(state.view === "best" ? best(law) : bars(law)));
    return;
  }
  const [{ answer: ruling, link }, text] = await Promise.all([
    ask(where, question, signal, (left) => hint(`The service is working on it${left ? `: ${Math.ceil(left)} s` : ""}.`)),
    drawn(where, question, signal),
  ]);
  signal.throwIfAborted();
  draw(text);
  const readings = ruling.readings.length ? (await get(`${path()}/readings`)).readings : [];
  const sentence = board.svg?.querySelector("desc")?.textContent ?? "";
  byId("ruling").replaceChildren(
    head,
    ...flat([
      ...shown(ruling, {
        sentence: chosen.id === "see" || chosen.id === "go" ? "" : sentence,
        link,
        readings,
        take: () => take(ruling.effects.patch),
        read: (id, option) => {
          state.readings[id] = option;
          void refresh();
        },
      }).flatMap((part, index) =>
        // What is needed stands right below the verdict.
        index === 0 && ruling.needs ? [part, ...asked(ruling.needs, answers(chosen))] : [part],
      ),
    ]),
  );
  hint(chosen.id === "see" ? `Drag a unit: what ${state.unit} sees is asked again wherever you let go.` : "");
}

/** @param {any[]} parts */
const flat = (parts) => parts.flat(3).filter(Boolean);

const title = () => games.find((game) => game.name === state.game)?.title ?? state.game;

/** @param {Deed} chosen */
const asking = (chosen) => `${state.unit}: ${chosen.label}${state.target ? ` ${state.target}` : ""}`;

/** @param {Deed} chosen @returns {import("./needs.js").Answers} */
function answers(chosen) {
  const known = games.find((game) => game.name === state.game);
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
    weigh: known?.dice?.has(chosen.question)
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
    return await picture(where, question, signal);
  } catch (error) {
    if (error instanceof Problem && (error.status === 406 || error.status === 404)) return "";
    throw error;
  }
}

/** @param {string} text */
function draw(text) {
  if (text) board.draw(text, state.unit);
  else board.clear("This table has no board: answer what is asked.");
}

/** @param {number} started */
function finished(started) {
  requestAnimationFrame(() => {
    const measured = performance.measure("answered", { start: started });
    byId("time").textContent = `answered in ${Math.round(measured.duration)} ms`;
  });
}

/** @param {Error} error @param {boolean} moved */
function failed(error, moved) {
  byId("ruling").classList.remove("old");
  const fault = error instanceof Problem ? error.errors[0] : undefined;
  const near = fault && units().find((each) => fault.pointer.startsWith(`/case/scene${each.path}`));
  const last = state.steps.at(-1)?.[0]?.path;
  const subject = near?.id ?? (moved && last ? units().find((each) => last.startsWith(each.path))?.id : state.unit);
  if (moved) {
    state.steps.pop();
    scene = state.steps.reduce((/** @type {any} */ before, step) => patched(before, step), opened);
  }
  board.restore();
  tools();
  if (error instanceof Problem && error.status === 401) needKey();
  bubble(subject ?? null, error.message);
}

/** Show a message at a unit, or at the top of the board. @param {string | null} id @param {string} message */
function bubble(id, message) {
  const note = byId("bubble");
  const stage = byId("stage").getBoundingClientRect();
  const group = id ? board.units(id)[0] : undefined;
  const about = (group ?? byId("board")).getBoundingClientRect();
  note.textContent = capital(message);
  note.hidden = false;
  const half = note.offsetWidth / 2;
  const x = about.left + about.width / 2 - stage.left;
  note.style.left = `${Math.min(stage.width - half, Math.max(half, x))}px`;
  note.style.top = `${(group ? about.bottom : about.top) - stage.top}px`;
}

const hideBubble = () => {
  byId("bubble").hidden = true;
};

/** @param {string} text */
const hint = (text) => {
  byId("hint").textContent = text;
};

/** A gateway that wants a key is told it once for this tab. */
function needKey() {
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

// The tools around the board

function tools() {
  const everyone = units();
  const chosen = deed();
  /** @type {[string, string][]} */
  const named = everyone.map((each) => [each.id, `${each.name} (${words(each.side)})`]);
  const dice = games.find((game) => game.name === state.game)?.dice;
  const odds = chosen && dice?.has(chosen.question) && !(chosen.target && !state.target);
  const view = (/** @type {State["view"]} */ which, /** @type {string} */ label) =>
    button(label, () => {
      state.view = state.view === which ? "ruling" : which;
      void refresh();
    }, { "aria-pressed": String(state.view === which) });
  byId("asks").replaceChildren(
    ...flat([
      select("Unit", [["", "Choose a unit"], ...named], state.unit ?? "", (id) => id && choose(id)),
      deeds().map((each) =>
        button(each.label, () => setDeed(each.id), {
          "aria-pressed": String(each.id === state.deed),
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
            anew();
            void refresh();
          },
        ),
      chosen?.target &&
        select("Target", [["", "Choose the target"], ...named.filter(([id]) => id !== state.unit)], state.target ?? "", (id) => {
          state.target = id || null;
          anew();
          void refresh();
        }),
      odds && [view("odds", "Odds"), chosen.target && view("best", "Best reactions")],
    ]),
  );
  /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !state.steps.length;
  copies();
}

function copies() {
  const question = body();
  const chosen = deed();
  const buttons = Object.entries(FORMS).map(([name, form]) =>
    button(
      `Copy as ${name}`,
      async (event) => {
        if (!question || !chosen) return;
        const text = form(`${path()}/${chosen.question}`, question);
        const pressed = /** @type {HTMLButtonElement} */ (event.target);
        if (await copy(text)) pressed.textContent = "Copied";
        else showText(text);
      },
      { disabled: !question },
    ),
  );
  byId("copies").replaceChildren(...buttons);
}

/** @param {string} text */
function showText(text) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("dialog"));
  dialog.replaceChildren(
    element("h2", { id: "dialog-title" }, "Copy it from here"),
    element("textarea", { readonly: true, "aria-label": "The question" }, text),
    element("p", {}, button("Close", () => dialog.close())),
  );
  dialog.showModal();
}

/** Find out with what the chosen unit can do it, where the game answers that. @param {AbortSignal} signal */
async function findPicks(signal) {
  const chosen = deed();
  picks = [];
  if (!chosen?.pick || !state.unit) return;
  const { pick } = chosen;
  const actor = state.game === "stargrave" ? "shooter" : "attacker";
  const question = { case: { scene, [actor]: state.unit }, dice: { hand: {} } };
  const value = unit()?.value ?? {};
  // Without a board it cannot be said whom they reach: the weapons are those that the scene names.
  const named = (value.weapons ?? []).map((/** @type {any} */ weapon) => ({ id: weapon.id ?? weapon }));
  const weapons = await ask(`${path()}/targets`, question, signal).then(
    ({ answer: found }) => found.answer?.weapons ?? named,
    (error) => {
      if (!(error instanceof Problem)) throw error;
      return named;
    },
  );
  picks = weapons.map((/** @type {any} */ weapon) => ({
    label: weapon.name ?? weapon.weapons?.map(words).join(" and ") ?? words(weapon.id),
    members: pick(weapon, value),
  }));
  const now = JSON.stringify(state.pick);
  if (!picks.some((each) => JSON.stringify(each.members) === now)) state.pick = picks[0]?.members ?? null;
}

// Opening a table

/** Which of the game's questions have dice, and so odds. */
async function loadGame() {
  const game = games.find((each) => each.name === state.game);
  if (!game || game.dice) return;
  const facts = await get(path());
  game.dice = new Set(facts.questions.flatMap((/** @type {any} */ each) => (each.dice ? [each.name] : [])));
}

/** List the games and their scenes; the many examples come after the table is there. */
async function scenes() {
  const { game } = state;
  const tables = element("select", {
    change: (/** @type {Event} */ event) => void open(game, /** @type {HTMLSelectElement} */ (event.target).value),
  });
  tables.append(element("option", { value: "story" }, "In the middle of a game"));
  if (state.from === "own") tables.append(element("option", { value: "own" }, "Your own table"));
  byId("scenes").replaceChildren(
    select("Game", games.map((each) => [each.name, each.title]), game, (name) => void open(name, "story")),
    element("label", {}, element("span", {}, "Scene"), tables),
  );
  for (const question of new Set((GAMES[game]?.deeds ?? []).map((each) => each.question))) {
    const list = await get(`${path(game)}/questions/${question}/examples`).catch(() => null);
    if (!list || state.game !== game) return;
    const options = list.examples.map((/** @type {any} */ example, /** @type {number} */ index) =>
      element("option", { value: `${question}.${index}` }, example.title),
    );
    tables.append(element("optgroup", { label: capital(words(question)) }, options));
    tables.value = state.from;
  }
  if (tables.value !== state.from) tables.append(element("option", { value: state.from, selected: true }, "An example"));
}

/**
 * Open a table as if for the first time, with its question if it comes with one.
 * @param {string} game
 * @param {string} from
 * @param {any} [own]
 */
async function open(game, from, own) {
  state = fresh(game);
  state.from = from;
  if (own) state.scene = own;
  const found = await load();
  begin(found);
  await loadGame();
  await refresh();
  await scenes();
}

/** Begin with what a table is about. @param {any} found */
const begin = ({ unit = null, deed = null, target = null }) => Object.assign(state, { unit, deed, target });

/** Fetch the scene of the state; give the unit, the deed and the target that it is about. @returns {Promise<any>} */
async function load() {
  if (state.from === "own" && state.scene) {
    opened = state.scene;
    return {};
  }
  if (state.from.includes(".")) {
    const [question, index] = state.from.split(".");
    const example = (await get(`${path()}/questions/${question}/examples`)).examples[Number(index)];
    if (example) {
      opened = example.body.case.scene;
      const about = GAMES[state.game].deeds.find((each) => each.question === question);
      const of = example.body.case;
      const target = about?.target ? [of[about.target]].flat()[0] : null;
      return { unit: about && of[about.actor], deed: about?.target && !target ? null : about?.id, target };
    }
  }
  state.from = "story";
  const story = await get(`/table/scenes/${state.game}.json`);
  opened = story.scene;
  return { unit: story.unit, deed: "see" };
}

async function start() {
  try {
    games = (await get("/v1/games")).games.filter((/** @type {any} */ game) => game.name in GAMES);
    const first = games.find((game) => game.name === FIRST_GAME)?.name ?? games[0]?.name;
    state = read(location.hash, first);
    if (!games.some((game) => game.name === state.game)) state = fresh(first);
    const untouched = !location.hash.includes("u=") && !state.steps.length;
    const found = await load();
    if (untouched) begin(found);
    await loadGame();
    await refresh();
    await scenes();
  } catch (error) {
    failed(/** @type {Error} */ (error), false);
  }
}

byId("undo").addEventListener("click", undo);
byId("own").addEventListener("click", () => openOwn(games, state.game, scene, open));
byId("battle").addEventListener("click", () =>
  playOut(board, path(), GAMES[state.game].battle, scene, () => void refresh(), (patch) => take(patch)),
);
// A link into the table from another page of the same tab.
addEventListener("hashchange", () => void start());
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideBubble();
  if (event.key === "z" && (event.ctrlKey || event.metaKey) && state.steps.length && !(event.target instanceof HTMLInputElement)) undo();
});
void start();
