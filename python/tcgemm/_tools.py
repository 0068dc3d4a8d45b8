"""What is known of a call, and its tuning."""

import inspect

from . import _einsum
from . import _grouped
from . import _matmul

_MAKERS = {_einsum.einsum: _einsum.make,
           _grouped.grouped_matmul: _grouped.make,
           _grouped.grouped_matmul_along_k: _grouped.make_along_k,
           _grouped.grouped_matmul_padded: _grouped.make_padded,
           _matmul.matmul: _matmul.make}
# Reading a signature takes longer than the rest of a call.
_SIGNATURES = {function: inspect.signature(function) for function in _MAKERS}


def make_call(function, arguments, named):
    """The call of a function of the package.

    Errors: TypeError for another function, or arguments that it does not have.
    """
    make = _MAKERS.get(function) if inspect.isfunction(function) else None
    if make is None:
        raise TypeError("the function must be one of %s, not %r"
                        % (", ".join("tcgemm." + known.__name__
                                     for known in _MAKERS), function))
    bound = _SIGNATURES[function].bind(*arguments, **named)
    bound.apply_defaults()
    return make(**bound.arguments)


def explain(function, *arguments, **named):
    """Returns a text about the kernel of a call, which is not run.

        print(tcgemm.explain(tcgemm.einsum, "bmk,kn->bmn", a, b))

    Its lines are the product, the configuration, what chose it, the launches, which
    include copies of operands, and the bytes of the workspace.

    Args:
      function: tcgemm.matmul, tcgemm.einsum, or one of tcgemm.grouped_matmul,
        tcgemm.grouped_matmul_along_k and tcgemm.grouped_matmul_padded.
      arguments, named: those of the call.

    Errors:
      TypeError: another function, or arguments that it does not have.
      those of the call.
    """
    return make_call(function, arguments, named).explain()


def tune(function, *arguments, **named):
    """Tunes the product of a call by tcgemm-tune on its GPU, into the user's
    database. Following calls have the tuned kernel, also those of other processes.

    It waits, up to a minute or as TCGEMM_TUNE_OPTIONS says. If the database has the
    product already, it does nothing. The call itself is not run.

    Args:
      function: as for explain.
      arguments, named: those of the call, without config.

    Returns:
      the text of explain for the tuned kernel.

    Errors:
      TypeError: as for explain.
      tcgemm.Error: TCGEMM_TUNING if tcgemm-tune fails, TCGEMM_FILE without a
        database, TCGEMM_NOT_SUPPORTED for products without elements or terms,
        TCGEMM_INVALID_VALUE with config; those of the call.
    """
    return make_call(function, arguments, named).tune()
