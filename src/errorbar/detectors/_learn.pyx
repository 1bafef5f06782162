"""Perceptron, maximum entropy and tagging over hashed features: the fast twin of learning.py, step by step."""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t

cdef enum:
    CLASSES = 128  # int8 holds no more
    FEATURES = 128  # of one example

cdef double SMALL = 1e-3  # a slope below it moves nothing (learning.py)


cdef int check_classes(Py_ssize_t n_classes) except -1:
    """Refuse more classes than there is room for: how many there are comes from model files and treebanks."""
    if not 1 <= n_classes < CLASSES:
        raise ValueError(f"{n_classes} classes are not 1 to {CLASSES - 1}")
    return 0


cdef int check_table(Py_ssize_t n_classes, Py_ssize_t n_features, Py_ssize_t n_rows, int bits) except -1:
    """Refuse a tagger that has no room here."""
    check_classes(n_classes)
    if n_features > FEATURES:
        raise ValueError(f"{n_features} features are more than {FEATURES}")
    if not 1 <= bits <= 31 or n_rows != <Py_ssize_t> 1 << bits:
        raise ValueError(f"a table of {n_rows} rows has not {bits} bits")
    return 0


cdef inline uint32_t fold(uint32_t h, uint32_t value) noexcept nogil:
    """One state after one more code (learning.py)."""
    h = (h ^ value) * <uint32_t> 0x9E3779B1
    return h ^ (h >> 15)


cdef inline int32_t row_of(uint32_t h, int bits) noexcept nogil:
    return <int32_t> ((h * <uint32_t> 0x85EBCA6B) >> (32 - bits))


cdef inline int fill(
    int32_t *features, const int32_t[:, ::1] rows, const uint32_t[:, ::1] states, const int8_t[::1] depths,
    Py_ssize_t at, uint32_t before, uint32_t before_that, int bits,
) noexcept nogil:
    """The rows of a token: those known beforehand and those of the tags before it."""
    cdef Py_ssize_t j, known = rows.shape[1]
    cdef uint32_t h
    for j in range(known):
        features[j] = rows[at, j]
    for j in range(states.shape[1]):
        h = fold(states[at, j], before)
        if depths[j] > 1:
            h = fold(h, before_that)
        features[known + j] = row_of(h, bits)
    return <int> (known + states.shape[1])


cdef inline int best_of(const int64_t *scores, int n) noexcept nogil:
    cdef int c, best = 0
    for c in range(1, n):
        if scores[c] > scores[best]:
            best = c
    return best


cdef int learn_one(
    const int32_t *features, int n_features, int right, int32_t[:, ::1] weights, int64_t[:, ::1] totals, int64_t at,
) noexcept nogil:
    """Guess one example and mend the weights if the guess is wrong; the guess."""
    cdef int64_t scores[CLASSES]
    cdef int c, j, guess, n = <int> weights.shape[1]
    cdef int32_t row
    for c in range(n):
        scores[c] = 0
    for j in range(n_features):
        row = features[j]
        for c in range(n):
            scores[c] += weights[row, c]
    guess = best_of(scores, n)
    if guess != right:
        for j in range(n_features):
            row = features[j]
            weights[row, right] += 1
            weights[row, guess] -= 1
            totals[row, right] += at
            totals[row, guess] -= at
    return guess


def learn_perceptron(
    const int32_t[:, ::1] rows, const int8_t[::1] right, const int64_t[::1] order,
    int32_t[:, ::1] weights, int64_t[:, ::1] totals, int64_t at,
):
    cdef Py_ssize_t i
    cdef int64_t mistakes = 0
    check_classes(weights.shape[1])
    with nogil:
        for i in range(order.shape[0]):
            mistakes += learn_one(
                &rows[order[i], 0], <int> rows.shape[1], right[order[i]], weights, totals, at + i
            ) != right[order[i]]
    return mistakes


