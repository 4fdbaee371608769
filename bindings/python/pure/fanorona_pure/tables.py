"""Table files: values and depths, read block by block."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

import xxhash
import zstandard

from .cache import Cache
from .errors import Refused
from .layout import Geometry, Layout
from .rules import DRAW, LOSS, REVERSED, WIN, Board, Position, Rules, popcount
from .symmetry import Symmetries

MAGIC = b"FANORONA"
HEADER = struct.Struct("<8sI9B10Q16sQ")
VALUES, DEPTHS = 0, 1
SUFFIXES = ("wdl", "dtw")
DIGITS = [bytes(byte // power % 3 for power in (1, 3, 9, 27, 81)) for byte in range(243)]
TOO_LARGE = bytes(range(243, 256))
PIECE = 64  # bytes of quiet bits between two counts


class Block:
    """The values of a stretch of words."""

    def __init__(self, quiet: int, size: int, packed: bytes) -> None:
        self.packed = packed
        self._quiet = quiet.to_bytes(size, "little")
        self._before = [0]
        for start in range(0, size, PIECE):
            piece = int.from_bytes(self._quiet[start : start + PIECE], "little")
            self._before.append(self._before[-1] + popcount(piece))

    @property
    def size(self) -> int:
        return len(self._quiet) + len(self.packed) + 50 * len(self._before)

    def is_quiet(self, bit: int) -> bool:
        return bool(self._quiet[bit >> 3] >> (bit & 7) & 1)

    def rank(self, bit: int) -> int:
        """The number of quiet positions before one."""
        piece = bit // (8 * PIECE)
        start = piece * PIECE
        bits = int.from_bytes(self._quiet[start : start + PIECE], "little")
        return self._before[piece] + popcount(bits & (1 << bit - 8 * start) - 1)

    def value(self, bit: int) -> int:
        byte, digit = divmod(self.rank(bit), 5)
        return DIGITS[self.packed[byte]][digit]

    def values(self, first: int, end: int) -> bytes:
        """The values, a byte each, of the quiet positions from bit `first` to before bit `end`."""
        first, end = self.rank(first), self.rank(end)
        start = first // 5
        digits = b"".join([DIGITS[byte] for byte in self.packed[start : -(-end // 5)]])
        return digits[first - 5 * start : end - 5 * start]


class Summary(NamedTuple):
    """How many positions are won in 1, 3, 5 … plies and lost in 0, 2, 4 … plies, and the first of those that take most."""

    wins: List[int]
    losses: List[int]
    longest_win: Optional[Tuple[int, int]]
    longest_loss: Optional[Tuple[int, int]]


class Table:
    """A table file: its header, checked, and its blocks, each checked when it is read."""

    def __init__(self, path: Path, geometry: Geometry, layout: Layout, metric: int) -> None:
        self.path = path
        self.layout = layout
        self.metric = metric
        self._file: BinaryIO = open_file(path)
        try:
            self._read_header(geometry.board.rules)
        except struct.error:
            self.close()
            raise self._refused("is cut short") from None
        except Refused:
            self.close()
            raise

    def close(self) -> None:
        self._file.close()

    def _refused(self, problem: str) -> Refused:
        return Refused(f"{self.path} {problem}; build the table again")

    def _read_header(self, rules: Rules) -> None:
        start = self._file.read(HEADER.size)
        if start[:8] != MAGIC:
            raise self._refused("is not a table: it does not begin with FANORONA")
        (version,) = struct.unpack_from("<I", start, 8)
        if version != 1:
            raise self._refused(f"has version {version} of the format, and this reader knows version 1")
        (_, _, *numbers, self.identity, checksum) = HEADER.unpack(start)
        if xxhash.xxh3_64_intdigest(start[:-8]) != checksum:
            raise self._refused("is damaged: the checksum of the header does not fit")
        found = Rules(*numbers[:5])
        metric, mover, opponent, scheme, orbits, row_words, self.block_words = numbers[5:12]
        self.positions, self.wins, self.draws, self.losses, self.quiet, size, index_checksum = numbers[12:]
        layout = self.layout
        if found.problem():
            raise self._refused(f"has a field out of range: {found.problem()}")
        if metric > 1 or not 1 <= self.block_words <= 1 << 20 or not mover or not opponent:
            raise self._refused("has a field out of range")
        if self._length() != size:
            raise self._refused(f"has {self._length()} bytes, but its header promises {size}")
        if found != rules or (mover, opponent, metric) != (layout.mover, layout.opponent, self.metric):
            raise self._refused(f"contains another table: {found}, {mover}v{opponent}.{SUFFIXES[metric]}")
        if scheme != (2 if layout.crowded else 1):
            raise self._refused(f"has index scheme {scheme}, which is not that of this slice")
        if (orbits, row_words) != (layout.orbits.count, layout.row_words):
            raise self._refused("has other rows than its slice")
        if self.positions != layout.positions or self.wins + self.draws + self.losses != self.positions or self.quiet > self.positions:
            raise self._refused("has counts that do not add up")
        self.words = orbits * row_words
        self.blocks = -(-self.words // self.block_words)
        entries = self.blocks + self.metric
        index_end = HEADER.size + 16 * entries
        if index_end > size:
            raise self._refused("is damaged: its block index does not end within the file")
        index = self._file.read(16 * entries)
        if xxhash.xxh3_64_intdigest(index) != index_checksum:
            raise self._refused("is damaged: the checksum of the block index does not fit")
        pairs = list(struct.iter_unpack("<QQ", index))
        self._ends = [start for start, _ in pairs] + [size]
        self._checksums = [checksum for _, checksum in pairs]
        if self._ends[0] != index_end or any(start > end for start, end in zip(self._ends, self._ends[1:])):
            raise self._refused("is damaged: its blocks are not in order")

    def _length(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def content(self, number: int, most: int) -> bytes:
        """A block (or the summary, after the last), checked and decompressed to at most so many bytes."""
        start, end = self._ends[number : number + 2]
        self._file.seek(start)
        frame = self._file.read(end - start)
        if len(frame) != end - start or xxhash.xxh3_64_intdigest(frame) != self._checksums[number]:
            raise self._refused(f"is damaged: the checksum of block {number} does not fit")
        try:
            return decompressed(frame, most)
        except zstandard.ZstdError as error:
            raise self._refused(f"is damaged: block {number} does not decompress ({error})") from None

    def stretch(self, number: int) -> Tuple[int, int]:
        """The first word of a block, and how many it has."""
        first = number * self.block_words
        return first, min(self.block_words, self.words - first)

    def block(self, number: int) -> Block:
        """The values of a block. Only for a table of values."""
        first, words = self.stretch(number)
        quiet = self.layout.quiet(first, words)
        stored = popcount(quiet)
        packed = self.content(number, -(-64 * words // 5))
        if len(packed) != -(-stored // 5):
            raise self._refused(f"is damaged: block {number} has another number of values than it has quiet positions")
        if len(packed.translate(None, TOO_LARGE)) != len(packed):
            raise self._refused(f"is damaged: block {number} has a byte above 242")
        return Block(quiet, 8 * words, packed)

    def steps(self, number: int, values: bytes) -> Tuple[List[int], List[int]]:
        """The steps of a block of a depth table, of wins and of losses, given the values in its stretch."""
        wins, losses = values.count(WIN), values.count(LOSS)
        found = []
        step = shift = 0
        for byte in self.content(number, 3 * (wins + losses)):
            step |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if step > 32766 or byte == 0 and shift > 7:
                    raise self._refused(f"is damaged: block {number} has a number that is too large or too long")
                found.append(step)
                step = shift = 0
        if shift or len(found) != wins + losses:
            raise self._refused(f"is damaged: block {number} has another number of steps than it has wins and losses")
        return found[:wins], found[wins:]

    def check_beside(self, values: Optional[Table]) -> None:
        """Checks that this table of depths belongs to a table of values."""
        if values is None:
            raise self._refused("has no table of values beside it")
        if values.block_words % self.block_words:
            raise self._refused("has blocks that do not divide those of the values")
        if (self.wins, self.draws, self.losses, self.quiet) != (values.wins, values.draws, values.losses, values.quiet):
            raise self._refused("has other counts than the table of values")

    def summary(self) -> Summary:
        """The summary of a depth table, checked."""
        content = iter(self.content(self.blocks, 1 << 24))

        def short() -> int:
            first = next(content)
            size = {251: 2, 252: 4, 253: 8}.get(first, 0)
            return int.from_bytes(bytes(next(content) for _ in range(size)), "little") if size else first

        try:
            wins = [short() for _ in range(short())]
            losses = [short() for _ in range(short())]
            longest = [(short(), short()) if next(content) else None for _ in range(2)]
        except (StopIteration, RuntimeError):
            raise self._refused("is damaged: its summary is cut short") from None
        if (sum(wins), sum(losses)) != (self.wins, self.losses) or next(content, None) is not None:
            raise self._refused("is damaged: its summary does not add up")
        for position in longest:
            if position and (position[0] & position[1] or tuple(map(popcount, position)) != (self.layout.mover, self.layout.opponent)):
                raise self._refused("is damaged: a position in its summary is of another slice")
        return Summary(wins, losses, *longest)

    def check_identity(self) -> Iterator[int]:
        """Checks all blocks against the identity, and says after each how many bytes it had in the file."""
        content = xxhash.xxh3_128()
        for number in range(len(self._checksums)):
            words = self.stretch(min(number, self.blocks - 1))[1]
            content.update(self.content(number, (192 if self.metric else 13) * words + 1_000_000))
            yield self._ends[number + 1] - self._ends[number]
        if content.digest()[::-1] != self.identity:
            raise self._refused("is damaged: its blocks do not have the identity in its header")


def open_file(path: Path) -> BinaryIO:
    """Opens a file to read; a pipe, for which one would wait, is refused."""
    if path.exists() and not path.is_file():
        raise Refused(f"{path} is not an ordinary file")
    return open(path, "rb")


def decompressed(frame: bytes, most: int) -> bytes:
    """The content of a zstd frame that states its size, at most so many bytes."""
    size = zstandard.frame_content_size(frame)
    if not 0 <= size <= most:
        raise zstandard.ZstdError("the frame does not state its size" if size < 0 else f"{size} bytes are too many")
    if size == 0:
        return b""
    return zstandard.ZstdDecompressor().decompress(frame, max_output_size=size, allow_extra_data=False)


class Database:
    """The tables of one board and rule set: looks positions up."""

    def __init__(self, folder: Path, rules: Rules) -> None:
        self.folder = Path(folder) / rules.folder
        self.board = Board(rules)
        self._geometry = Geometry(self.board)
        self._tables: Dict[Tuple[int, int, int], Optional[Table]] = {}
        self._blocks = Cache(600_000_000)
        self._known: Dict[Tuple[int, int], Optional[int]] = {}

    @property
    def symmetries(self) -> Symmetries:
        return self._geometry.symmetries

    def table(self, mover: int, opponent: int, metric: int = VALUES) -> Optional[Table]:
        """The table of a slice, or None if there is none."""
        key = mover, opponent, metric
        if key not in self._tables:
            path = self.folder / f"{mover}v{opponent}.{SUFFIXES[metric]}"
            if path.exists():
                table = Table(path, self._geometry, Layout(self._geometry, mover, opponent), metric)
                if metric == DEPTHS:
                    try:
                        table.check_beside(self.table(mover, opponent))
                    except Refused:
                        table.close()
                        raise
                self._tables[key] = table
            else:
                self._tables[key] = None
        return self._tables[key]

    def close(self) -> None:
        for table in self._tables.values():
            if table is not None:
                table.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _block(self, table: Table, number: int) -> Block:
        key = table.path, number
        block = self._blocks.get(key)
        if block is None:
            block = table.block(number)
            self._blocks.put(key, block, block.size)
        return block

    def value(self, mover: int, opponent: int) -> Optional[int]:
        """DRAW, WIN or LOSS for the side to move. None if it is unknown, because a table is missing."""
        if mover & opponent or (mover | opponent) >> self.board.points:
            raise ValueError("not two sets of points of the board without a common one")
        if not mover:
            return LOSS
        if not opponent:
            return WIN
        key = mover, opponent
        if key in self._known:
            return self._known[key]
        captures = self.board.captures(mover, opponent)
        value = self._best(captures) if captures else self._stored(mover, opponent)
        if len(self._known) > 1_000_000:
            self._known.clear()
        self._known[key] = value
        return value

    def _best(self, captures: Iterable[Position]) -> Optional[int]:
        best: Optional[int] = LOSS
        for mover, opponent in captures:
            value = self.value(opponent, mover)
            if value == LOSS:
                return WIN
            if value is None:
                best = None
            elif value == DRAW and best is not None:
                best = DRAW
        return best

    def _stored(self, mover: int, opponent: int) -> Optional[int]:
        table = self.table(popcount(mover), popcount(opponent))
        if table is None:
            return None
        row, column = table.layout.place(mover, opponent)
        number, word = divmod(row * table.layout.row_words + column // 64, table.block_words)
        block = self._block(table, number)
        bit = 64 * word + column % 64
        assert block.is_quiet(bit)
        return block.value(bit)

    def depth(self, mover: int, opponent: int) -> Optional[int]:
        """The plies to the end of a won or lost game. None if it is drawn, or if a table is missing."""
        value = self.value(mover, opponent)
        if not mover or not opponent:
            return 0
        if value is None or value == DRAW:
            return None
        captures = self.board.captures(mover, opponent)
        if not captures:
            return self._stored_depth(mover, opponent)
        depths = []
        for after_mover, after_opponent in captures:
            after = self.value(after_opponent, after_mover)
            if after is None or after == REVERSED[value]:
                depth = self.depth(after_opponent, after_mover)
                if depth is None:
                    return None
                depths.append(depth)
        return 1 + (min(depths) if value == WIN else max(depths))

    def _stored_depth(self, mover: int, opponent: int) -> Optional[int]:
        counts = popcount(mover), popcount(opponent)
        table, values = self.table(*counts, DEPTHS), self.table(*counts)
        if table is None or values is None:
            return None
        row, column = table.layout.place(mover, opponent)
        word = row * table.layout.row_words + column // 64
        number = word // table.block_words
        first, words = table.stretch(number)
        block_number, offset = divmod(first, values.block_words)
        block = self._block(values, block_number)
        digits = block.values(64 * offset, 64 * (offset + words))
        key = table.path, number
        steps = self._blocks.get(key)
        if steps is None:
            steps = table.steps(number, digits)
            self._blocks.put(key, steps, 36 * len(digits))
        bit = 64 * (word - first + offset) + column % 64
        value = block.value(bit)
        before = digits[: block.rank(bit) - block.rank(64 * offset)].count(value)
        return 2 * steps[0][before] + 1 if value == WIN else 2 * steps[1][before]
