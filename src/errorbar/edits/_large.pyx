"""The integer objective for pairs too large to list every arc: the fast twin of large.py.

Only two layers of keys are held, and of each state one byte that says how it was reached.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from errorbar.edits._lattice cimport grown
from errorbar.edits._search cimport reverse

cdef enum:
    SKIP = 1  # from the same place of the layer before
    HIT_EDIT = 2
    KEEP = 3
    OPEN_INSERT = 4
    OPEN_DELETE = 5
    OPEN_BOTH = 6
    EXTEND_INSERT = 7
    EXTEND_DELETE = 8
    EXTEND_BOTH = 9
    CLOSE = 10  # and more: the unchanged words of the edit that is closed

cdef int64_t STEP = 1 << 20
cdef int64_t HIT = <int64_t>1 << 40
cdef int64_t UNREACHED = <int64_t>1 << 62


cdef class LargeSpace(SearchSpace):
    """The dynamic program over layers (source position, reference insertions passed), columns and open edits."""

    cdef int large_path(self) except -1 nogil:
        """The integer objective of large.py; writes the path, returns its size, or -2 where there are too many states."""
        cdef int n = self.n, m = self.m, W = self.max_unchanged + 2, width = m + 1, i, slot, j, layer
        cdef int n_layers
        cdef int64_t n_hits = 0
        cdef int64_t *keys
        cdef int64_t *before
        cdef int64_t *swapped
        cdef int64_t *best
        cdef int32_t *best_by
        self.path = <int32_t *>grown(&self.buffers[23], 4 * (n + m + 2) * 4)
        n_layers = self.index_reference()
        self.states += <int64_t>n_layers * width * W
        if self.states > self.state_limit:
            return -2
        self.back = <uint8_t *>grown(&self.buffers[30], <size_t>n_layers * width * W)
        self.hit_start = <int64_t *>grown(&self.buffers[31], (n_layers + 1) * 8)
        self.deletions = <int32_t *>grown(&self.buffers[36], width * 4)
        keys = <int64_t *>grown(&self.buffers[32], <size_t>width * W * 8)
        before = <int64_t *>grown(&self.buffers[33], <size_t>width * W * 8)
        best = <int64_t *>grown(&self.buffers[34], width * 8)
        best_by = <int32_t *>grown(&self.buffers[35], width * 4)
        memset(self.deletions, 0, width * 4)
        layer = 0
        for i in range(n + 1):
            for slot in range(self.slots[i]):
                for j in range(width):
                    best[j] = UNREACHED
                if slot:
                    self.insertion_hits(self.insertion_at[i] + slot - 1, before, W, best, best_by)
                else:
                    self.span_hits(i, best, best_by)
                self.hit_start[layer] = n_hits
                self.sweep(layer, i, slot, keys, before, best)
                self.hits = <int32_t *>grown(&self.buffers[37], (n_hits + width) * 8)
                for j in range(width):
                    if self.back[(<size_t>layer * width + j) * W] == HIT_EDIT:
                        self.hits[2 * n_hits] = j
                        self.hits[2 * n_hits + 1] = best_by[j]
                        n_hits += 1
                swapped = keys
                keys = before
                before = swapped
                layer += 1
            if self.kept_at[i] >= 0:
                for j in range(width):
                    self.kept_keys[<size_t>self.kept_at[i] * width + j] = before[<size_t>j * W]
        self.hit_start[layer] = n_hits
        return self.walk_back(n_layers)

    cdef int index_reference(self) except -1 nogil:
        """Sorts the reference edits by where they are looked for; returns the number of layers."""
        cdef int i, n = self.n, n_kept = 0, n_layers = 0
        cdef int64_t g, count = self.g_high - self.g_low
        self.slots = <int32_t *>grown(&self.buffers[27], (n + 1) * 4)
        self.insertion_at = <int32_t *>grown(&self.buffers[28], (n + 2) * 4)
        self.span_at = <int32_t *>grown(&self.buffers[29], (n + 2) * 4)
        self.kept_at = <int32_t *>grown(&self.buffers[38], (n + 1) * 4)
        self.sorted_edits = <int32_t *>grown(&self.buffers[25], 2 * (count + 1) * 4)
        for i in range(n + 1):
            self.slots[i] = 1
            self.insertion_at[i] = self.span_at[i] = 0
            self.kept_at[i] = -1
        for g in range(self.g_low, self.g_high):
            if self.g_start[g] == self.g_end[g]:
                self.slots[self.g_start[g]] += 1
            else:
                self.span_at[self.g_end[g]] += 1
                if self.kept_at[self.g_start[g]] < 0:
                    self.kept_at[self.g_start[g]] = n_kept
                    n_kept += 1
        for i in range(n, -1, -1):  # first to ends, then filled from behind, so that edits keep their order
            n_layers += self.slots[i]
        self.insertion_at[0] = self.slots[0] - 1
        for i in range(1, n + 1):
            self.insertion_at[i] = self.insertion_at[i - 1] + self.slots[i] - 1
            self.span_at[i] += self.span_at[i - 1]
        self.span_at[n + 1] = self.span_at[n]
        for g in range(self.g_high - 1, self.g_low - 1, -1):
            if self.g_start[g] == self.g_end[g]:
                self.insertion_at[self.g_start[g]] -= 1
                self.sorted_edits[self.insertion_at[self.g_start[g]]] = g - self.g_low
            else:
                self.span_at[self.g_end[g]] -= 1
                self.sorted_edits[count + self.span_at[self.g_end[g]]] = g - self.g_low
        self.kept_keys = <int64_t *>grown(&self.buffers[39], <size_t>n_kept * (self.m + 1) * 8)
        return n_layers

    cdef int span_hits(self, int i, int64_t *best, int32_t *best_by) except -1 nogil:
        """Reference edits that end at a source position: the best one that ends in each column."""
        cdef int at, j, length, start
        cdef int64_t g, alternative, key, count = self.g_high - self.g_low
        cdef size_t width = self.m + 1
        for j in range(<int>width):
            self.deletions[j] = self.deletions[j] + 1 if self.cell[i * width + j] & 0x0C else 0
        for at in range(self.span_at[i], self.span_at[i + 1]):
            g = self.g_low + self.sorted_edits[count + at]
            start = self.g_start[g]
            for alternative in range(self.g_alt[g], self.g_alt[g + 1]):
                length = self.alt_off[alternative + 1] - self.alt_off[alternative]
                if length > self.m or not self.changes(start, i, alternative, length):
                    continue
                for j in range(length, <int>width):
                    key = self.kept_keys[self.kept_at[start] * width + j - length]
                    if key == UNREACHED or key - HIT >= best[j] or not self.cell[i * width + j]:
                        continue
                    if not self.says(alternative, length, j - length):
                        continue
                    if length == 0:
                        if self.deletions[j] < i - start:
                            continue
                    elif not self.within(start, j - length, i, j):
                        continue
                    best[j] = key - HIT
                    best_by[j] = alternative - self.g_alt[self.g_low]
        return 0

    cdef int insertion_hits(self, int at, int64_t *before, int W, int64_t *best, int32_t *best_by) except -1 nogil:
        """One reference insertion: where its text ends and what precedes it was reached in the layer before."""
        cdef int j, length, run
        cdef int64_t g = self.g_low + self.sorted_edits[at], alternative, key
        cdef size_t row = <size_t>self.g_start[g] * (self.m + 1)
        for alternative in range(self.g_alt[g], self.g_alt[g + 1]):
            length = self.alt_off[alternative + 1] - self.alt_off[alternative]
            run = 0
            for j in range(1, self.m + 1):
                run = run + 1 if self.cell[row + j] & 0x30 else 0
                if length == 0 or run < length:
                    continue
                key = before[<size_t>(j - length) * W]
                if key != UNREACHED and key - HIT < best[j] and self.says(alternative, length, j - length):
                    best[j] = key - HIT
                    best_by[j] = alternative - self.g_alt[self.g_low]
        return 0

    cdef bint says(self, int64_t alternative, int length, int j) noexcept nogil:
        """Whether the hypothesis has these tokens from column j on."""
        cdef int64_t t = self.alt_off[alternative]
        cdef int k = 0
        while k < length and self.alt_tok[t + k] == self.h[j + k]:
            k += 1
        return k == length

    cdef bint changes(self, int start, int end, int64_t alternative, int length) noexcept nogil:
        """Whether an alternative is not what the source has there."""
        cdef int64_t t = self.alt_off[alternative]
        cdef int k = 0
        if length != end - start:
            return True
        while k < length and self.alt_tok[t + k] == self.s[start + k]:
            k += 1
        return k < length

    cdef bint within(self, int i, int j, int i2, int j2) except -1 nogil:
        """Whether a path between two cells keeps few enough words."""
        cdef int columns = j2 - j + 1, r, c, words, fewest = 0
        cdef int none = self.max_unchanged + 1
        cdef int32_t *row = <int32_t *>grown(&self.buffers[26], 2 * columns * 4)
        cdef int32_t *above = row + columns
        cdef int32_t *swapped
        cdef uint8_t here
        for r in range(i, i2 + 1):
            for c in range(columns):
                here = self.cell[<size_t>r * (self.m + 1) + j + c]
                fewest = 0 if r == i and c == 0 else none
                if c and here & 0x30 and row[c - 1] < fewest:
                    fewest = row[c - 1]
                if r > i and here & 0x0C and above[c] < fewest:
                    fewest = above[c]
                if r > i and c and here & 0x03:
                    words = above[c - 1] + (self.s[r - 1] == self.h[j + c - 1])
                    if words < fewest:
                        fewest = words
                row[c] = fewest
            swapped = row
            row = above
            above = swapped
        return fewest < none

    cdef void sweep(self, int layer, int i, int slot, int64_t *keys, int64_t *before, int64_t *best) noexcept nogil:
        """The keys of one layer, column by column; state 0 of a column is between edits, the others inside one."""
        cdef int W = self.max_unchanged + 2, j, w, kept
        cdef int64_t *now = keys
        cdef int64_t *left = keys - W
        cdef int64_t *up = before
        cdef int64_t *corner = before - W
        cdef uint8_t *back = self.back + <size_t>layer * (self.m + 1) * W
        cdef uint8_t here
        cdef size_t row = <size_t>i * (self.m + 1)
        for j in range(self.m + 1):
            here = self.cell[row + j]
            for w in range(W):
                now[w] = UNREACHED
                back[w] = 0
            if here:
                kept = i and j and self.s[i - 1] == self.h[j - 1]
                if not layer and not j:
                    now[0] = 0
                for w in range(1, W):
                    if slot:
                        reach(now + w, back + w, up[w], 0, SKIP)
                    if here & 0x30:
                        if w == 1:
                            reach(now + w, back + w, left[0], STEP + 1, OPEN_INSERT)
                        reach(now + w, back + w, left[w], STEP, EXTEND_INSERT)
                    if not slot and here & 0x0C:
                        if w == 1:
                            reach(now + w, back + w, up[0], STEP + 1, OPEN_DELETE)
                        reach(now + w, back + w, up[w], STEP, EXTEND_DELETE)
                    if not slot and here & 0x03:
                        if w == 1 + kept:
                            reach(now + w, back + w, corner[0], STEP + 1, OPEN_BOTH)
                        if w > kept:
                            reach(now + w, back + w, corner[w - kept], STEP, EXTEND_BOTH)
                if slot:
                    reach(now, back, up[0], 0, SKIP)
                elif kept and here & 0x03:
                    reach(now, back, corner[0], STEP, KEEP)
                for w in range(1, W):
                    reach(now, back, now[w], 0, CLOSE + w - 1)
                reach(now, back, best[j], 0, HIT_EDIT)
            now += W
            left += W
            up += W
            corner += W
            back += W

    cdef int walk_back(self, int n_layers) except -1 nogil:
        cdef int W = self.max_unchanged + 2, layer = n_layers - 1, i = self.n, j = self.m, w = 0, size = 0
        cdef int slot = self.slots[self.n] - 1, end_i = 0, end_j = 0
        cdef int64_t g, alternative, low, high, middle
        cdef int32_t *edit
        cdef uint8_t how
        while True:
            how = self.back[(<size_t>layer * (self.m + 1) + j) * W + w]
            if how == 0:
                break
            if how >= CLOSE:
                end_i, end_j = i, j
                w = how - CLOSE + 1
                continue
            if how == HIT_EDIT:
                low, high = self.hit_start[layer], self.hit_start[layer + 1]
                while high - low > 1:
                    middle = (low + high) // 2
                    if self.hits[2 * middle] <= j:
                        low = middle
                    else:
                        high = middle
                alternative = self.g_alt[self.g_low] + self.hits[2 * low + 1]
                low, high = self.g_low, self.g_high
                while high - low > 1:
                    middle = (low + high) // 2
                    if self.g_alt[middle] <= alternative:
                        low = middle
                    else:
                        high = middle
                end_i, end_j = i, j
                j -= self.alt_off[alternative + 1] - self.alt_off[alternative]
                if self.g_start[low] == self.g_end[low]:
                    layer -= 1
                    slot -= 1
                else:
                    while i > self.g_start[low]:
                        layer -= slot + 1
                        i -= 1
                        slot = self.slots[i] - 1
            elif how == SKIP:
                layer -= 1
                slot -= 1
                continue
            elif how == OPEN_INSERT or how == EXTEND_INSERT:
                j -= 1
            else:
                if how != OPEN_DELETE and how != EXTEND_DELETE:
                    if how == EXTEND_BOTH and self.s[i - 1] == self.h[j - 1]:
                        w -= 1
                    j -= 1
                layer -= 1
                i -= 1
                slot = self.slots[i] - 1
            if how == HIT_EDIT or OPEN_INSERT <= how <= OPEN_BOTH:
                w = 0
                edit = self.path + 4 * size
                edit[0], edit[1], edit[2], edit[3] = i, end_i, j, end_j
                size += 1
        reverse(self.path, size)
        return size


cdef inline void reach(int64_t *key, uint8_t *back, int64_t origin, int64_t cost, uint8_t how) noexcept nogil:
    if origin != UNREACHED and origin + cost < key[0]:
        key[0] = origin + cost
        back[0] = how
