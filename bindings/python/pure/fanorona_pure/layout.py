"""Where a table has a position: rows, columns, and which of them are quiet and so have a stored value.

Sets of (row, column) pairs are ints with a bit for each pair, so that one operation looks at thousands of positions. A *plane* of a point
is the set of those pairs in which a stone stands there.
"""

from __future__ import annotations

import sys
from array import array
from itertools import combinations
from math import comb
from typing import List, NamedTuple, Sequence, Tuple

from .cache import Cache
from .rules import Board
from .symmetry import Symmetries

CHUNK = 4096  # words of columns whose planes are made at once
BIT_AS_DIGIT = [bytes(48 + (byte >> bit & 1) for byte in range(256)) for bit in range(8)]


class Columns(NamedTuple):
    """Some words of columns: which are in use, and for each point (or label) in which of them it is in the set."""

    valid: int
    planes: List[int]

    def cut(self, first: int, end: int) -> Columns:
        """The bits from `first` to before `end`."""
        mask = (1 << end - first) - 1
        return Columns(self.valid >> first & mask, [plane >> first & mask for plane in self.planes])

    def followed_by(self, other: Columns, length: int) -> Columns:
        """These columns, `length` bits, and then others."""
        return Columns(self.valid | other.valid << length, [a | b << length for a, b in zip(self.planes, other.planes)])


def transposed(sets: array, points: int) -> List[int]:
    """For each point the numbers of the sets that contain it, as a set."""
    if sys.byteorder == "big":
        sets = array("Q", sets)
        sets.byteswap()
    data = sets.tobytes()
    if not data:
        return [0] * points
    return [int(data[point >> 3 :: 8][::-1].translate(BIT_AS_DIGIT[point & 7]), 2) for point in range(points)]


