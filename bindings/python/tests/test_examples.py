"""The examples run."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_draws_by_stones(tmp_path):
    pytest.importorskip("matplotlib")
    example, picture = Path(__file__).parents[1] / "examples" / "draws.py", tmp_path / "draws.png"
    ran = subprocess.run([sys.executable, example, tmp_path / "db", picture], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    # Two lone stones, and three against three: shares that are known well enough from so many positions.
    shares = {line.split(":")[0]: float(line.split(":")[1].split("%")[0]) for line in ran.stdout.splitlines() if "% draws" in line}
    assert len(shares) == 15
    assert 64 < shares["1 against 1"] < 67 and 33 < shares["3 against 3"] < 36
    assert picture.read_bytes().startswith(b"\x89PNG")
