/** A person's game: shows each state that the server sends, and sends what the person wants. */

import { byId, element, svg } from "./dom.js";
import { drawingOf, isDrawn, seatMark, textBoard } from "./drawings.js";
import { squarePlace } from "./squares.js";
import { keptState } from "./sections.js";
import { targetsOf } from "./targets.js";

/**
 * @typedef {{number: number, phase: "preparing"|"thinking"|"yours"|"over", said: string[],
 *   ending: string, names: string[], score: string, ply: number, variant: Object<string, any>, state: Object<string, any>|null,
 *   board: string, last: string|null, legal: string[], can_undo: boolean, transcript: string}} TableState
 */

/** @type {Object<string, string>} */
const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
/** @type {Object<string, string>} */
const SIGNS = { up: "↑", down: "↓", left: "←", right: "→" };
/** @type {Object<string, string>} */
const WORDS = { preparing: "Preparing the game. The first one takes a while where the opponent's code is compiled.", thinking: "Your opponent is to move.", yours: "Your move." };

/** Why a page is of no use any more, by the status of an answer. @type {Object<number, string>} */
const ENDINGS = { 401: "You are signed out. Sign in at /in, and load this page again.", 403: "This page is too old. Load it again.", 404: "This game is not there any more. Begin a new one." };

/** The state that is shown. @type {TableState|null} */
let shownTable = null;
/** The state in which a command was sent last: each takes one. @type {TableState|null} */
let commandedTable = null;
/** The leftmost column of a square that could be played so far: what is left of it needs no room. */
let firstColumn = Infinity;
/** Whether the person plays by keys: the board then has the focus again after each move. */
let playsByKeys = false;

