"""What runs the bundled model's file: onnxruntime everywhere, OpenVINO where it is faster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.embedding import Vectors, unit_rows

Pooled = tuple[list[int], Vectors]


@dataclass(frozen=True, slots=True)
class Batch:
    """Token ids, zero-padded to one length, and the rows of the result they belong to."""

    rows: list[int]
    ids: NDArray[np.int64]
    mask: NDArray[np.int64]

    @classmethod
    def of(cls, rows: list[int], encoded: Sequence[Sequence[int]]) -> Batch:
        """Pads `encoded` to its longest."""
        longest = max(len(ids) for ids in encoded)
        padded = np.zeros((len(encoded), longest), np.int64)
        mask = np.zeros_like(padded)
        for row, ids in enumerate(encoded):
            padded[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        return cls(rows, padded, mask)

    @property
    def inputs(self) -> dict[str, NDArray[np.int64]]:
        """The model's inputs by name."""
        return {"input_ids": self.ids, "attention_mask": self.mask, "token_type_ids": np.zeros_like(self.ids)}

    def pool(self, hidden: NDArray[np.float32]) -> Pooled:
        """Mean over the tokens that are not padding, scaled to length 1: (rows, vectors)."""
        weights = self.mask[:, :, None].astype(np.float32)
        return self.rows, unit_rows((hidden * weights).sum(axis=1) / weights.sum(axis=1))


class Runtime(Protocol):
    """Runs the model over batches; `batch_tokens` is the batch size, in tokens with padding, it does best with."""

    batch_tokens: int

    def run(self, batches: Sequence[Batch]) -> Iterator[Pooled]:
        """The pooled rows of each batch, in any order. Usable from several threads at once."""
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
        self._workers = os.cpu_count() or 1

    def run(self, batches: Sequence[Batch]) -> Iterator[Pooled]:
        """See Runtime."""
        if len(batches) == 1:
            yield self._pooled(batches[0])
            return
        with ThreadPoolExecutor(min(self._workers, len(batches))) as pool:
            yield from pool.map(self._pooled, batches)

    def _pooled(self, batch: Batch) -> Pooled:
        return batch.pool(self._session.run(None, batch.inputs)[0])


class OpenVino:
    """Slow to load (up to two seconds), and two to three times as fast on processors with AVX-512 or AMX."""

    batch_tokens = 2048

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
