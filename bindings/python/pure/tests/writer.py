"""Writes certificates, sound ones and others, for the tests."""

from __future__ import annotations

import struct
from typing import Iterable, Sequence, Tuple

import xxhash
import zstandard

from fanorona_pure.certificates import BLOCK, CLAIM, HEADER, TABLE
from fanorona_pure.rules import Rules

Entry = Tuple[int, int, int]  # code, reply, rank


def block(entries: Sequence[Entry], digits: int, ranked: bool) -> bytes:
    """A block of positions, with its length."""
    columns = []
    for code, reply, rank in entries:
        column = [code // 243**place % 243 for place in reversed(range(digits))]
        columns.append(bytes(column) + (struct.pack(">II", reply, rank) if ranked else struct.pack(">I", reply)))
    frame = zstandard.ZstdCompressor().compress(b"".join(bytes(plane) for plane in zip(*columns)))
    return struct.pack("<I", len(frame)) + frame


def blocks(entries: Sequence[Entry], rules: Rules, ranked: bool) -> bytes:
    digits = -(-rules.columns * rules.rows // 5)
    return b"".join(block(entries[first : first + BLOCK], digits, ranked) for first in range(0, len(entries), BLOCK))


def certificate(
    rules: Rules,
    claims: Iterable[Tuple[int, int, int, int]],
    safe: Sequence[Entry] = (),
    won: Sequence[Entry] = (),
    tables: Iterable[Tuple[int, int, bytes]] = (),
) -> bytes:
    tables, claims = list(tables), list(claims)
    parts = [TABLE.pack(*table) for table in tables] + [CLAIM.pack(*claim) for claim in claims]
    parts += [blocks(safe, rules, False), blocks(won, rules, True)]
    body = b"".join(parts)
    size = HEADER.size + len(body) + 16
    return sealed(HEADER.pack(b"FANOCERT", 1, size, *rules, len(tables), len(claims), len(safe), len(won)) + body + bytes(16))


def sealed(data: bytes) -> bytes:
    """The same bytes with a checksum that fits."""
    return data[:-16] + xxhash.xxh3_128(data[:-16]).digest()[::-1]
