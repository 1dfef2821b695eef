// A bot for every rule set that plays the last legal move, written from the protocol page alone.
// It also keeps the game: `moves` must tell every ply exactly once.
"use strict";

const readline = require("node:readline");

let game = null;
let seat = null;
let known = 0;

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\r\n"); // the carriage return is tolerated
}

const answers = {
  start(request) {
    game = request.game;
    seat = request.seat;
    known = request.moves.length;
    console.error(`seat ${seat} of ${request.seats} in ${request.rules}`);
    say({ type: "ready", name: "last-move", author: "Zoë" });
  },
  turn(request) {
    known += request.moves.length;
    if (known !== request.ply || request.game !== game) {
      throw new Error(`told of ${known} moves at ply ${request.ply} of ${request.game}`);
    }
    const mine = request.moves[0];
    if (mine && mine[0] !== seat && answers.played) {
      throw new Error(`the first move told is not my own: ${mine}`);
    }
    answers.played = true;
    const text = `${request.legal.length} moves, ${request.time_ms} ms`;
    const move = request.legal[request.legal.length - 1];
    say({ type: "move", ply: request.ply, move, info: { score: 0.5, depth: 1, pv: [move], text } });
  },
  end(request) {
    console.error(`${request.termination}: ${request.detail}`);
    answers.played = false;
  },
  quit() {
    process.exit(0);
  },
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  answers[request.type](request);
});
