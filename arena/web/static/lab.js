/** A test, a training or a tuning as it goes on: asks now and then what has changed on its page. */

import { byId } from "./dom.js";
import { isRefused } from "./live.js";
import { keptState, pauseButton } from "./sections.js";

const LAB_PAUSE_MS = 2000;

/** @param {HTMLElement} lab */
async function followLab(lab) {
  const isPaused = pauseButton(() => {});
  for (let etag = ""; ; await new Promise((done) => setTimeout(done, LAB_PAUSE_MS))) {
    if (document.hidden || isPaused()) continue;
    try {
      const answer = await fetch(lab.dataset.url ?? "", { headers: { "If-None-Match": etag }, cache: "no-store" });
      if (isRefused(answer)) return location.reload(); // the page says how to sign in
      byId("lost").hidden = answer.ok || answer.status === 304;
      if (!answer.ok) continue;
      etag = answer.headers.get("ETag") ?? "";
      putParts(await answer.json());
    } catch {
      byId("lost").hidden = false;
    }
  }
}

/** Puts in place what has changed; what is open stays open. @param {Object<string, string>} parts */
function putParts(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const place = byId(id);
    if (place.dataset.html === html) continue;
    place.dataset.html = html;
    const keepAgain = keptState(place);
    place.innerHTML = html; // the server escaped it
    place.hidden = !html.trim();
    keepAgain();
  }
}

if (byId("lab")?.hasAttribute("data-live")) followLab(byId("lab"));
