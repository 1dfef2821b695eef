/** Forms that change something: a double click sends one once, as the second answer hides the first. */

const TWICE_MS = 3000;
/** When each was sent. @type {WeakMap<EventTarget, number>} */
const sentAt = new WeakMap();

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.method !== "post") return;
  if (event.timeStamp < (sentAt.get(form) ?? -Infinity) + TWICE_MS) event.preventDefault();
  else sentAt.set(form, event.timeStamp);
});
