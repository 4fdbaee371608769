"""Ctrl-C and exceptions of progress functions stop what runs."""

import subprocess
import sys

import pytest

import fanorona
from fanorona import Board

# Each begins something that takes far longer than the test waits, and presses Ctrl-C once it has begun.
WORK = {
    "solve": "fanorona.solve(Board('9x5').start(), folder, progress=press)",
    "search": "threading.Timer(0.5, press).start(); fanorona.Tables(folder).search(Board('9x5').start(), 3600)",
    "perft": "threading.Timer(0.5, press).start(); Board('9x5').start().perft(9)",
    "build": "fanorona.build('9x5', 7, folder, progress=press)",
    "reply": "fanorona.Engine().reply(fanorona.Game('9x5'), time=3600, progress=press)",
    "review": "fanorona.review(fanorona.Game('9x5', moves=['d2-e3A']), time=3600, nodes=None, progress=press)",
}

CODE = """
import os, signal, sys, threading, fanorona
from fanorona import Board
folder = sys.argv[1]
def press(*_):
    os.kill(os.getpid(), signal.SIGINT)
try:
    {work}
except KeyboardInterrupt:
    sys.exit(42)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("work", WORK)
def test_ctrl_c(work, tmp_path):
    ended = subprocess.run([sys.executable, "-c", CODE.format(work=WORK[work]), tmp_path], timeout=600, capture_output=True)
    assert ended.returncode == 42, ended.stderr.decode()


def test_exceptions_of_progress_stop_the_work(tmp_path, database):
    def refuse(_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fanorona.solve(Board("9x5").start(), tmp_path, progress=refuse)
    certificate = fanorona.Certificate.read(database / "certificates" / "3x3.proof")
    with pytest.raises(RuntimeError, match="enough"):
        certificate.prove(database, progress=refuse)
