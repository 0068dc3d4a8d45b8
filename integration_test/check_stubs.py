"""Compares the names and arguments of a package with those of its type stubs."""

import ast
import inspect
import sys

import tcgemm

with open(sys.argv[1], encoding="utf-8") as file:
    stubs = {node.name: node for node in ast.parse(file.read()).body
             if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
assert sorted(stubs) == sorted(tcgemm.__all__), (sorted(stubs), tcgemm.__all__)
for name, node in stubs.items():
    if isinstance(node, ast.FunctionDef):
        rest = [argument for argument in (node.args.vararg, node.args.kwarg)
                if argument]
        arguments = [argument.arg for argument in
                     node.args.args + node.args.kwonlyargs + rest]
        real = list(inspect.signature(getattr(tcgemm, name)).parameters)
        assert arguments == real, (arguments, real)
