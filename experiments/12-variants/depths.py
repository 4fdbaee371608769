"""Reads what `stats --json` and `query --json` of the start print for one board after another, and prints a row of CSV for each."""

import json
import sys

text, decoder, place, answers = sys.stdin.read(), json.JSONDecoder(), 0, []
while text[place:].strip():
    answer, place = decoder.raw_decode(text, len(text) - len(text[place:].lstrip()))
    answers.append(answer)
print(
    "board,directions,start,start_plies,stones,positions,wins,draws,losses,"
    "longest_win_plies,longest_win,longest_loss_plies,longest_loss"
)
for stats, start in zip(answers[::2], answers[1::2]):
    slices = [piece for piece in stats["slices"] if piece["depths"]]
    stones = max(piece["mover"] + piece["opponent"] for piece in slices)
    counts = [sum(piece[name] for piece in slices) for name in ("positions", "wins", "draws", "losses")]
    row = [stats["board"], stats["rules"]["directions"], start["value"], start["dtw"] or "", stones, *counts]
    for name in ("longest_win", "longest_loss"):
        longest = max((piece["depths"][name] for piece in slices if piece["depths"][name]), key=lambda found: found["plies"])
        row += [longest["plies"], longest["position"]]
    print(*row, sep=",")
