"""What the tests share: the program, databases that it builds, and the command line of this package."""

from __future__ import annotations

import contextlib
import io
import os
import random
import subprocess
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Iterator, List, Tuple

from fanorona_pure.__main__ import main
from fanorona_pure.rules import Board, Rules

ROOT = Path(__file__).resolve().parents[4]
PROGRAM = Path(os.environ.get("FANORONA_PROGRAM", ROOT / "target/release/fanorona"))
HAS_PROGRAM = "FANORONA_PROGRAM" in os.environ or PROGRAM.exists()
NO_PROGRAM = f"there is no {PROGRAM}; build it with cargo build --release, or name it in FANORONA_PROGRAM"

OTHER_RULES = (1, 3, 1)


def program(*arguments: object, text: str = "") -> str:
    """Runs the program and returns what it prints."""
    command = [str(PROGRAM), *map(str, arguments)]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        raise AssertionError(f"{' '.join(command)} failed: {result.stderr}")
    return result.stdout


def status(*arguments: object) -> int:
    """The exit status of the program."""
    return subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True).returncode


def options(rules: Rules) -> List[str]:
    """The options of the program for a rule set."""
    return [f"--{name}={values[number]}" for (name, values), number in zip(Rules.OPTIONS, rules.options)]


def run(*arguments: object) -> Tuple[int, str, str]:
    """Runs this package's command line: exit status, standard output, and standard error without lines of progress."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = main([str(argument) for argument in arguments])
    lines = errors.getvalue().splitlines(keepends=True)
    return status, out.getvalue(), "".join(line for line in lines if not line.endswith(" left\n"))


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def slices(stones: int, points: int) -> Iterator[Tuple[int, int]]:
    """All slices of up to so many stones."""
    for mover in range(1, stones):
        for opponent in range(1, min(stones, points) - mover + 1):
            yield mover, opponent


def random_position(board: Board, mover: int, opponent: int, chance: random.Random) -> Tuple[int, int]:
    points = chance.sample(range(board.points), mover + opponent)
    return sum(1 << point for point in points[:mover]), sum(1 << point for point in points[mover:])


def positions(board: Board, mover: int, opponent: int) -> Iterator[Tuple[int, int]]:
    """All positions of a slice."""
    points = [1 << point for point in range(board.points)]
    for mine in map(sum, combinations(points, mover)):
        for theirs in map(sum, combinations([point for point in points if not point & mine], opponent)):
            yield mine, theirs


def text(board: Board, mover: int, opponent: int, side: int = 0) -> str:
    """A position as text, given by the stones of the side to move and of the other."""
    white, black = (mover, opponent) if side == 0 else (opponent, mover)
    return board.text(white, black, side)


def bytes_of_example(format_text: Path) -> bytes:
    """The file that a format text shows byte by byte."""
    lines = [line.split(": ", 1)[1] for line in format_text.read_text().splitlines() if line[:8].isalnum() and line[8:10] == ": "]
    return bytes.fromhex("".join(lines))


class DamagedExample:
    """Tests of a file that a format text shows: `data` are its bytes, and `refused` takes damaged ones and a part of the sentence."""

    data: bytes

    def test_every_flipped_bit_is_refused(self) -> None:
        for number in range(len(self.data)):
            for bit in range(8):
                damaged = bytearray(self.data)
                damaged[number] ^= 1 << bit
                self.refused(bytes(damaged))

    def test_every_shorter_or_longer_file_is_refused(self) -> None:
        for length in range(len(self.data)):
            self.refused(self.data[:length])
        self.refused(self.data + b"\0", f"{len(self.data) + 1} bytes")
