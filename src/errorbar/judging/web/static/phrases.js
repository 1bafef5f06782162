// What the page says, in the language that the study chose: English is the key.

/** @type {Record<string, string>} */
let phrases = {};

/**
 * Use the phrases of a language.
 * @param {Record<string, string>} translated by their English
 */
export function usePhrases(translated) {
  phrases = translated;
}

/**
 * A phrase in the language of the page.
 * @param {string} english with names in braces where values go: `At most {n} can be given.`
 * @param {Record<string, string | number>} values
 */
export function say(english, values = {}) {
  return (phrases[english] ?? english).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}
