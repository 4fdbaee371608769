"""The share of draws by the number of stones on 9x5, from random positions. Cells for a notebook; the packages: numpy, matplotlib."""

# %% Load the tables, and build what is missing: 9x5 to six stones takes seconds.
import sys
import time

import matplotlib
import numpy as np

import fanorona

BOARD, STONES = fanorona.Board("9x5"), 6
database = sys.argv[1] if len(sys.argv) > 1 else "db"
fanorona.build(BOARD, STONES, database, progress=lambda status: print(f"{status['share']:.0%} built", end="\r", file=sys.stderr))
tables = fanorona.Tables(database)

# %% Sample positions: for each number of stones, sets of points as 64-bit words.
rng = np.random.default_rng(1)


def sample(count, movers, opponents):
    """Random placements of that many stones of both sides."""
    shuffled = rng.permuted(np.tile(np.arange(BOARD.points, dtype=np.uint64), (count, 1)), axis=1)
    bits = np.uint64(1) << shuffled[:, : movers + opponents]
    return np.bitwise_or.reduce(bits[:, :movers], axis=1), np.bitwise_or.reduce(bits[:, movers:], axis=1)


# %% One position of them, with all of its moves. A notebook shows it as a picture.
mover, opponent = sample(1, 3, 3)
position = fanorona.Position.of_sets(BOARD, int(mover[0]), int(opponent[0]))
print(position.picture())
print(tables.answer(position)["value"])

# %% The values of all, for every number of stones.
COUNT = 100_000
shares = {}
for stones in range(2, STONES + 1):
    draws = []
    for movers in range(1, stones):
        sets = sample(COUNT, movers, stones - movers)
        begun = time.perf_counter()
        values = tables.probe_many(BOARD, *sets)
        speed = COUNT / (time.perf_counter() - begun)
        draws.append(np.mean(values == fanorona.DRAW))
        print(f"{movers} against {stones - movers}: {draws[-1]:6.1%} draws, {speed / 1e6:.1f} million positions a second")
    shares[stones] = float(np.mean(draws))

# %% Plot.
if len(sys.argv) > 2:
    matplotlib.use("Agg")
import matplotlib.pyplot as plt

plt.bar(list(shares), list(shares.values()), color="#787878")
plt.xlabel("stones on the board")
plt.ylabel("share of draws")
plt.title(f"Random positions of {BOARD}")
plt.savefig(sys.argv[2]) if len(sys.argv) > 2 else plt.show()
