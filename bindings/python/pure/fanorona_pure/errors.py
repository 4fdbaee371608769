"""What can be wrong with an input. Each error is one sentence for the user."""

from pathlib import Path
from typing import BinaryIO


class Refused(Exception):
    """The input is damaged, of another kind, or missing."""


class NotProved(Exception):
    """The certificate is sound as a file, but what it claims does not follow from it."""


def open_file(path: Path) -> BinaryIO:
    """Opens a file to read; a pipe, for which one would wait, is refused."""
    if path.exists() and not path.is_file():
        raise Refused(f"{path} is not an ordinary file")
    return open(path, "rb")
