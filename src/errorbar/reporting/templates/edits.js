// How a text is shown: its edits in line, the words of a search marked.
const LONG = 1500; // characters of a text that is folded where only the words around edits are shown
const AROUND = 30; // characters kept on either side of an edit, to the next space

// Text with the search words marked, appended to an element.
const appendText = (element, text, query) => {
  const at = query ? text.toLowerCase().indexOf(query) : -1;
  // Lower case may be longer than the text it is of; then nothing is marked rather than something wrong.
  if (at < 0 || text.toLowerCase().length !== text.length) {
    element.append(text);
    return;
  }
  element.append(text.slice(0, at), make('mark', '', text.slice(at, at + query.length)));
  appendText(element, text.slice(at + query.length), query);
};
const shortened = (text, isFirst, isLast) => {
  if (text.length <= (isFirst || isLast ? 1 : 2) * AROUND + 10) return [text];
  const head = isFirst ? '' : text.slice(0, text.lastIndexOf(' ', AROUND) + 1 || AROUND);
  const space = text.indexOf(' ', text.length - AROUND);
  const tail = isLast ? '' : text.slice(space < 0 ? -AROUND : space);
  return [head, null, tail];
};
const labeled = (className, shown, said) => {
  const element = make('span', className);
  const symbol = make('span', '', shown);
  symbol.setAttribute('aria-hidden', 'true');
  element.append(symbol, make('span', 'unseen', said));
  return element;
};
const editElement = (edit, text, query) => {
  const element = make('span', 'edit');
  const deleted = text.slice(edit.start, edit.end);
  const [first = null, ...others] = edit.replacements;
  if (deleted !== '') {
    const part = make('del');
    appendText(part, deleted, query);
    element.append(part);
  }
  if (first === null) element.append(make('span', 'tag', deleted === '' ? 'something missing' : 'no correction given'));
  else if (first !== '') {
    const part = make('ins');
    part.dir = 'auto';
    appendText(part, first, query);
    element.append(part);
  }
  for (const other of others) {
    const part = make('span', 'or');
    part.append('or ', make('bdi', '', other === '' ? '(nothing)' : other));
    element.append(part);
  }
  if (edit.matched !== null) {
    element.append(edit.matched ? labeled('mark right', '✓', ' (correct)') : labeled('mark wrong', '✗', ' (not in the reference)'));
  }
  if (edit.type !== '') element.append(make('span', 'tag', edit.type));
  if (edit.optional) element.append(make('span', 'tag', 'optional'));
  return element;
};
// The edits that a system missed, those that insert with the word before which they do.
const missedText = (text, edits, query) => {
  const paragraph = make('p', 'text missed');
  paragraph.dir = 'auto';
  paragraph.append(make('span', 'quiet', 'missed: '));
  [...edits].sort((a, b) => a.start - b.start || a.end - b.end).forEach((edit, index) => {
    if (index) paragraph.append(' · ');
    paragraph.append(editElement(edit, text, query));
    const [next] = text.slice(edit.end).match(/\S+/) || [''];
    if (edit.start === edit.end) appendText(paragraph, ` ${next}`, query);
  });
  return paragraph;
};
// A text with its edits in line; one that overlaps an earlier one follows it, with what it replaces said again.
const editedText = (text, edits, query, brief) => {
  const paragraph = make('p', 'text');
  paragraph.dir = 'auto';
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let done = 0;
  const plain = (part, isFirst, isLast) => {
    for (const piece of brief ? shortened(part, isFirst, isLast) : [part]) {
      if (piece === null) paragraph.append(make('span', 'gap', ' … '));
      else appendText(paragraph, piece, query);
    }
  };
  sorted.forEach((edit, index) => {
    if (edit.start < done) paragraph.append(make('span', 'or', ' also '));
    else plain(text.slice(done, edit.start), index === 0, false);
    paragraph.append(editElement(edit, text, query));
    // An inserted word is not to stick to the next one.
    if (edit.start === edit.end && /\S/.test(text[edit.end] || '')) paragraph.append(' ');
    done = Math.max(done, edit.end);
  });
  plain(text.slice(done), false, true);
  return paragraph;
};
