"""What runs the bundled model's file: onnxruntime everywhere, OpenVINO where it is faster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.embedding import Vectors

Segment = tuple[int, int]
"""Half-open range of token positions."""
Pooled = list[tuple[int, Vectors]]
"""For each row of a batch its number and the mean vectors of its segments, (segments, dimensions)."""


class Piece(NamedTuple):
    """Token ids of one pass through the model, and the ranges of them that get a vector."""

    ids: Sequence[int]
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids, zero-padded to one length; the rows of the result they belong to, and each row's segments."""

    rows: list[int]
    ids: NDArray[np.int64]
    mask: NDArray[np.int64]
    segments: list[Sequence[Segment]]

    @classmethod
    def of(cls, rows: list[int], pieces: Sequence[Piece]) -> Batch:
        """Pads the pieces to the longest."""
        longest = max(len(piece.ids) for piece in pieces)
        padded = np.zeros((len(pieces), longest), np.int64)
        mask = np.zeros_like(padded)
        for row, piece in enumerate(pieces):
            padded[row, : len(piece.ids)] = piece.ids
            mask[row, : len(piece.ids)] = 1
        return cls(rows, padded, mask, [piece.segments for piece in pieces])

    @property
    def inputs(self) -> dict[str, NDArray[np.int64]]:
        """The model's inputs by name."""
        return {"input_ids": self.ids, "attention_mask": self.mask, "token_type_ids": np.zeros_like(self.ids)}

    def pool(self, hidden: NDArray[np.float32]) -> Pooled:
        """Mean over each segment's tokens; `hidden` is (rows, tokens, dimensions)."""
        return [
            (row, np.stack([hidden[n, start:end].mean(axis=0) for start, end in segments]))
            for n, (row, segments) in enumerate(zip(self.rows, self.segments, strict=True))
        ]


class Runtime(Protocol):
    """Runs the model over batches; `batch_tokens` is the batch size, in tokens with padding, it does best with.

    `workers` is the number of batches that run side by side.
    """

    batch_tokens: int
    workers: int

    def run(self, batches: Sequence[Batch]) -> Iterator[Pooled]:
        """The pooled segments of each batch, in any order. Usable from several threads at once."""
        ...


class OnnxRuntime:
    """Quick to load (half a second). One thread a batch, batches side by side: small ones stay in the cache."""

    batch_tokens = 512

    def __init__(self, model: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3  # errors only: warnings about the machine's devices are not for users
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.workers = os.cpu_count() or 1

    def run(self, batches: Sequence[Batch]) -> Iterator[Pooled]:
        """See Runtime."""
        if len(batches) == 1:
            yield self._pooled(batches[0])
            return
        with ThreadPoolExecutor(min(self.workers, len(batches))) as pool:
            yield from pool.map(self._pooled, batches)

    def _pooled(self, batch: Batch) -> Pooled:
        return batch.pool(self._session.run(None, batch.inputs)[0])


class OpenVino:
    """Slow to load (up to two seconds), and two to three times as fast on processors with AVX-512 or AMX."""

    batch_tokens = 2048
    workers = 1  # it shares each batch out itself

    def __init__(self, model: Path) -> None:
        import openvino

        core = openvino.Core()
        self._queue = openvino.AsyncInferQueue
        self._compiled = core.compile_model(core.read_model(model), "CPU", {"PERFORMANCE_HINT": "THROUGHPUT"})

    @staticmethod
    def is_faster() -> bool:
        """Whether OpenVINO is installed and computes in bfloat16 here; without, it only equals onnxruntime."""
        if find_spec("openvino") is None:
            return False
        import openvino

        return "BF16" in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")

    def run(self, batches: Sequence[Batch]) -> Iterator[Pooled]:
        """See Runtime."""
        finished: list[Pooled] = []

        def keep(request: Any, batch: Batch) -> None:
            finished.append(batch.pool(request.get_output_tensor(0).data))

        queue = self._queue(self._compiled)
        queue.set_callback(keep)
        for batch in batches:
            queue.start_async(batch.inputs, batch)
        queue.wait_all()
        yield from finished
