/** Where the data of a run come from: blocks of the page itself, or the server that sent it. */

import { byId } from "./dom.js";

/**
 * The games that have a result, a list a column; see `GameColumns` in model.py.
 * @typedef {{id: string[], round: number[], players: number[][], scores: number[][], points: number[][],
 *   ending: number[], offender: number[], plies: number[], slowest_ms: number[]}} GameColumns
 */
/**
 * A game that is being played; see `GameRunning`.
 * @typedef {{id: string, round: number, players: number[], opening: number, start: Object<string, any>, moves: string[]}} GameRunning
 */
/**
 * What is known of a player; see `PlayerData`.
 * @typedef {{version: string, status: string, rank: number|null, rating: string, games: number, wins: number,
 *   draws: number, losses: number, mean_ms: number|null, max_ms: number|null, clock: string, random_moves: number,
 *   interval: [number, number, number]|null, as_first: string, as_second: string, versions: number[],
 *   faults: {ending: string, count: number, game: string, detail: string, stderr: string}[]}} PlayerFigures
 */
/**
 * A run; see `RunData`.
 * @typedef {{name: string, title: string, rules: string, variant: Object<string, any>, drawing: string, marks: string[],
 *   seats: number, unit: string, move_gap: string, players: string[], limits_ms: (number|null)[], endings: string[],
 *   figures: PlayerFigures[], games: GameColumns, running: GameRunning[]}} RunData
 */
/**
 * What a player wrote to stderr; see `SeatStderr`.
 * @typedef {{head: string, tail: string, bytes: number, marks: number[]}} SeatStderr
 */
/**
 * A game; see `GameData`.
 * @typedef {{id: string, round: number, attempt: number, players: number[], seed: number, opening: number,
 *   start: Object<string, any>, moves: string[], seats: number[], used_ms: (number|null)[], score: (number|null)[],
 *   depth: (number|null)[], text: (string|null)[], faults: [number, number, string, string][], ending: string,
 *   detail: string, offender: number, scores: number[], points: number[], started_at: string,
 *   duration_ms: number, machine: string, stderr: (SeatStderr|null)[], boards: string[]}} GameData
 */
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
  return { run: () => fetched(`${address}/data`), game: gameOnce };
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
 * A function that keeps its last results, by their key. What failed is not kept.
 * @param {(key: string) => Promise<any>} make
 * @param {number} most
 */
function remembered(make, most) {
  const kept = new Map();
  return (/** @type {string} */ key) => {
    if (!kept.has(key)) {
      if (kept.size >= most) kept.delete(kept.keys().next().value);
      kept.set(key, make(key).catch((error) => { kept.delete(key); throw error; }));
    }
    return kept.get(key);
  };
}
