"""Leading right singular vectors of a sparse matrix, by way of the smaller Gram matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from clustering.stats.matrix import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["METHOD_VERSION", "leading_axes"]

METHOD_VERSION = "1"

# One more than the map shows, to see whether the last shown is told apart from the next.
N_VECTORS = 3
# An eigenvalue below this share of the largest is rounding: votes are whole numbers, and no real
# difference between people is that small.
ROUNDING = 1e-12
# Beyond this many rows and columns the Gram matrix itself (9 million numbers) is left aside.
LARGEST_GRAM = 3000
# From this density on, a dense product of chunks is faster than a sparse one.
DENSE = 0.05
CHUNK = 1024

Index = NDArray[np.signedinteger]


def leading_axes(
    rows: Index, columns: Index, values: FloatArray, shape: tuple[int, int]
) -> tuple[FloatArray, FloatArray, float] | None:
    """Largest singular values of a sparse matrix with their right vectors.

    Parameters
    ----------
    rows, columns : ndarray of int, shape (n_entries,)
        Sorted by row, then column; every row and column has an entry.
    values : ndarray of float, shape (n_entries,)
    shape : (int, int)

    Returns
    -------
    (singular, vectors, total) or None
        At most three singular values, largest first (0 where it is mere rounding); unit vectors of shape
        (n_singular, n_columns), signs as they come; the sum of all squared entries. None if all entries
        are 0.

    Notes
    -----
    The eigenvectors of the Gram matrix of the shorter side, from LAPACK (``evr``). If both sides are
    longer than 3,000, Lanczos iterations on the sparse matrix from a fixed start take its place, in
    memory that does not grow with the square of a side. Nothing is drawn at random. BLAS runs on one
    thread, so the bytes do not depend on the machine's number of processors.
    """
    total = float(values @ values)
    if total <= ROUNDING:
        return None
    by_column = shape[1] <= shape[0]
    with threadpool_limits(limits=1, user_api="blas"):
        if min(shape) > LARGEST_GRAM:
            eigenvalues, vectors = _lanczos(_sparse(rows, columns, values, shape), by_column=by_column)
        else:
            eigenvalues, vectors = _eigen(_gram(rows, columns, values, shape, by_column=by_column))
        if not by_column:
            vectors = _to_columns(vectors, rows, columns, values, shape[1])
    eigenvalues[eigenvalues <= ROUNDING * eigenvalues[0]] = 0.0
    return np.sqrt(eigenvalues), vectors, total


def _gram(rows: Index, columns: Index, values: FloatArray, shape: tuple[int, int], *, by_column: bool) -> FloatArray:
    """Products of all pairs of columns, or of all pairs of rows."""
    n_long, n_short = shape if by_column else shape[::-1]
    if len(values) < DENSE * n_long * n_short:
        sparse = _sparse(rows, columns, values, shape)
        product: FloatArray = (sparse.T @ sparse if by_column else sparse @ sparse.T).toarray()
        return product
    if not by_column:
        order = np.argsort(columns, kind="stable")
        rows, columns, values = columns[order], rows[order], values[order]
    gram = np.zeros((n_short, n_short))
    for start in range(0, n_long, CHUNK):
        low, high = np.searchsorted(rows, (start, start + CHUNK))
        part = np.zeros((min(CHUNK, n_long - start), n_short))
        part[rows[low:high] - start, columns[low:high]] = values[low:high]
        gram += part.T @ part
    return gram


def _eigen(gram: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest eigenvalues, largest first, and their vectors as rows."""
    from scipy.linalg import eigh

    size = len(gram)
    eigenvalues, vectors = eigh(gram, subset_by_index=[max(size - N_VECTORS, 0), size - 1])
    return np.maximum(eigenvalues[::-1], 0.0), vectors.T[::-1]


def _lanczos(sparse: csr_matrix, *, by_column: bool) -> tuple[FloatArray, FloatArray]:
    from scipy.sparse.linalg import LinearOperator, eigsh

    turned = sparse.T.tocsr()
    first, second = (sparse, turned) if by_column else (turned, sparse)
    size = first.shape[1]
    operator = LinearOperator((size, size), matvec=lambda x: second @ (first @ x), dtype=np.float64)
    # Any fixed start will do that is not orthogonal to the vectors sought; a plain constant might be.
    start = 1.0 + np.modf(np.arange(size) * np.sqrt(2.0))[0]
    eigenvalues, vectors = eigsh(operator, k=N_VECTORS, v0=start, tol=0)
    largest_first = np.argsort(-eigenvalues, kind="stable")
    return np.maximum(eigenvalues[largest_first], 0.0), vectors.T[largest_first]


def _to_columns(vectors: FloatArray, rows: Index, columns: Index, values: FloatArray, n_columns: int) -> FloatArray:
    """Right singular vectors that belong to left ones."""
    turned = np.stack([np.bincount(columns, weights=values * left[rows], minlength=n_columns) for left in vectors])
    lengths = np.sqrt((turned**2).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(turned, lengths, out=np.zeros_like(turned), where=lengths > 0))


def _sparse(rows: Index, columns: Index, values: FloatArray, shape: tuple[int, int]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    starts = np.searchsorted(rows, np.arange(shape[0] + 1))
    return csr_matrix((values, columns, starts), shape=shape)
