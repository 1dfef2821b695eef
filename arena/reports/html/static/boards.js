/** The boards that are being played, on the overview. A board stays until another game takes its place. */

import { drawingOf, isDrawn, replayed, seatMark } from "./drawings.js";
import { byId, element } from "./dom.js";
import { gameHash } from "./route.js";
import { keptState } from "./sections.js";
import { nameOf } from "./words.js";

/** A place for a board. @typedef {{node: Element, id: string, over: boolean}} Slot */

const LAST_MOVES = 12;

/** Shows games in the section `boards`. @param {RunData} run */
export function boardsInPlay(run) {
  const grid = /** @type {Element} */ (byId("boards").querySelector(".boards"));
  /** The page has room for those that were played when it was made. @type {Slot[]} */
  const slots = [...grid.children].map((node) => ({ node, id: "", over: true }));
  grid.after(element("p", { class: "note" }, "No game is being played at the moment. Boards appear here by themselves."));

  function slotOf(/** @type {string} */ id) {
    return slots.find((slot) => slot.id === id);
  }
  function freeSlot() {
    const free = slots.find((slot) => slot.over);
    if (free) return free;
    const slot = { node: element("div", { class: "slot" }), id: "", over: true };
    slots.push(slot);
    grid.append(slot.node);
    return slot;
  }
  /** @param {Slot} slot @param {GameRunning} game @param {string} state */
  function show(slot, game, state) {
    const fresh = boardLink(run, game, state);
    const shown = slot.node.firstElementChild;
    // The link of a game stays: each new one that had the focus would be read out, with each move.
    if (shown?.getAttribute("href") === fresh.getAttribute("href")) return shown.replaceChildren(...fresh.childNodes);
    const keepAgain = keptState(slot.node);
    slot.node.replaceChildren(fresh);
    keepAgain();
  }
  return {
    /** @param {GameRunning} game */
    draw(game) {
      const slot = slotOf(game.id) ?? Object.assign(freeSlot(), { id: game.id });
      slot.over = false;
      show(slot, game, `move ${game.moves.length}`);
    },
    /** @param {GameRunning} game @param {string} how */
    end(game, how) {
      const slot = slotOf(game.id);
      if (!slot) return;
      slot.over = true;
      show(slot, game, how);
    },
  };
}

/** @param {RunData} run @param {GameRunning} game @param {string} state */
function boardLink(run, game, state) {
  const names = game.players.map((place, seat) => element("span", { class: "side" }, seatMark(run, seat), nameOf(run, place)));
  return element("a", { href: gameHash(game.id) }, element("span", { class: "names" }, names), smallBoard(run, game), element("small", {}, state));
}

/** @param {RunData} run @param {GameRunning} game */
function smallBoard(run, game) {
  const last = game.moves.length;
  if (!isDrawn(run)) return element("span", { class: "lately" }, game.moves.slice(-LAST_MOVES).join(" ") || "no move yet");
  return drawingOf(run).draw(replayed(run, game)(last), game.moves[last - 1]);
}
