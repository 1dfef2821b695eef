/** Places of a board that can be clicked, or chosen by arrow keys and played by Enter. */

import { svg } from "./dom.js";
import { dotAt } from "./dots.js";
import { DISC_CELL, DISC_EDGE } from "./othello.js";
import { squarePlace } from "./squares.js";

/** The next target by each key. @type {Object<string, (from: SVGElement, targets: SVGElement[]) => SVGElement>} */
const WAYS = {
  ArrowUp: (from, targets) => nearestTarget(from, targets, -1),
  ArrowDown: (from, targets) => nearestTarget(from, targets, 1),
  ArrowLeft: (from, targets) => targetInRows(from, targets, -1),
  ArrowRight: (from, targets) => targetInRows(from, targets, 1),
};

/** The shape of a move on each board, and its middle. */
/** @typedef {{x: number, y: number, points: number[][]}} Shape */
/** @type {Object<string, (move: string) => Shape>} */
const SHAPES = {
  /** @param {string} move */
  othello(move) {
    const { row, column } = squarePlace(move);
    const [x, y] = [column, row].map((at) => DISC_EDGE + (at + 0.5) * DISC_CELL);
    return { x, y, points: [[-18, -18], [18, -18], [18, 18], [-18, 18]] };
  },

  /** A diamond around the edge: these cover the board. @param {string} move */
  dots(move) {
    const ends = move.match(/[a-z]\d+/g) ?? [];
    const [one, other] = ends.map(squarePlace);
    const x = dotAt((one.column + other.column) / 2);
    return { x, y: dotAt((one.row + other.row) / 2), points: [[-19, 0], [0, -19], [19, 0], [0, 19]] };
  },
};

/**
 * A target for each move; none on boards whose moves are not places.
 * @param {string} drawing @param {string[]} legal @param {(move: string) => void} play
 */
export function targetsOf(drawing, legal, play) {
  if (!(drawing in SHAPES)) return [];
  const targets = legal.map((move, at) => target(move, SHAPES[drawing](move), at === 0, play));
  for (const each of targets) each.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => onTargetKey(event, each, targets, play));
  return targets;
}

/** @param {string} move @param {Shape} shape @param {boolean} isFirst @param {(move: string) => void} play */
function target(move, { x, y, points }, isFirst, play) {
  return svg("polygon", {
    class: "target",
    role: "button",
    tabindex: isFirst ? 0 : -1,
    "aria-label": move,
    "data-move": move,
    "data-x": x,
    "data-y": y,
    points: points.map(([right, down]) => `${x + right},${y + down}`).join(" "),
    onclick: () => play(move),
  });
}

/** @param {KeyboardEvent} event @param {SVGElement} from @param {SVGElement[]} targets @param {(move: string) => void} play */
function onTargetKey(event, from, targets, play) {
  if (event.key === "Enter" || event.key === " ") play(from.dataset.move ?? "");
  else if (event.key in WAYS) focusTarget(from, WAYS[event.key](from, targets));
  else return;
  event.preventDefault();
}

/** @param {SVGElement} from @param {SVGElement} to */
function focusTarget(from, to) {
  from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus();
}

/** The closest target above or below, sideways counting double. @param {SVGElement} from @param {SVGElement[]} targets @param {number} down */
function nearestTarget(from, targets, down) {
  const far = (/** @type {SVGElement} */ to) => {
    const ahead = down * (centre(to).y - centre(from).y);
    return ahead > 0 ? ahead + 2 * Math.abs(centre(to).x - centre(from).x) : Infinity;
  };
  const nearest = targets.reduce((best, each) => (far(each) < far(best) ? each : best), from);
  return far(nearest) < Infinity ? nearest : from;
}

/** The target before or after, row by row: so each is reached, wherever they lie. @param {SVGElement} from @param {SVGElement[]} targets @param {number} by */
function targetInRows(from, targets, by) {
  const inRows = targets.toSorted((one, other) => centre(one).y - centre(other).y || centre(one).x - centre(other).x);
  return inRows[inRows.indexOf(from) + by] ?? from;
}

/** @param {SVGElement} target */
function centre({ dataset: { x, y } }) {
  return { x: Number(x), y: Number(y) };
}
