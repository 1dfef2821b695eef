// A bot for every game: it gives each legal move a score and plays the best.
// Against random moves it takes 97% of the points in Othello (95.9 to 98.0 at 95%; 1,000
// games), 89% without corners (87.4 to 91.2) and all in dots (over 99.6). At 2048 its mean score
// is 2,670 ± 149, that of random moves 1,132 ± 77 (200 games).
// Improve the scores, or look ahead. PROTOCOL.md says what the referee asks.
"use strict";

const readline = require("node:readline");

const AROUND = [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];
const SLIDES = { down: 3, left: 2, right: 1, up: 0 }; // keeps the large tiles in one corner

let game; // the start request of the game that is played

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const request = JSON.parse(line);
  switch (request.type) {
    case "start": // load and prepare here, not while the clock of a move runs
      game = request;
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
  return turn.legal[scores.indexOf(Math.max(...scores))];
}

// How good a move looks: the more the better.
function score(rules, state, move) {
  if (rules === "othello") return scoreDisc(state, move);
  if (rules === "dots") return scoreEdge(state, move);
  return SLIDES[move] ?? 0; // a player that places the tiles of 2048 and 2584 has other moves
}

// Column and row of a square or dot, from 0: "c2" is { column: 2, row: 1 }.
function place(name) {
  return { column: name.charCodeAt(0) - "a".charCodeAt(0), row: Number(name.slice(1)) - 1 };
}

// Othello: play the move, and count what each disc is worth then.
function scoreDisc(state, move) {
  const [me, other] = state.to_move === 0 ? "XO" : "OX";
  const board = state.board.map((row) => [...row]);
  putDisc(board, place(move), me, other);
  let score = 0, own = 0;
  board.forEach((discs, row) => discs.forEach((disc, column) => {
    if (disc === me) own += 1;
    if (disc === me) score += scoreSquare(board, column, row);
    if (disc === other) score -= scoreSquare(board, column, row);
  }));
  return score - 20 * Math.max(0, 8 - own);  // few discs may soon be none
}

// Put a disc of mine on a square, and turn the other's discs that it brackets.
function putDisc(board, { column, row }, me, other) {
  board[row][column] = me;
  for (const [right, down] of AROUND) {
    let steps = 1;
    while (look(board, column + steps * right, row + steps * down) === other) steps++;
    if (look(board, column + steps * right, row + steps * down) !== me) continue;
    for (let step = 1; step < steps; step++) board[row + step * down][column + step * right] = me;
  }
}

// A disc in a corner is never turned. Others are from empty squares around them, and give away an
// empty corner.
function scoreSquare(board, column, row) {
  if (isCorner(board, column, row)) return 60;
  let score = 1;
  for (const [right, down] of AROUND) {
    if (look(board, column + right, row + down) === ".")
      score -= isCorner(board, column + right, row + down) ? 20 : 2;
  }
  return score;
}

function isCorner(board, column, row) {
  return column % (board.length - 1) === 0 && row % (board.length - 1) === 0;
}

// The disc on a square: X or O; "." where it is empty, "#" where nothing can be played.
function look(board, column, row) {
  return board[row]?.[column] ?? "#";
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
