"""The search of large pairs."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from errorbar.edits._search cimport SearchSpace


cdef class LargeSpace(SearchSpace):
    # states searched for the current pair, over its annotators, and how many may be
    cdef int64_t states, state_limit
    # how each state was reached, one byte each: layers, columns, states of an edit
    cdef uint8_t *back
    # layers of each source position; its reference insertions and the edits that end there, in sorted_edits
    cdef int32_t *slots
    cdef int32_t *insertion_at
    cdef int32_t *span_at
    cdef int32_t *sorted_edits
    # keys between edits at source positions where reference edits start
    cdef int32_t *kept_at
    cdef int64_t *kept_keys
    # where reference edits end on best paths: column and alternative, by layer
    cdef int32_t *hits
    cdef int64_t *hit_start
    # deletions in a row that end in each column
    cdef int32_t *deletions

    cdef int large_path(self) except -1 nogil
    cdef int index_reference(self) except -1 nogil
    cdef int span_hits(self, int i, int64_t *best, int32_t *best_by) except -1 nogil
    cdef int insertion_hits(self, int at, int64_t *before, int W, int64_t *best, int32_t *best_by) except -1 nogil
    cdef bint says(self, int64_t alternative, int length, int j) noexcept nogil
    cdef bint changes(self, int start, int end, int64_t alternative, int length) noexcept nogil
    cdef bint within(self, int i, int j, int i2, int j2) except -1 nogil
    cdef void sweep(self, int layer, int i, int slot, int64_t *keys, int64_t *before, int64_t *best) noexcept nogil
    cdef int walk_back(self, int n_layers) except -1 nogil
