"""Vectors on disk by the hash of the text they stand for: one memory-mapped file a model.

A record is the hash and the vector. Equal texts share one. The file outlives the index: one that is built again finds
its vectors here. A record that a crash left torn is not of length 1, and counts as free.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Slots = npt.NDArray[np.int32]
HASH = 16
_GROW = 1_024
_BLOCK = 16_384
_NONE = b"\0" * HASH


class Matrix:
    """The vectors of one model. One thread adds and drops; any may read."""

    def __init__(self, folder: Path, identity: str, dimension: int) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        name = hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
        self.path = folder / f"{name}.f32"
        self.dimension = dimension
        self._form = np.dtype([("hash", f"V{HASH}"), ("vector", np.float32, (dimension,))])
        self._growing = threading.Lock()
        self._records = self._map(0)
        self._slots: dict[bytes, int] = {}
        self._free: list[int] = []
        self._scan()

    def __len__(self) -> int:
        return len(self._slots)

    def find(self, hashes: Sequence[bytes]) -> Slots:
        """Where the vectors of these hashes are; -1 for one that is not there."""
        return np.fromiter((self._slots.get(one, -1) for one in hashes), np.int32, len(hashes))

    def add(self, hashes: Sequence[bytes], rows: Floats) -> Slots:
        """Keep vectors of length 1; where they are."""
        slots = self.find(hashes)
        for at in np.flatnonzero(slots < 0).tolist():
            if hashes[at] in self._slots:  # twice among those given
                slots[at] = self._slots[hashes[at]]
                continue
            if not self._free:
                self._grow()
            slot = self._free.pop()
            self._records["vector"][slot] = rows[at]
            self._records["hash"][slot] = np.void(hashes[at])
            self._slots[hashes[at]] = slots[at] = slot
        return slots

    def drop(self, keep: set[bytes]) -> int:
        """Overwrite every vector whose hash is not among ``keep``; how many."""
        gone = [one for one in self._slots if one not in keep]
        for one in gone:
            slot = self._slots.pop(one)
            self._records[slot] = (np.void(_NONE), np.zeros(self.dimension, np.float32))
            self._free.append(slot)
        return len(gone)

    def similar(self, slots: Slots, vector: Floats) -> Floats:
        """The cosine of ``vector`` with the vectors at ``slots``."""
        rows = self._records["vector"]
        if len(slots) * 3 > len(rows):
            found: Floats = (rows @ vector)[slots]
            return found
        out = np.empty(len(slots), np.float32)
        for first in range(0, len(slots), _BLOCK):
            out[first : first + _BLOCK] = rows[slots[first : first + _BLOCK]] @ vector
        return out

    def sync(self) -> None:
        """Flush to disk."""
        if isinstance(self._records, np.memmap):
            self._records.flush()

    def _scan(self) -> None:
        for first in range(0, len(self._records), _BLOCK):
            block = self._records[first : first + _BLOCK]
            sizes = np.einsum("ij,ij->i", block["vector"], block["vector"])
            for at, good in enumerate(np.abs(sizes - 1.0) < 0.02):
                digest = block["hash"][at].tobytes()
                if good and digest != _NONE:
                    self._slots[digest] = first + at
                else:
                    self._free.append(first + at)
        self._free.reverse()

    def _map(self, more: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        """The file's records, with room for ``more``."""
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            count = os.fstat(handle).st_size // self._form.itemsize + more
            os.ftruncate(handle, count * self._form.itemsize)
        finally:
            os.close(handle)
        if not count:
            return np.zeros(0, self._form)
        return np.memmap(self.path, self._form, "r+", shape=(count,))

    def _grow(self) -> None:
        before = len(self._records)
        self._records = self._map(max(_GROW, before // 4))
        self._free += range(len(self._records) - 1, before - 1, -1)
