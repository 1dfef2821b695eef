/** Parts of the page that the server renders again: put in place without losing the reader's. */

const FOCUSABLE = "a[href], summary, [tabindex], button";

/** Put a section in the place of another. The server escaped what is in it. @param {HTMLElement|null} old @param {string} html */
export function replaceSection(old, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = /** @type {HTMLElement|null} */ (template.content.firstElementChild);
  if (!old || !fresh) return;
  const focused = [...old.querySelectorAll(FOCUSABLE)].indexOf(/** @type {Element} */ (document.activeElement));
  const scrolled = [...old.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const opened = [...old.querySelectorAll("details")].map((details) => details.open);
  markChanges(old, fresh);
  fresh.style.minHeight = `${old.offsetHeight}px`; // what is below stays where it is
  old.replaceWith(fresh);
  fresh.querySelectorAll("details").forEach((details, at) => (details.open = opened[at] ?? details.open));
  fresh.querySelectorAll(".scroll").forEach((box, at) => (box.scrollLeft = scrolled[at] ?? 0));
  if (focused >= 0) /** @type {HTMLElement[]} */ ([...fresh.querySelectorAll(FOCUSABLE)])[focused]?.focus({ preventScroll: true });
}

/** Mark the cells of tables that say something else now. @param {Element} old @param {Element} fresh */
function markChanges(old, fresh) {
  const before = [...old.querySelectorAll("td, tbody th")];
  const now = [...fresh.querySelectorAll("td, tbody th")];
  if (before.length !== now.length) return;
  now.forEach((cell, at) => cell.classList.toggle("changed", cell.textContent !== before[at].textContent));
}
