/** Shows what the address asks for, and follows a run that is being played. */

import { openSource } from "./data.js";
import { byId, element } from "./dom.js";
import { isDrawn, replayed } from "./drawings.js";
import { gamePage } from "./game.js";
import { listGrown, showGames } from "./games.js";
import { followRun } from "./live.js";
import { showPlayer } from "./player.js";
import { readRoute } from "./route.js";
import { keptState } from "./sections.js";

const VIEW_NAMES = ["overview", "games", "game", "player"];
/** @typedef {import("./route.js").Route} Route */

/** @type {Object<string, (page: import("./game.js").GamePage) => void>} */
const KEYS_OF_GAME = { ArrowLeft: (page) => page.step(-1), ArrowRight: (page) => page.step(1), Home: (page) => page.go(0), End: (page) => page.end(), " ": (page) => page.toggle() };

/** The pages of one run in one document. */
class RunPages {
  constructor() {
    this.source = openSource();
    /** @type {Promise<RunData>|null} */
    this.loading = null;
    /** @type {import("./game.js").GamePage|null} */
    this.page = null;
    this.shown = "";
    /** What had the focus when the overview was left: on the way back it has it again. @type {HTMLElement|null} */
    this.left = null;
    this.asked = 0;
    this.title = document.title;
    addEventListener("hashchange", () => this.show());
    document.addEventListener("keydown", (event) => this.press(event));
  }

  /** The data, asked for again after they did not load. @returns {Promise<RunData>} */
  run() {
    this.loading ??= this.source.run().catch((error) => {
      this.loading = null;
      throw error;
    });
    return this.loading;
  }

  /** Show the view of the address; of the last one, where another was asked for meanwhile. */
  async show() {
    const asked = ++this.asked;
    const route = readRoute(location.hash);
    const isSame = `${route.view} ${route.name}` === this.shown;
    try {
      if (route.view !== "overview") await this.fill(route, isSame, () => asked === this.asked);
    } catch (error) {
      if (asked !== this.asked) return;
      this.leaveGame();
      byId(`${route.view}-view`).replaceChildren(element("p", { role: "alert" }, `This did not load: ${/** @type {Error} */ (error).message}`));
    }
    if (asked === this.asked) this.turnTo(route, isSame);
  }

  /** @param {Route} route @param {boolean} isSame @param {() => boolean} isWanted */
  async fill(route, isSame, isWanted) {
    const run = await this.run();
    if (!isWanted()) return;
    if (route.view === "games") return showGames(run, route.filter);
    if (route.view === "player") return this.fillPlayer(run, route.name, isWanted);
    if (isSame && this.page) return;
    const ended = running(run, route.name) ? undefined : await this.ended(run, route.name);
    if (isWanted()) this.openGame(run, route.name, ended);
  }

  /** Figures change with each game; all else comes by events, which may be ahead of the answer. @param {RunData} run @param {string} name @param {() => boolean} isWanted */
  async fillPlayer(run, name, isWanted) {
    if ("live" in document.body.dataset) run.figures = (await this.source.run()).figures;
    if (isWanted()) showPlayer(run, name);
  }

  /** The game as it ended. @param {RunData} run @param {string} id */
  ended(run, id) {
    return this.source.game(id, run.games.id.indexOf(id));
  }

  /** @param {RunData} run @param {string} id @param {GameData} [ended] */
  openGame(run, id, ended) {
    const played = running(run, id); // a void game may be played again meanwhile
    const game = played ? unfinished(run, played) : ended;
    this.page?.stop();
    this.page = game ? gamePage(run, game) : null;
    byId("game-view").replaceChildren(...(this.page?.nodes ?? noGame(run, id)));
  }

