"""A database of small boards that the tests share."""

import os
from pathlib import Path

import pytest

import fanorona


@pytest.fixture(scope="session")
def database(tmp_path_factory):
    """3x3 to four stones with depths and a checked certificate, 5x3 and 9x5 to four stones."""
    folder = tmp_path_factory.mktemp("database")
    fanorona.build("3x3", 4, folder, depths=True)
    fanorona.build("5x3", 4, folder, depths=True)
    fanorona.build("9x5", 4, folder)
    (folder / "certificates").mkdir()
    file = folder / "certificates" / "3x3.proof"
    fanorona.solve(fanorona.Board("3x3").start(), folder, stones=4, certificate=file)
    fanorona.check(file, folder)
    return folder


@pytest.fixture(scope="session")
def program():
    """The program that the values are compared with."""
    path = os.environ.get("FANORONA_PROGRAM")
    path = Path(path) if path else Path(__file__).parents[3] / "target" / "release" / "fanorona"
    if not path.is_file():
        pytest.skip(f"{path} does not exist; build it with cargo build --release")
    return path
