"""Games, records, reviews, the engine."""

import pytest

import fanorona
from fanorona import Board, Engine, Game, Knowledge, Position, Rules


def test_a_game_plays_on_and_back():
    game = Game("5x5", rules={"move_limit": 3}, moves=["b2-c3A"])
    assert game.play("a3b2") == "a3-b2A" and game.ply == 2
    assert game.undo() and game.ply == 1 and game.redo() and not game.redo()
    view = game.view()
    assert view["board"] == "5x5" and view["position"] == str(game.position)
    game.play(view["turns"][0]["move"])
    assert game.result["reason"] == "move limit"
    with pytest.raises(fanorona.GameError, match="undo a turn"):
        game.play("a1-a2")


def test_games_read_back():
    game = Game(position=Position("1B1/1W1/1W1 w"), rules=Rules(stalemate="draw"))
    game.play("b1-a1")
    game.finish({"by": "resignation", "side": "black"})
    for again in (Game.parse(game.record()), Game.of_request(game.request())):
        assert (again.moves, again.result, again.position) == (game.moves, game.result, game.position)
        assert again.result["score"] == "1-0"


def test_what_is_wrong_is_said():
    with pytest.raises(fanorona.RecordError, match="line 1"):
        Game.parse("no game")
    with pytest.raises(fanorona.GameError, match="sacrifices"):
        Game("5x5", rules={"sacrifices": True})
    with pytest.raises(fanorona.GameError, match="move 1 of the game"):
        Game("5x5", moves=["a1-a2"])
    with pytest.raises(fanorona.FanoronaError, match="board or a position"):
        Game()
    with pytest.raises(fanorona.EngineError, match="level 10"):
        Engine().reply(Game("3x3"), level=10)
    with pytest.raises(fanorona.EngineError, match="1 to 256, not 257"):
        Engine().reply(Game("3x3"), threads=257)
    with pytest.raises(fanorona.EngineError, match="cannot allocate"):
        Engine(1 << 60)
    with pytest.raises(fanorona.EngineError, match="over"):
        Engine().reply(Game(position=Position("1B1/3/WW1 b"), moves=["b3-b2A-c3W"]))


def test_the_engine_is_perfect_where_proofs_reach(database):
    knowledge, engine, game = Knowledge(database), Engine(), Game("3x3")
    depths = []
    while game.result is None:
        reply = engine.reply(game, knowledge, nodes=2_000, progress=lambda info: depths.append(info["depth"]))
        assert reply["value"] == ("win" if game.to_move == "white" else "loss")
        game.play(reply["move"])
    assert game.result["winner"] == "white"


def test_a_limited_reply_repeats():
    game = Game("9x5")
    replies = [Engine().reply(game, depth=2, seed=7) for _ in range(2)]
    assert replies[0]["move"] == replies[1]["move"] and replies[0]["nodes"] == replies[1]["nodes"]
    assert Engine().reply(Game(Board("13x13")), Knowledge("."), depth=1)["move"]


def test_a_game_goes_on_while_the_engine_thinks():
    engine, game = Engine(), Game("3x3")

    def use_both(_):
        if game.ply == 0:
            game.play("c2-b2A")
        with pytest.raises(fanorona.EngineError, match="thinking"):
            engine.forget()

    assert engine.reply(game, depth=2, progress=use_both)["move"] and game.ply == 1
    engine.forget()


def test_reviews(database):
    game = Game.parse("3x3 c2-b2A c3-c2A b2-c1W")
    events = []
    review = fanorona.review(game, Knowledge(database), progress=events.append)
    assert review.to_dict()["complete"] and len(review.turns) == 3 and review.black["moves"] == 1
    assert all(event["searched"] <= event["to_search"] for event in events)
    assert Game.parse(review.annotated_record()).moves == game.moves
