/** What happens in a run while its page is open. */

import { boardsInPlay } from "./boards.js";
import { byId, element } from "./dom.js";
import { pauseButton, replaceSection } from "./sections.js";

/** What the views want to know. @typedef {{moved: (id: string) => void, finished: (id: string) => void}} Watcher */

const AGAIN_MS = 3000;
/** Until a page that was refused asks again: there may be no place for it. */
const REFUSED_MS = 30_000;
/** Until a connection on which nothing comes is given up: after a sleep, or in another network, it may be dead without an
 * error. A server without news sends "alive" each 15 s. */
const SILENT_MS = 45_000;
const HAPPENINGS = ["started", "moves", "finished", "void", "sections", "over", "reset"];

/**
 * Follow a run after the event that its page knows. What comes before its data are there waits for
 * them: nothing is lost, and what comes twice does no harm.
 * @param {string} address @param {string} after @param {() => Promise<RunData>} load @param {Watcher} watcher
 */
export function followRun(address, after, load, watcher) {
  const heard = loaded(load).then((run) => hearer(run, watcher));
  const lost = connectionLine();
  const isPaused = pauseButton(listenIfShown);
  let pause = REFUSED_MS;
  /** @type {EventSource | undefined} */
  let events;
  const silence = silenceWatch(() => {
    lost.hidden = false;
    events?.close();
    listen();
  });
  function listen() {
    silence.heard();
    const opened = new EventSource(`${address}/live?after=${after}`);
    opened.onopen = () => {
      lost.hidden = true;
      pause = AGAIN_MS;
    };
    opened.onerror = () => {
      lost.hidden = false;
      if (opened.readyState !== EventSource.CLOSED) return;
      silence.end();
      setTimeout(() => loadAgain(isPaused), pause);
    };
    opened.addEventListener("alive", silence.heard);
    for (const name of HAPPENINGS) {
      opened.addEventListener(name, async (event) => {
        silence.heard();
        after = event.lastEventId;
        if (name === "over") end();
        else (await heard)[name](event.data ? JSON.parse(event.data) : null);
      });
    }
    events = opened;
  }
  // A hidden page leaves its connection to others: a browser may have six to a server.
  function listenIfShown() {
    silence.end();
    events?.close();
    lost.hidden = true;
    if (!document.hidden && !isPaused()) listen();
  }
  function end() {
    silence.end();
    events?.close();
    document.removeEventListener("visibilitychange", listenIfShown);
    byId("pause").setAttribute("aria-disabled", "true"); // hidden, it would lose the focus
  }
  document.addEventListener("visibilitychange", listenIfShown);
  listenIfShown();
}

/** Has a connection given up on which nothing comes. @param {() => void} giveUp */
export function silenceWatch(giveUp) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  function end() {
    clearTimeout(timer);
  }
  function heard() {
    end();
    timer = setTimeout(giveUp, SILENT_MS);
  }
  return { heard, end };
}

/** The data of a run, asked for until they come. @param {() => Promise<RunData>} load @returns {Promise<RunData>} */
async function loaded(load) {
  const data = await load().catch(() => null);
  if (data) return data;
  await new Promise((done) => setTimeout(done, AGAIN_MS));
  return loaded(load);
}

/** Ask for the page until the server has it, or the reader pauses it. @param {() => boolean} isPaused */
async function loadAgain(isPaused) {
  const answer = isPaused() ? null : await fetch(location.href, { method: "HEAD" }).catch(() => null);
  if (isPaused()) return; // once it goes on, it listens again
  if (answer?.ok || isGone(answer)) location.reload();
  else setTimeout(() => loadAgain(isPaused), AGAIN_MS);
}

/** Whether the visitor may not see the page any more, as where its session has ended: loaded again, it says why.
 * @param {Response | null} answer */
export function isRefused(answer) {
  return answer?.status === 401 || answer?.status === 403;
}

/** Whether a page is to be loaded again because what it shows is not there any more for its visitor, who may be somebody
 * else since. @param {Response | null} answer */
export function isGone(answer) {
  return isRefused(answer) || answer?.status === 404;
}

/** The line that says that the connection is lost; over the page, so that nothing moves. */
function connectionLine() {
  const line = element("p", { class: "connection", role: "status", hidden: true }, "Connection lost, trying again …");
  document.body.append(line);
  return line;
}

/**
 * A function for each kind of event.
 * @param {RunData} run @param {Watcher} watcher @returns {Object<string, (data: any) => void>}
 */
function hearer(run, watcher) {
  const boards = boardsInPlay(run);
  run.running.forEach(boards.draw);
  const playing = (/** @type {string} */ id) => run.running.find((game) => game.id === id);
  function ended(/** @type {string} */ id, /** @type {string} */ how) {
    const game = playing(id);
    if (game) boards.end(game, how);
    run.running = run.running.filter((each) => each.id !== id);
  }
  return {
    started(/** @type {GameRunning} */ game) {
      if (run.games.id.includes(game.id)) return;
      run.running = [...run.running.filter((each) => each.id !== game.id), game];
      boards.draw(game);
      watcher.moved(game.id);
    },
    moves({ game: id, ply, moves }) {
      const game = playing(id);
      if (!game) return;
      game.moves.splice(ply, game.moves.length, ...moves);
      boards.draw(game);
      watcher.moved(id);
    },
    finished({ row, moves }) {
      if (!run.games.id.includes(row.id)) for (const [column, value] of Object.entries(row)) /** @type {any} */ (run.games)[column].push(value);
      if (moves.length) Object.assign(playing(row.id) ?? {}, { moves });
      ended(row.id, `ended ${row.scores.join("–")}`);
      watcher.finished(row.id);
    },
    void({ game, detail }) {
      ended(game, `void: ${detail}`);
      watcher.finished(game);
    },
    sections(/** @type {Object<string, string>} */ sections) {
      for (const [id, html] of Object.entries(sections)) replaceSection(byId(id), html);
    },
    reset() {
      location.reload();
    },
  };
}
