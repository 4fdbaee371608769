"""Certificate files: read, and checked by the conditions of `src/proof/FORMAT.md`."""

from __future__ import annotations

import os
import struct
from array import array
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import xxhash
import zstandard

from .errors import NotProved, Refused
from .rules import DRAW, WIN, Board, Rules, popcount
from .symmetry import Symmetries
from .tables import Database, decompressed, open_file

MAGIC = b"FANOCERT"
HEADER = struct.Struct("<8sIQ5BIIQQ")
TABLE = struct.Struct("<BB16s")
CLAIM = struct.Struct("<QQBB")
VALUES = ("White wins", "Black wins", "draw", "White does not lose", "Black does not lose")
BLOCK = 131_072
SAFE = -1  # in place of a rank

# A byte of a code: the points of the mover, and those of the opponent, of five.
FIVE_POINTS = [tuple(sum(1 << place for place in range(5) if byte // 3**place % 3 == stone) for stone in (1, 2)) for byte in range(243)]

OnProgress = Callable[[str, int, int], None]


class Claim(NamedTuple):
    white: int
    black: int
    side: int
    value: int

    def stones(self, colour: int) -> Tuple[int, int]:
        """The stones of a colour, and those of the other."""
        return (self.white, self.black) if colour == 0 else (self.black, self.white)

    def proves(self) -> Iterator[Tuple[int, bool]]:
        """What follows the claim: the colours that win or do not lose, and which of the two."""
        if self.value < 2:
            yield self.value, True
        elif self.value == 2:
            yield from ((0, False), (1, False))
        else:
            yield self.value - 3, False


class Certificate:
    """A certificate as it is in the file. Everything that needs no turns is checked while it is read."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        with open_file(self.path) as file:
            data = file.read(HEADER.size)
            if data[:8] != MAGIC:
                raise self._refused("is not a certificate: it does not begin with FANOCERT")
            if len(data) < HEADER.size:
                raise self._refused("is cut short")
            (_, version, size, *numbers, tables, claims, self.safe, self.won) = HEADER.unpack(data)
            if version != 1:
                raise self._refused(f"has version {version} of the format, and this checker knows version 1")
            length = os.fstat(file.fileno()).st_size
            if size != length or size < HEADER.size + 16:
                raise self._refused(f"has {length} bytes, but promises {size}")
            data += file.read(size - len(data))
        checksum = xxhash.xxh3_128_intdigest(data[:-16])
        if checksum != int.from_bytes(data[-16:], "little"):
            raise self._refused("is damaged: its checksum does not fit")
        self.checksum = f"{checksum:032x}"
        self.rules = Rules(*numbers)
        if self.rules.problem():
            raise self._refused(f"has a field out of range: {self.rules.problem()}")
        if not 1 <= claims <= 65_536 or max(self.safe, self.won) > 1 << 36 or self.safe + self.won > 16 * size:
            raise self._refused("has a field out of range")
        self._offset = HEADER.size
        self._data = data
        self.tables = self._read_tables(tables)
        self.claims = self._read_claims(claims)

    def _refused(self, problem: str) -> Refused:
        return Refused(f"{self.path} {problem}")

    def _take(self, size: int) -> bytes:
        part = self._data[self._offset : min(self._offset + size, len(self._data) - 16)]
        if len(part) != size:
            raise self._refused("is damaged: its parts are longer than the file")
        self._offset += size
        return part

    def _read_tables(self, number: int) -> Dict[Tuple[int, int], bytes]:
        tables: Dict[Tuple[int, int], bytes] = {}
        for mover, opponent, identity in TABLE.iter_unpack(self._take(TABLE.size * number)):
            if not mover or not opponent or mover + opponent > self.rules.columns * self.rules.rows:
                raise self._refused(f"lists a table {mover}v{opponent}, which does not exist")
            if tables and (mover, opponent) <= max(tables):
                raise self._refused("has a list of tables that is not in order")
            tables[mover, opponent] = identity
        for mover, opponent in tables:
            for fewer in range(1, opponent):
                if (fewer, mover) not in tables:
                    raise self._refused(f"lists the table {mover}v{opponent} without {fewer}v{mover}, to which captures lead")
        return tables

    def _read_claims(self, number: int) -> List[Claim]:
        claims = [Claim(*fields) for fields in CLAIM.iter_unpack(self._take(CLAIM.size * number))]
        for claim in claims:
            off_board = (claim.white | claim.black) >> self.rules.columns * self.rules.rows
            if claim.white & claim.black or off_board or claim.side > 1 or claim.value >= len(VALUES):
                raise self._refused("has a claim with a field out of range")
        return claims

    def positions(self) -> Iterator[Tuple[int, int, int, int, int]]:
        """All positions, the safe set first: code, mover, opponent, reply, rank (or SAFE). May be called once."""
        for number, ranked in ((self.safe, False), (self.won, True)):
            last = -1
            for first in range(0, number, BLOCK):
                for position in self._block(min(BLOCK, number - first), ranked):
                    if position[0] <= last:
                        raise self._refused("has positions that are not in order")
                    last = position[0]
                    yield position
        if self._offset != len(self._data) - 16:
            raise self._refused("has bytes that belong to nothing")

    def _block(self, number: int, ranked: bool) -> Iterator[Tuple[int, int, int, int, int]]:
        points = self.rules.columns * self.rules.rows
        digits = -(-points // 5)
        planes = digits + (8 if ranked else 4)
        frame = self._take(int.from_bytes(self._take(4), "little"))
        try:
            content = decompressed(frame, planes * number)
        except zstandard.ZstdError as error:
            raise self._refused(f"is damaged: a block does not decompress ({error})") from None
        if len(content) != planes * number:
            raise self._refused("is damaged: a block has another length than its positions need")
        five_points = FIVE_POINTS
        for column in zip(*[content[start : start + number] for start in range(0, len(content), number)]):
            code = mover = opponent = 0
            try:
                for digit in column[:digits]:
                    mine, theirs = five_points[digit]
                    code = 243 * code + digit
                    mover = mover << 5 | mine
                    opponent = opponent << 5 | theirs
            except IndexError:
                raise self._refused("has a code with a byte above 242") from None
            if (mover | opponent) >> points or not mover or not opponent:
                raise self._refused("has a position with a stone beyond the board, or a side without stones")
            reply, rank = column[digits : digits + 4], column[digits + 4 :]
            yield code, mover, opponent, int.from_bytes(reply, "big"), int.from_bytes(rank, "big") if ranked else SAFE


class Checker:
    """The positions of a certificate, and the conditions that they have to meet."""

    def __init__(self, certificate: Certificate, database: Database, on_progress: OnProgress) -> None:
        self.certificate = certificate
        self.database = database
        self.board: Board = database.board
        self.symmetries: Symmetries = database.symmetries
        self.on_progress = on_progress
        self.stalemate_draws = bool(certificate.rules.stalemate)
        self.sets: Dict[int, int] = {}  # the rank of each code, or SAFE
        self.movers, self.opponents, self.replies, self.ranks = array("Q"), array("Q"), array("I"), array("q")

    def check(self) -> None:
        """Checks everything. Raises NotProved or Refused if anything does not hold."""
        self._check_tables()
        self._read_sets()
        positions = zip(self.movers, self.opponents, self.replies, self.ranks)
        for number, position in enumerate(positions):
            if number % 1024 == 0:
                self.on_progress("positions", number, len(self.movers))
            self._check_position(*position)
        for claim in self.certificate.claims:
            for colour, wins in claim.proves():
                if not self._holds(claim, colour, wins):
                    text = self.board.text(claim.white, claim.black, claim.side)
                    raise NotProved(f"{VALUES[claim.value]} in {text} does not follow from the positions")

    def _check_tables(self) -> None:
        tables = []
        for (mover, opponent), identity in self.certificate.tables.items():
            table = self.database.table(mover, opponent)
            path = self.database.folder / f"{mover}v{opponent}.wdl"
            if table is None:
                raise Refused(f"{path} is missing, and the certificate uses it; build the table, or name its folder with --db")
            if table.identity != identity:
                raise Refused(f"{path} is another table than the certificate uses: its identity is different")
            tables.append(table)
        total = sum(table.path.stat().st_size for table in tables)
        done = 0
        for table in tables:
            for size in table.check_identity():
                done += size
                self.on_progress("bytes of tables", done, total)

    def _read_sets(self) -> None:
        certificate = self.certificate
        total = certificate.safe + certificate.won
        for number, (code, mover, opponent, reply, rank) in enumerate(certificate.positions()):
            if number % 8192 == 0:
                self.on_progress("positions read", number, total)
            if self.symmetries.code(mover, opponent) != code:
                raise Refused(f"{certificate.path} has a position that is not the canonical one: {self._text(mover, opponent)}")
            if code in self.sets:
                raise Refused(f"{certificate.path} has a position in both sets: {self._text(mover, opponent)}")
            self.sets[code] = rank
            self.movers.append(mover)
            self.opponents.append(opponent)
            self.replies.append(reply)
            self.ranks.append(rank)

    def _text(self, mover: int, opponent: int) -> str:
        return self.board.text(mover, opponent, 0)

    def _check_position(self, mover: int, opponent: int, reply: int, rank: int) -> None:
        turns = sorted(self.board.turns(mover, opponent))
        if not turns and reply == 0 and rank == SAFE and self.stalemate_draws:
            return
        if reply >= len(turns):
            raise NotProved(f"in {self._text(mover, opponent)} there is no reply {reply}: the mover has {len(turns)} turns")
        escape = self._escape(*turns[reply], rank)
        if escape is not None:
            kind = "safe" if rank == SAFE else "won"
            after = f"; it leads to {self.board.text(*escape, 0)}" if any(escape) else ": it has no turn, which is a draw"
            raise NotProved(f"in {self._text(mover, opponent)}, in the {kind} set, the other side escapes after the reply{after}")

    def _escape(self, mover: int, opponent: int, rank: float) -> Optional[Tuple[int, int]]:
        """A turn of the opponent after which it is not sure that the mover does not lose (rank SAFE), or wins with a lower rank.

        The answer is the position after the turn, (0, 0) if the opponent escapes for want of a turn, and None if it cannot escape.
        """
        if not opponent:
            return None
        turns = self.board.turns(opponent, mover)
        if not turns:
            return (0, 0) if rank != SAFE and self.stalemate_draws else None
        for their_stones, my_stones in turns:
            if not my_stones or not self._is_sure(my_stones, their_stones, rank):
                return my_stones, their_stones
        return None

    def _is_sure(self, mover: int, opponent: int, rank: float) -> bool:
        """Whether a look-up finds that the mover does not lose (rank SAFE), or wins with a rank below the one given."""
        if (popcount(mover), popcount(opponent)) in self.certificate.tables:
            value = self.database.value(mover, opponent)
            if value == WIN or value == DRAW and rank == SAFE:
                return True
        found = self.sets.get(self.symmetries.code(mover, opponent))
        return found is not None and (rank == SAFE or SAFE < found < rank)

    def _holds(self, claim: Claim, colour: int, wins: bool) -> bool:
        """Whether a colour wins, or does not lose, in the position of a claim."""
        mine, theirs = claim.stones(colour)
        rank = float("inf") if wins else SAFE
        if not mine:
            return False
        if not theirs:
            return True
        if claim.side != colour:
            return self._escape(mine, theirs, rank) is None
        if not wins and self.stalemate_draws and not self.board.turns(mine, theirs):
            return True
        return self._is_sure(mine, theirs, rank)


def check(certificate: Certificate, folder: Path, on_progress: OnProgress = lambda what, done, total: None) -> None:
    """Checks that a certificate proves what it claims, with the tables in a database folder.

    Raises NotProved or Refused if it does not. `on_progress` gets what is counted, how many are done, and how many there are.
    """
    with Database(folder, certificate.rules) as database:
        Checker(certificate, database, on_progress).check()