def learn_tags(
    const int32_t[:, ::1] rows, const uint32_t[:, ::1] states, const int8_t[::1] depths, const uint32_t[::1] codes,
    const int8_t[::1] right, const int64_t[:, ::1] spans, int32_t[:, ::1] weights, int64_t[:, ::1] totals,
    int64_t at, int bits,
):
    cdef int32_t features[FEATURES]
    cdef Py_ssize_t i, t
    cdef int n_features, guess
    cdef uint32_t none = codes[codes.shape[0] - 1], before, before_that
    cdef int64_t mistakes = 0
    check_table(weights.shape[1], rows.shape[1] + states.shape[1], weights.shape[0], bits)
    if codes.shape[0] != weights.shape[1] + 1:
        raise ValueError(f"{codes.shape[0]} codes for {weights.shape[1]} tags")
    with nogil:
        for i in range(spans.shape[0]):
            before = before_that = none
            for t in range(spans[i, 0], spans[i, 1]):
                n_features = fill(features, rows, states, depths, t, before, before_that, bits)
                guess = learn_one(features, n_features, right[t], weights, totals, at)
                at += 1
                mistakes += guess != right[t]
                before_that = before
                before = codes[guess]
    return mistakes


def learn_maxent(
    const int32_t[:, ::1] rows, const int8_t[::1] right, const int64_t[::1] order,
    float[:, ::1] weights, float[:, ::1] squares, double rate,
):
    cdef double p[CLASSES]
    cdef int live[CLASSES]
    cdef int c, k, n_live, n = <int> weights.shape[1]
    cdef Py_ssize_t i, j, at
    cdef int32_t row
    cdef double total, most, loss = 0.0, square
    check_classes(weights.shape[1])
    with nogil:
        for i in range(order.shape[0]):
            at = order[i]
            for c in range(n):
                p[c] = 0.0
            for j in range(rows.shape[1]):
                row = rows[at, j]
                for c in range(n):
                    p[c] += weights[row, c]
            most = p[0]
            for c in range(1, n):
                if p[c] > most:
                    most = p[c]
            total = 0.0
            loss -= p[right[at]] - most
            for c in range(n):
                p[c] = exp(p[c] - most)
                total += p[c]
            loss += log(total)
            n_live = 0
            for c in range(n):
                p[c] = p[c] / total - (c == right[at])
                if p[c] > SMALL or p[c] < -SMALL:
                    live[n_live] = c
                    n_live += 1
            for j in range(rows.shape[1]):
                row = rows[at, j]
                for k in range(n_live):
                    c = live[k]
                    square = squares[row, c] + p[c] * p[c]
                    squares[row, c] = <float> square
                    weights[row, c] = <float> (weights[row, c] - rate * p[c] / sqrt(square))
    return loss


def add_scores(
    const int32_t[:, ::1] rows, const int32_t[::1] offsets, const int8_t[::1] classes, const float[::1] weights,
    double[:, ::1] scores,
):
    cdef Py_ssize_t i, j
    cdef int32_t k
    with nogil:
        for i in range(rows.shape[0]):
            for j in range(rows.shape[1]):
                for k in range(offsets[rows[i, j]], offsets[rows[i, j] + 1]):
                    scores[i, classes[k]] += weights[k]


def tag_tokens(
    const int32_t[:, ::1] rows, const uint32_t[:, ::1] states, const int8_t[::1] depths, const uint32_t[::1] codes,
    const int64_t[:, ::1] spans, const int32_t[::1] offsets, const int8_t[::1] classes, const float[::1] weights,
    int8_t[::1] tags, int bits,
):
    cdef int32_t features[FEATURES]
    cdef double scores[CLASSES]
    cdef Py_ssize_t i, t
    cdef int j, c, n_features, best, n = <int> codes.shape[0] - 1
    cdef int32_t k
    cdef uint32_t none, before, before_that
    check_table(n, rows.shape[1] + states.shape[1], offsets.shape[0] - 1, bits)
    none = codes[n]
    with nogil:
        for i in range(spans.shape[0]):
            before = before_that = none
            for t in range(spans[i, 0], spans[i, 1]):
                n_features = fill(features, rows, states, depths, t, before, before_that, bits)
                for c in range(n):
                    scores[c] = 0.0
                for j in range(n_features):
                    for k in range(offsets[features[j]], offsets[features[j] + 1]):
                        scores[classes[k]] += weights[k]
                best = 0
                for c in range(1, n):
                    if scores[c] > scores[best]:
                        best = c
                tags[t] = best
                before_that = before
                before = codes[best]