  /** Show one view and hide the others. @param {Route} route @param {boolean} isSame */
  turnTo(route, isSame) {
    const isFirst = !this.shown;
    if (this.shown.startsWith("overview")) this.left = /** @type {HTMLElement|null} */ (document.activeElement);
    if (route.view !== "game") this.leaveGame();
    this.shown = `${route.view} ${route.name}`;
    for (const view of VIEW_NAMES) byId(view === "overview" ? view : `${view}-view`).hidden = view !== route.view;
    for (const link of document.querySelectorAll(".views a")) markCurrent(link, route.view);
    this.page?.go(route.ply ?? Infinity);
    const heading = document.getElementById(`${route.view}-view`)?.querySelector("h2");
    document.title = heading ? `${heading.textContent} · ${this.title}` : this.title;
    if (isSame) return;
    if (!isFirst) heading?.focus({ preventScroll: true });
    if (route.view !== "overview") scrollTo(0, 0);
    else if (route.name) byId(route.name)?.scrollIntoView();
    else if (!document.activeElement?.closest(".views")) presentLink(this.left)?.focus();
  }

  leaveGame() {
    this.page?.stop();
    this.page = null;
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const act = KEYS_OF_GAME[event.key];
    const target = /** @type {Element} */ (event.target);
    const isElsewhere = target.closest("input, select, textarea, pre, .scroll") || (event.key === " " && target.closest("a, button, summary"));
    if (!act || !this.page || isElsewhere || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act(this.page);
  }

  /** A game that is shown went on. @param {string} id */
  async moved(id) {
    const isShown = () => this.shown === `game ${id}`;
    if (!isShown()) return;
    const run = await this.run();
    const ended = running(run, id) ? undefined : await this.ended(run, id);
    if (!isShown()) return;
    const ply = this.page?.follows() ? Infinity : this.page?.at();
    const keepAgain = keptState(byId("game-view"));
    this.openGame(run, id, ended);
    this.page?.go(ply ?? Infinity);
    keepAgain();
  }

  /** @param {string} id */
  async finished(id) {
    await this.moved(id);
    const route = readRoute(location.hash);
    if (route.view === "games" && !byId("games-view").hidden) listGrown(await this.run(), route.filter);
  }
}

/** What was left; where its section was put in place anew meanwhile, the link there that is the same. @param {HTMLElement|null} left */
function presentLink(left) {
  if (!left || left.isConnected) return left;
  const section = document.getElementById(left.closest("section")?.id ?? "");
  return [...(section?.querySelectorAll("a") ?? [])].find((each) => each.getAttribute("href") === left.getAttribute("href"));
}

/** @param {Element} link @param {string} view */
function markCurrent(link, view) {
  const target = readRoute(link.getAttribute("href") ?? "").view;
  if (target === view) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/** @param {RunData} run @param {string} id */
function running(run, id) {
  return run.running.find((each) => each.id === id);
}

/** A game that is being played, as its page needs it; whose tiles were is not known. @param {RunData} run @param {GameRunning} running @returns {GameData} */
function unfinished(run, running) {
  const cells = isDrawn(run) && run.drawing !== "tiles" ? replayed(run, running) : null;
  const seats = cells ? running.moves.map((_, at) => cells(at).seat) : [];
  const unknown = { attempt: 1, seed: 0, seats, used_ms: [], score: [], depth: [], text: [], faults: [], stderr: [], boards: [], scores: [], points: [] };
  return { ...running, ...unknown, ending: "", detail: "", offender: -1, started_at: "", duration_ms: 0, machine: "" };
}

/** @param {RunData} run @param {string} id */
function noGame(run, id) {
  const why = run.games.id.includes(id) ? `The record of game ${id} is damaged. ` : `No game of this run is called ${id}. `;
  return [element("h2", { tabindex: -1 }, "No such game"), element("p", {}, why, element("a", { href: "#games" }, "See all games."))];
}

/** Begin, on a page of a run. */
function beginRunPages() {
  if (!byId("overview") || !byId("games-view")) return;
  const pages = new RunPages();
  const { run = "", live } = document.body.dataset;
  if (live !== undefined) followRun(run, live, () => pages.run(), pages);
  pages.show();
}

beginRunPages();
