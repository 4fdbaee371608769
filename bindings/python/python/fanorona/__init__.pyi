import os
from typing import Any, Callable, Dict, List, Literal, Optional, Sequence, Tuple, TypedDict, Union

import numpy as np
from numpy.typing import NDArray

Side = Literal["white", "black"]
Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[Dict[str, Any]], object]
Sets = Tuple[NDArray[np.uint64], NDArray[np.uint64]]

WIN: int
DRAW: int
LOSS: int
UNKNOWN: int

class FanoronaError(ValueError): ...
class PositionError(FanoronaError): ...
class MoveError(FanoronaError): ...
class TableError(FanoronaError): ...
class BuildError(FanoronaError): ...
class SolveError(FanoronaError): ...
class CheckError(FanoronaError): ...
class GameError(FanoronaError): ...
class RecordError(FanoronaError): ...
class ReviewError(FanoronaError): ...
class EngineError(FanoronaError): ...

class ValueAnswer(TypedDict):
    value: str
    dtw: Optional[int]
    source: Optional[str]
    proof: Optional[str]

MoveAnswer = TypedDict(
    "MoveAnswer",
    {"move": str, "position": str, "value": str, "dtw": Optional[int], "source": Optional[str], "proof": Optional[str]},
)

class Answer(ValueAnswer):
    position: str
    board: str
    rules: Dict[str, str]
    moves: List[MoveAnswer]

LineMove = TypedDict("LineMove", {"move": str, "position": str})

class Line(ValueAnswer):
    position: str
    board: str
    rules: Dict[str, str]
    line: List[LineMove]
    end: Literal["over", "repetition", "unknown"]

class SearchSummary(TypedDict):
    value: str
    nodes: int
    seconds: float

class Question(TypedDict):
    answer: Optional[bool]
    nodes: int
    seconds: float

class Questions(TypedDict):
    white_wins: Question
    black_wins: Question

MoveValue = TypedDict("MoveValue", {"move": str, "value": str})

class CertificateFile(TypedDict):
    file: str
    bytes: int
    safe: int
    won: int

class Closure(TypedDict):
    safe: int
    won: int
    searched_again: int
    refuted: int
    reopened: int
    asked_again: int
    seconds: float

class Moves(TypedDict, total=False):
    moves: List[MoveValue]  # with `moves=True`

class Solved(Moves):
    board: str
    rules: Dict[str, str]
    position: str
    value: str
    questions: Questions
    line: List[str]
    nodes: int
    probes: int
    closure: Closure
    seconds: float
    certificate: Optional[CertificateFile]

Reply = TypedDict(
    "Reply",
    {
        "move": str,
        "how": Literal["table", "proof", "search", "only move"],
        "value": str,
        "dtw": Optional[int],
        "source": Optional[str],
        "proof": Optional[str],
        "score": Optional[int],
        "depth": int,
        "nodes": int,
        "ms": int,
        "offers_draw": bool,
    },
)

class GameResult(TypedDict):
    score: Literal["1-0", "0-1", "1/2-1/2"]
    winner: Optional[Side]
    reason: str
    text: str

