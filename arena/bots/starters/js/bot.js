// A bot for every game: it gives each legal move a score and plays one of the best.
// Improve the scores, or look ahead. PROTOCOL.md says what the referee asks.
"use strict";

const readline = require("node:readline");

const SLIDES = { down: 3, left: 2, right: 1, up: 0 }; // keeps the large tiles in one corner

let game; // the start request of the game that is played
let random; // numbers from 0 to 1, the same ones again for the same seed

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const request = JSON.parse(line);
  switch (request.type) {
    case "start": // load and prepare here, not while the clock of a move runs
      game = request;
      random = generator(request.seed);
      reply({ type: "ready", name: "@NAME@" });
      break;
    case "turn":
      reply({ type: "move", ply: request.ply, move: choose(request) });
      break;
    case "quit":
      process.exit(0);
    // "end" needs no answer
  }
});

// One line for each request and nothing else: write what you want to know with console.error.
function reply(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// One of turn.legal. All that may be known is in `turn`; turn.time_ms is the time left.
function choose(turn) {
  const scores = turn.legal.map((move) => score(game.rules, turn.state, move));
  const best = Math.max(...scores);
  const good = turn.legal.filter((_, index) => scores[index] === best);
  return good[Math.floor(random() * good.length)];
}

// How good a move looks: the more the better.
function score(rules, state, move) {
  if (rules === "othello") return scoreSquare(state.board.length, place(move));
  if (rules === "dots") return scoreEdge(state, move);
  return SLIDES[move] ?? 0; // who places the tiles of 2048 and 2584 has other moves
}

// Column and row of a square or dot, from 0: "c2" is { column: 2, row: 1 }.
function place(name) {
  return { column: name.charCodeAt(0) - "a".charCodeAt(0), row: Number(name.slice(1)) - 1 };
}

// Othello: corners are never turned again, and their neighbours give them away.
function scoreSquare(size, { column, row }) {
  const fromSide = Math.min(column, size - 1 - column);
  const fromTop = Math.min(row, size - 1 - row);
  if (fromSide === 0 && fromTop === 0) return 3;
  if (Math.max(fromSide, fromTop) === 1) return 0; // beside a corner
  return Math.min(fromSide, fromTop) === 0 ? 2 : 1;
}

// Dots: close a box; do not draw the third side of one, which the opponent then closes.
function scoreEdge(state, move) {
  const [first, second] = move.match(/[a-z]\d+/g).map(place);
  const { column, row } = first;
  const boxes =
    second.row === row // a horizontal edge has a box above and one below
      ? [[row - 1, column], [row, column]]
      : [[row, column - 1], [row, column]];
  const drawn = boxes
    .filter(([r, c]) => r >= 0 && r < state.rows && c >= 0 && c < state.cols)
    .map(([r, c]) => sides(state, r, c));
  if (drawn.includes(3)) return 2;
  return drawn.includes(2) ? 0 : 1;
}

// How many sides of a box are drawn.
function sides({ horizontal, vertical }, row, column) {
  return (
    horizontal[row][column] + horizontal[row + 1][column] +
    vertical[row][column] + vertical[row][column + 1]
  );
}

// A small random generator (mulberry32): Math.random takes no seed.
function generator(seed) {
  let state = seed % 2 ** 32;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
