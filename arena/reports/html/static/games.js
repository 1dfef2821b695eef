/** The list of games, with its filter in the address. */

import { byId, counted, duration, element, written } from "./dom.js";
import { isForfeit, resultOf, RESULTS, SIDES, takenGames } from "./filter.js";
import { gameHash, gamesHash, playerHash } from "./route.js";
import { keptState } from "./sections.js";
import { endingWord, nameOf, shortened, sideWord } from "./words.js";

const ROWS_AT_ONCE = 100;
const GAME_HEADINGS = ["Game", "Player", "Opponent", "Side", "Result", "Score", "Moves", "Slowest", "Ending"];
/** @type {Object<string, string>} */
const SORTS = { oldest: "as they ended", newest: "newest first", slowest: "slowest move first", longest: "longest first" };
/** The order where none is asked for: a server's runs go on. */
const USUAL = document.body.dataset.run === undefined ? "oldest" : "newest";

/** Show the games that the address asks for. @param {RunData} run @param {Object<string, string>} filter */
export function showGames(run, filter) {
  const view = byId("games-view");
  if (!view.querySelector("form")) view.replaceChildren(...emptyList(run));
  byId("games-count").setAttribute("aria-live", "polite");
  fillForm(/** @type {HTMLFormElement} */ (view.querySelector("form")), filter);
  listGames(run, filter);
}

/** A game came: the list stays as long as it was, and the form as it is. @param {RunData} run @param {Object<string, string>} filter */
export function listGrown(run, filter) {
  const keepAgain = keptState(byId("games-view"));
  byId("games-count").setAttribute("aria-live", "off"); // it would be read out with each game
  listGames(run, filter, Math.max(ROWS_AT_ONCE, listedGames().length));
  keepAgain();
}

function listedGames() {
  return byId("games-table").querySelectorAll("tbody tr");
}

/** Put the list in place, and what asks for more. @param {RunData} run @param {Object<string, string>} filter */
function listGames(run, filter, shown = ROWS_AT_ONCE) {
  const taken = takenGames(run, { ...filter, sort: filter.sort || USUAL });
  byId("games-count").textContent = countSentence(run, filter, taken.length);
  byId("games-table").replaceChildren(taken.length ? gamesTable(run, taken.slice(0, shown)) : "");
  const more = element("button", { type: "button", onclick: showMore }, "Show more");
  function showMore() {
    listGames(run, filter, shown + ROWS_AT_ONCE);
    listedGames()[shown].querySelector("a")?.focus();
  }
  byId("games-more").replaceChildren(taken.length > shown ? more : "");
}

/** @param {RunData} run */
function emptyList(run) {
  return [
    element("h2", { tabindex: -1 }, "Games"),
    gamesForm(run),
    element("p", { class: "note", id: "games-count", role: "status" }),
    element("div", { class: "scroll", id: "games-table", tabindex: 0, role: "region", "aria-label": "Games" }),
    element("p", { id: "games-more" }),
  ];
}

/** @param {RunData} run */
function gamesForm(run) {
  const used = new Set(run.games.ending);
  const endings = run.endings.filter((_, place) => used.has(place));
  const forfeits = endings.some(isForfeit) ? [["forfeit", "any forfeit"]] : [];
  const names = run.players.map((name) => [name, shortened(name)]);
  const form = element(
    "form",
    { class: "filters", onsubmit: (/** @type {Event} */ event) => event.preventDefault(), onchange: () => (location.hash = gamesHash(formFilter(form))) },
    choice("player", "Player", "anyone", names),
    choice("against", "Opponent", "anyone", names),
    choice("side", "Side", "either", SIDES.map((side) => [side, side])),
    choice("result", "Result", "any", [...RESULTS].reverse().map((result) => [result, result])),
    choice("ending", "Ending", "any", [...forfeits, ...endings.map((ending) => [ending, endingWord(ending)])]),
    bound("from", "Moves from"),
    bound("to", "Moves to"),
    choice("sort", "Order", SORTS[USUAL], Object.entries(SORTS).filter(([key]) => key !== USUAL)),
    element("a", { class: "button", href: "#games" }, "Clear"),
  );
  return form;
}

/** @param {string} name @param {string} label @param {string} all @param {string[][]} options */
function choice(name, label, all, options) {
  const given = [["", all], ...options].map(([value, text]) => element("option", { value }, text));
  return element("label", {}, label, element("select", { name }, given));
}

/** @param {string} name @param {string} label */
function bound(name, label) {
  return element("label", {}, label, element("input", { name, type: "number", min: 0, inputmode: "numeric" }));
}

/** @param {HTMLFormElement} form */
function formFilter(form) {
  return Object.fromEntries(new FormData(form));
}

/** @param {HTMLFormElement} form @param {Object<string, string>} filter */
function fillForm(form, filter) {
  const fields = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("select, input"));
  for (const field of fields) field.value = filter[field.name] ?? "";
}

/** @param {RunData} run @param {Object<string, string>} filter @param {number} count */
function countSentence(run, filter, count) {
  const unknown = [filter.player, filter.against].find((name) => name && !run.players.includes(name));
  if (unknown) return `No player of this run is called ${shortened(unknown)}. Choose one from the list.`;
  if (count) return `${counted(count, "game")}${count > ROWS_AT_ONCE ? `, ${ROWS_AT_ONCE} at a time` : ""}.`;
  return run.games.id.length ? "No game matches. Clear the filter to see all games." : "No game has ended yet. The first results appear here by themselves.";
}

/** @param {RunData} run @param {import("./filter.js").SeenGame[]} taken */
export function gamesTable(run, taken) {
  const numbers = ["Score", "Moves", "Slowest"];
  const headings = GAME_HEADINGS.map((text) => element("th", { scope: "col", class: numbers.includes(text) ? "n" : null }, text));
  return element(
    "table",
    { class: "list" },
    element("thead", {}, element("tr", {}, headings)),
    element("tbody", {}, taken.map(({ at, seat }) => gameRow(run, at, seat))),
  );
}

/** @param {RunData} run @param {number} at @param {number} seat */
function gameRow(run, at, seat) {
  const { games } = run;
  const others = games.players[at].filter((_, other) => other !== seat);
  const scores = [games.scores[at][seat], ...games.scores[at].filter((_, other) => other !== seat)];
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("a", { href: gameHash(games.id[at]) }, games.id[at])),
    element("td", {}, playerLink(run, games.players[at][seat])),
    element("td", {}, others.length ? others.map((place) => playerLink(run, place)) : "–"),
    element("td", {}, sideWord(seat)),
    element("td", {}, resultOf(games, at, seat) ?? "–"),
    element("td", { class: "n" }, scores.map(written).join("–")),
    element("td", { class: "n" }, written(games.plies[at])),
    element("td", { class: "n" }, duration(games.slowest_ms[at])),
    element("td", {}, endingCell(run, at)),
  );
}

/** The name of a player, which leads to its page. @param {RunData} run @param {number} place */
export function playerLink(run, place) {
  return element("a", { class: "name", href: playerHash(run.players[place]) }, nameOf(run, place));
}

/** @param {RunData} run @param {number} at */
function endingCell(run, at) {
  const ending = run.endings[run.games.ending[at]];
  if (!isForfeit(ending)) return endingWord(ending);
  const who = nameOf(run, run.games.players[at][run.games.offender[at]]);
  return element("span", { class: "tag", title: `${who}: ${endingWord(ending)}` }, endingWord(ending));
}
