/** Which games of a run a filter takes: each once, as its first player that fits sees it. */

/**
 * The words of the address: player, against, side, result, ending, from, to and sort; all may be left out.
 * @typedef {Object<string, string>} GameFilter
 */
/** A game, by its place in the columns, as the player on a seat sees it. @typedef {{at: number, seat: number}} SeenGame */

export const SIDES = ["first", "second"];
/** @type {("lost"|"drawn"|"won")[]} */
export const RESULTS = ["lost", "drawn", "won"];
const KEEPS = ["natural", "adjudicated", "void"];

/** @param {RunData} run @param {GameFilter} filter @returns {SeenGame[]} */
export function takenGames(run, filter) {
  const { games } = run;
  const fits = fittingSeat(run, filter);
  const least = filter.from ? Number(filter.from) : 0;
  const most = filter.to ? Number(filter.to) : Infinity;
  const taken = [];
  for (let at = 0; at < games.id.length; at++) {
    if (games.plies[at] < least || games.plies[at] > most) continue;
    const seat = fits(at);
    if (seat >= 0) taken.push({ at, seat });
  }
  return sorted(games, taken, filter.sort);
}

/** A function that gives the first seat of a game that fits, −1 for none. @param {RunData} run @param {GameFilter} filter */
function fittingSeat(run, filter) {
  const { games } = run;
  const place = (/** @type {string|undefined} */ name) => (name ? run.players.indexOf(name) : null);
  const [player, against] = [place(filter.player), place(filter.against)];
  const side = filter.side ? SIDES.indexOf(filter.side) : null;
  const isEnding = run.endings.map((ending) => takesEnding(filter.ending, ending));
  return (/** @type {number} */ at) => {
    if (!isEnding[games.ending[at]]) return -1;
    const players = games.players[at];
    return players.findIndex(
      (each, seat) =>
        (player === null || player === each) &&
        (against === null || players.some((other, place) => place !== seat && other === against)) &&
        (side === null || side === seat) &&
        (!filter.result || filter.result === resultOf(games, at, seat)),
    );
  };
}

/** @param {string|undefined} wanted @param {string} ending */
function takesEnding(wanted, ending) {
  return !wanted || wanted === ending || (wanted === "forfeit" && isForfeit(ending));
}

/** Whether a player lost by a fault of its own. @param {string} ending */
export function isForfeit(ending) {
  return !KEEPS.includes(ending);
}

/**
 * won, drawn or lost; null where one game alone decides nothing.
 * @param {RunData["games"]} games @param {number} at @param {number} seat
 */
export function resultOf(games, at, seat) {
  const points = games.points[at];
  if (points.length) return RESULTS[points[seat]];
  return games.offender[at] === seat ? "lost" : null;
}

/** @param {RunData["games"]} games @param {SeenGame[]} taken @param {string|undefined} sort */
function sorted(games, taken, sort) {
  if (sort === "newest") return taken.reverse();
  const column = { slowest: games.slowest_ms, longest: games.plies }[sort ?? ""];
  return column ? taken.sort((one, other) => column[other.at] - column[one.at]) : taken;
}
