#!/usr/bin/env python3
"""Looks for weights of first numbers with which the short questions take fewer nodes, by CMA-ES (Hansen's `cma`, from PyPI).

Run experiments/02-search/run DB first, which builds the tables and the bench. 28 parameters change the weights of the program: for each
of its eight sums a constant and a factor of the rest, and for phi and for delta a factor of each group of counts.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import cma
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "experiments/02-search"
# Weak and strong stones of the mover, the same of the opponent, steps, captures.
GROUPS = ((1,), (2,), (3,), (4,), (5, 6), (7, 8))
# Questions with fewer nodes say little, those with more take too long.
FEWEST, MOST = 15_000, 650_000
# A question that is stopped counts as twice that.
LIMIT = 2_000_000
POPULATION, AT_ONCE = 12, 2


def weights(base, parameters):
    """The weights with those changes: 4 x 2 sums of 9 counts, in 256ths of a doubling."""
    constants, factors = parameters[:16].reshape(2, 4, 2)
    of_groups = 1 + 0.3 * parameters[16:].reshape(2, 6)
    changed = base.copy()
    for number in range(2):
        for group, factor in zip(GROUPS, of_groups[number]):
            changed[:, number, group] *= factor
    changed[:, :, 1:] *= 1 + 0.3 * factors[:, :, None]
    changed[:, :, 0] += 100 * constants
    return numpy.rint(changed).astype(int)


def write(path, found):
    """In the form of src/search/weights.json."""
    lines = ",\n".join("  " + json.dumps(sums.tolist()) for sums in found)
    path.write_text(f"[\n{lines}\n]\n")


def main(database, out, generations):
    base = numpy.array(json.loads((ROOT / "src/search/weights.json").read_text()), float)
    with open(HERE / "short.csv", newline="") as file:
        chosen = [row for row in csv.DictReader(file) if FEWEST <= int(row["nodes"]) <= MOST]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with open(folder / "questions.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, ("set", "board", "stones", "side", "position"), extrasaction="ignore")
            writer.writeheader()
            writer.writerows(chosen)

        def cost(number, parameters):
            """The mean logarithm of the nodes."""
            tried, rows = folder / f"{number}.json", folder / f"{number}.csv"
            write(tried, weights(base, parameters))
            bench = [ROOT / "target/release/search_bench", database, "--questions", folder / "questions.csv"]
            bench += ["--nodes", str(LIMIT), "--weights", tried, "--out", rows]
            subprocess.run(bench, check=True, stdout=subprocess.DEVNULL)
            with open(rows, newline="") as file:
                nodes = [2 * LIMIT if row["wins"] == "open" else int(row["nodes"]) for row in csv.DictReader(file)]
            return numpy.log(nodes).mean()

        first = cost("first", numpy.zeros(28))
        search = cma.CMAEvolutionStrategy(numpy.zeros(28), 0.3, {"popsize": POPULATION, "seed": 28, "verbose": -9})
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for generation in range(1, generations + 1):
                tried = search.ask()
                costs = list(pool.map(cost, range(POPULATION), tried))
                search.tell(tried, costs)
                write(out, weights(base, search.mean))
                best, middle = numpy.exp(numpy.quantile(costs, (0, 0.5)) - first)
                print(f"generation {generation}: nodes {best:.3f} at best, {middle:.3f} in the middle", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", metavar="DB", help="the folder with the tables")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="file for the weights, written after each generation")
    parser.add_argument("--generations", type=int, default=40, metavar="N")
    main(**vars(parser.parse_args()))
