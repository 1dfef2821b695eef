/** The drawing of each kind of board, and what they have in common. */

import { dots, BOX_MARKS } from "./dots.js";
import { element } from "./dom.js";
import { COLOURS, othello } from "./othello.js";
import { tiles } from "./tiles.js";

/**
 * What draws a game: `cells` are its own, of a position.
 * @typedef {{start: (state: any, variant: any) => any, play: (cells: any, move: string, seat?: number) => any,
 *   state: (cells: any, toMove: number|null) => Object<string, any>, scores: (cells: any) => number[],
 *   label: (cells: any) => string, draw: (cells: any, last?: string) => SVGElement}} Drawing
 */
/** @type {Object<string, Drawing>} */
const DRAWINGS = { othello, dots, tiles };

/**
 * The positions of a game, made as they are looked at.
 * @param {{drawing: string, variant: Object<string, any>}} run
 * @param {{start: Object<string, any>, moves: string[], seats?: number[]}} game
 */
export function replayed(run, game) {
  const drawing = DRAWINGS[run.drawing];
  const cells = [drawing.start(game.start, run.variant)];
  return (/** @type {number} */ ply) => {
    for (let at = cells.length; at <= ply; at++) cells.push(drawing.play(cells[at - 1], game.moves[at - 1], seatOfMove(game, at - 1)));
    return cells[ply];
  };
}

/** @param {{seats?: number[]}} game @param {number} at */
function seatOfMove(game, at) {
  const seat = game.seats?.[at];
  return seat === undefined || seat < 0 ? undefined : seat;
}

/** Whether a run's boards are drawn here; else the data hold them as text. @param {{drawing: string}} run */
export function isDrawn(run) {
  return run.drawing in DRAWINGS;
}

/** The drawing of a run's boards. @param {{drawing: string}} run */
export function drawingOf(run) {
  return DRAWINGS[run.drawing];
}

/** A board as text. @param {string} text */
export function textBoard(text) {
  return element("pre", { class: "board text", role: "img", "aria-label": "The board as text", tabindex: 0 }, text);
}

/** What marks a seat's pieces, next to its name. @param {{drawing: string, marks: string[]}} run @param {number} seat */
export function seatMark(run, seat) {
  if (run.drawing === "othello") return element("span", { class: `disc ${"xo"[seat]}`, role: "img", "aria-label": COLOURS[seat], title: COLOURS[seat] });
  const mark = run.drawing === "dots" ? BOX_MARKS[seat] : run.marks[seat];
  return mark ? element("span", { class: `seat s${seat}` }, mark) : "";
}
