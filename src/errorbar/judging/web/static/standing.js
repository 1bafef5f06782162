// What the page says of a study that gives no item just now, and of answers that wait: words alone.

import { say } from './phrases.js';

/**
 * Why there is no item.
 * @param {{standing: string, known: boolean, done: number, code: string}} work
 * @param {number} pending answers that the server does not have
 * @param {string} connection
 * @param {string} contact to whom raters can write; empty: nobody is named
 * @returns {string[]} a heading and sentences
 */
export function whyNoItem({ standing, known, done, code }, pending, connection, contact) {
  if (!known) return connection === 'online' ? [say('One moment.')] : [say('No connection yet.'), say('Items come as soon as there is one.')];
  const saved = pending ? say('Keep this page open until everything is saved.') : say('Everything is saved.');
  if (standing === 'paused') {
    const later = say('Nothing is handed out just now. This page asks again by itself; you can also come back later by the same link.');
    return [say('The study is paused'), ...(done || pending ? [saved] : []), later];
  }
  if (standing === 'finished' && !done && !pending) return [say('There is no work for you here.'), say('Nothing is left for you to judge in this study. Thank you for coming.')];
  if (standing === 'finished') {
    const skipped = [say('There is no completion code yet: an item that you skipped does not count. Press Back to judge it.')];
    return [say('You are done. Thank you.'), saved, ...(done && !code && !pending ? skipped : [])];
  }
  if (standing === 'failed') return [say('The quiz is over.'), say('Too few of its answers were right, so there is no further work for you in this study. Thank you for your time.')];
  if (standing === 'excluded') {
    const mistake = contact ? say('If you think that this is a mistake, write to {contact}.', { contact })
      : say('If you think that this is a mistake, write to those who invited you.');
    return [say('Your part in this study has ended.'), `${say('Everything that you sent is kept.')} ${mistake}`];
  }
  if (standing === 'withdrawn') return [say('You have withdrawn from the study'), say('So there is no work for you here. Thank you for your time.')];
  if (standing === 'waiting') return [say('Nothing is free just now.'), say('Others hold the items that are left. This page asks again by itself; you can leave it open.')];
  if (connection !== 'online') return [say('You have judged all that this page held.'), say('Your answers are kept here and are sent when the connection is back; then there are new items.')];
  return [say('One moment.')];
}

/**
 * What a rater knows before the quiz begins.
 * @param {{of: number}} work
 * @param {number} needed right answers that pass it
 * @returns {string[]} a heading and sentences
 */
export function beforeQuiz({ of }, needed) {
  const skipped = say('A question that you skip counts as not right, and answers of the quiz cannot be changed.');
  const pass = needed === of ? say('You pass with all {of} right; with fewer there is no further work for you here.', { of })
    : say('You pass with at least {needed} of {of} right; with fewer there is no further work for you here.', { needed, of });
  return [say('Before the quiz'), say('The quiz has {of} {of|question|questions}. After each answer you are told what is right and why.', { of }),
    `${pass} ${skipped}`, say('Please read the guidelines first. They stay within reach: press “Guidelines” below the item.')];
}

/**
 * What a rater knows before the training begins.
 * @param {{of: number}} work
 * @returns {string[]} a heading and sentences
 */
export const beforeTraining = ({ of }) => [say('Before the work: examples'),
  say('You practice with {of} {of|example|examples}. After each answer you are told what is right and why; nothing of it counts.', { of }),
  say('Please read the guidelines first. They stay within reach: press “Guidelines” below the item.')];

/**
 * Lines at the top that stay as long as what they say holds.
 * @param {{pending: number, connection: string | undefined, lasting: boolean, refused: any[]}} now
 * @param {{download: () => void, drop: () => void, downloadPending: () => void, goBack: () => void}} on
 */
export function bannersOf({ pending, connection, lasting, refused }, on) {
  /** @type {{name: string, text: string, actions?: [string, () => void][]}[]} */
  const found = [];
  const keep = pending ? say('{n} {n|answer is|answers are} kept on this device.', { n: pending }) : say('Nothing is lost.');
  const unsure = say('They are sent if the link was made for you alone, or has your participant number in it. If they still wait here then, download them, and give the file to those who invited you.');
  if (connection === 'signed-out') {
    found.push({
      name: 'signed-out', text: `${say('Your sign-in has ended, and the study does not know this device any more. Open the link that you were given once more, in this browser.')} ${keep}${pending ? ` ${unsure}` : ''}`,
      actions: pending ? [[say('Download them'), on.downloadPending]] : [],
    });
  }
  if (connection === 'stranger') {
    found.push({
      name: 'stranger', text: `${say('Somebody else has signed in in this browser.')} ${keep}${pending ? ` ${say('They are sent when you go on here.')}` : ''}`,
      actions: [[say('Go on as yourself'), on.goBack]],
    });
  }
  if (!lasting) found.push({ name: 'memory', text: say('This browser lets the page keep nothing (a private window, or no space). Your answers are sent at once; leave the page only when it says “saved”.') });
  if (refused.length) {
    const whys = [...new Set(refused.map((each) => each.receipt.why))].join('; ');
    found.push({
      name: 'refused', text: say('{n} of your answers could not be stored: {whys}. They stay here.', { n: refused.length, whys }),
      actions: [[say('Download them'), on.download], [say('Remove them here'), on.drop]],
    });
  }
  return found;
}
