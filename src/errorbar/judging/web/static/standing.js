// What the page says of a study that gives no item just now, and of answers that wait: words alone.

/**
 * Why there is no item.
 * @param {{standing: string, known: boolean, done: number, code: string}} work
 * @param {number} pending answers that the server does not have
 * @param {string} connection
 * @param {string} contact to whom raters can write; empty: nobody is named
 * @returns {string[]} a heading and sentences
 */
export function whyNoItem({ standing, known, done, code }, pending, connection, contact) {
  if (!known) return connection === 'online' ? ['One moment.'] : ['No connection yet.', 'Items come as soon as there is one.'];
  if (standing === 'finished') {
    const skipped = ['There is no completion code yet: an item that you skipped does not count. Press Back to judge it.'];
    const saved = pending ? 'Keep this page open until everything is saved.' : 'Everything is saved.';
    return ['You are done. Thank you.', saved, ...(done && !code && !pending ? skipped : [])];
  }
  if (standing === 'failed') return ['The quiz is over.', 'Too few of its answers were right, so there is no further work for you in this study. Thank you for your time.'];
  if (standing === 'excluded') return ['Your part in this study has ended.', `Everything that you sent is kept. If you think that this is a mistake, write to ${contact || 'those who invited you'}.`];
  if (standing === 'waiting') return ['Nothing is free just now.', 'Others hold the items that are left. This page asks again by itself; you can leave it open.'];
  if (connection !== 'online') return ['You have judged all that this page held.', 'Your answers are kept here and are sent when the connection is back; then there are new items.'];
  return ['One moment.'];
}

/**
 * What a rater knows before the quiz begins.
 * @param {{of: number}} work
 * @param {number} needed right answers that pass it
 * @returns {string[]} a heading and sentences
 */
export function beforeQuiz({ of }, needed) {
  const skipped = 'A question that you skip counts as not right, and answers of the quiz cannot be changed.';
  return ['Before the quiz',
    `The quiz has ${of} ${of === 1 ? 'question' : 'questions'}. After each answer you are told what is right and why.`,
    `You pass with ${needed === of ? `all ${of}` : `at least ${needed} of ${of}`} right; with fewer there is no further work for you here. ${skipped}`,
    'Please read the guidelines first. They stay within reach: press “Guidelines” below the item.'];
}

/**
 * Lines at the top that stay as long as what they say holds.
 * @param {{pending: number, connection: string | undefined, lasting: boolean, refused: any[]}} now
 * @param {{download: () => void, drop: () => void, downloadPending: () => void, goBack: () => void}} on
 */
export function bannersOf({ pending, connection, lasting, refused }, on) {
  /** @type {{name: string, text: string, actions?: [string, () => void][]}[]} */
  const found = [];
  const keep = pending ? `${pending} ${pending === 1 ? 'answer is' : 'answers are'} kept on this device.` : 'Nothing is lost.';
  const unsure = ' They are sent if the link was made for you alone, or has your participant number in it. If they still wait here then, download them, and give the file to those who invited you.';
  if (connection === 'signed-out') {
    found.push({
      name: 'signed-out', text: `Your sign-in has ended, and the study does not know this device any more. Open the link that you were given once more, in this browser. ${keep}${pending ? unsure : ''}`,
      actions: pending ? [['Download them', on.downloadPending]] : [],
    });
  }
  if (connection === 'stranger') {
    found.push({
      name: 'stranger', text: `Somebody else has signed in in this browser. ${keep}${pending ? ' They are sent when you go on here.' : ''}`,
      actions: [['Go on as yourself', on.goBack]],
    });
  }
  if (!lasting) found.push({ name: 'memory', text: 'This browser lets the page keep nothing (a private window, or no space). Your answers are sent at once; leave the page only when it says “saved”.' });
  if (refused.length) {
    const whys = [...new Set(refused.map((each) => each.receipt.why))].join('; ');
    found.push({
      name: 'refused', text: `${refused.length} of your answers could not be stored: ${whys}. They stay here.`,
      actions: [['Download them', on.download], ['Remove them here', on.drop]],
    });
  }
  return found;
}
