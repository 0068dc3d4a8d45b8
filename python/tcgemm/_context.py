"""Handles of devices, with their plans."""

import contextlib
import ctypes
import threading

from . import _library
from ._library import check, library


class Kind:
    """A kind of products: its structure of the C library, and the functions that
    initialise and plan it."""

    def __init__(self, structure, initialize, plan):
        self.structure, self.initialize, self.plan = structure, initialize, plan


MATMUL = Kind(_library.MatmulDesc, library.tcgemmMatmulDescInitSized,
              library.tcgemmPlan)
CONTRACTION = Kind(_library.ContractionDesc,
                   library.tcgemmContractionDescInitSized,
                   library.tcgemmPlanContraction)
GROUPED = Kind(_library.GroupedDesc, library.tcgemmGroupedDescInitSized,
               library.tcgemmPlanGrouped)


class Context:
    """A handle of a device, and its plans."""

    def __init__(self, device):
        # First, because its errors tell why a device cannot be used.
        self.handle = ctypes.c_void_p()
        check(library.tcgemmCreate(ctypes.byref(self.handle), device))
        self.driver = _library.Driver()
        self.primary = self.driver.retain(device)
        self.plans, self.forgotten = {}, []
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def make_current(self):
        """Makes the device's primary context current, because memory for the
        default stream is allocated on the device of the current context."""
        self.driver.push(self.primary)
        try:
            yield
        finally:
            self.driver.pop()

    def plan(self, kind, fields):
        """The plan for values of the structure's fields, with the bytes of its
        workspace. Values are numbers, texts, and tuples for arrays."""
        for name, value in fields.items():
            if isinstance(value, str) and "\0" in value:
                raise ValueError("%s has a NUL character, which ends texts: %r"
                                 % (name, value))
        key = self.get_key(kind, fields)
        found = self.plans.get(key)
        if found:
            return found
        desc = kind.structure()
        check(kind.initialize(ctypes.byref(desc), ctypes.sizeof(desc)))
        for name, value in fields.items():
            if isinstance(value, tuple):
                getattr(desc, name)[:len(value)] = value
            else:
                setattr(desc, name,
                        value.encode() if isinstance(value, str) else value)
        plan, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(kind.plan(self.handle, ctypes.byref(desc), ctypes.byref(plan)))
        check(library.tcgemmPlanWorkspaceSize(plan, ctypes.byref(size)))
        with self.lock:
            known = self.plans.setdefault(key, (plan, size.value))
        if known[0] is not plan:  # Another thread has made one meanwhile.
            check(library.tcgemmPlanDestroy(plan))
        return known

    @staticmethod
    def get_key(kind, fields):
        return (kind, *sorted(fields.items()))

    def forget(self, kind, fields):
        """Makes the next call plan again. The old plan may be in a stream."""
        with self.lock:
            old = self.plans.pop(self.get_key(kind, fields), None)
            if old:
                self.forgotten.append(old)


_contexts = {}
_lock = threading.Lock()


def get_context(device):
    with _lock:
        if device not in _contexts:
            _contexts[device] = Context(device)
        return _contexts[device]
