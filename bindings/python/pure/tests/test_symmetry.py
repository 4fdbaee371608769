"""Orbits, their order and quiet positions: against the definitions in the format."""

from __future__ import annotations

import unittest

from fanorona_pure.layout import Geometry, Layout
from fanorona_pure.rules import Board, Rules
from fanorona_pure.symmetry import Symmetries

from . import support

SIZES = ((3, 3), (1, 7), (5, 1), (3, 5), (1, 1))


class Orbits(unittest.TestCase):
    def test_order_and_slots(self) -> None:
        for size in SIZES:
            symmetries = Symmetries(*size)
            for number in range(symmetries.points + 1):
                sets = [bits for bits in range(1 << symmetries.points) if bin(bits).count("1") == number]
                representatives = [bits for bits in sets if min(symmetries.images(bits)) == bits]
                orbits = symmetries.orbits(number)
                self.assertEqual(orbits.count, len(representatives))
                self.assertEqual(list(orbits.representatives(0, orbits.count)), representatives)
                for bits in sets:
                    orbit, element = orbits.place(bits)
                    images = symmetries.images(representatives[orbit])
                    self.assertEqual(images.index(bits), element)

    def test_elements_and_their_inverses(self) -> None:
        for size in SIZES:
            symmetries = Symmetries(*size)
            for element, row in enumerate(symmetries.maps):
                back = symmetries.maps[symmetries.inverse[element]]
                self.assertEqual([back[image] for image in row], list(range(symmetries.points)))

    def test_all_images_of_a_position_have_one_code(self) -> None:
        symmetries = Symmetries(5, 5)
        mover, opponent = 0b10011, 1 << 22 | 1 << 9
        codes = {symmetries.code(*images) for images in zip(symmetries.images(mover), symmetries.images(opponent))}
        self.assertEqual(len(codes), 1)
        plain = []
        for images in zip(symmetries.images(mover), symmetries.images(opponent)):
            plain.append(sum(digit * 3**point for digit, bits in zip((1, 2), images) for point in range(25) if bits >> point & 1))
        self.assertEqual(codes, {min(plain)})


class Quiet(unittest.TestCase):
    def test_each_pair_of_a_row_and_a_column(self) -> None:
        """The stored positions of a slice are the quiet ones, each where `place` says, in stretches of any length."""
        for rules, slices in ((Rules(3, 3), ((1, 1), (2, 2), (4, 3), (5, 4))), (Rules(3, 5, 1), ((1, 2), (2, 1), (6, 8)))):
            board = Board(rules)
            for slice_ in slices:
                layout = Layout(Geometry(board), *slice_)
                words = layout.orbits.count * layout.row_words
                expected = 0
                for mover, opponent in support.positions(board, *slice_):
                    if not board.capturing(mover, opponent):
                        row, column = layout.place(mover, opponent)
                        expected |= 1 << 64 * row * layout.row_words + column
                for length in (1, 3, words):
                    found = 0
                    for first in range(0, words, length):
                        stretch = layout.quiet(first, min(length, words - first))
                        found |= stretch << 64 * first
                    # Several columns may be images of one position. Each of them is quiet, and one of them is where it is looked up.
                    self.assertEqual(found & expected, expected)
                    self.assertEqual({layout.place(*position) for position in stored(layout, found)}, set(bits_of(expected, layout)))


def bits_of(found: int, layout: Layout):
    """The (row, column) pairs in a set of them."""
    while found:
        low = found & -found
        found ^= low
        yield divmod(low.bit_length() - 1, 64 * layout.row_words)


def stored(layout: Layout, found: int):
    """The positions of some (row, column) pairs, by the definition."""
    symmetries = layout.geometry.symmetries
    splits = [bits for bits in range(1 << layout.stones) if bin(bits).count("1") == layout.mover]
    for row, column in bits_of(found, layout):
        (representative,) = layout.orbits.representatives(row, row + 1)
        if layout.crowded:
            occupied = [point for point in range(symmetries.points) if not representative >> point & 1]
            mover = sum(1 << point for label, point in enumerate(occupied) if splits[column] >> label & 1)
            yield mover, sum(1 << point for point in occupied) ^ mover
        else:
            orbit, element = divmod(column, symmetries.order)
            (opponent,) = layout.slots.representatives(orbit, orbit + 1)
            yield representative, symmetries.images(opponent)[element]
