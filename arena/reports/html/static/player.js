/** The page of a player: its figures, its results against each other, its faults and versions. */

import { byId, counted, duration, element, svg, written } from "./dom.js";
import { resultOf, takenGames } from "./filter.js";
import { gamesTable, playerLink } from "./games.js";
import { gameHash, gamesHash } from "./route.js";
import { deed, nameOf, shortened, sideWord } from "./words.js";

/** Results of games. @typedef {{games: number, won: number, drawn: number, lost: number}} Tally */

const SLOWEST_GAMES = 5;
/** @type {Object<string, string>} */
const STATUS = { replaced: "A newer version plays in its place.", gone: "It has left the tournament: withdrawn, excluded, or no longer in its file.", out: "It is out of the tournament." };

/** @param {RunData} run @param {string} name */
export function showPlayer(run, name) {
  const place = run.players.indexOf(name);
  byId("player-view").replaceChildren(...(place < 0 ? unknownPlayer(name) : playerParts(run, place)));
}

/** @param {string} name */
function unknownPlayer(name) {
  return [element("h2", { tabindex: -1 }, "No such player"), element("p", {}, `No player of this run is called ${shortened(name)}. `, element("a", { href: "#" }, "The standings list all of them."))];
}

/** @param {RunData} run @param {number} place */
function playerParts(run, place) {
  const name = run.players[place];
  const figures = run.figures[place];
  const links = [
    element("a", { href: gamesHash({ player: name }) }, "all its games"),
    element("a", { href: gamesHash({ player: name, result: "lost" }) }, "those it lost"),
    element("a", { href: gamesHash({ player: name, sort: "longest" }) }, "the longest"),
  ];
  return [
    element("h2", { tabindex: -1 }, `${shortened(name)} `, element("small", {}, figures.version)),
    ...(STATUS[figures.status] ? [element("p", { class: "note" }, STATUS[figures.status])] : []),
    figuresLine(figures),
    ...ratingDrawn(run, figures),
    element("p", { class: "links" }, "See ", links.flatMap((link, at) => (at ? [", ", link] : [link])), "."),
    ...(run.drawing === "tiles" ? scoresOf(run, name) : [...sides(run, place, figures), ...headToHead(run, place)]),
    ...slowestGames(run, name),
    ...faultsOf(figures),
    ...versionsOf(run, place, figures),
  ];
}

/** @param {PlayerData} figures */
function figuresLine(figures) {
  const facts = [
    figures.rank === null ? [] : ["Rank ", element("b", {}, figures.rank)],
    figures.rating ? ["Elo ", element("b", {}, figures.rating)] : [],
    figures.games ? [element("b", {}, counted(figures.games, "game")), `: ${figures.wins} won, ${figures.draws} drawn, ${figures.losses} lost`] : ["No game has ended yet"],
    figures.mean_ms === null ? [] : [`${duration(figures.mean_ms)} a move, at most ${duration(figures.max_ms ?? 0)}`],
    figures.clock ? [`its own clock: ${figures.clock}`] : [],
    figures.random_moves ? [counted(figures.random_moves, "random move"), " after faults"] : [],
  ];
  return element("p", { class: "facts" }, facts.filter((fact) => fact.length).flatMap((fact, at) => (at ? [" · ", ...fact] : fact)));
}

/** Its interval among those of all, on one scale. @param {RunData} run @param {PlayerData} figures */
function ratingDrawn(run, figures) {
  if (figures.interval === null) return [];
  const all = run.figures.flatMap((each) => (each.interval === null ? [] : [each.interval]));
  const least = Math.min(...all.map(([low]) => low));
  const scale = 400 / Math.max(Math.max(...all.map(([, , high]) => high)) - least, 1);
  const x = (/** @type {number} */ elo) => (10 + (elo - least) * scale).toFixed(1);
  const [low, elo, high] = figures.interval;
  const others = all.map((each) => svg("circle", { class: "other", cx: x(each[1]), cy: 12, r: 2.5 }));
  const label = `Elo ${signed(elo)}, with 95% certainty from ${signed(low)} to ${signed(high)}`;
  const drawn = svg("svg", { class: "among", viewBox: "0 0 420 24", role: "img", "aria-label": label }, others,
    svg("path", { class: "bar", d: `M${x(low)} 12H${x(high)}M${x(low)} 7v10M${x(high)} 7v10` }), svg("circle", { class: "own", cx: x(elo), cy: 12, r: 4.5 }));
  return [drawn, element("p", { class: "note" }, `${label}. Small dots are the other players.`)];
}

