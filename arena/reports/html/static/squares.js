/** What drawings of all games have: names of squares, letters at the edge, words. */

import { svg } from "./dom.js";

/** The name, such as c2, of a square by its row and column, from 0. @param {number} row @param {number} column */
export function squareName(row, column) {
  return `${String.fromCharCode(97 + column)}${row + 1}`;
}

/** The names of the squares that hold a mark, row by row. @param {string[]} board @param {number} width @param {string} mark */
export function squaresOf(board, width, mark) {
  return board.flatMap((cell, at) => (cell === mark ? [squareName(Math.floor(at / width), at % width)] : [])).join(" ") || "none";
}

/** What a drawing shows, for those who do not see it. @param {string[]} parts @param {string} [last] the move that led here */
export function boardWords(parts, last) {
  return svg("desc", {}, [...parts, ...(last ? [`Last move: ${last}`] : [])].join(". "));
}

/** The row and column, from 0, of a square such as c2. @param {string} name */
export function squarePlace(name) {
  return { row: Number(name.slice(1)) - 1, column: name.charCodeAt(0) - 97 };
}

/**
 * Letters above the columns and numbers left of the rows.
 * @param {number} rows @param {number} columns @param {number} cell @param {number} edge
 */
export function boardLetters(rows, columns, cell, edge) {
  const middle = (/** @type {number} */ at) => edge + (at + 0.5) * cell;
  return [
    Array.from({ length: columns }, (_, at) => svg("text", { x: middle(at), y: 16 }, String.fromCharCode(97 + at))),
    Array.from({ length: rows }, (_, at) => svg("text", { x: 12, y: middle(at) + 4 }, at + 1)),
  ];
}
