/** Where the data of a run come from: blocks of the page itself, or the server that sent it. */

import { byId } from "./dom.js";

/**
 * Both, from wherever they are.
 * @typedef {{run: () => Promise<RunData>, game: (id: string, at: number) => Promise<GameData|undefined>}} Source
 */

const CHUNK = 250;
const KEPT_GAMES = 50;

/** The source of this page. @returns {Source} */
export function openSource() {
  const address = document.body.dataset.run;
  return address === undefined ? embeddedSource() : servedSource(address);
}

/** @returns {Source} */
function embeddedSource() {
  const unpackedOnce = remembered(unpacked, KEPT_GAMES);
  return {
    run: () => unpackedOnce("run-data"),
    game: async (id, at) => (at < 0 ? undefined : rowOf(await unpackedOnce(`games-${Math.floor(at / CHUNK)}`), at % CHUNK)),
  };
}

/** A game of a block, which is a list a field. @param {Object<string, any[]>} columns @param {number} at @returns {any} */
function rowOf(columns, at) {
  if (columns.id[at] === null) return undefined;
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values[at]]));
}

/** @param {string} address @returns {Source} */
function servedSource(address) {
  const gameOnce = remembered((id) => fetched(`${address}/game/${encodeURIComponent(id)}`), KEPT_GAMES);
  return { run: runNow, game: gameOnce };
  async function runNow() {
    const run = await fetched(`${address}/data`);
    if (!run) throw new Error("The run is not there.");
    return run;
  }
}

/** @param {string} id */
async function unpacked(id) {
  const bytes = Uint8Array.from(atob(byId(id).textContent?.trim() ?? ""), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

/** @param {string} address */
async function fetched(address) {
  const answer = await fetch(address);
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`The server answered ${answer.status}. Load the page again in a moment.`);
  return answer.json();
}

/**
 * A function that keeps its last results, by their key; not what failed, nor a game that may be played yet.
 * @param {(key: string) => Promise<any>} make
 * @param {number} most
 */
function remembered(make, most) {
  const kept = new Map();
  return (/** @type {string} */ key) => {
    if (!kept.has(key)) {
      if (kept.size >= most) kept.delete(kept.keys().next().value);
      const made = make(key);
      kept.set(key, made);
      made.then((result) => (result && result.ending !== "void") || kept.delete(key), () => kept.delete(key));
    }
    return kept.get(key);
  };
}
