/** What the buttons of a game copy: its transcript, a position, its record. */

import { drawingOf, isDrawn } from "./drawings.js";
import { element } from "./dom.js";
import { squarePlace } from "./squares.js";

const SHOWN_MS = 1500;

/** The moves in a line, as `arena replay --as transcript` writes them. @param {RunData} run @param {GameData} game */
export function transcriptOf(run, game) {
  const moves = isDrawn(run) ? game.moves.filter((move) => move !== "pass") : game.moves;
  return moves.join(run.move_gap);
}

/** A position as on the wire; the text of a board without a drawing. @param {RunData} run @param {GameData} game @param {any} shown @param {number} ply */
export function positionOf(run, game, shown, ply) {
  if (!isDrawn(run)) return game.boards[ply];
  const isOver = ply === game.moves.length && ["natural", "adjudicated"].includes(game.ending);
  return JSON.stringify(drawingOf(run).state(shown, isOver ? null : (game.seats[ply] ?? shown.seat)));
}

/** A game of dots as the championship's record, any other as this page has it. @param {RunData} run @param {GameData} game */
export function recordOf(run, game) {
  return JSON.stringify(run.drawing === "dots" ? championshipRecord(run, game) : game);
}

/** @param {RunData} run @param {GameData} game */
function championshipRecord(run, game) {
  const [red, blue] = game.players.map((place) => run.players[place]);
  const piece = (/** @type {string} */ move, /** @type {number} */ at) => ({ piece: `${"rb"[game.seats[at]]}(${championshipEdge(move, game.start.rows)})` });
  return {
    R: red,
    B: blue,
    winner: { 2: "R", 0: "B" }[game.points[0]] ?? "U",
    RScore: game.scores[0],
    BScore: game.scores[1],
    Date: game.started_at.split(/[T ]\d\d:/)[0],
    Event: run.name,
    game: game.moves.map(piece),
  };
}

/** An edge as the championship names it, whose rows count from the bottom. @param {string} move @param {number} rows */
function championshipEdge(move, rows) {
  const [first, second] = /** @type {string[]} */ (move.match(/[a-z]\d+/g));
  const { row } = squarePlace(first);
  const isFlat = squarePlace(second).row === row;
  return `${first[0]}${rows - row + Number(isFlat)},${isFlat ? "h" : "v"}`;
}

/** A button that copies a text and says so. @param {string} what @param {() => string} text */
export function copyButton(what, text) {
  const status = element("span", { role: "status" }, what);
  const button = element("button", { type: "button", class: "copy", "aria-label": `Copy ${what}`, onclick: copy }, status);
  async function copy() {
    status.textContent = (await copied(text())) ? "copied" : "not copied";
    setTimeout(() => (status.textContent = what), SHOWN_MS);
  }
  return button;
}

/** @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

/** As browsers without a clipboard for pages do it, such as over plain HTTP. @param {string} text */
function copiedByHand(text) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const field = element("textarea", { readonly: true });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused.focus({ preventScroll: true });
  return done;
}
