//===- Passes.td - Passes that make kernel packs -----------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_PASSES_TD
#define TCGEMM_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def WritePack : Pass<"tcgemm-write-pack", "::mlir::ModuleOp"> {
  let summary = "Write a kernel pack: the manifest and the binaries";
  let description = [{
    Writes what `tcgemm-emit` left, with the kernels' plans and the functions, as a
    directory that `tcgemm-run` and others launch (docs/manifest.md). Functions
    must be made of launches alone; any other operation is an error that names it.
    The module stays as it is.
  }];
  let options = [Option<"path", "path", "std::string", "\"\"",
                        "The directory to write">];
}

#endif // TCGEMM_PIPELINES_PASSES_TD
