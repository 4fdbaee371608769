"""Turns: against published counts and examples, and against the program."""

from __future__ import annotations

import json
import random
import unittest
from itertools import product
from typing import Dict, List, Tuple

from fanorona_pure.errors import Refused
from fanorona_pure.rules import Board, Rules, parse

from . import support

START_9X5 = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w"
START_5X5 = "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w"
START_3X5 = "BBB/BBB/B1W/WWW/WWW w"
START_3X3 = "BBB/B1W/WWW w"


def board_and_position(text: str, *options: int) -> Tuple[Board, int, int]:
    """The board, the stones of the side to move, and those of the other."""
    columns, rows, white, black, side = parse(text)
    board = Board(Rules(columns, rows, *options))
    return (board, white, black) if side == 0 else (board, black, white)


def perft(text: str, depth: int, *options: int) -> List[int]:
    """The number of lines of play of each length. Positions that are reached twice are looked at once."""
    board, mover, opponent = board_and_position(text, *options)
    lines = {(mover, opponent): 1}
    counts = []
    for _ in range(depth):
        following: Dict[Tuple[int, int], int] = {}
        for position, number in lines.items():
            if 0 not in position:
                for mine, theirs in board.turns(*position):
                    following[theirs, mine] = following.get((theirs, mine), 0) + number
        lines = following
        counts.append(sum(lines.values()))
    return counts


def reachable(text: str) -> int:
    """The number of positions that can be reached, the first included."""
    board, mover, opponent = board_and_position(text)
    seen = {(mover, opponent, 0)}
    waiting = list(seen)
    while waiting:
        mover, opponent, side = waiting.pop()
        if mover and opponent:
            for mine, theirs in board.turns(mover, opponent):
                position = theirs, mine, 1 - side
                if position not in seen:
                    seen.add(position)
                    waiting.append(position)
    return len(seen)


class Published(unittest.TestCase):
    def test_lines_of_play(self) -> None:
        self.assertEqual(perft(START_9X5, 4), [5, 39, 724, 18_026])
        self.assertEqual(perft(START_5X5, 5), [5, 21, 202, 3_469, 34_608])
        # No direction twice in a turn.
        self.assertEqual(perft(START_9X5, 4, 0, 2), [5, 39, 643, 13_550])
        self.assertEqual(perft(START_5X5, 5, 0, 2), [5, 21, 180, 2_506, 24_071])

    def test_reachable_positions(self) -> None:
        self.assertEqual(reachable(START_3X3), 1_012)

    def test_an_example_of_captures(self) -> None:
        points = {f"{letter}{row + 1}": 1 << column + 9 * row for column, letter in enumerate("abcdefghi") for row in range(5)}

        def stones(names: str) -> int:
            return sum(points[name] for name in names.split())

        white, black = stones("b2 f4 h4"), stones("c4 d2 e2 g2 g4 i4")
        board = Board(Rules(9, 5))
        turns = board.turns(white, black)
        # b2-c2A captures d2 and e2, and not g2; b2-c2A-c3A captures c4 as well; f4-e4W captures g4, and not i4.
        self.assertIn((stones("c2 f4 h4"), stones("c4 g2 g4 i4")), turns)
        self.assertIn((stones("c3 f4 h4"), stones("g2 g4 i4")), turns)
        self.assertIn((stones("b2 e4 h4"), stones("c4 d2 e2 g2 i4")), turns)
        # f4-e4W-d4A would have the same direction twice, and b2-b1 captures nothing.
        self.assertNotIn((stones("b2 d4 h4"), stones("d2 e2 g2 i4")), turns)
        self.assertNotIn((stones("b1 f4 h4"), black), turns)
        # With a stone on g5, f4-e4W-e3A-f4A would enter a point again.
        with_g5 = board.turns(white, black | points["g5"])
        self.assertIn((stones("b2 e3 h4"), stones("c4 d2 g2 i4 g5")), with_g5)
        self.assertNotIn((white, stones("c4 d2 g2 i4")), with_g5)


@unittest.skipUnless(support.HAS_PROGRAM, support.NO_PROGRAM)
class AgainstTheProgram(unittest.TestCase):
    def test_lines_of_play_under_all_rules(self) -> None:
        for start, depth in ((START_3X5, 5), (START_5X5, 4)):
            for options in product((0, 1), range(4), (0, 1)):
                with self.subTest(start=start, options=options):
                    columns, rows = parse(start)[:2]
                    rules = Rules(columns, rows, *options)
                    printed = support.program("perft", rules.size, depth, *support.options(rules))
                    theirs = [int(line.split(None, 1)[1].replace(" ", "")) for line in printed.splitlines()]
                    self.assertEqual(perft(start, depth, *options), theirs)

    def test_turns_of_random_positions(self) -> None:
        chance = random.Random(3)
        with support.temporary_folder() as folder:
            for size, *options in ((9, 5), 0, 0), ((5, 7), 1, 0), ((7, 7), 0, 1), ((13, 3), 1, 1), ((9, 5), 0, 2), ((5, 7), 1, 3):
                board = Board(Rules(*size, *options))
                for stones in (4, board.points // 3, 2 * board.points // 3, board.points - 3):
                    mover = chance.randrange(1, stones)
                    position = support.random_position(board, mover, stones - mover, chance)
                    text = support.text(board, *position)
                    with self.subTest(rules=board.rules, position=text):
                        arguments = ["query", text, "--json", "--no-build", "--search=0", f"--db={folder}"]
                        theirs = json.loads(support.program(*arguments, *support.options(board.rules)))
                        mine = {board.text(*after, 1) for after in board.turns(*position)}
                        self.assertEqual(mine, {move["position"] for move in theirs["moves"]})


class Text(unittest.TestCase):
    def test_a_position_is_the_same_after_parsing(self) -> None:
        for start in (START_9X5, START_5X5, START_3X3, "13/2B10/W12 b"):
            columns, rows, white, black, side = parse(start)
            self.assertEqual(Board(Rules(columns, rows)).text(white, black, side), start)
        self.assertEqual(parse("B.B/1.1/WW. w"), parse("B1B/3/WW1_w"))

    def test_what_is_not_a_position(self) -> None:
        misshapen = ("", "w", "BBB/B1W/WWW", "BBB/B1W/WWW x", "BBB/BW/WWW w", "XXX/3/3 w", "//// w")
        for wrong in (*misshapen, "BB/BB w", "13/13/13/13/13 w", "99999999 w"):
            with self.subTest(wrong), self.assertRaises(Refused):
                parse(wrong)
