"""Tables: the example of the format, every slice against the program, and damaged files."""

from __future__ import annotations

import json
import random
import unittest
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import xxhash

from fanorona_pure.errors import Refused
from fanorona_pure.rules import DRAW, LOSS, WIN, Rules, parse
from fanorona_pure.tables import DEPTHS, Database

from . import support

NAMES = {DRAW: "draw", WIN: "win", LOSS: "loss", None: "unknown"}


class Example(support.DamagedExample, unittest.TestCase):
    """The table that FORMAT.md shows."""

    def setUp(self) -> None:
        folder = support.temporary_folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__, None, None, None)
        self.data = support.bytes_of_example(support.ROOT / "src/table/FORMAT.md")
        self.path = self.folder / "3x3/1v1.wdl"
        self.path.parent.mkdir()
        self.path.write_bytes(self.data)

    def test_values(self) -> None:
        self.assertEqual(len(self.data), 152)
        for text, value in (("2W/1B1/3 w", "loss"), ("2B/3/1W1 b", "win"), ("B1W/3/3 w", "win in 1"), ("3/BW1/3 w", "win in 1")):
            with self.subTest(text):
                status, printed, _ = support.run("probe", text, "--db", self.folder)
                self.assertEqual((status, printed.splitlines()[0]), (0, f"{value} {text}"))

    def test_what_no_table_has_is_unknown(self) -> None:
        status, printed, _ = support.run("probe", "3/W1W/1B1 b", "--db", self.folder)
        self.assertEqual((status, printed.splitlines()[0]), (0, "unknown 3/W1W/1B1 b"))

    def refused(self, data: bytes, because: str = "") -> None:
        """The file with this content gives one line, status 1, and no value."""
        self.path.write_bytes(data)
        status, printed, errors = support.run("probe", "2W/1B1/3 w", "--db", self.folder)
        self.assertEqual((status, printed, errors.count("\n")), (1, "", 1))
        self.assertIn(because, errors)
        self.assertIn(str(self.path), errors)

    def test_what_does_not_fit_is_named(self) -> None:
        def changed(offset: int, value: int) -> bytes:
            data = bytearray(self.data)
            data[offset] = value
            data[117:125] = xxhash.xxh3_64_intdigest(bytes(data[:117])).to_bytes(8, "little")
            return bytes(data)

        self.refused(b"FANOCERT" + self.data[8:], "not a table")
        self.refused(changed(8, 2), "version 2")
        self.refused(changed(12, 4), "columns is 4")
        self.refused(changed(12, 15), "columns is 15")
        self.refused(changed(14, 2), "diagonals is 2")
        self.refused(changed(14, 1), "another table: 3x3, diagonals centre")
        self.refused(changed(17, 1), "another table")
        self.refused(changed(17, 2), "out of range")
        self.refused(changed(18, 0), "out of range")
        self.refused(changed(19, 2), "another table")
        self.refused(changed(20, 2), "index scheme 2")
        self.refused(changed(21, 4), "other rows")
        self.refused(changed(53, 63), "do not add up")
        self.refused(changed(77, 73), "do not add up")
        self.refused(self.data[:141] + bytes(11), "block 0")

    def test_a_table_of_another_name_is_refused(self) -> None:
        self.path.rename(self.path.with_name("1v2.wdl"))
        status, printed, errors = support.run("probe", "3/3/WBB w", "--db", self.folder)
        self.assertEqual((status, printed, errors.count("\n")), (1, "", 1))
        self.assertIn("another table", errors)


class Built(NamedTuple):
    """Tables that the program builds for a test."""

    rules: Rules
    stones: int
    each: int  # positions of each slice to compare


BUILDS = (
    Built(Rules(3, 3), 9, 40),
    Built(Rules(3, 3, *support.OTHER_RULES), 9, 40),
    Built(Rules(1, 9), 8, 20),
    Built(Rules(9, 1, 1, 0, 1), 8, 20),
    Built(Rules(3, 5, 1, 0, 0), 14, 10),
    Built(Rules(5, 3, 0, 1, 1), 10, 10),
    Built(Rules(5, 5), 6, 20),
    Built(Rules(5, 5, 0, 1, 0), 5, 20),
    Built(Rules(7, 5, 1, 0, 1), 5, 20),
    Built(Rules(7, 7), 4, 20),
    Built(Rules(9, 5), 5, 20),
)


