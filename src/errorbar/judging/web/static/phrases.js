// What the page says, in the language that the study chose: English is the key. Pages in English bring no translations.

/** @typedef {{language: string, numbers: string, direction: string, plurals: string[], phrases: Record<string, string>}} Language */

const ENGLISH = { language: 'en', numbers: 'en', direction: 'ltr', plurals: ['one', 'other'], phrases: {} };
const translations = document.getElementById('phrases')?.textContent;
/** @type {Language} */
const language = translations ? JSON.parse(translations) : ENGLISH;
const plural = new Intl.PluralRules(language.language);
const number = new Intl.NumberFormat(language.numbers);

/**
 * A phrase in the language of the page.
 * @param {string} english with names in braces where values go: `At most {n} can be given.` Behind a name there may be the
 *   forms for its plurals: `{n} {n|answer is|answers are} kept.`
 * @param {Record<string, string | number>} values numbers are written as the language writes them
 */
export function say(english, values = {}) {
  return (language.phrases[english] ?? english).replace(/\{(\w+)((?:\|[^{}|]*)*)\}/g, (whole, name, forms) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (!forms) return typeof value === 'number' ? number.format(value) : isolate(String(value));
    return forms.slice(1).split('|').at(language.plurals.indexOf(plural.select(Number(value))));
  });
}

/**
 * Mark a phrase that is said later, by a name that holds it.
 * @param {string} english
 */
export const phrase = (english) => english;

/** Whether the page is written from right to left, and so laid out. */
export const isMirrored = language.direction === 'rtl';

/** @param {string} text kept apart where it may run against the direction of the sentence around it */
const isolate = (text) => (isMirrored ? `\u2068${text}\u2069` : text);

/**
 * Parts of a list, joined as the language does.
 * @param {string[]} parts
 * @param {'conjunction' | 'disjunction'} type
 */
export function joinList(parts, type = 'conjunction') {
  const variant = language.language === 'en' ? 'en-GB' : language.language; // no comma before "and"
  return new Intl.ListFormat(variant, { type }).format(parts);
}

/** @param {number} value @param {number} digits behind the point */
export const writeNumber = (value, digits) =>
  value.toLocaleString(language.numbers, { minimumFractionDigits: digits, maximumFractionDigits: digits });
