"""Certificates: the example of the format, those that the program makes, and files that prove nothing."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import List, Optional, Tuple

from fanorona_pure.certificates import SAFE, Certificate
from fanorona_pure.rules import DRAW, LOSS, REVERSED, WIN, Board, Rules
from fanorona_pure.symmetry import Symmetries
from fanorona_pure.tables import Database

from . import support, writer

WHITE_WINS, BLACK_WINS, DRAWN, WHITE_HOLDS, BLACK_HOLDS = range(5)
TRUE_CLAIMS = {WIN: (WHITE_WINS, WHITE_HOLDS), LOSS: (BLACK_WINS, BLACK_HOLDS), DRAW: (DRAWN, WHITE_HOLDS, BLACK_HOLDS)}
BOARDS = ("3x3", "3x5", "5x3", "3x7", "7x3", "3x9", "9x3", "5x5", "5x7", "7x5")
OTHER_BOARDS = (Rules(3, 5, 1, 0, 0), Rules(5, 3, 0, 1, 0), Rules(5, 3, 0, 2, 0), Rules(7, 3, 0, 0, 1), Rules(3, 7, *support.OTHER_RULES))


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = support.temporary_folder()
        self.folder = folder.__enter__()
        self.addCleanup(folder.__exit__, None, None, None)
        self.path = self.folder / "test.proof"

    def check(self, data: bytes, db: Optional[Path] = None):
        self.path.write_bytes(data)
        return support.run("check", self.path, "--db", db or self.folder)

    def proved(self, data: bytes, db: Optional[Path] = None) -> str:
        status, printed, errors = self.check(data, db)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("proved", printed)
        return printed

    def refused(self, data: bytes, because: str = "", db: Optional[Path] = None) -> None:
        """The file gives one line and status 1, and nothing is called proved."""
        status, printed, errors = self.check(data, db)
        self.assertEqual((status, printed), (1, ""))
        self.assertRegex(errors, r"\Afanorona_pure: [^\n]+\n\Z")
        self.assertIn(because, errors)


class Example(support.DamagedExample, Files):
    """The certificate that FORMAT.md shows."""

    def setUp(self) -> None:
        super().setUp()
        self.data = support.bytes_of_example(support.ROOT / "src/proof/FORMAT.md")

    def test_it_is_proved(self) -> None:
        printed = self.proved(self.data)
        self.assertIn("W1B w  White wins", printed)
        self.assertIn("rests on no tables", printed)

    @unittest.skipUnless(support.HAS_PROGRAM, support.NO_PROGRAM)
    def test_the_program_agrees(self) -> None:
        self.path.write_bytes(self.data)
        self.assertIn("proved", support.program("check", self.path))


class Small(Files):
    """Certificates for 3x1, which need no tables: White has a1, Black c1, and whoever moves captures."""

    RULES = Rules(3, 1)
    A, B, C = 1, 2, 4

    def check(self, data: bytes, db: Optional[Path] = None):
        """The verdict, which has to be that of the program."""
        verdict = super().check(data, db)
        if support.HAS_PROGRAM:
            self.assertEqual(verdict[0], support.status("check", self.path, "--db", db or self.folder))
        return verdict

    def test_claims(self) -> None:
        won = [(11, 0, 0)]  # the mover on c1, the opponent on a1
        for side, true in ((0, (WHITE_WINS, WHITE_HOLDS)), (1, (BLACK_WINS, BLACK_HOLDS))):
            for value in range(5):
                with self.subTest(side=side, value=value):
                    data = writer.certificate(self.RULES, [(self.A, self.C, side, value)], won=won)
                    if value in true:
                        self.proved(data)
                    else:
                        self.refused(data, "does not follow")

    def test_claims_about_positions_that_are_over(self) -> None:
        for white, black, value in ((self.A, 0, WHITE_WINS), (0, self.B, BLACK_WINS)):
            for side in (0, 1):
                self.proved(writer.certificate(self.RULES, [(white, black, side, value)]))
                self.refused(writer.certificate(self.RULES, [(white, black, side, DRAWN)]), "does not follow")

    def test_a_side_without_a_turn(self) -> None:
        # White to move on a1 is shut in by Black on b1 and c1.
        claim = (self.A, self.B | self.C, 0)
        self.proved(writer.certificate(self.RULES, [(*claim, BLACK_WINS)]))
        self.refused(writer.certificate(self.RULES, [(*claim, DRAWN)]), "does not follow")
        draw = self.RULES._replace(stalemate=1)
        self.proved(writer.certificate(draw, [(*claim, DRAWN)]))
        self.refused(writer.certificate(draw, [(*claim, BLACK_WINS)]), "does not follow")
        code = Symmetries(3, 1).code(self.A, self.B | self.C)
        self.proved(writer.certificate(draw, [(*claim, DRAWN)], safe=[(code, 0, SAFE)]))
        self.refused(writer.certificate(draw, [(*claim, DRAWN)], safe=[(code, 1, SAFE)]), "no reply 1")
        self.refused(writer.certificate(draw, [(*claim, DRAWN)], won=[(code, 0, 0)]), "no reply 0")
        self.refused(writer.certificate(self.RULES, [(*claim, BLACK_WINS)], safe=[(code, 0, SAFE)]), "no reply 0")

    def test_what_does_not_fit_is_named(self) -> None:
        claim = (self.A, self.C, 0, WHITE_WINS)
        won = [(11, 0, 0)]
        for because, data in (
            ("not in order", writer.certificate(self.RULES, [claim], won=[(11, 0, 0), (11, 0, 0)])),
            ("both sets", writer.certificate(self.RULES, [claim], safe=[(11, 0, 0)], won=won)),
            ("not the canonical", writer.certificate(self.RULES, [claim], won=[(19, 0, 0)])),
            ("beyond the board", writer.certificate(self.RULES, [claim], won=[(11 + 27, 0, 0)])),
            ("side without stones", writer.certificate(self.RULES, [claim], won=[(1, 0, 0)])),
            ("no reply 1", writer.certificate(self.RULES, [claim], won=[(11, 1, 0)])),
            ("out of range", writer.certificate(self.RULES, [(1, 1, 0, 0)], won=won)),
            ("out of range", writer.certificate(self.RULES, [(1, 8, 0, 0)], won=won)),
            ("out of range", writer.certificate(self.RULES, [(1, 4, 2, 0)], won=won)),
            ("out of range", writer.certificate(self.RULES, [(1, 4, 0, 5)], won=won)),
            ("out of range", writer.certificate(self.RULES, [], won=won)),
            ("columns is 4", writer.certificate(Rules(4, 1), [claim], won=won)),
            ("more than 64 points", writer.certificate(Rules(13, 13), [claim])),
            ("stalemate is 2", writer.certificate(Rules(3, 1, 0, 0, 2), [claim], won=won)),
            ("does not exist", writer.certificate(self.RULES, [claim], won=won, tables=[(0, 1, bytes(16))])),
            ("does not exist", writer.certificate(self.RULES, [claim], won=won, tables=[(2, 2, bytes(16))])),
            ("not in order", writer.certificate(self.RULES, [claim], won=won, tables=[(1, 1, bytes(16))] * 2)),
            ("without 1v1", writer.certificate(self.RULES, [claim], won=won, tables=[(1, 2, bytes(16))])),
            ("is missing", writer.certificate(self.RULES, [claim], won=won, tables=[(1, 1, bytes(16))])),
        ):
            self.refused(data, because)

    def test_damage_under_a_checksum_that_fits(self) -> None:
        """Whoever writes a false file writes a true checksum. Then it is refused, or proves the same."""
        data = writer.certificate(self.RULES, [(self.A, self.C, 0, WHITE_WINS)], won=[(11, 0, 0)])
        accepted = 0
        for number in range(len(data) - 16):
            for bit in range(8):
                damaged = bytearray(data)
                damaged[number] ^= 1 << bit
                status, printed, errors = super().check(writer.sealed(bytes(damaged)))
                if status:
                    self.assertEqual((printed, errors.count("\n")), ("", 1))
                else:
                    accepted += 1
                    certificate = Certificate(self.path)
                    (claim,) = certificate.claims
                    value = plain_value(Board(certificate.rules), claim.white, claim.black, claim.side)
                    self.assertIn(claim.value, TRUE_CLAIMS[value])
        self.assertGreater(accepted, 32)  # any rank is as good


def plain_value(board: Board, white: int, black: int, side: int) -> int:
    """The value for White, by trying everything."""
    start = (white, black) if side == 0 else (black, white)
    turns = {}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        if position not in turns:
            turns[position] = [(theirs, mine) for mine, theirs in board.turns(*position)] if all(position) else []
            waiting += turns[position]
    values = {}
    for position, after in turns.items():
        if not all(position):
            values[position] = WIN if position[0] else LOSS
        elif not after:
            values[position] = DRAW if board.rules.stalemate else LOSS
    changed = True
    while changed:
        changed = False
        for position, after in turns.items():
            if position not in values:
                known = [values.get(child) for child in after]
                if LOSS in known:
                    values[position] = WIN
                elif set(known) == {WIN}:
                    values[position] = LOSS
                changed |= position in values
    value = values.get(start, DRAW)
    return value if side == 0 else REVERSED[value]


@unittest.skipUnless(support.HAS_PROGRAM, support.NO_PROGRAM)
class OfTheProgram(Files):
    """What `reproduce` and `solve` write."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = support.temporary_folder()
        cls.db = folder.__enter__()
        cls.addClassCleanup(folder.__exit__, None, None, None)
        support.program("reproduce", "--db", cls.db)
        for rules in OTHER_BOARDS:
            support.program("solve", rules.size, "--stones", 6, "--db", cls.db, *support.options(rules))

    def certificates(self) -> List[Path]:
        return sorted((self.db / "certificates").glob("*.proof"))

    def test_all_are_proved(self) -> None:
        paths = self.certificates()
        self.assertEqual(len(paths), len(BOARDS) + len(OTHER_BOARDS))
        for path in paths:
            with self.subTest(path.name):
                status, printed, errors = support.run("check", path, "--db", self.db)
                self.assertEqual(status, 0, errors)
                recorded = path.with_name(path.name + ".checked").read_text()
                certificate = Certificate(path)
                self.assertIn(certificate.checksum, recorded)
                self.assertIn(f"Certificate {certificate.checksum}:", printed)
                for mover, opponent in certificate.tables:
                    self.assertIn(f"  {mover}v{opponent} ", printed)

    def test_false_claims_are_not_proved(self) -> None:
        for name, false in (("5x5", (WHITE_WINS, BLACK_WINS)), ("9x3", (DRAWN, BLACK_WINS, BLACK_HOLDS))):
            certificate, safe, won = self.entries(name)
            tables = [(*slice_, identity) for slice_, identity in certificate.tables.items()]
            (claim,) = certificate.claims
            self.proved(writer.certificate(certificate.rules, [claim], safe, won, tables), self.db)
            for value in false:
                data = writer.certificate(certificate.rules, [claim._replace(value=value)], safe, won, tables)
                self.refused(data, "does not follow", self.db)

    def test_sets_with_gaps_and_wrong_ranks_are_not_proved(self) -> None:
        certificate, safe, _ = self.entries("5x5")
        tables = [(*slice_, identity) for slice_, identity in certificate.tables.items()]
        rules, claims = certificate.rules, certificate.claims
        self.refused(writer.certificate(rules, claims, [], [], tables), "does not follow", self.db)
        self.refused(writer.certificate(rules, claims, [(code, 10**6, SAFE) for code, _, _ in safe], [], tables), "no reply", self.db)
        certificate, _, won = self.entries("9x3")
        tables = [(*slice_, identity) for slice_, identity in certificate.tables.items()]
        rules, claims = certificate.rules, certificate.claims
        self.refused(writer.certificate(rules, claims, [], [(code, reply, 0) for code, reply, _ in won], tables), "escapes", self.db)

    def test_other_tables_are_refused(self) -> None:
        certificate, _, won = self.entries("9x3")
        tables = [[*slice_, identity] for slice_, identity in certificate.tables.items()]
        tables[5][2] = bytes(16)
        self.refused(writer.certificate(certificate.rules, certificate.claims, [], won, tables), "another table", self.db)

    def test_a_changed_value_is_refused(self) -> None:
        """A table with another value and checksums that fit has another identity."""
        certificate, tables = self.copy_of_3x5()
        path = tables / "1v1.wdl"
        good = path.read_bytes()
        for new_identity, because in ((False, "do not have the identity"), (True, "another table")):
            path.write_bytes(writer.table_with_other_values(good, new_identity))
            self.refused(certificate, because)
        path.write_bytes(writer.table_with_other_values(good, True))
        with Database(self.folder, Rules(3, 5)) as database:
            self.assertEqual(list(database.table(1, 1).check_identity()), [len(path.read_bytes()) - 141])

    def copy_of_3x5(self) -> Tuple[bytes, Path]:
        """A certificate, and a folder with its tables."""
        folder = self.folder / "3x5"
        folder.mkdir()
        for table in (self.db / "3x5").glob("*.wdl"):
            (folder / table.name).write_bytes(table.read_bytes())
        certificate = (self.db / "certificates/3x5.proof").read_bytes()
        self.proved(certificate)
        return certificate, folder

    def test_a_damaged_table_is_refused(self) -> None:
        certificate, tables = self.copy_of_3x5()
        table = tables / "4v3.wdl"
        data = table.read_bytes()
        for place in (0, 20, 60, 100, 110, 120, 130, len(data) // 2, len(data) - 1):
            table.write_bytes(data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :])
            self.refused(certificate, "4v3.wdl")
        table.write_bytes(data[:-3])
        self.refused(certificate, "4v3.wdl")
        table.unlink()
        self.refused(certificate, "4v3.wdl is missing")

    def entries(self, board: str):
        certificate = Certificate(self.db / f"certificates/{board}.proof")
        safe, won = [], []
        for code, _, _, reply, rank in certificate.positions():
            (safe if rank == SAFE else won).append((code, reply, rank))
        return certificate, safe, won


class CommandLine(Files):
    def test_one_line_for_each_error(self) -> None:
        for arguments in (["check", self.folder / "missing.proof"], ["check", self.folder], ["probe", "nonsense"]):
            status, printed, errors = support.run(*arguments)
            self.assertEqual((status, printed, errors.count("\n")), (1, "", 1))

    def test_a_position_of_a_board_without_tables_is_unknown(self) -> None:
        status, printed, _ = support.run("probe", "B4/5/5/5/3W1 b", "--db", self.folder)
        self.assertEqual((status, printed.splitlines()[0]), (0, "unknown B4/5/5/5/3W1 b"))
