/** Sentences on games. */

import { counted } from "./dom.js";

/** @type {Object<string, string>} */
const DEEDS = {
  start_failed: "did not start",
  exited: "exited",
  timeout: "ran out of time",
  stdin_closed: "closed its stdin",
  stdout_closed: "closed its stdout",
  line_too_long: "wrote a line that is too long",
  flood: "wrote far more than was asked",
  bad_utf8: "wrote bytes that are not UTF-8",
  bad_json: "wrote a line that is not JSON",
  bad_schema: "answered in the wrong form",
  wrong_ply: "answered a different turn from the one asked",
  unsolicited: "wrote before it was asked",
  illegal_move: "played an illegal move",
  out_of_memory: "used more memory than allowed",
};

/** What a player did wrong: `ran out of time`. @param {string} ending */
export function deed(ending) {
  return DEEDS[ending] ?? endingWord(ending);
}

/** The word that terminal and JSON have for an ending. @param {string} ending */
export function endingWord(ending) {
  return ending.replaceAll("_", " ");
}

/** How a game ended. @param {RunData} run @param {GameData} game */
export function endingSentence(run, game) {
  const after = `after ${counted(game.moves.length, "move")}`;
  if (game.ending === "natural") return `Ended by the rules ${after}.`;
  if (game.ending === "adjudicated") return `Ended ${after}, before the rules ended it: ${game.detail}`;
  if (game.ending === "void") return `Void ${after}, not counted: ${game.detail}`;
  const who = nameOf(run, game.players[game.offender]) || "A player";
  return `${who} ${deed(game.ending)} ${after} and lost the game: ${game.detail}`;
}

const NAME_LENGTH = 72;

/** The name of a player, cut where it is very long. @param {RunData} run @param {number} place */
export function nameOf(run, place) {
  return shortened(run.players[place] ?? "");
}

/** @param {string} name */
export function shortened(name) {
  return name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH)}…` : name;
}

/** The side of a seat: first, second, seat 2. @param {number} seat */
export function sideWord(seat) {
  return ["first", "second"][seat] ?? `seat ${seat}`;
}
