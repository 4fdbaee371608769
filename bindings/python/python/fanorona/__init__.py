"""Fanorona: rules, endgame tables, solver, proofs, games and an engine.

Values are "win", "draw", "loss" and "unknown" for the side to move, and "white wins", "black wins", "draw" for a position seen from outside.
Results that the program prints as JSON are dicts with the same keys. Whatever takes long leaves other threads of Python running and, apart
from opening tables and certificates, can be stopped with Ctrl-C.

>>> position = Position("1B1/3/WW1 b")
>>> list(position.moves())
['b3-b2A', 'b3-b2A-c3W']
"""

from ._fanorona import (
    DRAW,
    LOSS,
    UNKNOWN,
    WIN,
    Board,
    BuildError,
    Certificate,
    CheckError,
    Engine,
    EngineError,
    FanoronaError,
    Game,
    GameError,
    Knowledge,
    MoveError,
    Position,
    PositionError,
    RecordError,
    Review,
    ReviewError,
    Rules,
    SolveError,
    TableError,
    Tables,
    build,
    check,
    review,
    solve,
)

__all__ = [
    "DRAW",
    "LOSS",
    "UNKNOWN",
    "WIN",
    "Board",
    "BuildError",
    "Certificate",
    "CheckError",
    "Engine",
    "EngineError",
    "FanoronaError",
    "Game",
    "GameError",
    "Knowledge",
    "MoveError",
    "Position",
    "PositionError",
    "RecordError",
    "Review",
    "ReviewError",
    "Rules",
    "SolveError",
    "TableError",
    "Tables",
    "build",
    "check",
    "review",
    "solve",
]
