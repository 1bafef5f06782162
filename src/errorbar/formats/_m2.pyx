"""Sentences of M2 files in which there is nothing to remark on, many at a time: the compiled twin of ``formats.m2``.

Whatever the reader has something to say of (a line of another kind, a span that is not in its sentence, an edit that
changes nothing, corrections with odd white space) is left to ``formats.m2``, which says it. So is a text whose tokens
are not parted by single spaces: there a span of tokens is not a span of characters.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_READ_CHAR, PyUnicode_Substring

from errorbar.core.corpus import Sentence
from errorbar.core.edit import UNCLEAR, Edit

cdef Py_ssize_t MOST_DIGITS = 9  # of a number; no sentence is so long that it needs more
cdef Py_ssize_t MOST_AT_ONE_POINT = 20  # insertions; each is compared with all, which the twin does by a table
cdef Py_ssize_t ZERO = ord("0")
cdef str SEPARATOR = "|||"
cdef str NOTHING = "-NONE-"
cdef str NOOP = "noop"
cdef str NO_SPAN = "A -1 -1|||"
cdef str UNCLEAR_TYPE = UNCLEAR
cdef type edit_class = Edit
cdef type sentence_class = Sentence
cdef object new_object = object.__new__
cdef object new_tuple = tuple.__new__


cdef class Words:
    """Where the tokens of a text begin; a buffer that grows."""

    cdef Py_ssize_t *begin  # of each token, and one past the end of the last plus one
    cdef Py_ssize_t room
    cdef Py_ssize_t count

    def __dealloc__(self):
        PyMem_Free(self.begin)

    cdef bint find(self, str text) except -1:
        """Find them; False where other white space than one space stands between two."""
        cdef Py_ssize_t i, length = len(text)
        cdef Py_UCS4 character
        cdef bint inside = False
        if self.room < length + 2:
            grown = <Py_ssize_t *> PyMem_Realloc(self.begin, (2 * length + 2) * sizeof(Py_ssize_t))
            if grown == NULL:
                raise MemoryError
            self.begin, self.room = grown, 2 * length + 2
        self.count = 0
        for i in range(length):
            character = PyUnicode_READ_CHAR(text, i)
            if character.isspace():
                if not inside or character != " ":
                    return False
                inside = False
            elif not inside:
                self.begin[self.count] = i
                self.count += 1
                inside = True
        if length and not inside:
            return False
        self.begin[self.count] = length + 1
        return True


cdef Py_ssize_t read_number(str line, Py_ssize_t at, Py_ssize_t *number):
    """Read digits; returns the place of what follows them, or -1 where there are none or many."""
    cdef Py_ssize_t first = at, value = 0
    cdef Py_UCS4 character
    while at < len(line):
        character = PyUnicode_READ_CHAR(line, at)
        if character < "0" or character > "9":
            break
        value = 10 * value + <Py_ssize_t> character - ZERO
        at += 1
        if at - first > MOST_DIGITS:
            return -1
    number[0] = value
    return at if at > first else -1


cdef bint is_tidy(str text):
    """Whether it is tokens joined by one space."""
    cdef Py_ssize_t i
    cdef Py_UCS4 character
    cdef bint inside = False
    for i in range(len(text)):
        character = PyUnicode_READ_CHAR(text, i)
        if character.isspace():
            if not inside or character != " ":
                return False
            inside = False
        else:
            inside = True
    return inside or not len(text)


cdef tuple parse_tail(str tail):
    """An annotator and the fields of an edit after its span, None for those of no edit; None where it is unusual."""
    cdef list fields = tail.split(SEPARATOR), parts
    cdef str kind, need, comment, annotator, part
    cdef Py_ssize_t i
    if len(fields) < 5:
        return None
    kind, need = (<str> fields[0]).strip(), (<str> fields[2]).strip()
    comment, annotator = (<str> fields[3]).strip(), (<str> fields[4]).strip()
    if need.startswith("||") or not annotator.isdecimal():
        return None
    parts = (<str> fields[1]).split("||")
    for i in range(len(parts)):
        part = parts[i]
        part = "" if part == NOTHING else part.strip()
        if part == NOTHING or not is_tidy(part):
            return None
        parts[i] = part
        if part and kind == NOOP:
            return None
    if kind == NOOP:
        return annotator, None
    return annotator, (tuple(parts), kind, need == "OPTIONAL", "", "" if comment == NOTHING else comment)


cdef bint changes_nothing(str text, Words words, Py_ssize_t start, Py_ssize_t end, tuple replacements):
    """Whether the tokens of a span are among the replacements."""
    cdef Py_ssize_t first = words.begin[start], last = words.begin[end] - 1
    cdef str part
    if end == start:
        return "" in replacements
    for part in replacements:
        if len(part) == last - first and part == PyUnicode_Substring(text, first, last):
            return True
    return False


cdef bint is_next(list edits, Py_ssize_t start, Py_ssize_t end, tuple replacements):
    """Whether an edit follows those before it: it overlaps none, and repeats none of few insertions at its point."""
    cdef Py_ssize_t last_start, last_end, i = len(edits), looked = 0
    cdef tuple edit
    cdef str part
    while i:
        i -= 1
        edit = <tuple> edits[i]  # of a class of tuples
        last_start, last_end = edit[0], edit[1]
        if start < last_end or (start == last_start and end == last_end != start):
            return False
        if start != last_start or end != last_end:
            return True
        looked += 1
        if looked > MOST_AT_ONE_POINT:
            return False
        for part in replacements:
            if part in <tuple> edit[2]:
                return False
    return True


cdef object make_edit(Py_ssize_t start, Py_ssize_t end, tuple fields):
    """``Edit(start, end, *fields)`` without its call in Python."""
    return new_tuple(edit_class, (start, end, fields[0], fields[1], fields[2], fields[3], fields[4]))


cdef object make_sentence(str text, dict annotations, Py_ssize_t line):
    """``Sentence(text, annotations, line=line)``, whose checks are of no use here."""
    sentence = new_object(sentence_class)
    sentence.text, sentence.annotations, sentence.line = text, annotations, line
    sentence.document = sentence.writer = ""
    sentence.paragraph = 0
    return sentence


def take_sentences(list lines not None, Py_ssize_t at, Py_ssize_t before, dict known not None, Py_ssize_t most):
    """Take sentences from a line on, as long as there is nothing to say of them.

    Args:
        lines: Lines of a file, without line ends.
        at: The first one to look at, which begins a sentence or is blank.
        before: Lines of the file before the first of these.
        known: Parts of A lines that were parsed before; more are put there, up to ``most``.
        most: The largest size of ``known``.

    Returns:
        The sentences, and the first line that was not taken: of a sentence with something to remark on, or without a
        blank line after it.
    """
    cdef Py_ssize_t n = len(lines), i = at, start, end, after
    cdef list sentences = [], edits
    cdef dict annotations
    cdef str line, text, tail, annotator
    cdef tuple parsed, fields
    cdef Words words = Words()
    cdef bint parted
    while True:
        while i < n and not len(<str> lines[i]):
            i += 1
        at = i
        if i == n:
            break
        line = lines[i]
        if PyUnicode_READ_CHAR(line, 0) != "S" or (len(line) > 1 and PyUnicode_READ_CHAR(line, 1) != " "):
            break
        text = line[2:].strip()
        annotations = {}
        parted = False
        while True:
            i += 1
            if i == n:  # the sentence may go on
                return sentences, at
            line = lines[i]
            if not len(line):
                break
            start = -1
            if line.startswith(NO_SPAN):
                after = len(NO_SPAN) - len(SEPARATOR)
            elif line.startswith("A "):
                after = read_number(line, 2, &start)
                if after < 0 or not line.startswith(" ", after):
                    return sentences, at
                after = read_number(line, after + 1, &end)
                if after < 0 or not line.startswith(SEPARATOR, after):
                    return sentences, at
            else:
                return sentences, at
            tail = line[after + len(SEPARATOR) :]
            parsed = known.get(tail)
            if parsed is None:
                parsed = parse_tail(tail)
                if parsed is None:
                    return sentences, at
                if len(known) < most:
                    known[tail] = parsed
            annotator, fields = parsed
            edits = annotations.get(annotator)
            if edits is None:
                edits = annotations[annotator] = []
            if fields is None:
                continue
            if not parted and not words.find(text):
                return sentences, at
            parted = True
            if not 0 <= start <= end <= words.count or not is_next(edits, start, end, fields[0]):
                return sentences, at
            if fields[1] != UNCLEAR_TYPE and changes_nothing(text, words, start, end, fields[0]):
                return sentences, at
            edits.append(make_edit(start, end, fields))
        for annotator in annotations:
            annotations[annotator] = tuple(<list> annotations[annotator])
        sentences.append(make_sentence(text, annotations, before + at + 1))
    return sentences, at
