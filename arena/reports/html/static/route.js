/** What the page shows, by the hash of its address. */

/**
 * `name` is a game's id or a player; `ply` counts the moves shown, null for all; `filter` has texts.
 * @typedef {{view: "overview"|"games"|"game"|"player", name: string, ply: number|null, filter: Object<string, string>}} Route
 */

const VIEWS = ["games", "game", "player"];

/** @param {string} hash @returns {Route} */
export function readRoute(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s, 2);
  const [view, name = "", ply = ""] = path.split("/").map(decoded);
  return {
    view: VIEWS.includes(view) ? /** @type {Route["view"]} */ (view) : "overview",
    name: VIEWS.includes(view) ? name : view,
    ply: /^\d{1,9}$/.test(ply) ? Number(ply) : null,
    filter: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} id @param {number|null} ply */
export function gameHash(id, ply = null) {
  return `#game/${encodeURIComponent(id)}${ply === null ? "" : `/${ply}`}`;
}

/** @param {string} name */
export function playerHash(name) {
  return `#player/${encodeURIComponent(name)}`;
}

/** The games of a filter; what it leaves empty is left out. @param {Object<string, any>} filter */
export function gamesHash(filter) {
  const given = Object.entries(filter).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return query ? `#games?${query}` : "#games";
}
