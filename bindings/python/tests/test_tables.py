"""Tables, proofs, solving, certificates."""

import json
import random
import subprocess
import threading

import numpy as np
import pytest

import fanorona
from fanorona import DRAW, LOSS, UNKNOWN, WIN, Board, Knowledge, Position, Rules, Tables

WORDS = {"win": WIN, "draw": DRAW, "loss": LOSS, "unknown": UNKNOWN}


def random_positions(board, count, most, seed):
    choose, points = random.Random(seed), Board(board).points
    for _ in range(count):
        stones = choose.randint(2, most)
        places = choose.sample(range(points), stones)
        white = choose.randint(1, stones - 1)
        sets = [sum(1 << place for place in part) for part in (places[:white], places[white:])]
        yield Position.of_sets(board, *sets, choose.choice(["white", "black"]))


@pytest.mark.parametrize("board", ["3x3", "5x3", "9x5"])
def test_values_are_those_of_the_program(board, database, program):
    positions = list(random_positions(board, 300, 5, 1))
    command = [program, "query", "--stdin", "--best", "--json", "--db", database, "--trust-certificates"]
    texts = "".join(f"{position}\n" for position in positions)
    output = subprocess.run(command, input=texts, capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in output.splitlines()]
    knowledge, tables = Knowledge(database), Tables(database)
    assert len(lines) == len(positions)
    for position, line in zip(positions, lines):
        answer = knowledge.answer(position)
        assert (line["position"], line["value"], line["dtw"]) == (str(position), answer["value"], answer["dtw"])
        # With more stones the value may follow from those after the moves.
        if position.stones <= 4:
            assert tables.probe(position) == line["value"]
    values = tables.probe_many(
        board, np.array([p.mover for p in positions], np.uint64), np.array([p.opponent for p in positions], np.uint64)
    )
    assert values.dtype == np.int8
    assert values.tolist() == [WORDS[tables.probe(position)] for position in positions]
    assert len(set(values.tolist())) >= 3


@pytest.mark.parametrize("side, value, depth", [("w", "win", 0), ("b", "loss", 0)])
def test_a_finished_game_is_known_by_the_rules(side, value, depth, tmp_path):
    known = Tables(tmp_path).look_up(Position(f"3/1W1/3 {side}"))
    assert known == {"value": value, "dtw": depth, "source": "rules", "proof": None}


def test_arrays_are_checked(database):
    tables, one = Tables(database), np.array([1], np.uint64)
    with pytest.raises(fanorona.FanoronaError, match="mover has 1 positions, but opponent has 2"):
        tables.probe_many("3x3", one, np.array([2, 4], np.uint64))
    for wrong in (1, 1 << 9):
        opponent = np.full(10_000, 2, np.uint64)
        opponent[8_765] = wrong
        with pytest.raises(fanorona.FanoronaError, match="position 8765 is not one of the 3x3 board"):
            tables.probe_many("3x3", np.full(10_000, 1, np.uint64), opponent)
    with pytest.raises(TypeError, match="mover has to be a NumPy array"):
        tables.probe_many("3x3", one.astype(np.int64), one)
    both = np.arange(1, 9, dtype=np.uint64).reshape(4, 2)
    spread = tables.probe_many("3x3", both[:, 0] << np.uint64(4), np.full(4, 1, np.uint64))
    assert spread.tolist() == [WORDS[tables.probe(Position.of_sets("3x3", int(m) << 4, 1))] for m in both[:, 0]]


def test_what_there_is_no_table_of(database, tmp_path):
    tables = Tables(database)
    assert tables.probe(Board("9x5").start()) == "unknown"
    assert tables.stones("9x5") == 4 and tables.stones("7x7") == 0
    assert Tables(database, Rules(stalemate="draw")).stones("3x3") == 0
    with pytest.raises(fanorona.BuildError, match="64 points"):
        tables.probe(Board("9x9").start())
    with pytest.raises(fanorona.FanoronaError, match="not a folder"):
        Tables(tmp_path / "missing")
    with pytest.raises(fanorona.BuildError, match="2 stones or more"):
        fanorona.build("3x3", 1, tmp_path)
    with pytest.raises(fanorona.SolveError, match="1v1|table"):
        fanorona.solve(Board("5x5").start(), tmp_path, stones=4)


def test_damaged_tables_raise(database, tmp_path):
    fanorona.build("3x3", 3, tmp_path)
    files = [path for path in (tmp_path / "3x3").iterdir() if path.name.startswith("1v2")]
    assert files
    for path in files:
        path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(fanorona.TableError, match="1v2"):
        Tables(tmp_path).probe(Position("3/BW1/2W b"))


def test_solve_finds_the_published_value_and_writes_a_certificate(database, tmp_path):
    events, file = [], tmp_path / "5x3.proof"
    solved = fanorona.solve(Board("5x3").start(), database, stones=4, certificate=file, moves=True, progress=events.append)
    assert solved["value"] == "white wins" and solved["questions"]["black_wins"]["answer"] is False
    assert {entry["value"] for entry in solved["moves"]} >= {"white wins"}
    assert all(event["step"] in ("searching", "closing") for event in events)
    certificate = fanorona.Certificate.read(file)
    assert certificate.claims[0] == (Board("5x3").start(), "white wins")
    assert (certificate.board, certificate.rules, certificate.stones) == (Board("5x3"), Rules(), 4)
    mover, opponent = certificate.won
    assert len(mover) > 0 and not (mover & opponent).any()
    steps = []
    certificate.prove(database, progress=lambda status: steps.append((status["step"], status["done"] <= status["total"])))
    assert all(fits for _, fits in steps)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(fanorona.CheckError):
        fanorona.check(file, database)


def test_certificates_count_once_they_are_checked(database, tmp_path):
    fanorona.build("3x3", 4, tmp_path)
    (tmp_path / "certificates").mkdir()
    start, file = Board("3x3").start(), tmp_path / "certificates" / "3x3.proof"
    fanorona.solve(start, tmp_path, stones=4, certificate=file)
    assert Knowledge(tmp_path).proofs("3x3") == [] and "not been checked" in Knowledge(tmp_path).unused("3x3")[0]
    assert Knowledge(tmp_path, trust="all").look_up(start)["value"] == "win"
    fanorona.check(file, tmp_path)
    assert Knowledge(tmp_path).look_up(start)["proof"] == "3x3.proof"
    assert Knowledge(tmp_path, trust="none").look_up(start)["value"] == "unknown"


def test_search_proves_what_tables_do_not_have(database):
    found = Tables(database).search(Board("5x3").start(), 60)
    assert found["value"] == "white wins" and found["nodes"] > 0


def test_other_threads_run_meanwhile(database):
    """The interpreter's lock is released: a thread gets its turns while positions are looked up."""
    tables, turns, stop = Tables(database), [0], threading.Event()

    def count():
        while not stop.is_set():
            turns[0] += 1

    thread = threading.Thread(target=count)
    sets = np.random.default_rng(1).permuted(np.tile(np.arange(45, dtype=np.uint64), (200_000, 1)), axis=1)[:, :4]
    bits = np.uint64(1) << sets
    mover, opponent = bits[:, 0] | bits[:, 1], bits[:, 2] | bits[:, 3]
    tables.probe_many("9x5", mover[:1], opponent[:1])
    thread.start()
    try:
        values = tables.probe_many("9x5", mover, opponent)
    finally:
        stop.set()
        thread.join()
    assert turns[0] > 0 and (values != UNKNOWN).all()
