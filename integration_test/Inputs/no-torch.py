import sys
sys.modules["torch"] = None  # No package of that name can be imported.
try:
    import tcgemm.torch
except ImportError as error:
    print(error)
