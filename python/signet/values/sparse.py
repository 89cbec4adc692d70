"""Sparse: the elements of a tensor that are present, and their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from signet.types import SparseType
from signet.values import arrays


class Sparse:
    """A sparse tensor. `indices` has a row for each value, in row-major order and without duplicates."""

    __slots__ = ("dense_shape", "indices", "values")

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices = np.asarray(indices, np.int64)
        is_text = isinstance(values, (list, tuple)) and bool(values) and isinstance(values[0], (str, bytes))
        self.values = np.asarray(values, object) if is_text else arrays.unmasked(values)
        if self.values.dtype.kind in "US":
            self.values = self.values.astype(object)
        self.dense_shape = np.asarray(dense_shape, np.int64)
        rank = len(self.dense_shape)
        if self.indices.size == 0:
            self.indices = self.indices.reshape(len(self.values), rank)
        if self.indices.shape != (len(self.values), rank):
            raise ValueError(f"indices: expected {len(self.values)} rows of {rank} numbers, found the shape {self.indices.shape}")

    @classmethod
    def from_scipy(cls, matrix: Any) -> Sparse:
        """A sparse matrix of scipy. Elements that it has more than once are added up."""
        coordinates = matrix.tocsr()  # sums duplicates
        coordinates.sort_indices()
        coordinates = coordinates.tocoo()
        return cls(np.stack([coordinates.row, coordinates.col], 1), coordinates.data, coordinates.shape)

    def to_scipy(self) -> Any:
        """A sparse matrix of scipy, in coordinates."""
        import scipy.sparse

        if len(self.dense_shape) != 2:
            raise ValueError(f"scipy has matrices only, and this value has the rank {len(self.dense_shape)}")
        rows, columns = self.indices.T
        return scipy.sparse.coo_matrix((self.values, (rows, columns)), tuple(self.dense_shape.tolist()))

    @property
    def type(self) -> SparseType:
        return SparseType(arrays.dtype_name(self.values), tuple(self.dense_shape.tolist()))

    def to_py(self) -> dict[str, Any]:
        return {"indices": self.indices.tolist(), "values": self.values.tolist(), "dense_shape": self.dense_shape.tolist()}

    def _repr_html_(self) -> str:
        from signet import html

        return html.of_sparse(self)

    def equals(self, other: Any) -> bool:
        return isinstance(other, Sparse) and all(
            arrays.same_array(getattr(self, name), getattr(other, name)) for name in self.__slots__)

    def __repr__(self) -> str:
        pairs = zip(self.indices.tolist(), self.values.tolist())
        return arrays.summary("Sparse", repr(self.type), pairs, len(self.values))