/** @param {HTMLElement} table */
async function followTable(table) {
  for (;;) {
    try {
      const after = byId("lost").hidden ? shownTable?.number : null; // answered at once, to know that it is back
      const answer = await fetch(`${table.dataset.url}/state?after=${after ?? -1}`);
      if (answer.status in ENDINGS) return leaveTable(table, ENDINGS[answer.status]);
      if (!answer.ok) throw new Error(answer.statusText); // as of a proxy while the server starts
      byId("lost").hidden = true;
      /** @type {TableState} */
      const state = await answer.json();
      if (state.number !== shownTable?.number) showTable(table, state); // it may only be long since the last answer
      if (state.phase === "over") return;
    } catch {
      byId("lost").hidden = false;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

/** @param {HTMLElement} table @param {string} ending */
function leaveTable(table, ending) {
  byId("lost").hidden = true;
  if (shownTable) showTable(table, { ...shownTable, phase: "over", ending, said: [], legal: [], can_undo: false });
  else byId("status").textContent = ending;
}

/** @param {HTMLElement} table @param {TableState} state */
function showTable(table, state) {
  shownTable = state;
  byId("status").textContent = state.ending || WORDS[state.phase];
  byId("said").replaceChildren(...state.said.map((line) => element("li", {}, line)));
  byId("score").replaceChildren(...scoreOf(table, state));
  byId("undo").setAttribute("aria-disabled", String(!state.can_undo)); // a disabled button would lose the focus
  byId("resign").setAttribute("aria-disabled", String(state.phase !== "yours"));
  byId("written").hidden = !state.transcript;
  byId("transcript").textContent = state.transcript;
  if (state.state) showBoard(table, state);
}

/** The score in words; of dots with the marks in the boxes. @param {HTMLElement} table @param {TableState} state */
function scoreOf({ dataset: { drawing } }, { names, score, state }) {
  if (drawing !== "dots" || !state) return [score];
  return names.flatMap((name, seat) => [seatMark({ drawing, marks: [] }, seat), ` ${name} ${state.score[seat]} `]);
}

/** @param {HTMLElement} table @param {TableState} state */
function showBoard(table, state) {
  const place = byId("board");
  playsByKeys ||= place.contains(document.activeElement) || byId("choices").contains(document.activeElement);
  const run = { drawing: table.dataset.drawing ?? "" };
  if (!isDrawn(run)) place.replaceChildren(textBoard(state.board));
  else {
    const drawing = drawingOf(run);
    place.replaceChildren(drawing.draw(drawing.start(state.state, state.variant), state.last ?? undefined));
  }
  const targets = targetsOf(run.drawing, state.legal, (move) => sendMove(table, move));
  if (targets.length) {
    const board = place.firstElementChild;
    board?.setAttribute("role", "group");
    board?.append(svg("g", { class: "targets" }, targets));
  }
  if (!targets.length) showButtons(table, state);
  const isElsewhere = document.activeElement !== document.body && document.activeElement !== place;
  if (playsByKeys && !isElsewhere) (targets[0] ?? place).focus();
}

/** Buttons of the moves where they are no places; they stay, with the focus, while another moves. @param {HTMLElement} table @param {TableState} state */
function showButtons(table, { legal, phase }) {
  const place = byId("choices");
  for (const button of place.children) button.setAttribute("aria-disabled", "true");
  if (!legal.length && phase !== "over") return;
  const keepAgain = keptState(place);
  place.replaceChildren(...moveButtons(table, legal));
  keepAgain();
}

/** @param {HTMLElement} table @param {string[]} legal */
function moveButtons(table, legal) {
  const slides = Object.keys(SIGNS);
  const moves = legal.every((move) => slides.includes(move)) && legal.length ? slides : legal;
  const buttons = moves.map((move) => element("button", { type: "button", "aria-label": move, "aria-disabled": legal.includes(move) ? null : "true", onclick: () => sendMove(table, move) }, SIGNS[move] ?? move));
  const areSquares = legal.some(isSquare) && legal.every((move) => isSquare(move) || /^[a-z]+$/.test(move));
  byId("choices").classList.toggle("squares", areSquares);
  if (areSquares) placeOnGrid(buttons, moves);
  return buttons;
}

/** @param {string} move */
function isSquare(move) {
  return /^[a-z]\d{1,2}$/.test(move);
}

/** Squares as buttons lie as on the board, from the first column that had one; words such as pass above them. @param {HTMLElement[]} buttons @param {string[]} moves */
function placeOnGrid(buttons, moves) {
  firstColumn = Math.min(firstColumn, ...moves.filter(isSquare).map((move) => squarePlace(move).column));
  buttons.forEach((button, at) => {
    const { row, column } = squarePlace(moves[at]);
    button.style.gridArea = isSquare(moves[at]) ? `${row + 2} / ${column - firstColumn + 1}` : "1 / span 3";
  });
}

/** @param {HTMLElement} table @param {string} move */
function sendMove(table, move) {
  if (shownTable?.phase === "yours" && shownTable.legal.includes(move)) sendCommand(table, "move", move);
}

/** @param {HTMLElement} table @param {"move"|"undo"|"resign"} wanted @param {string} [move] */
async function sendCommand(table, wanted, move = "") {
  if (!shownTable || commandedTable === shownTable) return;
  commandedTable = shownTable;
  const headers = { "Content-Type": "application/json", "X-Form-Token": table.dataset.formToken ?? "" };
  const body = JSON.stringify({ do: wanted, ply: shownTable.ply, move });
  const answer = await fetch(`${table.dataset.url}/do`, { method: "POST", headers, body }).catch(() => null);
  if (answer && answer.status in ENDINGS) return leaveTable(table, ENDINGS[answer.status]);
  const isTaken = answer !== null && (answer.ok || answer.status === 409); // the next state shows why
  if (!isTaken) commandedTable = null;
  byId("lost").hidden = isTaken;
}

/** @param {HTMLElement} table */
function listenAtTable(table) {
  byId("undo").addEventListener("click", () => shownTable?.can_undo && sendCommand(table, "undo"));
  byId("resign").addEventListener("click", () => shownTable?.phase === "yours" && sendCommand(table, "resign"));
  byId("copy").addEventListener("click", copyMoves);
  byId("board").addEventListener("pointerdown", () => (playsByKeys = false));
  if (table.dataset.slides === undefined) return;
  document.addEventListener("keydown", (event) => {
    if (!(event.key in ARROWS) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    sendMove(table, ARROWS[event.key]);
  });
}

async function copyMoves() {
  getSelection()?.selectAllChildren(byId("transcript"));
  const isCopied = await navigator.clipboard?.writeText(byId("transcript").textContent ?? "").then(() => true, () => false);
  byId("copy").textContent = isCopied ? "Copied" : "Selected: copy it with Ctrl-C";
}

/** @param {HTMLFormElement} form @param {string} name */
function select(form, name) {
  return /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
}

/** Leaves in the form what fits the board. @param {HTMLFormElement} form */
function fitChoices(form) {
  const board = select(form, "board").selectedOptions[0];
  for (const label of form.querySelectorAll(".two")) label.toggleAttribute("hidden", board.dataset.seats === "1");
  const opponents = select(form, "opponent");
  for (const option of opponents.options) {
    option.hidden = option.disabled = !(option.dataset.boards ?? board.value).split(" ").includes(board.value);
    if (option.disabled && option.selected) opponents.selectedIndex = 0;
  }
}

if (byId("table")) {
  listenAtTable(byId("table"));
  followTable(byId("table"));
}
if (byId("choice")) {
  const choice = /** @type {HTMLFormElement} */ (byId("choice"));
  choice.addEventListener("change", () => fitChoices(choice));
  fitChoices(choice);
}
