/** The moves of a game: chips that jump, and a table of all that is known of them. */

import { duration, element, written } from "./dom.js";
import { nameOf } from "./words.js";

const CHIPS_AT_ONCE = 240;

/** A list of moves, of long games a part; and a function that marks one. @param {GameData} game @param {(ply: number) => void} go */
export function moveChips(game, go) {
  const list = element("ol", { class: "moves", "aria-label": "Moves", onclick: jump });
  const part = element("small", {});
  let first = -1;
  function jump(/** @type {MouseEvent} */ event) {
    const chip = /** @type {Element} */ (event.target).closest("button");
    if (chip) go(Number(chip.dataset.ply));
  }
  function show(/** @type {number} */ ply) {
    const begin = Math.floor(Math.max(ply - 1, 0) / CHIPS_AT_ONCE) * CHIPS_AT_ONCE;
    if (begin !== first) {
      first = begin;
      const hasFocus = list.contains(document.activeElement);
      const end = Math.min(begin + CHIPS_AT_ONCE, game.moves.length);
      part.textContent = game.moves.length > CHIPS_AT_ONCE ? `${begin + 1} to ${end} of ${written(game.moves.length)}` : "";
      list.replaceChildren(...game.moves.slice(begin, end).map((_, at) => moveChip(game, begin + at + 1)));
      if (hasFocus) /** @type {HTMLElement|null} */ (list.querySelector(`[data-ply="${Math.max(ply, 1)}"]`))?.focus({ preventScroll: true });
    }
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    list.querySelector(`[data-ply="${ply}"]`)?.setAttribute("aria-current", "step");
  }
  return { nodes: [element("h3", {}, "Moves ", part), list], show };
}

/** @param {GameData} game @param {number} ply */
function moveChip(game, ply) {
  const seat = game.seats[ply - 1];
  const side = seat === 0 ? "x" : seat === -1 ? "chance" : "o";
  const failed = game.faults.some(([at]) => at === ply - 1);
  const label = `Move ${ply}: ${game.moves[ply - 1]}${failed ? ", played by the referee" : ""}`;
  const chip = { type: "button", class: failed ? "failed" : null, "data-ply": ply, "aria-label": label };
  return element("li", { class: side }, element("button", chip, game.moves[ply - 1], failed ? "!" : ""));
}

/** The same as a table, made when it is opened. @param {RunData} run @param {GameData} game */
export function movesTable(run, game) {
  const place = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Moves as a table" });
  const fill = () => place.firstChild || place.append(filledTable(run, game));
  return element("details", { ontoggle: fill }, element("summary", {}, "As a table"), place);
}

/** @param {RunData} run @param {GameData} game */
function filledTable(run, game) {
  const headings = ["#", "Move", "Player", "Time", "Score", "Depth"].map((text) => element("th", { scope: "col" }, text));
  const shown = (/** @type {any[]} */ values, /** @type {number} */ at, /** @type {(value: any) => string} */ say) => element("td", {}, (values[at] ?? null) === null ? "" : say(values[at]));
  const rows = game.moves.map((move, at) => {
    const who = game.seats[at] === -1 ? "chance" : nameOf(run, game.players[game.seats[at]]);
    return element("tr", {}, element("th", { scope: "row" }, at + 1), element("td", {}, move), element("td", {}, who),
      shown(game.used_ms, at, duration), shown(game.score, at, written), shown(game.depth, at, written));
  });
  return element("table", { class: "list" }, element("thead", {}, element("tr", {}, headings)), element("tbody", {}, rows));
}
