/** Submitting a bot by drag and drop or picker, and its check and matches as they go. Without this
 * script the form sends the file itself, and the page shows the check when it is loaded again. Also
 * the time of a move, which comes with the game of a match. */

import { isGone, silenceWatch } from "./live.js";
import { keptState } from "./sections.js";

const MOST = 10e6;
const TOO_LARGE = "This is more than 10 MB. Leave out what the bot does not need.";
const UNREADABLE = "This cannot be read: it is a folder, or was changed or moved since it was chosen. Pack a folder; choose a file again.";
const FOLLOW_AGAIN_MS = 3000;

/** Send a file, and show the page with its check.
 * @param {HTMLFormElement} form
 * @param {File | undefined} file */
async function send(form, file) {
  if (!file) return;
  const message = /** @type {HTMLElement} */ (document.getElementById("upload-said"));
  const picker = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  message.textContent = "";
  form.inert = true;
  const isTooLarge = file.size > MOST;
  const contents = isTooLarge ? null : await file.arrayBuffer().catch(() => null);
  if (!contents) picker.value = ""; // the picker has files as they were when they were chosen
  try {
    const answer = contents && await fetch(`/api/submissions?name=${encodeURIComponent(file.name)}`, {
      method: "POST", body: contents, headers: { "X-Form-Token": form.dataset.formToken ?? "" },
    });
    if (answer?.ok) {
      showChecks();
      return;
    }
    message.textContent = answer ? (await answer.json()).detail : isTooLarge ? TOO_LARGE : UNREADABLE;
  } catch {
    message.textContent = "The server cannot be reached. Try again in a moment.";
  }
  form.inert = false;
  picker.focus();
}

/** Load the page again, at its checks. */
function showChecks() {
  location.hash = "checks";
  location.reload();
}

/** Show a check or matches as they go, and say where they stand; the server has escaped what it sends.
 * @param {HTMLElement} card */
function follow(card) {
  const status = /** @type {HTMLElement} */ (document.getElementById("status"));
  const events = new EventSource(/** @type {string} */ (card.dataset.live));
  const silence = silenceWatch(() => {
    events.close();
    follow(card);
  });
  silence.heard();
  events.addEventListener("alive", silence.heard);
  events.addEventListener("sections", (event) => {
    silence.heard();
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const element = document.getElementById(id);
      if (!element) continue;
      const hadFocus = element.contains(document.activeElement);
      const list = element.closest("select");
      const chosen = list?.value;
      const keepAgain = keptState(element);
      element.innerHTML = html;
      keepAgain();
      for (const option of list?.options ?? []) if (option.value === chosen) option.selected = true;
      if (hadFocus && !element.contains(document.activeElement)) card.focus(); // its button is gone
    }
    const stands = card.querySelector("p, li")?.textContent?.replaceAll(/\s+/g, " ") ?? "";
    if (status.textContent !== stands) status.textContent = stands;
  });
  events.addEventListener("over", () => {
    silence.end();
    events.close();
  });
  events.addEventListener("reset", () => location.reload());
  events.addEventListener("error", async () => {
    if (events.readyState !== EventSource.CLOSED) return;
    silence.end();
    const answer = await fetch(events.url).catch(() => null); // why it was refused, EventSource keeps to itself
    answer?.body?.cancel();
    if (isGone(answer)) location.reload();
    else setTimeout(() => follow(card), FOLLOW_AGAIN_MS);
  });
}

/** Take files from the picker and by drag and drop.
 * @param {HTMLFormElement} form */
function takeFiles(form) {
  const picker = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form, picker.files?.[0]);
  });
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    send(form, event.dataTransfer?.files[0]);
  });
  const hint = /** @type {HTMLElement} */ (form.querySelector(".hint"));
  hint.hidden = false;
}

/** Choose the time of a move that a game is played with.
 * @param {Event} event */
function chooseTime({ target }) {
  if (!(target instanceof HTMLSelectElement) || target.name !== "rules") return;
  const times = /** @type {HTMLSelectElement} */ (target.form?.elements.namedItem("move_ms"));
  times.value = target.selectedOptions[0].dataset.ms ?? "";
}

document.addEventListener("change", chooseTime);
const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.drop"));
if (form) takeFiles(form);
document.querySelectorAll("[data-live]").forEach((card) => follow(/** @type {HTMLElement} */ (card)));
