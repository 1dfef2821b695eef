/** What the players of a game wrote to stderr, up to the move that is shown; and their faults. */

import { element, written } from "./dom.js";
import { deed, nameOf } from "./words.js";

/**
 * What a player had written before the move that is shown, and what came with it: all, after the last
 * move and where records do not say when it came.
 * @param {GameData} game @param {number} seat @param {number} ply
 */
export function stderrUpTo(game, seat, ply) {
  const { head, tail, bytes, marks } = wroteOf(game, seat);
  const letters = [...head, ...tail];
  const isWhole = ply >= game.moves.length || !marks.length;
  const asked = askedMoves(game, seat, ply);
  const end = isWhole ? letters.length : (marks[asked - 1] ?? 0);
  const isOwnMove = ply > 0 && game.seats[ply - 1] === seat;
  const from = isOwnMove || isWhole ? (marks[asked - 2 + Number(isWhole && !isOwnMove)] ?? 0) : end;
  const gap = head.length + tail.length > 0 && bytes > new TextEncoder().encode(head + tail).length ? [...head].length : -1;
  return { before: cutOut(letters, 0, from, gap), now: cutOut(letters, from, end, gap) };
}

/** What may be read of a player. @param {GameData} game @param {number} seat */
function wroteOf(game, seat) {
  return /** @type {SeatStderr} */ (game.stderr[seat]);
}

/** How many moves a player was asked for up to a ply. @param {GameData} game @param {number} seat @param {number} ply */
function askedMoves(game, seat, ply) {
  let asked = 0;
  for (let at = 0; at < ply; at++) if (game.seats[at] === seat && (game.used_ms[at] ?? null) !== null) asked++;
  return asked;
}

/** @param {string[]} letters @param {number} from @param {number} to @param {number} gap where text was left out */
function cutOut(letters, from, to, gap) {
  if (gap < from || gap >= to) return letters.slice(from, to).join("");
  return `${letters.slice(from, gap).join("")}\n… (not all of it is kept)\n${letters.slice(gap, to).join("")}`;
}

/** A box for each stderr that may be read, and a function that shows it up to a ply. @param {RunData} run @param {GameData} game */
export function stderrBoxes(run, game) {
  const boxes = game.stderr.flatMap((stderr, seat) => (stderr === null ? [] : [stderrBox(run, game, seat)]));
  return { nodes: boxes.map(({ node }) => node), show: (/** @type {number} */ ply) => boxes.forEach(({ show }) => show(ply)) };
}

/** @param {RunData} run @param {GameData} game @param {number} seat */
function stderrBox(run, game, seat) {
  const name = nameOf(run, game.players[seat]);
  const heading = element("h3", {}, `stderr of ${name} `, element("small", {}, `${written(wroteOf(game, seat).bytes)} bytes, up to this move`));
  const sent = sentLink(game, seat, name);
  if (!wroteOf(game, seat).bytes) return { node: element("div", {}, element("p", { class: "note" }, `${name} wrote nothing to stderr.`), sent), show: () => {} };
  const text = element("pre", { class: "stderr", tabindex: 0, role: "region", "aria-label": `stderr of ${name}` });
  const show = (/** @type {number} */ ply) => {
    const { before, now } = stderrUpTo(game, seat, ply);
    text.replaceChildren(element("span", { class: "soft" }, spaced(before)), element("span", {}, spaced(now)));
    text.scrollTop = text.scrollHeight;
  };
  return { node: element("div", {}, heading, text, sent), show };
}

/** What a player was sent, to send it again; a page in a file has no server to ask. @param {GameData} game @param {number} seat @param {string} name */
function sentLink(game, seat, name) {
  const { run } = document.body.dataset;
  if (run === undefined) return [];
  const href = `${run}/game/${encodeURIComponent(game.id)}/dialogue/${seat}`;
  return element("p", { class: "note" }, element("a", { href, download: `${name}.jsonl` }, `What ${name} was sent`));
}

/** @param {string} text */
function spaced(text) {
  return text.replaceAll("\t", "    ");
}

/** The faults for which the referee played a random move. @param {RunData} run @param {GameData} game */
export function faultList(run, game) {
  if (!game.faults.length) return [];
  const lines = game.faults.map(([ply, seat, ending, sentence]) =>
    element("li", {}, `Move ${ply + 1}: ${nameOf(run, game.players[seat])} ${deed(ending)}; the referee played a random move for it. ${sentence}`),
  );
  return [element("h3", {}, "Faults"), element("ul", { class: "faults" }, lines)];
}
