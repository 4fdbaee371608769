"""A cache that forgets what was not used for longest."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Hashable


class Cache:
    def __init__(self, size: int) -> None:
        self.free = size
        self._entries: OrderedDict = OrderedDict()

    def get(self, key: Hashable) -> Any:
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: Hashable, value: Any, size: int) -> None:
        """Adds an entry of `size` bytes, and forgets others where there is no room."""
        self._entries[key] = value, size
        self.free -= size
        while self.free < 0 and len(self._entries) > 1:
            self.free += self._entries.popitem(last=False)[1][1]
