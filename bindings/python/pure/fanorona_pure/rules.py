"""The rules: boards, positions, and the turns of the side to move.

A set of points is an int with bit p set for each point p, p = column + columns * row. A position is a pair of sets: the stones of the
side to move (the mover) and those of the other side (the opponent). Colours matter only in text.
"""

from __future__ import annotations

import re
from typing import Callable, List, NamedTuple, Sequence, Set, Tuple

from .errors import Refused

Position = Tuple[int, int]

# Values for the side to move. They are also the digits of the tables.
DRAW, WIN, LOSS = 0, 1, 2
REVERSED = (DRAW, LOSS, WIN)

# Steps to the right and up. The opposite of direction d is d ^ 1.
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))

# The number of points of a set.
popcount: Callable[[int], int] = getattr(int, "bit_count", None) or (lambda bits: bin(bits).count("1"))

POINTS = re.compile(r"[WB.]|[0-9]+")


class Rules(NamedTuple):
    """A board and the options that tables and certificates know. The numbers are those of the files."""

    columns: int
    rows: int
    diagonals: int = 0
    chains: int = 0  # bit 0: obligatory continuation, bit 1: no direction twice in a turn
    stalemate: int = 0

    OPTIONS = (
        ("diagonals", ("corner", "centre")),
        ("continuation", ("optional", "obligatory")),
        ("directions", ("not-repeated", "once")),
        ("stalemate", ("loss", "draw")),
    )

    @classmethod
    def of_options(cls, columns: int, rows: int, options: Sequence[int]) -> Rules:
        """The rules with a number, 0 or 1, for each of OPTIONS."""
        diagonals, continuation, directions, stalemate = options
        return cls(columns, rows, diagonals, continuation | directions << 1, stalemate)

    @property
    def options(self) -> Tuple[int, int, int, int]:
        return self.diagonals, self.chains & 1, self.chains >> 1, self.stalemate

    def problem(self) -> str:
        """What is wrong with these numbers, as the end of a sentence; empty if nothing is."""
        for name, size in (("columns", self.columns), ("rows", self.rows)):
            if size % 2 == 0 or not 1 <= size <= 13:
                return f"{name} is {size}, but has to be odd and from 1 to 13"
        if self.columns * self.rows > 64:
            return f"the board {self.size} has more than 64 points"
        for name, number, most in (("diagonals", self.diagonals, 1), ("chains", self.chains, 3), ("stalemate", self.stalemate, 1)):
            if number > most:
                return f"{name} is {number}, but has to be at most {most}"
        return ""

    @property
    def size(self) -> str:
        return f"{self.columns}x{self.rows}"

    @property
    def folder(self) -> str:
        """The name of the folder with the tables of these rules."""
        return self.size + "".join("-" + values[1] for (_, values), number in zip(self.OPTIONS, self.options) if number)

    def __str__(self) -> str:
        named = zip(self.OPTIONS, self.options)
        options = (f"{name} {values[number]}" for (name, values), number in named if number or name != "directions")
        return ", ".join((self.size, *options))


class Direction(NamedTuple):
    """How sets move by one step: `(bits & leaves) << left >> right`. One of the two shifts is 0."""

    leaves: int
    left: int
    right: int