@unittest.skipUnless(support.HAS_PROGRAM, support.NO_PROGRAM)
class AgainstTheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = support.temporary_folder()
        cls.folder = folder.__enter__()
        cls.addClassCleanup(folder.__exit__, None, None, None)
        for built in BUILDS:
            arguments = ["build", built.rules.size, "--stones", built.stones, "--metric=both", "--db", cls.folder]
            support.program(*arguments, *support.options(built.rules))

    def database(self, folder: Path, rules: Rules) -> Database:
        database = Database(folder, rules)
        self.addCleanup(database.close)
        return database

    def test_random_positions_of_every_slice(self) -> None:
        chance = random.Random(1)
        for built in BUILDS:
            database = self.database(self.folder, built.rules)
            board = database.board
            mine = []
            for mover, opponent in support.slices(built.stones, board.points):
                for _ in range(built.each):
                    position = support.random_position(board, mover, opponent, chance)
                    text = support.text(board, *position, chance.randrange(2))
                    mine.append((text, NAMES[database.value(*position)], database.depth(*position)))
            arguments = ["query", "--stdin", "--best", "--json", "--no-build", "--db", self.folder, *support.options(built.rules)]
            lines = support.program(*arguments, text="\n".join(text for text, _, _ in mine)).splitlines()
            theirs = [json.loads(line) for line in lines]
            self.assertEqual(mine, [(entry["position"], entry["value"], entry["dtw"]) for entry in theirs], built.rules)

    def test_all_positions_of_a_board(self) -> None:
        """Counts and summaries of every slice of 3x3, from the value and the depth of each position."""
        for rules in (Rules(3, 3), Rules(3, 3, *support.OTHER_RULES)):
            database = self.database(self.folder, rules)
            for slice_ in support.slices(9, 9):
                wins, losses, draws = Counter(), Counter(), 0
                for mover, opponent in support.positions(database.board, *slice_):
                    value, depth = database.value(mover, opponent), database.depth(mover, opponent)
                    if value == DRAW:
                        draws += 1
                    else:
                        (wins if value == WIN else losses)[depth // 2] += 1
                values, depths = database.table(*slice_), database.table(*slice_, DEPTHS)
                self.assertEqual((values.wins, values.draws, values.losses), (sum(wins.values()), draws, sum(losses.values())))
                summary = depths.summary()
                self.assertEqual(summary.wins, [wins[step] for step in range(max(wins, default=-1) + 1)])
                self.assertEqual(summary.losses, [losses[step] for step in range(max(losses, default=-1) + 1)])
                for longest, counts, parity in ((summary.longest_win, wins, 1), (summary.longest_loss, losses, 0)):
                    self.assertEqual(longest is None, not counts)
                    if longest:
                        self.assertEqual(database.depth(*longest), 2 * max(counts) + parity)

    def test_identities(self) -> None:
        for built in BUILDS:
            printed = json.loads(support.program("stats", built.rules.size, "--json", "--db", self.folder, *support.options(built.rules)))
            theirs = {(entry["mover"], entry["opponent"]): entry["identity"] for entry in printed["slices"]}
            database = self.database(self.folder, built.rules)
            mine = {}
            for slice_ in support.slices(built.stones, database.board.points):
                for metric in (0, DEPTHS):
                    for _ in database.table(*slice_, metric).check_identity():
                        pass
                mine[slice_] = database.table(*slice_).identity[::-1].hex()
            self.assertEqual(mine, theirs)

    def test_damaged_depths_are_refused(self) -> None:
        """No flipped bit of a depth table gives another depth."""
        rules = Rules(3, 3)
        good = self.folder / rules.folder
        text = "1B1/3/W1W w"
        _, _, *position, _ = parse(text)
        depth = self.database(self.folder, rules).depth(*position)
        self.assertIsNotNone(depth)
        with support.temporary_folder() as folder:
            bad = folder / rules.folder
            bad.mkdir()
            for path in good.glob("*.*"):
                (bad / path.name).write_bytes(path.read_bytes())
            path = bad / "2v1.dtw"
            data = path.read_bytes()
            for number in range(len(data)):
                damaged = bytearray(data)
                damaged[number] ^= 4
                path.write_bytes(damaged)
                with self.assertRaises(Refused):
                    table = self.database(folder, rules).table(2, 1, DEPTHS)
                    for _ in table.check_identity():
                        pass
            path.write_bytes(data[:-1])
            status, printed, errors = support.run("probe", text, "--db", folder)
            self.assertEqual((status, printed, errors.count("\n")), (1, "", 1))
            path.write_bytes(data)
            self.assertEqual(self.database(folder, rules).depth(*position), depth)
            (bad / "2v1.wdl").unlink()
            database = self.database(folder, rules)
            for _ in range(2):
                with self.assertRaises(Refused):
                    database.table(2, 1, DEPTHS)

    def test_sets_that_are_no_position(self) -> None:
        database = self.database(self.folder, Rules(3, 3))
        for sets in ((1, 1), (-1, 2), (512, 2), (1, 1 << 70)):
            with self.assertRaises(ValueError):
                database.value(*sets)
