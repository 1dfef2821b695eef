/** The charts of a game: the time of each move, and what each player stated. */

import { duration, svg, written } from "./dom.js";

const CHART_WIDTH = 560;
const BAR_HEIGHT = 40;
const LINE_HEIGHT = 64;
/** A limit this many times above all times is not drawn: the bars would not be seen. */
const FAR_ABOVE = 8;
/** A turn that ran out of time has no time of its own: its bar is this many times as high as the limit, or as the slowest move's where moves have none. */
const OVER = 1.25;

/** The limits by seat in words. @param {GameData} game @param {(number|null)[]} limits */
export function limitWords(game, limits) {
  const alike = new Set(limits).size === 1;
  const texts = (alike ? limits.slice(0, 1) : limits).map((limit, seat) => {
    if (limit === null) return "";
    const words = `the limit${alike ? "" : ` of the ${seat ? "second" : "first"}`}, ${duration(limit)}`;
    return nearLimit(game, limit) === null ? `${words}, is far above` : `dashed: ${words}`;
  });
  return [...texts, isLate(game) ? "the last turn ran out of time" : ""].filter(Boolean).join("; ");
}

/** The limit, where it is drawn. @param {GameData} game @param {number|null} limit */
function nearLimit(game, limit) {
  return limit === null || (limit > FAR_ABOVE * slowestMove(game) && !isLate(game)) ? null : limit;
}

/** Whether its last turn ran out of time. @param {GameData} game */
function isLate(game) {
  return game.ending === "timeout";
}

/** Its moves, and a last turn without one. @param {GameData} game */
function turnsOf(game) {
  return game.moves.length + Number(isLate(game));
}

/** @param {GameData} game */
function slowestMove(game) {
  return Math.max(1, ...game.used_ms.map((time) => time ?? 0));
}

/** Bars up for the first player, down for the others, and the limit of each. @param {GameData} game @param {(number|null)[]} limits */
export function timeChart(game, limits) {
  const drawn = limits.map((limit) => nearLimit(game, limit) ?? 0);
  const slowest = slowestMove(game);
  const most = Math.max((Math.max(...drawn) || slowest) * (isLate(game) ? OVER : 1), slowest);
  const high = (/** @type {number} */ time) => (time / most) * BAR_HEIGHT;
  const wide = (0.8 * CHART_WIDTH) / turnsOf(game);
  const hasOthers = game.players.length > 1;
  const axis = BAR_HEIGHT + 4;
  const height = hasOthers ? 2 * axis : axis + 4;
  const lines = drawn.map((limit, seat) => (limit ? `M0 ${axis + (seat ? 1 : -1) * high(limit)}h${CHART_WIDTH}` : "")).join("");
  return svg(
    "svg",
    { class: "times", viewBox: `0 0 ${CHART_WIDTH} ${height}`, role: "img", "aria-label": `Time of each move, at most ${duration(slowest)}` },
    svg("path", { class: "limit", d: lines }),
    svg("path", { class: "axis", d: `M0 ${axis}h${CHART_WIDTH}` }),
    [0, 1].map((seat) => svg("path", { class: `bars s${seat}`, "stroke-width": wide, d: bars(game, seat, axis, high) })),
    isLate(game) ? svg("path", { class: "bars late", "stroke-width": wide, d: bar(game, game.moves.length, game.offender, axis, BAR_HEIGHT) }) : "",
    cursor(height),
  );
}

/** @param {GameData} game @param {number} side @param {number} axis @param {(time: number) => number} high */
function bars(game, side, axis, high) {
  const own = (/** @type {number} */ seat) => (side === 0 ? seat === 0 : seat > 0);
  const drawn = game.used_ms.map((time, at) =>
    time === null || !own(game.seats[at]) ? "" : bar(game, at, side, axis, Math.max(high(time), 0.4)),
  );
  return drawn.join("");
}

/** @param {GameData} game @param {number} at @param {number} side @param {number} axis @param {number} height */
function bar(game, at, side, axis, height) {
  return `M${moveX(game, at)} ${axis}v${((side ? 1 : -1) * height).toFixed(1)}`;
}

/** @param {GameData} game @param {number} at */
function moveX(game, at) {
  return (((at + 0.5) / turnsOf(game)) * CHART_WIDTH).toFixed(1);
}

/** @param {number} height */
function cursor(height) {
  return svg("path", { class: "cursor", d: `M0 0v${height}`, visibility: "hidden" });
}

/** Move the cursor of a chart to a ply. @param {Element} chart @param {GameData} game @param {number} ply */
export function placeCursor(chart, game, ply) {
  const line = /** @type {Element} */ (chart.querySelector(".cursor"));
  line.setAttribute("visibility", ply ? "visible" : "hidden");
  if (ply) line.setAttribute("transform", `translate(${moveX(game, ply - 1)} 0)`);
}

/** The ply that a click on a chart means. @param {MouseEvent} event @param {Element} chart @param {GameData} game */
export function pointedPly(event, chart, game) {
  const box = chart.getBoundingClientRect();
  return Math.ceil(((event.clientX - box.left) / box.width) * turnsOf(game));
}

/**
 * The score a player stated as a line, its depth dashed; null where it stated neither.
 * @param {GameData} game @param {number} seat @param {string} name
 */
export function statedChart(game, seat, name) {
  const own = (/** @type {(number|null)[]} */ values) => values.map((value, at) => (game.seats[at] === seat ? value : null));
  const [scores, depths] = [own(game.score), own(game.depth)];
  if (![...scores, ...depths].some((value) => value !== null)) return null;
  const middle = LINE_HEIGHT / 2;
  const most = Math.max(...scores.map((score) => Math.abs(score ?? 0)), 1e-9);
  const deepest = Math.max(...depths.map((depth) => depth ?? 0), 1);
  return svg(
    "svg",
    { class: "score", viewBox: `0 0 ${CHART_WIDTH} ${LINE_HEIGHT}`, role: "img", "aria-label": statedLabel(scores, depths, name) },
    svg("path", { class: "axis", d: `M0 ${middle}h${CHART_WIDTH}` }),
    svg("polyline", { class: "depth", points: linePoints(game, depths, (depth) => LINE_HEIGHT - 3 - (depth / deepest) * (LINE_HEIGHT - 6)) }),
    svg("polyline", { class: "stated", points: linePoints(game, scores, (score) => middle - (score / most) * (middle - 3)) }),
    cursor(LINE_HEIGHT),
  );
}

/** @param {(number|null)[]} scores @param {(number|null)[]} depths @param {string} name */
export function statedLabel(scores, depths, name) {
  const range = (/** @type {(number|null)[]} */ values, /** @type {string} */ what) => {
    const known = values.filter((value) => value !== null);
    return known.length ? [`${what} from ${written(Math.min(...known))} to ${written(Math.max(...known))}`] : [];
  };
  return `${name}: ${[...range(scores, "score"), ...range(depths, "depth")].join(", ")}`;
}

/** @param {GameData} game @param {(number|null)[]} values @param {(value: number) => number} y */
function linePoints(game, values, y) {
  return values.flatMap((value, at) => (value === null ? [] : [`${moveX(game, at)},${y(value).toFixed(1)}`])).join(" ");
}
