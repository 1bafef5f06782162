# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The integer objective for pairs too large to list every arc: the fast twin of large.py."""

from errorbar.edits._lattice cimport grown
from errorbar.edits._search cimport reverse

cdef enum:
    KEEP = -1
    OPEN = -2
    EXTEND = -3
    CLOSE = -4

cdef int64_t STEP = 1 << 20
cdef int64_t HIT = <int64_t>1 << 40
cdef int64_t UNREACHED = <int64_t>1 << 62


cdef class LargeSpace(SearchSpace):
    """The dynamic program over (vertex, next reference insertion, unchanged words of the open edit)."""

    cdef int large_path(self, uint8_t *matched) except -1 nogil:
        """The integer objective of large.py; marks matched edits, writes the path, returns its size."""
        cdef int V = self.n_vertices, W = self.max_unchanged + 2, v, w, e, j, t, slot, words, size = 0, number
        cdef int next_slot, end
        cdef int64_t states = 0, state, origin, best, g, alternative, how
        cdef int32_t *slots = <int32_t *>grown(&self.buffers[27], (self.n + 1) * 4)
        cdef int64_t *offset = <int64_t *>grown(&self.buffers[28], (V + 1) * 8)
        cdef int64_t *key
        cdef int64_t *origins
        cdef int32_t *hows
        cdef int32_t *vertex
        self.path = <int32_t *>grown(&self.buffers[23], 4 * (V + 1) * 4)
        for t in range(self.n + 1):
            slots[t] = 1
        for g in range(self.g_low, self.g_high):
            if self.g_start[g] == self.g_end[g]:
                slots[self.g_start[g]] += 1
        for v in range(V):
            offset[v] = states
            states += slots[self.vi[v]] * W
        offset[V] = states
        key = <int64_t *>grown(&self.buffers[29], states * 8)
        origins = <int64_t *>grown(&self.buffers[30], states * 8)
        hows = <int32_t *>grown(&self.buffers[31], states * 4)
        vertex = <int32_t *>grown(&self.buffers[32], states * 4)
        for v in range(V):
            for state in range(offset[v], offset[v + 1]):
                key[state] = UNREACHED
                vertex[state] = v
        key[0] = 0
        origins[0] = -1
        for v in range(V):
            for slot in range(slots[self.vi[v]]):
                state = offset[v] + slot * W
                for words in range(self.max_unchanged + 1):
                    reach(key, origins, hows, state, state + 1 + words, 0, CLOSE)
            for slot in range(slots[self.vi[v]]):
                for words in range(-1, self.max_unchanged + 1):
                    state = offset[v] + slot * W + 1 + words
                    if key[state] == UNREACHED:
                        continue
                    for e in range(self.after_start[v], self.after_start[v + 1]):
                        w = self.after[e]
                        next_slot = slot if self.vi[w] == self.vi[v] else 0
                        best = offset[w] + next_slot * W
                        if words < 0:
                            if self.kept[e]:
                                reach(key, origins, hows, best, state, STEP, KEEP)
                            if self.kept[e] <= self.max_unchanged:
                                reach(key, origins, hows, best + 1 + self.kept[e], state, STEP + 1, OPEN)
                        elif words + self.kept[e] <= self.max_unchanged:
                            reach(key, origins, hows, best + 1 + words + self.kept[e], state, STEP, EXTEND)
                    if words >= 0:
                        continue
                    for g in range(self.g_low, self.g_high):  # spans first, then insertions, as the twin does
                        if self.g_start[g] == self.vi[v] and self.g_end[g] > self.g_start[g]:
                            self.large_hits(key, origins, hows, offset, state, v, g, 0, W)
                    number = 0
                    for g in range(self.g_low, self.g_high):
                        if self.g_start[g] == self.vi[v] and self.g_end[g] == self.g_start[g]:
                            number += 1
                            if number > slot:
                                self.large_hits(key, origins, hows, offset, state, v, g, number, W)
        state = offset[V - 1]
        for slot in range(1, slots[self.n]):
            if key[offset[V - 1] + slot * W] < key[state]:
                state = offset[V - 1] + slot * W
        end = V - 1
        while origins[state] >= 0:
            origin = origins[state]
            how = hows[state]
            if how == CLOSE:
                end = vertex[state]
            elif how == OPEN:
                self.add_edit(self.path, size, vertex[origin], end)
                size += 1
            elif how >= 0:
                self.add_edit(self.path, size, vertex[origin], vertex[state])
                size += 1
                matched[how] = 1
            state = origin
        reverse(self.path, size)
        return size

    cdef int large_hits(self, int64_t *key, int64_t *origins, int32_t *hows, int64_t *offset, int64_t state, int v,
                        int64_t g, int next_slot, int W) except -1 nogil:
        cdef int64_t alternative, t
        cdef int i = self.vi[v], j = self.vj[v], i2 = self.g_end[g], length, k, words
        cdef size_t cell
        for alternative in range(self.g_alt[g], self.g_alt[g + 1]):
            t = self.alt_off[alternative]
            length = self.alt_off[alternative + 1] - t
            if j + length > self.m:
                continue
            cell = <size_t>i2 * (self.m + 1) + j + length
            if not self.member[cell]:
                continue
            k = 0
            while k < length and self.alt_tok[t + k] == self.h[j + k]:
                k += 1
            if k < length:
                continue
            if length == i2 - i:
                k = 0
                while k < length and self.alt_tok[t + k] == self.s[i + k]:
                    k += 1
                if k == length:
                    continue
            words = self.fewest_unchanged(i, j, i2, j + length)
            if 0 <= words <= self.max_unchanged:
                reach(key, origins, hows, offset[self.vertex_of[cell]] + next_slot * W, state, -HIT, g - self.g_low)
        return 0

    cdef int fewest_unchanged(self, int i, int j, int i2, int j2) except -2 nogil:
        """Fewest unchanged words on a lattice path between two cells; -1 where there is no path."""
        cdef int rows = i2 - i + 1, columns = j2 - j + 1, r, c, e, w, x, words
        cdef int32_t *fewest = <int32_t *>grown(&self.buffers[33], <size_t>rows * columns * 4)
        cdef size_t cell
        for x in range(rows * columns):
            fewest[x] = -1
        fewest[0] = 0
        for r in range(rows):
            for c in range(columns):
                cell = <size_t>(i + r) * (self.m + 1) + j + c
                if fewest[r * columns + c] < 0 or not self.member[cell]:
                    continue
                x = self.vertex_of[cell]
                for e in range(self.after_start[x], self.after_start[x + 1]):
                    w = self.after[e]
                    if self.vi[w] > i2 or self.vj[w] > j2:
                        continue
                    words = fewest[r * columns + c] + self.kept[e]
                    w = (self.vi[w] - i) * columns + self.vj[w] - j
                    if fewest[w] < 0 or words < fewest[w]:
                        fewest[w] = words
        return fewest[rows * columns - 1]


cdef inline void reach(int64_t *key, int64_t *origins, int32_t *hows, int64_t state, int64_t origin, int64_t cost,
                       int64_t how) noexcept nogil:
    if key[origin] != UNREACHED and key[origin] + cost < key[state]:
        key[state] = key[origin] + cost
        origins[state] = origin
        hows[state] = how
