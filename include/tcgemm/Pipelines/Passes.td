//===- Passes.td - Passes over the rooms -----------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_PASSES_TD
#define TCGEMM_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def Configure : Pass<"tcgemm-configure", "::mlir::ModuleOp"> {
  let summary = "Choose each kernel's configuration and check it";
  let description = [{
    Gives every `tcgemm.kernel` without one a `#tcgemm.config`: what the first
    provider that knows the kernel answers, then `records`, at last the default model's choice
    for the kernel's (hinted) sizes, changed by `config`. The parameters that
    `config` sets steer the choice of the others. A kernel's own `config` and
    `chip` stay. Each is checked against the chip's limits and the kernel's
    types; an error says the value, the rule and the limit of all that is wrong.

    ```mlir
    tcgemm.kernel @matmul <1x4096x4096x4096> [...] epilogue {...}
    // becomes
    tcgemm.kernel @matmul <1x4096x4096x4096> [...] epilogue {...}
      attributes {chip = "sm_90", config = #tcgemm.config<cta = [128, 256, 64], ...>}
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"", "Chip to compile for, e.g. sm_80">,
    Option<"config", "config", "std::string", "\"\"",
           "Parameters to set, e.g. \"cta=128x128x64 stages=3\"">,
    Option<"sizeHint", "size-hint", "std::string", "\"\"",
           "Expected sizes MxNxK (or BxMxNxK) where they are dynamic">,
    Option<"records", "records", "std::string", "\"none\"",
           "Tuned records to choose by: a database or lines of JSON, before the "
           "shipped ones, which alone are an empty text; none: no records">];
  let statistics = [
    Statistic<"numConfigured", "kernels-configured", "Kernels given a configuration">,
    Statistic<"numChecked", "configs-checked", "Configurations found legal">];
}

def LowerPrograms : Pass<"tcgemm-lower-programs", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the tile-level programs of a gpu.module to NVVM";
  let description = [{
    Runs tcgemm-lower-epilogue-math, tcgemm-lower-tiles, cse and
    tcgemm-program-to-nvvm on a `gpu.module` that has programs, and marks it by
    `tcgemm.programs`. Other modules stay as they are.
  }];
  let options = [Option<"approximateMath", "approximate-math", "bool", "false",
    "Math by approximate instructions, not polynomials">];
}

def WritePack : Pass<"tcgemm-write-pack", "::mlir::ModuleOp"> {
  let summary = "Write a kernel pack: the manifest and the binaries";
  let description = [{
    Writes what `tcgemm-emit` left, with the kernels' plans and the functions, as a
    directory that `tcgemm-run` and others launch (docs/reference/manifest.md). Functions
    must be made of launches alone: one with another operation is left out, with a
    warning that names it, and is an error if there is no other function.
    The module stays as it is, but with `drop-binaries` it loses its code, which
    is long and in the pack.
  }];
  let options = [Option<"path", "path", "std::string", "\"\"",
                        "The directory to write">,
                 Option<"dropBinaries", "drop-binaries", "bool", "false",
                        "Remove the code from the module once it is written">];
}

#endif // TCGEMM_PIPELINES_PASSES_TD
