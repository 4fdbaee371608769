"""The command line: `python -m fanorona_pure check FILE` and `python -m fanorona_pure probe POSITION`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Iterator, List, Optional

from .certificates import VALUES, Certificate, check
from .errors import NotProved, Refused
from .rules import DRAW, LOSS, REVERSED, WIN, Board, Rules, parse
from .tables import Database

NAMES = {DRAW: "draw", WIN: "win", LOSS: "loss", None: "unknown"}
BEST_FIRST = (WIN, DRAW, None, LOSS)


class Progress:
    """A line on standard error with an estimate: every second on a terminal, else every ten."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.what = ""
        self.started = 0.0
        self.printed = time.monotonic()
        self.line = ""

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what != self.what:
            self.what, self.started = what, now
        if done and now - self.printed >= (1 if self.terminal else 10):
            self.printed = now
            self._print(f"{done:,} of {total:,} {what}, {(now - self.started) * (total - done) / done:.0f} s left")

    def _print(self, line: str) -> None:
        print(f"\r{line.ljust(len(self.line))}" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True)
        self.line = line

    def finish(self) -> None:
        """Clears the line on a terminal."""
        if self.terminal and self.line:
            self._print("")
            print("\r", end="", file=sys.stderr, flush=True)


def run_check(arguments: argparse.Namespace) -> None:
    started = time.monotonic()
    certificate = Certificate(arguments.file)
    progress = Progress()
    try:
        check(certificate, arguments.db, progress)
    finally:
        progress.finish()
    print(f"{certificate.rules}: proved in {time.monotonic() - started:.1f} s")
    board = Board(certificate.rules)
    for claim in certificate.claims:
        print(f"  {board.text(claim.white, claim.black, claim.side)}  {VALUES[claim.value]}")
    print(f"Certificate {certificate.checksum}: {certificate.safe:,} positions without loss, {certificate.won:,} won.")
    if certificate.tables:
        stones = max(map(sum, certificate.tables))
        print(f"It rests on {len(certificate.tables)} tables, up to {stones} stones, whose bytes fit these identities:")
        for (mover, opponent), identity in certificate.tables.items():
            print(f"  {mover}v{opponent} {identity[::-1].hex()}")
    else:
        print("It rests on no tables.")


def run_probe(arguments: argparse.Namespace) -> None:
    columns, rows, white, black, side = parse(arguments.position)
    if not arguments.db.is_dir():
        raise Refused(f"{arguments.db} is not a folder; name the database folder with --db")
    options = [values.index(getattr(arguments, name)) for name, values in Rules.OPTIONS]
    mover, opponent = (white, black) if side == 0 else (black, white)
    with Database(arguments.db, Rules.of_options(columns, rows, options)) as database:
        value = described(database, mover, opponent, False)
        print("\n".join([f"{value} {database.board.text(white, black, side)}", *turns(database, mover, opponent, side)]))


def turns(database: Database, mover: int, opponent: int, side: int) -> Iterator[str]:
    """A line for each turn, best first: its value for the player who makes it, and the position after it."""
    if not mover or not opponent:
        return
    lines = []
    for mine, theirs in database.board.turns(mover, opponent):
        value = database.value(theirs, mine)
        depth = database.depth(theirs, mine) or 0
        mover_value = value if value is None else REVERSED[value]
        text = database.board.text(*((mine, theirs) if side == 0 else (theirs, mine)), 1 - side)
        order = BEST_FIRST.index(mover_value), depth if mover_value == WIN else -depth
        lines.append((order, text, described(database, theirs, mine, True)))
    for _, text, words in sorted(lines):
        yield f"  {words} {text}"


def described(database: Database, mover: int, opponent: int, for_the_other: bool) -> str:
    """The value of a position, and its depth if that is known."""
    value = database.value(mover, opponent)
    if value is None:
        return NAMES[None]
    depth = database.depth(mover, opponent)
    return NAMES[REVERSED[value] if for_the_other else value] + (f" in {depth}" if depth is not None else "")


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fanorona_pure", description="Reads and checks Fanorona's tables and certificates.")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="check that a certificate proves what it claims")
    checking.add_argument("file", type=Path, help="the certificate")
    probing = commands.add_parser("probe", help="print the value of a position, and of the positions after its turns")
    probing.add_argument("position", help='ranks from the top, then the side to move, such as "9/9/9/B6B1/B3WW2W w"')
    for name, values in Rules.OPTIONS:
        probing.add_argument("--" + name, choices=values, default=values[0])
    for command, run in ((checking, run_check), (probing, run_probe)):
        command.add_argument("--db", type=Path, default=Path("db"), help="the database folder")
        command.set_defaults(run=run)
    parsed = parser.parse_args(arguments)
    try:
        parsed.run(parsed)
    except NotProved as problem:
        print(f"fanorona_pure: {parsed.file} is not proved: {problem}", file=sys.stderr)
        return 1
    except Refused as problem:
        print(f"fanorona_pure: {problem}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"fanorona_pure: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("fanorona_pure: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
