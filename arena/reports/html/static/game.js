/** The page of a game: the board on the left, which moves, and the facts on the right. */

import { limitWords, placeCursor, pointedPly, statedChart, timeChart } from "./charts.js";
import { copyButton, positionOf, recordOf, transcriptOf } from "./copies.js";
import { drawingOf, isDrawn, replayed, seatMark, textBoard } from "./drawings.js";
import { duration, element, written } from "./dom.js";
import { moveChips, movesTable } from "./moves.js";
import { gameHash, readRoute } from "./route.js";
import { faultList, stderrBoxes } from "./stderr.js";
import { playerLink } from "./games.js";
import { endingSentence, nameOf } from "./words.js";

/** A page that shows a game up to a ply. @typedef {{nodes: Node[], go: (ply: number) => void, step: (by: number) => void, end: () => void, at: () => number, follows: () => boolean, toggle: () => void, stop: () => void}} GamePage */

const PLAY_MS = 600;
const ADDRESS_MS = 200;

/** @param {RunData} run @param {GameData} game @returns {GamePage} */
export function gamePage(run, game) {
  const last = game.moves.length;
  const boardAt = boardMaker(run, game);
  const board = element("div", { class: "stand" });
  const caption = element("p", { class: "note caption", role: "status" });
  const keys = gameKeys(last, () => page);
  const chips = moveChips(game, (ply) => page.go(ply));
  const charts = chartsOf(run, game, (ply) => page.go(ply));
  const boxes = stderrBoxes(run, game);
  let [ply, playing, addressing] = [-1, 0, 0];

  /** @type {GamePage} */
  const page = {
    nodes: [],
    go(wanted) {
      if (ply === (ply = Math.min(Math.max(wanted, 0), last))) return;
      board.replaceChildren(boardAt.drawn(ply));
      caption.textContent = captionOf(run, game, ply);
      keys.show(ply);
      chips.show(ply);
      charts.forEach(({ chart }) => placeCursor(chart, game, ply));
      boxes.show(ply);
      clearTimeout(addressing);
      addressing = setTimeout(() => keepAddress(game.id, ply), ADDRESS_MS);
    },
    step: (by) => page.go(ply + by),
    end: () => page.go(last),
    at: () => ply,
    follows: () => ply === last,
    toggle() {
      if (playing) return page.stop();
      if (ply === last) page.go(0);
      playing = setInterval(() => (ply === last ? page.stop() : page.step(1)), PLAY_MS);
      keys.playing(true);
      caption.setAttribute("aria-live", "off"); // a move comes before one is read out
    },
    stop() {
      clearInterval(playing);
      clearTimeout(addressing);
      playing = 0;
      keys.playing(false);
      caption.setAttribute("aria-live", "polite");
    },
  };
  const copies = [
    copyButton("transcript", () => transcriptOf(run, game)),
    copyButton("position", () => positionOf(run, game, boardAt.cells(ply), ply)),
    copyButton("record", () => recordOf(run, game)),
  ];
  page.nodes = [
    gameTitle(run, game),
    element(
      "div",
      { class: "game" },
      element("div", {}, board, keys.node, caption, element("p", { class: "copies" }, "Copy ", copies)),
      element("div", {}, resultLine(run, game), element("p", { class: "note ending" }, game.ending ? endingSentence(run, game) : "This game is being played."),
        charts.map(({ heading, chart }) => [heading, chart]), chips.nodes, faultList(run, game), boxes.nodes, movesTable(run, game), factsLine(game)),
    ),
  ];
  return page;
}

/** Have the address hold the move, as long as it is of this game. @param {string} id @param {number} ply */
function keepAddress(id, ply) {
  const { view, name } = readRoute(location.hash);
  if (view === "game" && name === id) history.replaceState(null, "", gameHash(id, ply));
}

/** The positions of a game and their drawings. @param {RunData} run @param {GameData} game */
function boardMaker(run, game) {
  if (!isDrawn(run)) return { cells: () => null, drawn: (/** @type {number} */ ply) => textBoard(game.boards[ply] ?? "This board appears once the game has ended.") };
  const cells = replayed(run, game);
  return { cells, drawn: (/** @type {number} */ ply) => drawingOf(run).draw(cells(ply), game.moves[ply - 1]) };
}

