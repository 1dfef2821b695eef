/** The drawing of dots and boxes: replays moves that the referee has judged, and draws the board. */

import { svg } from "./dom.js";
import { boardLetters, boardWords, squareName, squarePlace, squaresOf } from "./squares.js";

/**
 * `drawn` has the edges by their moves; `owners` the boxes row by row: ".", "0" or "1".
 * @typedef {{rows: number, cols: number, drawn: Set<string>, owners: string[], seat: number}} DotsCells
 */

const BOX = 40;
const DOT_EDGE = 36;
const DOT_END = 12;
/** The marks of the seats, in their boxes and next to their names. */
export const BOX_MARKS = ["A", "B"];

export const dots = {
  /** @param {Object<string, any>} state @returns {DotsCells} */
  start(state) {
    const { rows, cols } = state;
    const drawn = allEdges(rows, cols).filter(({ flat, row, column }) => (flat ? state.horizontal : state.vertical)[row][column]);
    return { rows, cols, drawn: new Set(drawn.map(({ name }) => name)), owners: [...state.owners.join("")], seat: state.to_move ?? 0 };
  },

  /** @param {DotsCells} cells @param {string} move @returns {DotsCells} */
  play(cells, move, seat = cells.seat) {
    const drawn = new Set(cells.drawn).add(move);
    const closed = boxesAround(cells, move).filter(({ row, column }) => boxEdges(row, column).every((edge) => drawn.has(edge)));
    const owners = [...cells.owners];
    for (const { row, column } of closed) owners[row * cells.cols + column] = String(seat);
    return { ...cells, drawn, owners, seat: closed.length ? seat : 1 - seat };
  },

  /** The position as on the wire. @param {DotsCells} cells @param {number|null} toMove */
  state(cells, toMove) {
    const { rows, cols } = cells;
    const bit = (/** @type {string} */ name) => Number(cells.drawn.has(name));
    return {
      rows,
      cols,
      horizontal: table(rows + 1, cols, (row, column) => bit(flatEdge(row, column))),
      vertical: table(rows, cols + 1, (row, column) => bit(steepEdge(row, column))),
      owners: table(rows, cols, (row, column) => cells.owners[row * cols + column]).map((row) => row.join("")),
      score: this.scores(cells),
      to_move: toMove,
    };
  },

  /** @param {DotsCells} cells */
  scores(cells) {
    return ["0", "1"].map((seat) => cells.owners.filter((owner) => owner === seat).length);
  },

  /** @param {DotsCells} cells */
  label(cells) {
    return `Dots and boxes, ${this.scores(cells).join(" boxes to ")}`;
  },

  /** @param {DotsCells} cells @param {string} [last] the move that led here */
  draw(cells, last) {
    const size = [cells.cols, cells.rows].map((boxes) => boxes * BOX + DOT_EDGE + DOT_END).join(" ");
    return svg(
      "svg",
      { class: "board dots", viewBox: `0 0 ${size}`, role: "img", "aria-label": this.label(cells) },
      boardLetters(cells.rows + 1, cells.cols + 1, BOX, DOT_EDGE - BOX / 2),
      cells.owners.map((owner, at) => drawnBox(owner, Math.floor(at / cells.cols), at % cells.cols)),
      allEdges(cells.rows, cells.cols).map((edge) => drawnEdge(edge, cells.drawn.has(edge.name), edge.name === last)),
      table(cells.rows + 1, cells.cols + 1, (row, column) => svg("circle", { class: "dot", cx: dotAt(column), cy: dotAt(row), r: 4 })),
      boardWords([`Edges: ${[...cells.drawn].join(" ") || "none"}`, ...BOX_MARKS.map((mark, seat) => `Boxes of ${mark}, by their first dots: ${squaresOf(cells.owners, cells.cols, String(seat))}`)], last),
    );
  },
};

/** @param {number} rows @param {number} columns @param {(row: number, column: number) => any} value */
function table(rows, columns, value) {
  return Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => value(row, column)));
}

/** @param {number} row @param {number} column */
function flatEdge(row, column) {
  return squareName(row, column) + squareName(row, column + 1);
}

/** @param {number} row @param {number} column */
function steepEdge(row, column) {
  return squareName(row, column) + squareName(row + 1, column);
}

/** @param {number} row @param {number} column */
function boxEdges(row, column) {
  return [flatEdge(row, column), flatEdge(row + 1, column), steepEdge(row, column), steepEdge(row, column + 1)];
}

/** @param {number} rows @param {number} cols */
function allEdges(rows, cols) {
  return [
    ...table(rows + 1, cols, (row, column) => ({ name: flatEdge(row, column), flat: true, row, column })).flat(),
    ...table(rows, cols + 1, (row, column) => ({ name: steepEdge(row, column), flat: false, row, column })).flat(),
  ];
}

/** The one or two boxes next to an edge. @param {DotsCells} cells @param {string} move */
function boxesAround(cells, move) {
  const [first, second] = /** @type {string[]} */ (move.match(/[a-z]\d+/g));
  const { row, column } = squarePlace(first);
  const flat = squarePlace(second).row === row;
  const boxes = [{ row, column }, flat ? { row: row - 1, column } : { row, column: column - 1 }];
  return boxes.filter((box) => box.row >= 0 && box.column >= 0 && box.row < cells.rows && box.column < cells.cols);
}

/** @param {number} at */
export function dotAt(at) {
  return DOT_EDGE + at * BOX;
}

/** @param {string} owner @param {number} row @param {number} column */
function drawnBox(owner, row, column) {
  if (owner === ".") return [];
  const [x, y] = [dotAt(column), dotAt(row)];
  return [
    svg("rect", { class: `box s${owner}`, x, y, width: BOX, height: BOX }),
    svg("text", { class: "owner", x: x + BOX / 2, y: y + BOX / 2 + 6 }, BOX_MARKS[Number(owner)]),
  ];
}

/** @param {{flat: boolean, row: number, column: number}} edge @param {boolean} drawn @param {boolean} last */
function drawnEdge({ flat, row, column }, drawn, last) {
  const d = `M${dotAt(column)} ${dotAt(row)}${flat ? "h" : "v"}${BOX}`;
  return svg("path", { class: `edge${drawn ? " drawn" : ""}${last ? " newest" : ""}`, d });
}