/** @param {number} elo */
function signed(elo) {
  return `${elo < -0.5 ? "−" : elo >= 0.5 ? "+" : ""}${Math.abs(Math.round(elo))}`;
}

/** @param {RunData} run @param {number} place @param {PlayerData} figures */
function sides(run, place, figures) {
  if (run.seats < 2) return [];
  const rows = [figures.as_first, figures.as_second].map((share, seat) => {
    const tally = tallied(run, takenGames(run, { player: run.players[place], side: sideWord(seat) }));
    return element("tr", {}, element("th", { scope: "row" }, sideWord(seat)), tallyCells(tally), element("td", { class: "n" }, share || "–"));
  });
  return [element("h3", {}, "By side"), plainTable("By side", ["", "Games", "Won", "Drawn", "Lost", "Share of the points"], rows)];
}

/** Where one game alone decides nothing. @param {RunData} run @param {string} name */
function scoresOf(run, name) {
  const scores = takenGames(run, { player: name }).map(({ at, seat }) => run.games.scores[at][seat]);
  if (!scores.length) return [];
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return [element("p", {}, `Mean score ${written(Math.round(mean))}, best ${written(scores.reduce((one, other) => Math.max(one, other)))}.`)];
}

/** @param {RunData} run @param {number} place */
function headToHead(run, place) {
  const met = new Map();
  for (const game of takenGames(run, { player: run.players[place] })) {
    for (const other of run.games.players[game.at]) {
      if (other === place) continue;
      const games = met.get(other);
      if (games) games.push(game);
      else met.set(other, [game]);
    }
  }
  if (!met.size) return [];
  const rows = [...met].map(([other, games]) => {
    const all = element("a", { href: gamesHash({ player: run.players[place], against: run.players[other] }), "aria-label": `games against ${nameOf(run, other)}` }, "games");
    return element("tr", {}, element("th", { scope: "row" }, playerLink(run, other)), tallyCells(tallied(run, games)), element("td", {}, all));
  });
  return [element("h3", {}, "Against each"), plainTable("Against each", ["Opponent", "Games", "Won", "Drawn", "Lost", ""], rows)];
}

/** @param {RunData} run @param {import("./filter.js").SeenGame[]} games @returns {Tally} */
function tallied(run, games) {
  const tally = { games: games.length, won: 0, drawn: 0, lost: 0 };
  for (const { at, seat } of games) {
    const result = resultOf(run.games, at, seat);
    if (result) tally[result] += 1;
  }
  return tally;
}

/** @param {Tally} tally */
function tallyCells({ games, won, drawn, lost }) {
  return [games, won, drawn, lost].map((count) => element("td", { class: "n" }, written(count)));
}

/** @param {string} label @param {string[]} headings @param {Element[]} rows */
function plainTable(label, headings, rows) {
  const head = headings.map((text, at) => (text ? element("th", { scope: "col", class: at ? "n" : null }, text) : element("td", {})));
  const table = element("table", { class: "list" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows));
  return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** @param {RunData} run @param {string} name */
function slowestGames(run, name) {
  const slowest = takenGames(run, { player: name, sort: "slowest" }).slice(0, SLOWEST_GAMES);
  if (!slowest.length) return [];
  const all = element("a", { href: gamesHash({ player: name, sort: "slowest" }) }, "All by their slowest move");
  const table = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Slowest moves" }, gamesTable(run, slowest));
  return [element("h3", {}, "Games with the slowest moves ", element("small", {}, "of either player")), table, element("p", {}, all)];
}

/** @param {PlayerData} figures */
function faultsOf(figures) {
  if (!figures.faults.length) return [];
  const lines = figures.faults.map((fault) =>
    element("li", {}, `It ${deed(fault.ending)} ${fault.count === 1 ? "once" : `${fault.count} times`}, first in `,
      element("a", { href: gameHash(fault.game) }, fault.game), element("div", { class: "soft" }, fault.detail),
      fault.stderr ? element("pre", { class: "stderr" }, fault.stderr) : ""),
  );
  return [element("h3", {}, "Faults"), element("ul", { class: "faults" }, lines)];
}

/** @param {RunData} run @param {number} place @param {PlayerData} figures */
function versionsOf(run, place, figures) {
  if (!figures.versions.length) return [];
  const lines = figures.versions.map((each) =>
    element("li", {}, each === place ? element("b", {}, nameOf(run, each)) : playerLink(run, each), ` ${run.figures[each].version} `, element("span", { class: "soft" }, run.figures[each].rating)),
  );
  return [element("h3", {}, "Versions"), element("ul", {}, lines)];
}
