"""Matrix products by the fastest kernel that tcgemm knows.

    import tcgemm
    d = tcgemm.matmul(a, b, bias=bias, epilogue="relu")
    d = tcgemm.einsum("bqhd,bkhd->bhqk", a, b)
    print(tcgemm.explain(tcgemm.matmul, a, b))

The library is the file TCGEMM_LIBRARY, libtcgemm.so.0 of the package's folder
`lib`, or of the system. docs/guide/library.md describes its environment
variables.
"""

from ._library import Error
from ._einsum import einsum
from ._grouped import grouped_matmul, grouped_matmul_along_k, grouped_matmul_padded
from ._matmul import matmul
from ._tools import explain, tune
from ._weights import interleave

__all__ = ["Error", "einsum", "explain", "grouped_matmul", "grouped_matmul_along_k",
           "grouped_matmul_padded", "interleave", "matmul", "tune"]
