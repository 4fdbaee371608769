"""Images of sets and positions under the symmetries of the board, and the numbers of orbits."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import combinations, repeat
from math import comb
from typing import Dict, List, Sequence, Tuple

PART = 11  # bits of a set that are looked up at once


class Images:
    """The sums of a weight over the points of a set, for all symmetries at once: side by side in one number."""

    def __init__(self, weights: Sequence[Sequence[int]], width: int) -> None:
        self.shifts = range(0, width * len(weights), width)
        self.mask = (1 << width) - 1
        by_point = [sum(row[point] << shift for row, shift in zip(weights, self.shifts)) for point in range(len(weights[0]))]
        self.parts = []
        for first in range(0, len(by_point), PART):
            sums = [0]
            for weight in by_point[first : first + PART]:
                sums += [weight + before for before in sums]
            self.parts.append(sums)

    def packed(self, bits: int) -> int:
        total = 0
        for sums in self.parts:
            total += sums[bits & (1 << PART) - 1]
            bits >>= PART
        return total

    def split(self, packed: int) -> List[int]:
        return [packed >> shift & self.mask for shift in self.shifts]


class Symmetries:
    """The group of a board."""

    def __init__(self, columns: int, rows: int) -> None:
        self.points = columns * rows
        self.order = 8 if columns == rows else 4
        self.inverse = (0, 1, 2, 3, 4, 6, 5, 7)
        self.maps = [[self._image(point, element, columns, rows) for point in range(self.points)] for element in range(self.order)]
        self._sets = Images([[1 << image for image in row] for row in self.maps], 64)
        self._codes = Images([[3**image for image in row] for row in self.maps], 104)
        self._orbits: Dict[int, Orbits] = {}

    @staticmethod
    def _image(point: int, element: int, columns: int, rows: int) -> int:
        row, column = divmod(point, columns)
        if element & 4:
            row, column = column, row
        if element & 1:
            column = columns - 1 - column
        if element & 2:
            row = rows - 1 - row
        return column + columns * row

    def images(self, bits: int) -> List[int]:
        """The images of a set under all elements."""
        return self._sets.split(self._sets.packed(bits))

    def code(self, mover: int, opponent: int) -> int:
        """The least code of the images of a position, which is that of the canonical one."""
        codes = self._codes
        packed = codes.packed(mover) + 2 * codes.packed(opponent)
        mask = codes.mask
        return min([packed >> shift & mask for shift in codes.shifts])

    def orbits(self, size: int) -> Orbits:
        """The orbits of the sets of so many points."""
        if size not in self._orbits:
            self._orbits[size] = Orbits(self, size)
        return self._orbits[size]


class Orbits:
    """The orbits of the sets of k points, in the order of their representatives.

    Representatives are made in groups with the same highest point, when they are needed. How many there are in the groups below follows
    from Burnside's lemma, so that no other group has to be made.
    """

    def __init__(self, symmetries: Symmetries, size: int) -> None:
        self.symmetries = symmetries
        self.size = size
        self._below = [self._count(limit) for limit in range(symmetries.points + 1)]
        self.count = self._below[-1]
        self._groups: Dict[int, array] = {}
        self._slots: Dict[int, Tuple[int, int]] = {}

    def _count(self, limit: int) -> int:
        """The number of orbits with a member whose points are all below `limit`."""
        maps = self.symmetries.maps
        low = frozenset(range(limit))
        # The sets whose points are all in one image of `low`, counted by inclusion and exclusion.
        signs = {}
        for region in {frozenset(row[point] for point in low) for row in maps}:
            for other, sign in list(signs.items()):
                signs[other & region] = signs.get(other & region, 0) - sign
            signs[region] = signs.get(region, 0) + 1
        fixed = sum(sign * self._fixed(row, region) for region, sign in signs.items() if sign for row in maps)
        return fixed // len(maps)

    def _fixed(self, row: Sequence[int], region: frozenset) -> int:
        """The number of sets in a region that a symmetry leaves as they are: unions of its cycles."""
        cycles: Dict[int, int] = {}
        seen = set()
        for point in region:
            cycle = [point]
            while row[cycle[-1]] != point:
                cycle.append(row[cycle[-1]])
            if point not in seen and region.issuperset(cycle):
                cycles[len(cycle)] = cycles.get(len(cycle), 0) + 1
            seen.update(cycle)
        ways = [1] + [0] * self.size
        for length, number in cycles.items():
            chosen = range(0, min(number, self.size // length) + 1)
            ways = [sum(comb(number, m) * ways[k - m * length] for m in chosen if m * length <= k) for k in range(self.size + 1)]
        return ways[self.size]

    def _group(self, top: int) -> array:
        """The representatives whose highest point is `top`, in ascending order."""
        if top in self._groups:
            return self._groups[top]
        others = self.symmetries.maps[1:]
        bits = [1 << point for point in reversed(range(top))]
        # A set is a representative if no image is smaller. An image with a point above `top` is greater; one without any from
        # there on is smaller; the others have to be looked at.
        sets = map(sum, combinations(bits, self.size - 1), repeat(1 << top))
        above = []
        for row in others:
            sets = filter(sum(1 << point for point, image in enumerate(row) if image >= top).__and__, sets)
            above.append(sum(1 << point for point, image in enumerate(row) if image > top))
        group = array("Q")
        images = self.symmetries.images
        for one in sets:
            for mask in above:
                if not one & mask:
                    if min(images(one)) == one:
                        group.append(one)
                    break
            else:
                group.append(one)
        group.reverse()
        assert len(group) == self._below[top + 1] - self._below[top]
        self._groups[top] = group
        return group

    def representatives(self, first: int, end: int) -> array:
        """The representatives with the numbers from `first` to before `end`."""
        if self.size == 0:
            return array("Q", [0])[first:end]
        found = array("Q")
        while first < min(end, self.count):
            top = bisect_right(self._below, first) - 1
            start = self._below[top]
            found.extend(self._group(top)[first - start : end - start])
            first = self._below[top + 1]
        return found

    def place(self, bits: int) -> Tuple[int, int]:
        """The orbit of a set, and the first element that leads to the set from the orbit's representative."""
        known = self._slots.get(bits)
        if known is None:
            images = self.symmetries.images(bits)
            representative = min(images)
            top = representative.bit_length() - 1
            orbit = self._below[top] + bisect_left(self._group(top), representative) if self.size else 0
            inverse = self.symmetries.inverse
            known = orbit, next(e for e in range(len(images)) if images[inverse[e]] == representative)
            if len(self._slots) > 300_000:
                self._slots.clear()
            self._slots[bits] = known
        return known
