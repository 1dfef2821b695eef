/** Elements of the page. Text of others goes in as text, with what would hide or turn it escaped. */

const UNSEEN =
  /[^\P{C}\n]|[\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;
const SVG = "http://www.w3.org/2000/svg";
const PLAIN = /^[\x20-\x7e\n]*$/;
const NUMBERS = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
/** @type {Object<string, string>} */
const SHORT = { "\t": "\\t", "\r": "\\r" };

/**
 * The text with each character escaped that is not seen or that turns others; lines stay.
 * @param {string} text
 */
export function printable(text) {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, escapedCharacter);
}

/** @param {string} character */
function escapedCharacter(character) {
  const code = /** @type {number} */ (character.codePointAt(0)).toString(16);
  if (code.length > 4) return `\\U${code.padStart(8, "0")}`;
  return SHORT[character] ?? (code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`);
}

/**
 * An HTML element. An attribute `onclick` is a listener; null and false leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Object<string, any>} attributes
 * @param {...any} children Nodes, texts and lists of them
 */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An SVG element, likewise.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Object<string, any>} attributes
 * @param {...any} children
 */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** @template {Element} Made @param {Made} node @param {Object<string, any>} attributes @param {any[]} children */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, printable(String(value)));
  }
  node.append(...children.flat(Infinity).map((/** @type {any} */ child) => (child instanceof Node ? child : printable(String(child)))));
  return node;
}

/**
 * The element with an id, which the page has.
 * @param {string} id
 */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * A number as people write it: 12,034, −0.5.
 * @param {number} value
 */
export function written(value) {
  return NUMBERS.format(value).replace("-", "−");
}

/**
 * A count with its word: 1 game, 12,034 games.
 * @param {number} count
 * @param {string} word
 */
export function counted(count, word) {
  return `${written(count)} ${word}${count === 1 ? "" : "s"}`;
}

/**
 * A time: 0.4 ms, 120 ms, 1.25 s.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms >= 1000) return `${written(ms / 1000)} s`;
  return `${ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms)} ms`;
}
