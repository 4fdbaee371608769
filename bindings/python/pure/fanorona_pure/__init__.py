"""Fanorona's tables and certificates, read and checked in plain Python.

Written from the rules and the two format texts alone (`src/table/FORMAT.md`, `src/proof/FORMAT.md`), without a look at the program that
writes the files. The path of the data: `rules` makes turns, `symmetry` and `layout` say where a table has a position, `tables` reads
values and depths, `certificates` checks proofs.
"""

from .certificates import Certificate, check
from .errors import NotProved, Refused
from .rules import DRAW, LOSS, WIN, Board, Rules
from .tables import Database

__all__ = ["DRAW", "LOSS", "WIN", "Board", "Certificate", "Database", "NotProved", "Refused", "Rules", "check"]
