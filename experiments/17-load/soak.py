"""Keeps a server under full load for as long as it is told, and watches it: soak.py PROGRAM DATABASE SECONDS.

Forty-eight connections from six addresses of this machine ask without pause, eight from each: positions and lines of 9x5, the
page, tasks, games on crowded boards, computer moves, searches and reviews. An answer to what was asked before has to be the same. A line a minute:
answers, what was rejected with 503, what failed, the slowest /health, and the server's memory, files and threads. Plain Python,
for Linux. Ends with status 1 if an answer was wrong or missing.
"""

import http.client
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

CONNECTIONS, ADDRESSES = 48, 6
# A position with many turns of many steps, which makes the largest answers.
CROWDED = "/".join("1BW" * 4 + "1" if row % 2 else "BW1" * 4 + "B" for row in range(13)) + " w"


def position(stones):
    """A random position of 9x5 with at most so many stones, as a path has it."""
    count = random.randint(2, stones)
    points = ["."] * 45
    places = random.sample(range(45), count)
    for number, place in enumerate(places):
        points[place] = "W" if number == 0 else "B" if number == 1 else random.choice("WB")
    rows = ["".join(points[row : row + 9]) for row in range(0, 45, 9)]
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(rows)) + random.choice(["_w", "_b"])


def get(path):
    return "GET", path, None


def post(path, **body):
    return "POST", path, json.dumps(body)


# How often, what, whether the same request always has the same answer, and a request.
def requests(stones):
    known = [position(stones) for _ in range(20_000)]
    return [
        (60, "position", True, lambda: get(f"/api/9x5?position={random.choice(known)}")),
        (10, "line", True, lambda: get(f"/api/9x5/line?position={random.choice(known)}")),
        (8, "page", True, lambda: get("/")),
        (5, "task", False, lambda: post("/api/practice", board="9x5", kind="win", difficulty="easy")),
        (4, "tables", True, lambda: get("/api/9x5/stats")),
        (3, "crowded game", True, lambda: post("/api/game", board="13x13", position=CROWDED)),
        (3, "computer", False, lambda: post("/api/game/reply", board="9x5", level=3, time=50)),
        (2, "search", False, lambda: post("/api/search", board="7x7", time=100)),
        (1, "review", False, lambda: post("/api/game/review", board="5x5", moves=["b2-c3A", "c5-d4A"], time=20)),
    ]


class Watch:
    """What all clients have seen."""

    def __init__(self):
        self.lock, self.stop = threading.Lock(), threading.Event()
        self.answered, self.busy, self.failed, self.wrong = Counter(), Counter(), Counter(), Counter()
        self.first, self.health, self.trouble = {}, 0.0, None

    def saw(self, kind, fixed, request, status, body):
        with self.lock:
            if status == 503:
                self.busy[kind] += 1
                return
            if status != 200:
                counter = self.failed
            elif fixed and self.first.setdefault(request, hash(body)) != hash(body):
                counter = self.wrong
            elif kind == "review" and not body.splitlines()[-1].startswith(b'{"review"'):
                counter = self.wrong
            else:
                counter = self.answered
            counter[kind] += 1
            if counter is not self.answered:
                self.trouble = self.trouble or f"{request}: {status} {body[:200]} … {body[-200:]}"


def client(number, address, mix, watch):
    weights = [weight for weight, *_ in mix]
    connect = lambda: http.client.HTTPConnection(*address, timeout=60, source_address=(f"127.0.2.{1 + number % ADDRESSES}", 0))
    connection = connect()
    while not watch.stop.is_set():
        _, kind, fixed, make = random.choices(mix, weights)[0]
        method, path, body = request = make()
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            status, content = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            connection, status, content = connect(), 0, repr(error).encode()
        watch.saw(kind, fixed, request, status, content)
        if status in (0, 503):
            time.sleep(0.05)


def health(address, watch):
    while not watch.stop.wait(0.2):
        begin = time.monotonic()
        try:
            connection = http.client.HTTPConnection(*address, timeout=60)
            connection.request("GET", "/health")
            good = connection.getresponse().status == 200
            connection.close()
        except (OSError, http.client.HTTPException):
            good = False
        with watch.lock:
            watch.health = max(watch.health, time.monotonic() - begin)
            watch.failed["/health"] += not good


def of_process(pid):
    """Megabytes of its own, open files, threads."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(status["RssAnon"].split()[0]) * 1024 / 1e6, len(list(Path(f"/proc/{pid}/fd").iterdir())), int(status["Threads"])


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: soak.py PROGRAM DATABASE SECONDS")
    program, database, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    command = [program, "serve", "--bind", "127.0.0.1:0", "--db", database, "--no-build"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    host, port = server.stdout.readline().strip().removeprefix("http://").rstrip("/").split(":")
    address = host, int(port)
    connection = http.client.HTTPConnection(*address)
    connection.request("GET", "/api/tables")
    stones = max(entry["stones"] for entry in json.load(connection.getresponse()) if entry["board"] == "9x5")
    watch, mix, begin = Watch(), requests(stones), time.monotonic()
    threads = [threading.Thread(target=client, args=(number, address, mix, watch)) for number in range(CONNECTIONS)]
    threads.append(threading.Thread(target=health, args=(address, watch)))
    for thread in threads:
        thread.start()
    print(f"9x5 to {stones} stones, {CONNECTIONS} connections from {ADDRESSES} addresses, {seconds:.0f} s")
    print("minute  answers  busy  failed  wrong  health at most  memory  files  threads", flush=True)
    minute = 0
    while time.monotonic() - begin < seconds:
        time.sleep(min(60, max(0, begin + seconds - time.monotonic())))
        minute += 1
        if server.poll() is not None:
            break
        memory, files, running = of_process(server.pid)
        with watch.lock:
            counts = [sum(counter.values()) for counter in (watch.answered, watch.busy, watch.failed, watch.wrong)]
            longest, watch.health = watch.health, 0.0
        answers, busy, failed, wrong = counts
        print(f"{minute:6} {answers:8} {busy:5} {failed:7} {wrong:6} {longest:13.2f} s {memory:4.0f} MB {files:6} {running:8}", flush=True)
    watch.stop.set()
    for thread in threads:
        thread.join()
    server.terminate()
    status = server.wait(timeout=30)
    print("answers:", ", ".join(f"{kind} {count}" for kind, count in watch.answered.most_common()))
    print("busy:", ", ".join(f"{kind} {count}" for kind, count in watch.busy.most_common()) or "none")
    bad = sum(watch.failed.values()) + sum(watch.wrong.values())
    print(f"failed: {dict(watch.failed)}, wrong: {dict(watch.wrong)}, the server ended with status {status}")
    if bad or status:
        sys.exit(f"first trouble: {watch.trouble}")


main()
