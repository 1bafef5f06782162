# cython: language_level=3
"""The search of large pairs."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from errorbar.edits._search cimport SearchSpace


cdef class LargeSpace(SearchSpace):
    cdef int large_path(self, uint8_t *matched) except -1 nogil
    cdef int large_hits(self, int64_t *key, int64_t *origins, int32_t *hows, int64_t *offset, int64_t state, int v,
                        int64_t g, int next_slot, int W) except -1 nogil
    cdef int fewest_unchanged(self, int i, int j, int i2, int j2) except -2 nogil
