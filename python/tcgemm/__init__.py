"""Matrix products by the fastest kernel that tcgemm knows.

    import tcgemm
    d = tcgemm.matmul(a, b, bias=bias, epilogue="relu")

The library is the file TCGEMM_LIBRARY, libtcgemm.so.0 of the package's folder
`lib`, or of the system. docs/guide/library.md describes its environment
variables.
"""

from ._library import Error
from ._einsum import einsum
from ._grouped import grouped_matmul
from ._matmul import matmul

__all__ = ["Error", "einsum", "grouped_matmul", "matmul"]