class Board:
    """The points and lines of a board, and the turns on it."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.points = rules.columns * rules.rows
        self.all = (1 << self.points) - 1
        self.directions = [self._direction(*step) for step in DIRECTIONS]

    def _direction(self, right: int, up: int) -> Direction:
        columns, rows = self.rules.columns, self.rules.rows
        strong = (columns // 2 + rows // 2) % 2 if self.rules.diagonals else 0
        leaves = 0
        for point in range(self.points):
            row, column = divmod(point, columns)
            on_board = 0 <= column + right < columns and 0 <= row + up < rows
            if on_board and (right == 0 or up == 0 or (column + row) % 2 == strong):
                leaves |= 1 << point
        shift = right + columns * up
        return Direction(leaves, max(shift, 0), max(-shift, 0))

    def next_point(self, point: int, direction: int) -> int:
        """The next point in a direction, or -1."""
        leaves, left, right = self.directions[direction]
        return point + left - right if leaves >> point & 1 else -1

    def capturing(self, mover: int, opponent: int) -> int:
        """The stones of the mover that can make a capturing step. A position is quiet if there are none."""
        empty = self.all ^ (mover | opponent)
        stones = 0
        for number, (leaves, left, right) in enumerate(self.directions):
            targets = (mover & leaves) << left >> right & empty
            if targets:
                approach = (targets & leaves) << left >> right & opponent
                origins = targets << right >> left
                behind = (origins & self.directions[number ^ 1].leaves) << right >> left & opponent
                stones |= approach << right >> left << right >> left | behind << left >> right
        return stones

    def _run(self, point: int, opponent: int, direction: int) -> int:
        """The enemy stones in line from the next point of `point` (a set of one) in a direction."""
        leaves, left, right = self.directions[direction]
        run = 0
        while point & leaves:
            point = point << left >> right
            if not point & opponent:
                break
            run |= point
        return run

    def _chain(self, stone: int, others: int, opponent: int, visited: int, barred: int, found: Set[Position]) -> bool:
        """Adds to `found` what the capturing steps of a stone lead to. Says if there are any."""
        visited |= stone
        blocked = others | opponent | visited
        obligatory, once = self.rules.chains & 1, self.rules.chains & 2
        steps = False
        for direction, (leaves, left, right) in enumerate(self.directions):
            if barred >> direction & 1 or not stone & leaves:
                continue
            target = stone << left >> right
            if target & blocked:
                continue
            next_barred = 1 << direction | (barred if once else 0)
            for run in (self._run(target, opponent, direction), self._run(stone, opponent, direction ^ 1)):
                if run:
                    steps = True
                    goes_on = self._chain(target, others, opponent ^ run, visited, next_barred, found)
                    if not (goes_on and obligatory):
                        found.add((others | target, opponent ^ run))
        return steps

    def captures(self, mover: int, opponent: int) -> Set[Position]:
        """The different boards after the capturing turns, as (mover, opponent) of the side that made the turn."""
        found: Set[Position] = set()
        stones = self.capturing(mover, opponent)
        while stones:
            stone = stones & -stones
            stones ^= stone
            self._chain(stone, mover ^ stone, opponent, 0, 0, found)
        return found

    def paikas(self, mover: int, opponent: int) -> List[Position]:
        """The boards after steps that capture nothing. They are turns only in a quiet position."""
        empty = self.all ^ (mover | opponent)
        found = []
        for leaves, left, right in self.directions:
            targets = (mover & leaves) << left >> right & empty
            while targets:
                target = targets & -targets
                targets ^= target
                found.append((mover ^ (target << right >> left) | target, opponent))
        return found

    def turns(self, mover: int, opponent: int) -> List[Position]:
        """The different boards after all turns, as (mover, opponent) of the side that made the turn."""
        return list(self.captures(mover, opponent)) or self.paikas(mover, opponent)

    def text(self, white: int, black: int, side: int) -> str:
        """A position as text; side 0 is White."""
        ranks = []
        for row in reversed(range(self.rules.rows)):
            points = range(row * self.rules.columns, (row + 1) * self.rules.columns)
            rank = "".join("W" if white >> point & 1 else "B" if black >> point & 1 else "." for point in points)
            ranks.append(re.sub(r"\.+", lambda dots: str(len(dots.group())), rank))
        return f"{'/'.join(ranks)} {'wb'[side]}"


def parse(text: str) -> Tuple[int, int, int, int, int]:
    """Reads a position: columns, rows, white stones, black stones, side to move (0 White, 1 Black)."""
    ranks, _, side = text.strip().replace("_", " ").partition(" ")
    side = side.strip()
    if side not in ("w", "b"):
        raise Refused(f'"{text}" is not a position: the ranks, a space, and w or b for the side to move')
    widths, white, black, point = set(), 0, 0, 0
    for rank in reversed(ranks.split("/")):
        width = 0
        pieces = POINTS.findall(rank)
        if "".join(pieces) != rank:
            raise Refused(f'"{text}" is not a position: "{rank}" has other letters than W, B, dots and numbers')
        for piece in pieces:
            if piece == "W":
                white |= 1 << point + width
            elif piece == "B":
                black |= 1 << point + width
            width += 1 if piece in "WB." else int(piece[:3])
        widths.add(width)
        point += width
        if len(widths) > 1 or width > 13 or point > 169:
            raise Refused(f'"{text}" is not a position: its ranks have different lengths, or too many points')
    columns = widths.pop()
    problem = Rules(columns, ranks.count("/") + 1).problem()
    if problem:
        raise Refused(f'"{text}" is not a position: {problem}')
    return columns, ranks.count("/") + 1, white, black, "wb".index(side)
