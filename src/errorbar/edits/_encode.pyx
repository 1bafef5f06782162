"""Texts and edits as arrays of numbers, the compiled twin of what ``matching`` does token by token."""

import numpy as np

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from errorbar.core.edit import Edit

cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(object mapping, object key) except? NULL
    str PyUnicode_FromObject(object text)

cdef type edit_class = Edit
cdef Py_ssize_t LARGEST = 2**31 - 1


cdef class Numbers:
    """Numbers of tokens, one after the other; a buffer that grows."""

    cdef int32_t *ids
    cdef Py_ssize_t count
    cdef Py_ssize_t room

    def __dealloc__(self):
        PyMem_Free(self.ids)

    cdef int reserve(self, Py_ssize_t more) except -1:
        cdef int32_t *grown
        if self.count + more > self.room:
            grown = <int32_t *> PyMem_Realloc(self.ids, 2 * (self.count + more) * sizeof(int32_t))
            if grown == NULL:
                raise MemoryError
            self.ids, self.room = grown, 2 * (self.count + more)
        return 0


cdef int32_t number_of(token, vocabulary) except -1:
    """The number of a token in a dictionary that gives new ones a number."""
    cdef PyObject *known = PyDict_GetItemWithError(vocabulary, token)
    return <object> known if known != NULL else vocabulary[token]


def number_tokens(list texts not None, vocabulary not None, str separator):
    """Number the tokens of many texts, which a separator parts (None: white space) and the vocabulary knows or learns.

    Returns:
        The numbers, with one unused element at the end, and where those of each text begin, and the last one ends.
    """
    cdef Py_ssize_t i, n = len(texts), first, size
    cdef Numbers numbers = Numbers()
    cdef dict places = {}  # of texts that were numbered before
    cdef str text, token
    cdef list tokens
    offsets = np.zeros(n + 1, np.int64)
    cdef int64_t[::1] begin = offsets
    for i in range(n):
        text = PyUnicode_FromObject(texts[i])  # a sentence with edits of its own is a text, too; all else a TypeError
        place = places.get(text)
        if place is not None:
            first = place
            size = begin[first + 1] - begin[first]
            numbers.reserve(size + 1)
            memcpy(numbers.ids + numbers.count, numbers.ids + begin[first], size * sizeof(int32_t))
            numbers.count += size
        else:
            places[text] = i
            if separator is None:
                tokens = text.split()
            else:
                tokens = text.split(separator) if text else []
            numbers.reserve(len(tokens) + 1)
            for token in tokens:
                numbers.ids[numbers.count] = number_of(token, vocabulary)
                numbers.count += 1
        begin[i + 1] = numbers.count
    ids = np.zeros(numbers.count + 1, np.int32)
    cdef int32_t[::1] copied = ids
    if numbers.count:
        memcpy(&copied[0], numbers.ids, numbers.count * sizeof(int32_t))
    return ids, offsets


def list_columns(list edits not None, types not None):
    """Spans, numbers of types, numbers of alternatives, and these, of edits; None if any is not as it should be.

    The arrays of starts and ends have one unused element at the end.
    """
    cdef Py_ssize_t i, n = len(edits), start, end
    cdef tuple edit, replacements
    cdef list texts = []
    starts, ends = np.zeros(n + 1, np.int32), np.zeros(n + 1, np.int32)
    kinds, counts = np.zeros(n, np.int32), np.zeros(n, np.int64)
    cdef int32_t[::1] start_of = starts, end_of = ends, kind_of = kinds
    cdef int64_t[::1] count_of = counts
    for i in range(n):
        each = edits[i]
        if type(each) is not edit_class:
            return None
        edit = <tuple> each  # of a class of tuples
        if len(edit) != 7:  # what follows looks at elements unchecked
            return None
        if type(edit[0]) is not int or type(edit[1]) is not int:
            return None
        if type(edit[2]) is not tuple or type(edit[3]) is not str:
            return None
        if not -1 <= edit[0] <= LARGEST or not -1 <= edit[1] <= LARGEST:
            return None
        start_of[i], end_of[i] = edit[0], edit[1]
        kind_of[i] = number_of(edit[3], types)
        replacements = edit[2]
        count_of[i] = len(replacements)
        for text in replacements:
            if type(text) is not str:
                return None
            texts.append(text)
    return starts, ends, kinds, counts, texts
