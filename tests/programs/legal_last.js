// A bot for node, written from the protocol page alone: it answers with the last legal move.
"use strict";
const lines = require("node:readline").createInterface({ input: process.stdin });
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

lines.on("line", (line) => {
  const request = JSON.parse(line);
  switch (request.type) {
    case "start":
      say({ type: "ready", name: "legal-last", version: process.version });
      break;
    case "turn":
      say({ type: "move", ply: request.ply, move: request.legal.at(-1) });
      break;
    case "quit":
      lines.close();
  }
});