/** @param {RunData} run @param {GameData} game */
function gameTitle(run, game) {
  const names = game.players.map((place) => nameOf(run, place)).join(" – ");
  return element("h2", { tabindex: -1 }, `Game ${game.id} `, element("small", {}, `${names}${game.round ? `, round ${game.round}` : ""}`));
}

/** @param {RunData} run @param {GameData} game */
function resultLine(run, game) {
  const players = game.players.map((place, seat) => {
    const score = game.scores.length ? element("span", { class: "points" }, written(game.scores[seat])) : "";
    return element("span", { class: "side" }, seatMark(run, seat), " ", element("b", {}, playerLink(run, place)), " ", score);
  });
  return element("p", { class: "result" }, players);
}

/** @param {RunData} run @param {GameData} game @param {(ply: number) => void} go */
function chartsOf(run, game, go) {
  const found = [];
  if (game.used_ms.length) {
    const ways = game.players.length > 1 ? "up: first, down: second; " : "";
    const limits = game.players.map((place) => run.limits_ms[place] ?? null);
    found.push({ heading: element("h3", {}, "Time a move ", element("small", {}, ways + limitWords(game, limits))), chart: timeChart(game, limits) });
  }
  game.players.forEach((place, seat) => {
    const chart = statedChart(game, seat, nameOf(run, place));
    if (chart) found.push({ heading: element("h3", {}, `Score as ${nameOf(run, place)} saw it `, element("small", {}, "dashed: depth")), chart });
  });
  for (const { chart } of found) chart.addEventListener("click", (/** @type {MouseEvent} */ event) => go(pointedPly(event, chart, game)));
  return found;
}

/** The slider and the buttons. @param {number} last @param {() => GamePage} page */
function gameKeys(last, page) {
  const slider = element("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "Move", oninput: () => page().go(Number(slider.value)) });
  const play = key("Play", "▶", () => page().toggle());
  const node = element(
    "div",
    { class: "keys" },
    slider,
    key("First move", "|◀", () => page().go(0)),
    key("Previous move", "◀", () => page().step(-1)),
    key("Next move", "▶", () => page().step(1)),
    key("Last move", "▶|", () => page().end()),
    play,
  );
  const show = (/** @type {number} */ ply) => {
    slider.value = String(ply);
    slider.setAttribute("aria-valuetext", `move ${ply} of ${last}`);
  };
  const playing = (/** @type {boolean} */ is) => {
    play.textContent = is ? "Pause" : "Play";
    play.setAttribute("aria-label", is ? "Pause" : "Play");
  };
  playing(false);
  return { node, show, playing };
}

/** @param {string} label @param {string} sign @param {() => void} onclick */
function key(label, sign, onclick) {
  return element("button", { type: "button", "aria-label": label, title: label, onclick }, sign);
}

/** What happened at a ply. @param {RunData} run @param {GameData} game @param {number} ply */
function captionOf(run, game, ply) {
  if (!ply) return `Before the first of ${written(game.moves.length)} moves.`;
  const at = ply - 1;
  const seat = game.seats[at];
  const who = seat === -1 ? "chance" : seat === undefined ? "" : nameOf(run, game.players[seat]);
  const facts = [
    ply <= game.opening ? "opening" : null,
    (game.used_ms[at] ?? null) === null ? null : duration(game.used_ms[at] ?? 0),
    (game.score[at] ?? null) === null ? null : `score ${written(game.score[at] ?? 0)}`,
    (game.depth[at] ?? null) === null ? null : `depth ${game.depth[at]}`,
    game.text[at] ? `“${game.text[at]}”` : null,
  ].filter((fact) => fact !== null);
  return [`Move ${ply} of ${written(game.moves.length)}: ${who} ${game.moves[at]}`, ...facts].join(" · ");
}

/** @param {GameData} game */
function factsLine(game) {
  if (!game.started_at) return "";
  const [, at, zone] = /** @type {string[]} */ (game.started_at.match(/^(.{0,16}).*?([+-]\d\d:\d\d|Z|)$/s));
  const when = at.replace(/T(?=\d)/, " ") + (["Z", "+00:00"].includes(zone) ? " UTC" : zone && ` ${zone}`);
  const attempt = game.attempt > 1 ? ` · attempt ${game.attempt}` : "";
  return element("p", { class: "note" }, `${when} · ${duration(game.duration_ms)} · seed ${game.seed}${attempt} · ${game.machine}`);
}
