"""Boards, rules, positions; legal moves against an environment by others."""

import pickle
import random

import pytest

import fanorona
from fanorona import Board, Position, Rules


def test_boards_and_points():
    board = Board("9x5")
    assert [board.point(board.point_name(point)) for point in range(board.points)] == list(range(45))
    with pytest.raises(fanorona.PositionError, match="columns|odd"):
        Board("4x4")
    with pytest.raises(fanorona.FanoronaError, match="no point 45"):
        board.point_name(45)
    with pytest.raises(fanorona.FanoronaError, match="not a point"):
        board.point("c3x")


@pytest.mark.parametrize("size", ["3x3", "9x5", "13x13"])
def test_positions_read_back(size):
    position = Board(size).start()
    for _ in range(6):
        assert Position(str(position)) == position == pickle.loads(pickle.dumps(position))
        sets = Position.of_sets(size, position.white, position.black, position.to_move)
        assert sets == position and hash(sets) == hash(position)
        mine, theirs = (position.white, position.black) if position.to_move == "white" else (position.black, position.white)
        assert (mine, theirs) == (position.mover, position.opponent)
        assert position.stones == bin(mine).count("1") + bin(theirs).count("1")
        position = next(iter(position.moves().values()), position)


def test_what_is_wrong_is_said():
    with pytest.raises(fanorona.PositionError, match="rank 2 from the top"):
        Position("3/4/3 w")
    with pytest.raises(fanorona.MoveError, match="legal from b2"):
        Position("1B1/1W1/1W1 w").play("b2-b3")
    with pytest.raises(fanorona.FanoronaError, match="white and a black"):
        Position.of_sets("3x3", 1, 1)
    for outside in (-1, 1 << 9, 1 << 300):
        with pytest.raises(fanorona.FanoronaError, match="set of points"):
            Position.of_sets("3x3", outside, 2)
    with pytest.raises(fanorona.FanoronaError, match="corner"):
        Rules(diagonals="edge")
    assert issubclass(fanorona.FanoronaError, ValueError)


def test_published_counts():
    assert [Board("9x5").start().perft(depth) for depth in range(1, 5)] == [5, 39, 724, 18026]
    assert Board("5x5").start().perft(4) == 3469


def test_rules_matter():
    start = Position("WWWWW/WW1BW/BB1BB/BBBBB/BBBBB w")
    obligatory = Rules(continuation="obligatory")
    assert set(start.turns(obligatory)) < set(start.turns())
    assert pickle.loads(pickle.dumps(obligatory)) == obligatory != Rules()


def test_directions():
    once = Rules(directions="once")
    assert once.directions == "once" and str(once) == "diagonals corner, continuation optional, directions once, stalemate loss"
    assert Rules(directions="turning") == Rules() and Rules().directions == "not-repeated"
    assert pickle.loads(pickle.dumps(once)) == once and eval(repr(once)) == once
    assert Board("5x5").start().perft(4, once) == 2506
    with pytest.raises(fanorona.FanoronaError, match='directions is "not-repeated" or "once", not "twice"'):
        Rules(directions="twice")


def test_pictures():
    position = Position("1B1/1W1/1W1 w")
    assert position.svg() == position._repr_svg_()
    assert position.svg().count('class="white"') == 2 and position.svg().count('class="black"') == 1
    assert Position("5/5/5 w").svg() != Position("5/5/5 w").svg(Rules(diagonals="centre"))


class Environment:
    """The environment's board, with whole turns: it makes a turn step by step, and ends a chain by a separate action."""

    def __init__(self):
        state = pytest.importorskip("env.fanorona_state", reason="fanorona-aec is not installed")
        self.move = pytest.importorskip("env.fanorona_move")
        self.class_ = state.FanoronaState
        self.state = state.FanoronaState()
        self.state.reset()

    def at(self, text):
        state = self.class_()
        state.set_from_board_str(text)
        return state

    def position(self, state):
        ranks, side = str(state).split()[:2]
        return Position("/".join(reversed(ranks.split("/"))) + " " + side.lower())

    def turns(self):
        """Every turn by every path, and the state after it."""
        turns, open_ = {}, [(None, str(self.state))]
        while open_:
            text, begun = open_.pop()
            for action in self.at(begun).legal_moves:
                move, after = self.move.FanoronaMove.from_action(action), self.at(begun)
                if move.end_turn:
                    after.push(move)
                    turns[text] = str(after)
                    continue
                to = move.position.displace(move.direction)
                letter = ("", "A", "W")[move.move_type]
                longer = f"{text or move.position.to_human().lower()}-{to.to_human().lower()}{letter}"
                after.push(move)
                if letter:
                    open_.append((longer, str(after)))
                else:
                    turns[longer] = str(after)
        return turns


@pytest.mark.parametrize("seed", range(4))
def test_legal_turns_are_those_of_another_environment(seed):
    choose, environment = random.Random(seed), Environment()
    position, compared = Board("9x5").start(), 0
    for _ in range(60):
        assert environment.position(environment.state) == position
        if position.ending():
            break
        theirs, ours = environment.turns(), position.turns()
        assert sorted(theirs) == sorted(ours), str(position)
        compared += len(ours)
        move = choose.choice(sorted(theirs))
        environment.state = environment.at(theirs[move])
        position = position.play(move)
    assert compared > 100
