/** The drawing of Othello: replays moves that the referee has judged, and draws the board. */

import { svg } from "./dom.js";
import { boardLetters, boardWords, squarePlace, squaresOf } from "./squares.js";

/**
 * Squares row by row: X, O, "." for empty, "#" for not playable.
 * @typedef {{size: number, board: string[], seat: number}} OthelloCells
 */

const COMPASS = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]];
export const DISC_CELL = 40;
export const DISC_EDGE = 24;
/** The discs of the seats. */
export const COLOURS = ["black", "white"];

export const othello = {
  /** @param {{board: string[], to_move: number|null}} state @returns {OthelloCells} */
  start(state) {
    return { size: state.board.length, board: [...state.board.join("")], seat: state.to_move ?? 0 };
  },

  /** @param {OthelloCells} cells @param {string} move @returns {OthelloCells} */
  play(cells, move, seat = cells.seat) {
    const board = [...cells.board];
    if (move !== "pass") {
      const { row, column } = squarePlace(move);
      const own = "XO"[seat];
      board[row * cells.size + column] = own;
      for (const at of turnedDiscs(cells, row, column, own)) board[at] = own;
    }
    return { ...cells, board, seat: 1 - seat };
  },

  /** The position as on the wire. @param {OthelloCells} cells @param {number|null} toMove */
  state(cells, toMove) {
    const rows = Array.from({ length: cells.size }, (_, row) => cells.board.slice(row * cells.size, (row + 1) * cells.size).join(""));
    return { board: rows, to_move: toMove };
  },

  /** @param {OthelloCells} cells */
  scores(cells) {
    return ["X", "O"].map((mark) => cells.board.filter((cell) => cell === mark).length);
  },

  /** @param {OthelloCells} cells */
  label(cells) {
    return `Othello board, ${this.scores(cells).join(" discs to ")}`;
  },

  /** @param {OthelloCells} cells @param {string} [last] the move that led here */
  draw(cells, last) {
    const length = cells.size * DISC_CELL;
    const whole = length + DISC_EDGE + 8;
    return svg(
      "svg",
      { class: "board", viewBox: `0 0 ${whole} ${whole}`, role: "img", "aria-label": this.label(cells) },
      boardLetters(cells.size, cells.size, DISC_CELL, DISC_EDGE),
      svg("rect", { class: "felt", x: DISC_EDGE, y: DISC_EDGE, width: length, height: length }),
      svg("path", { class: "line", d: gridLines(cells.size) }),
      cells.board.map((cell, at) => drawnSquare(cell, at % cells.size, Math.floor(at / cells.size))),
      last && last !== "pass" ? lastDisc(last) : [],
      boardWords(["X", "O"].map((mark, seat) => `${mark} (${COLOURS[seat]}): ${squaresOf(cells.board, cells.size, mark)}`), last),
    );
  },
};

/** @param {OthelloCells} cells @param {number} row @param {number} column @param {string} own */
function turnedDiscs(cells, row, column, own) {
  return COMPASS.flatMap(([down, right]) => {
    const line = [];
    for (let r = row + down, c = column + right; ; r += down, c += right) {
      const cell = r >= 0 && c >= 0 && r < cells.size && c < cells.size ? cells.board[r * cells.size + c] : "#";
      if (cell === own) return line;
      if (cell === "." || cell === "#") return [];
      line.push(r * cells.size + c);
    }
  });
}

/** @param {number} size */
function gridLines(size) {
  const end = DISC_EDGE + size * DISC_CELL;
  const places = Array.from({ length: size + 1 }, (_, at) => DISC_EDGE + at * DISC_CELL);
  return places.map((at) => `M${at} ${DISC_EDGE}V${end}M${DISC_EDGE} ${at}H${end}`).join("");
}

/** @param {string} cell @param {number} column @param {number} row */
function drawnSquare(cell, column, row) {
  const x = DISC_EDGE + column * DISC_CELL;
  const y = DISC_EDGE + row * DISC_CELL;
  if (cell === "#") return svg("path", { class: "off", d: `M${x + 10} ${y + 10}l20 20m0 -20l-20 20` });
  if (cell === ".") return [];
  return svg("circle", { class: cell === "X" ? "x" : "o", cx: x + 20, cy: y + 20, r: 16 });
}

/** @param {string} move */
function lastDisc(move) {
  const { row, column } = squarePlace(move);
  return svg("circle", { class: "last", cx: DISC_EDGE + (column + 0.5) * DISC_CELL, cy: DISC_EDGE + (row + 0.5) * DISC_CELL, r: 5 });
}