class Geometry:
    """What all tables of a board share: steps, symmetries, and columns already made."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.symmetries = Symmetries(board.rules.columns, board.rules.rows)
        # For each point: where a step leads, and the points with an enemy stone that makes it a capture.
        self.steps: List[List[Tuple[int, List[int]]]] = [[] for _ in range(board.points)]
        for point, steps in enumerate(self.steps):
            for direction in range(8):
                target = board.next_point(point, direction)
                if target >= 0:
                    victims = (board.next_point(target, direction), board.next_point(point, direction ^ 1))
                    steps.append((target, [victim for victim in victims if victim >= 0]))
        self.columns_made = Cache(300_000_000)

    def quiet(self, movers: Sequence[int], opponents: Sequence[int], valid: int) -> int:
        """Which of the pairs in `valid` are quiet positions, given the planes of both sides."""
        empty = []
        bad = 0
        for mover, opponent in zip(movers, opponents):
            bad |= mover & opponent
            empty.append(valid & ~(mover | opponent))
        for mover, steps in zip(movers, self.steps):
            if mover:
                for target, victims in steps:
                    gap = mover & empty[target]
                    if gap:
                        for victim in victims:
                            bad |= gap & opponents[victim]
        return valid & ~bad


class Layout:
    """The rows and columns of one slice."""

    def __init__(self, geometry: Geometry, mover: int, opponent: int) -> None:
        points = geometry.board.points
        self.geometry = geometry
        self.mover = mover
        self.opponent = opponent
        self.stones = mover + opponent
        self.positions = comb(points, mover) * comb(points - mover, opponent)
        self.crowded = 8 * comb(points - mover, opponent) < comb(points, opponent)
        self.orbits = geometry.symmetries.orbits(points - self.stones if self.crowded else mover)
        if self.crowded:
            self.columns = comb(self.stones, mover)
        else:
            self.slots = geometry.symmetries.orbits(opponent)
            self.columns = geometry.symmetries.order * self.slots.count
        self.row_words = -(-self.columns // 64)

    def place(self, mover: int, opponent: int) -> Tuple[int, int]:
        """The row and the column of a position."""
        symmetries = self.geometry.symmetries
        if self.crowded:
            row, element = self.orbits.place(self.geometry.board.all ^ (mover | opponent))
            inverse = symmetries.inverse[element]
            mover, opponent = symmetries.images(mover)[inverse], symmetries.images(opponent)[inverse]
            column = label = chosen = 0
            for point in range(symmetries.points):
                if mover >> point & 1:
                    chosen += 1
                    column += comb(label, chosen)
                label += (mover | opponent) >> point & 1
            return row, column
        row, element = self.orbits.place(mover)
        orbit, first = self.slots.place(symmetries.images(opponent)[symmetries.inverse[element]])
        return row, symmetries.order * orbit + first

    def _chunk(self, number: int) -> Columns:
        """The columns of some words, made once."""
        key = (self.mover, self.opponent, number) if self.crowded else (self.opponent, number)
        made = self.geometry.columns_made.get(key)
        if made is None:
            made = self._splits(number) if self.crowded else self._slot_columns(number)
            self.geometry.columns_made.put(key, made, 8 * CHUNK * len(made.planes))
        return made

    def _slot_columns(self, number: int) -> Columns:
        symmetries = self.geometry.symmetries
        order = symmetries.order
        each = 64 * CHUNK // order
        sets = array("Q")
        repeated = 0
        for representative in self.slots.representatives(number * each, (number + 1) * each):
            images = symmetries.images(representative)
            if len(set(images)) < order:
                for element, image in enumerate(images):
                    if image in images[:element]:
                        repeated |= 1 << len(sets) + element
            sets.extend(images)
        return Columns((1 << len(sets)) - 1 ^ repeated, transposed(sets, symmetries.points))

    def _splits(self, number: int) -> Columns:
        labels = [1 << label for label in reversed(range(self.stones))]
        sets = array("Q", map(sum, combinations(labels, self.mover)))
        sets.reverse()
        sets = sets[64 * CHUNK * number : 64 * CHUNK * (number + 1)]
        return Columns((1 << len(sets)) - 1, transposed(sets, self.stones))

    def _words(self, first: int, end: int) -> Columns:
        """The columns of the words from `first` to before `end` of a row."""
        number, offset = divmod(first, CHUNK)
        stop = min(end - number * CHUNK, CHUNK)
        found = self._chunk(number)
        if offset or stop < CHUNK:
            found = found.cut(64 * offset, 64 * stop)
        length = stop - offset
        if first + length < end:
            found = found.followed_by(self._words(first + length, end), 64 * length)
        return found

    def _rectangle(self, rows: Sequence[int], columns: Columns, words: int) -> int:
        """The quiet positions in some columns of each of some rows, which are given by their representatives."""
        size = 8 * words
        ones = (1 << 64 * words) - 1
        points = range(self.geometry.board.points)
        if self.crowded:
            nothing = bytes(size)
            movers = [plane.to_bytes(size, "little") for plane in columns.planes]
            opponents = [(columns.valid ^ plane).to_bytes(size, "little") for plane in columns.planes]
            pairs: List[Tuple[List[bytes], List[bytes]]] = [([], []) for _ in points]
            for empty in rows:
                label = 0
                for point, (mine, theirs) in enumerate(pairs):
                    free = empty >> point & 1
                    mine.append(nothing if free else movers[label])
                    theirs.append(nothing if free else opponents[label])
                    label += 1 - free
            mover_planes = [int.from_bytes(b"".join(mine), "little") for mine, _ in pairs]
            opponent_planes = [int.from_bytes(b"".join(theirs), "little") for _, theirs in pairs]
        elif len(rows) == 1:
            mover_planes = [ones if rows[0] >> point & 1 else 0 for point in points]
            opponent_planes = columns.planes
        else:
            filled = (bytes(size), b"\xff" * size)
            mover_planes = [int.from_bytes(b"".join([filled[row >> point & 1] for row in rows]), "little") for point in points]
            opponent_planes = [self._repeated(plane, size, len(rows)) for plane in columns.planes]
        return self.geometry.quiet(mover_planes, opponent_planes, self._repeated(columns.valid, size, len(rows)))

    @staticmethod
    def _repeated(bits: int, size: int, times: int) -> int:
        return bits if times == 1 else int.from_bytes(bits.to_bytes(size, "little") * times, "little")

    def quiet(self, word: int, words: int) -> int:
        """The quiet positions in a stretch of words, counted through all rows: a bit for each (row, column) pair."""
        found = length = 0
        rows_at_once = max(1, 512 // self.row_words)
        while words:
            row, first = divmod(word, self.row_words)
            end = min(self.row_words, first + words)
            rows = min(rows_at_once, words // self.row_words) if end - first == self.row_words else 1
            columns = self._words(first, end)
            part = self._rectangle(self.orbits.representatives(row, row + rows), columns, end - first)
            found |= part << length
            done = rows * (end - first)
            length += 64 * done
            word += done
            words -= done
        return found
