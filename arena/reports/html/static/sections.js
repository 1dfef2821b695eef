/** Parts of the page that the server renders again: put in place without losing the reader's. */

import { byId } from "./dom.js";

const FOCUSABLE = "a[href], summary, [tabindex], button, input, select";

/**
 * Remembers what is open and scrolled in a place, and has the focus. The function has it so again once
 * the place has changed, or what is there instead; the focus is for what says the same where there is
 * one, else for what is at the same place.
 * @param {Element} place @returns {(now?: Element) => void}
 */
export function keptState(place) {
  const focused = /** @type {Element} */ (document.activeElement);
  const at = [...place.querySelectorAll(FOCUSABLE)].indexOf(focused);
  const text = focused.textContent;
  const scrolled = [...place.querySelectorAll(".scroll")].map((box) => ({ left: box.scrollLeft, top: box.scrollTop }));
  const opened = [...place.querySelectorAll("details")].map((details) => details.open);
  return (now = place) => {
    now.querySelectorAll("details").forEach((details, at) => {
      if ((details.open = opened[at] ?? false)) details.dispatchEvent(new Event("toggle")); // filled before the page is shorter without
    });
    now.querySelectorAll(".scroll").forEach((box, at) => box.scrollTo(scrolled[at] ?? { left: 0, top: 0 }));
    if (at < 0 || document.activeElement !== document.body) return;
    const all = /** @type {HTMLElement[]} */ ([...now.querySelectorAll(FOCUSABLE)]);
    ([all[at], ...all].find((each) => each?.textContent === text) ?? all[at])?.focus({ preventScroll: true });
  };
}

/**
 * The button by which a reader has the page stand still. What it gives says whether the page does.
 * @param {() => void} changed @returns {() => boolean}
 */
export function pauseButton(changed) {
  const button = byId("pause");
  let isPaused = false;
  button.addEventListener("click", () => {
    if (button.hasAttribute("aria-disabled")) return;
    isPaused = !isPaused;
    button.textContent = isPaused ? "Resume updates" : "Pause updates";
    changed();
  });
  return () => isPaused;
}

/** Put a section in the place of another. The server escaped what is in it. @param {HTMLElement|null} old @param {string} html */
export function replaceSection(old, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = /** @type {HTMLElement|null} */ (template.content.firstElementChild);
  if (!old || !fresh) return;
  const keepAgain = keptState(old);
  markChanges(old, fresh);
  fresh.style.minHeight = `${old.offsetHeight}px`; // what is below stays where it is
  old.replaceWith(fresh);
  keepAgain(fresh);
}

/** Mark the cells of tables that say something else now. @param {Element} old @param {Element} fresh */
function markChanges(old, fresh) {
  const before = [...old.querySelectorAll("td, tbody th")];
  const now = [...fresh.querySelectorAll("td, tbody th")];
  if (before.length !== now.length) return;
  now.forEach((cell, at) => cell.classList.toggle("changed", cell.textContent !== before[at].textContent));
}
