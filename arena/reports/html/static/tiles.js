/** The drawing of 2048 and 2584: replays moves that the referee has judged, and draws the board. */

import { boardLetters, boardWords, squarePlace } from "./squares.js";
import { svg, written } from "./dom.js";

/**
 * `tiles` has 16 values row by row, 0 for an empty cell; `doubling` is 2048's way to merge. `cell` is
 * the cell that waits for a tile.
 * @typedef {{tiles: number[], score: number, doubling: boolean, seat: number, cell: string|null}} TilesCells
 */

const SIDE = 4;
const TILE_CELL = 80;
const TILE_EDGE = 24;
const MOST_RANK = 17;
/** For each slide, the first cell at the wall, the step away from it, and the step to the next lane. */
/** @type {Object<string, number[]>} */
const SLIDES = { up: [0, 4, 1], down: [12, -4, 1], left: [0, 1, 4], right: [3, -1, 4] };

export const tiles = {
  /** @param {{board: number[][], score: number, cell?: string}} state @param {{spawn: string}} variant @returns {TilesCells} */
  start(state, variant) {
    return { tiles: state.board.flat(), score: state.score, doubling: variant.spawn === "2/4", seat: 0, cell: state.cell ?? null };
  },

  /** @param {TilesCells} cells @param {string} move @returns {TilesCells} */
  play(cells, move) {
    if (move in SLIDES) return { ...slid(cells, SLIDES[move]), seat: 1 };
    const [cell, tile] = move.split("=");
    if (tile === undefined) return { ...cells, cell };
    const { row, column } = squarePlace(cell);
    return { ...cells, tiles: cells.tiles.with(row * SIDE + column, Number(tile)), seat: 0, cell: null };
  },

  /** The position as on the wire. @param {TilesCells} cells @param {number|null} toMove */
  state(cells, toMove) {
    const board = Array.from({ length: SIDE }, (_, row) => cells.tiles.slice(row * SIDE, (row + 1) * SIDE));
    return { board, score: cells.score, to_move: toMove, ...(cells.cell === null ? {} : { cell: cells.cell }) };
  },

  /** @param {TilesCells} cells */
  scores(cells) {
    return [cells.score];
  },

  /** @param {TilesCells} cells */
  label(cells) {
    return `Tiles, score ${written(cells.score)}, largest tile ${written(Math.max(...cells.tiles))}`;
  },

  /** @param {TilesCells} cells @param {string} [last] the move that led here */
  draw(cells, last = "") {
    const length = SIDE * TILE_CELL;
    const whole = length + TILE_EDGE + 8;
    const cell = cells.cell ?? (last.includes("=") ? last.split("=")[0] : null);
    return svg(
      "svg",
      { class: "board tiles", viewBox: `0 0 ${whole} ${whole}`, role: "img", "aria-label": this.label(cells) },
      boardLetters(SIDE, SIDE, TILE_CELL, TILE_EDGE),
      svg("rect", { class: "tray", x: TILE_EDGE, y: TILE_EDGE, width: length, height: length, rx: 8 }),
      cells.tiles.map((tile, at) => drawnTile(tile, at, cells.doubling)),
      cell === null ? [] : ring(cell),
      boardWords(this.state(cells, null).board.map((row, at) => `Row ${at + 1}: ${row.map((tile) => tile || "empty").join(", ")}`), last),
    );
  },
};

/** @param {TilesCells} cells @param {number[]} slide */
function slid(cells, [first, away, across]) {
  const after = Array(SIDE * SIDE).fill(0);
  let score = cells.score;
  for (let lane = 0; lane < SIDE; lane++) {
    const places = Array.from({ length: SIDE }, (_, at) => first + lane * across + at * away);
    const queue = places.map((at) => cells.tiles[at]).filter((tile) => tile);
    for (let to = 0; queue.length; to++) {
      let tile = queue.shift() ?? 0;
      if (queue.length && mergeTiles(tile, queue[0], cells.doubling)) {
        tile += queue.shift() ?? 0;
        score += tile;
      }
      after[places[to]] = tile;
    }
  }
  return { ...cells, tiles: after, score };
}

/** @param {number} one @param {number} other @param {boolean} doubling */
function mergeTiles(one, other, doubling) {
  if (doubling) return one === other;
  return (one === 1 && other === 1) || (one !== other && tileRank(one + other, false) !== null);
}

/** The place of a tile among those of its game, from 1; null for none. @param {number} tile @param {boolean} doubling */
function tileRank(tile, doubling) {
  let [small, large, rank] = doubling ? [2, 4, 1] : [1, 2, 1];
  for (; small < tile; rank++) [small, large] = [large, doubling ? 2 * large : small + large];
  return small === tile ? rank : null;
}

/** @param {number} at @param {number} inset */
function tileBox(at, inset) {
  return {
    x: TILE_EDGE + (at % SIDE) * TILE_CELL + inset,
    y: TILE_EDGE + Math.floor(at / SIDE) * TILE_CELL + inset,
    width: TILE_CELL - 2 * inset,
    height: TILE_CELL - 2 * inset,
    rx: 6,
  };
}

/** @param {number} tile @param {number} at @param {boolean} doubling */
function drawnTile(tile, at, doubling) {
  if (!tile) return svg("rect", { class: "hole", ...tileBox(at, 4) });
  const rank = Math.min(tileRank(tile, doubling) ?? 1, MOST_RANK);
  const { x, y } = tileBox(at, 0);
  const digits = String(tile).length;
  return [
    svg("rect", { class: "ground", ...tileBox(at, 4) }),
    svg("rect", { class: "tile", "fill-opacity": (rank / MOST_RANK).toFixed(2), ...tileBox(at, 4) }),
    svg("text", { class: `value d${digits}`, x: x + TILE_CELL / 2, y: y + TILE_CELL / 2 + (digits > 3 ? 8 : 10) }, tile),
  ];
}

/** @param {string} cell */
function ring(cell) {
  const { row, column } = squarePlace(cell);
  return svg("rect", { class: "ring", ...tileBox(row * SIDE + column, 4) });
}
