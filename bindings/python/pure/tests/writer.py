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


def table_with_other_values(data: bytes, new_identity: bool) -> bytes:
    """A table of one block with another first value. All checksums fit, the identity if that is asked for."""
    packed = bytearray(zstandard.ZstdDecompressor().decompress(data[141:]))
    packed[0] += 1 if packed[0] % 3 < 2 else -1
    frame = zstandard.ZstdCompressor().compress(bytes(packed))
    index = struct.pack("<QQ", 141, xxhash.xxh3_64_intdigest(frame))
    identity = xxhash.xxh3_128(bytes(packed)).digest()[::-1] if new_identity else data[101:117]
    header = data[:85] + struct.pack("<QQ", 141 + len(frame), xxhash.xxh3_64_intdigest(index)) + identity
    return header + struct.pack("<Q", xxhash.xxh3_64_intdigest(header)) + index + frame


def sealed(data: bytes) -> bytes:
    """The same bytes with a checksum that fits."""
    return data[:-16] + xxhash.xxh3_128(data[:-16]).digest()[::-1]
