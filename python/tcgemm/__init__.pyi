from typing import Any, Callable, Optional, Sequence

class Error(RuntimeError):
    status: str

def matmul(
    a: Any,
    b: Any,
    out: Optional[Any] = None,
    *,
    bias: Optional[Any] = None,
    epilogue: Optional[str] = None,
    epilogue_body: Optional[str] = None,
    operands: Sequence[Any] = (),
    alpha: float = 1.0,
    beta: float = 0.0,
    c: Optional[Any] = None,
    out_dtype: Optional[str] = None,
    precision: str = "ieee",
    config: Optional[str] = None,
    b2: Optional[Any] = None,
    dual: Optional[str] = None,
    dependent_launch: bool = False,
    dtype_a: Optional[str] = None,
    dtype_b: Optional[str] = None,
    scale_a: Optional[Any] = None,
    scale_b: Optional[Any] = None,
    group_size: Optional[int] = None,
    zero_points: Optional[Any] = None,
    reductions: Optional[str] = None,
    reduction_outs: Optional[Sequence[Any]] = None,
    algebra: Optional[str] = None,
    stream: Optional[int] = None,
    device: Optional[int] = None,
) -> Any: ...

def einsum(
    indices: str,
    a: Any,
    b: Any,
    out: Optional[Any] = None,
    *,
    bias: Optional[Any] = None,
    epilogue: Optional[str] = None,
    epilogue_body: Optional[str] = None,
    operands: Sequence[Any] = (),
    alpha: float = 1.0,
    beta: float = 0.0,
    c: Optional[Any] = None,
    out_dtype: Optional[str] = None,
    precision: str = "ieee",
    config: Optional[str] = None,
    algebra: Optional[str] = None,
    stream: Optional[int] = None,
    device: Optional[int] = None,
) -> Any: ...

def grouped_matmul(
    a: Any,
    b: Any,
    offsets: Any,
    out: Optional[Any] = None,
    *,
    bias: Optional[Any] = None,
    epilogue: Optional[str] = None,
    epilogue_body: Optional[str] = None,
    operands: Sequence[Any] = (),
    alpha: float = 1.0,
    beta: float = 0.0,
    c: Optional[Any] = None,
    out_dtype: Optional[str] = None,
    precision: str = "ieee",
    config: Optional[str] = None,
    stream: Optional[int] = None,
    device: Optional[int] = None,
) -> Any: ...

def explain(function: Callable[..., Any], *arguments: Any, **named: Any) -> str: ...

def tune(function: Callable[..., Any], *arguments: Any, **named: Any) -> str: ...