class Board:
    def __init__(self, size: str) -> None: ...
    @property
    def columns(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def points(self) -> int: ...
    def start(self) -> Position: ...
    def point_name(self, point: int) -> str: ...
    def point(self, name: str) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Rules:
    def __init__(
        self,
        diagonals: Literal["corner", "centre"] = "corner",
        continuation: Literal["optional", "obligatory"] = "optional",
        stalemate: Literal["loss", "draw"] = "loss",
        directions: Literal["not-repeated", "once", "turning"] = "not-repeated",
    ) -> None: ...
    @property
    def diagonals(self) -> Literal["corner", "centre"]: ...
    @property
    def continuation(self) -> Literal["optional", "obligatory"]: ...
    @property
    def directions(self) -> Literal["not-repeated", "once"]: ...
    @property
    def stalemate(self) -> Literal["loss", "draw"]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Position:
    def __init__(self, text: str) -> None: ...
    @staticmethod
    def of_sets(board: Union[Board, str], white: int, black: int, to_move: Side = "white") -> Position: ...
    @property
    def board(self) -> Board: ...
    @property
    def to_move(self) -> Side: ...
    @property
    def white(self) -> int: ...
    @property
    def black(self) -> int: ...
    @property
    def mover(self) -> int: ...
    @property
    def opponent(self) -> int: ...
    @property
    def stones(self) -> int: ...
    def moves(self, rules: Optional[Rules] = None) -> Dict[str, Position]: ...
    def turns(self, rules: Optional[Rules] = None) -> List[str]: ...
    def play(self, move: str, rules: Optional[Rules] = None) -> Position: ...
    def ending(self, rules: Optional[Rules] = None) -> Optional[Literal["win", "draw", "loss"]]: ...
    def perft(self, depth: int, rules: Optional[Rules] = None) -> int: ...
    def picture(self, rules: Optional[Rules] = None) -> str: ...
    def svg(self, rules: Optional[Rules] = None) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class Tables:
    def __init__(self, database: Path, rules: Optional[Rules] = None, *, cache: int = ...) -> None: ...
    @property
    def rules(self) -> Rules: ...
    def stones(self, board: Union[Board, str]) -> int: ...
    def probe(self, position: Position) -> Literal["win", "draw", "loss", "unknown"]: ...
    def look_up(self, position: Position) -> ValueAnswer: ...
    def answer(self, position: Position) -> Answer: ...
    def line(self, position: Position) -> Line: ...
    def search(self, position: Position, limit: float = 2.0, *, memory: int = ...) -> SearchSummary: ...
    def probe_many(
        self, board: Union[Board, str], mover: NDArray[np.uint64], opponent: NDArray[np.uint64]
    ) -> NDArray[np.int8]: ...

class Knowledge(Tables):
    def __init__(
        self,
        database: Path,
        rules: Optional[Rules] = None,
        *,
        trust: Literal["checked", "all", "none"] = "checked",
        cache: int = ...,
    ) -> None: ...
    def proofs(self, board: Union[Board, str]) -> List[str]: ...
    def unused(self, board: Union[Board, str]) -> List[str]: ...

def build(
    board: Union[Board, str],
    stones: int,
    database: Path,
    rules: Optional[Rules] = None,
    *,
    depths: bool = False,
    memory: int = ...,
    progress: Optional[Progress] = None,
) -> List[str]: ...
def solve(
    position: Position,
    database: Path,
    rules: Optional[Rules] = None,
    *,
    stones: int = 0,
    limit: Optional[float] = None,
    memory: int = ...,
    moves: bool = False,
    proofs: bool = True,
    certificate: Optional[Path] = None,
    checkpoint: Optional[Path] = None,
    progress: Optional[Progress] = None,
) -> Solved: ...

class Certificate:
    @staticmethod
    def read(path: Path) -> Certificate: ...
    @property
    def board(self) -> Board: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def claims(self) -> List[Tuple[Position, str]]: ...
    @property
    def stones(self) -> int: ...
    @property
    def safe(self) -> Sets: ...
    @property
    def won(self) -> Sets: ...
    def prove(self, database: Path, *, memory: int = ..., progress: Optional[Progress] = None) -> None: ...

def check(path: Path, database: Path, *, memory: int = ..., progress: Optional[Progress] = None) -> Certificate: ...

class Game:
    def __init__(
        self,
        board: Union[Board, str, None] = None,
        *,
        position: Optional[Position] = None,
        rules: Union[Rules, Dict[str, Any], None] = None,
        moves: Sequence[str] = ...,
    ) -> None: ...
    @staticmethod
    def parse(text: str) -> Game: ...
    @staticmethod
    def of_request(request: Dict[str, Any]) -> Game: ...
    def request(self) -> Dict[str, Any]: ...
    def play(self, move: str) -> str: ...
    def undo(self) -> bool: ...
    def redo(self) -> bool: ...
    def finish(self, end: Dict[str, Any]) -> None: ...
    @property
    def moves(self) -> List[str]: ...
    @property
    def position(self) -> Position: ...
    @property
    def to_move(self) -> Side: ...
    @property
    def ply(self) -> int: ...
    @property
    def result(self) -> Optional[GameResult]: ...
    def view(self) -> Dict[str, Any]: ...
    def record(self) -> str: ...
    def _repr_svg_(self) -> str: ...

class Review:
    @property
    def turns(self) -> List[Dict[str, Any]]: ...
    @property
    def white(self) -> Dict[str, Any]: ...
    @property
    def black(self) -> Dict[str, Any]: ...
    def to_dict(self) -> Dict[str, Any]: ...
    def annotated_record(self) -> str: ...

def review(
    game: Game,
    knowledge: Optional[Knowledge] = None,
    *,
    time: Optional[float] = None,
    nodes: Optional[int] = 10_000,
    progress: Optional[Progress] = None,
) -> Review: ...

class Engine:
    def __init__(self, entries: int = ...) -> None: ...
    def forget(self) -> None: ...
    def reply(
        self,
        game: Game,
        knowledge: Optional[Knowledge] = None,
        *,
        level: int = 9,
        time: Optional[float] = None,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        seed: int = 1,
        threads: int = 1,
        progress: Optional[Progress] = None,
    ) -> Reply: ...
