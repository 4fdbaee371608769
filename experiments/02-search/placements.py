#!/usr/bin/env python3
"""Prints to how many placements of its stones the defender keeps in a certificate.

placements.py CERTIFICATE, of one question, with bindings/python/pure on PYTHONPATH. For the slices with most positions in its safe set: the positions, in how
many placements the defender has its stones in them, how many of these have half of the positions, and how many there are on the board.
Images of a placement count as one.
"""

import sys
from collections import Counter
from itertools import accumulate
from pathlib import Path

from fanorona_pure.certificates import Certificate
from fanorona_pure.rules import popcount
from fanorona_pure.symmetry import Symmetries

MOST = 12

if len(sys.argv) != 2:
    sys.exit("usage: placements.py CERTIFICATE")
certificate = Certificate(Path(sys.argv[1]))
if certificate.won or len(certificate.claims) != 1 or certificate.claims[0].value < 3:
    sys.exit(f"{sys.argv[1]} proves more than that one side does not lose: give the certificate of one question")
rules = certificate.rules
symmetries = Symmetries(rules.columns, rules.rows)
positions = Counter()
for _, defender, attacker, _, _ in certificate.positions():
    positions[defender, popcount(attacker)] += 1
slices = {}
for (defender, attackers), count in positions.items():
    placements = slices.setdefault((popcount(defender), attackers), Counter())
    placements[min(symmetries.images(defender))] += count
print("defender v attacker   positions  placements  with half of them  on the board")
for (defenders, attackers), placements in sorted(slices.items(), key=lambda found: -sum(found[1].values()))[:MOST]:
    total = sum(placements.values())
    sums = accumulate(count for _, count in placements.most_common())
    most = next(number for number, positions in enumerate(sums, 1) if 2 * positions >= total)
    print(f"{f'{defenders}v{attackers}':>19} {total:>11} {len(placements):>11} {most:>18} {symmetries.orbits(defenders).count:>13}")
