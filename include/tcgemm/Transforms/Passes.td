//===- Passes.td - Passes 1 to 3: raise, configure, schedule -*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMS_PASSES_TD
#define TCGEMM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def Configure : Pass<"tcgemm-configure", "::mlir::ModuleOp"> {
  let summary = "Choose each kernel's configuration and check it";
  let description = [{
    Gives every `tcgemm.kernel` without one a `#tcgemm.config`: what the first
    provider that knows the kernel answers, at last the default model's choice
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
           "Expected sizes MxNxK (or BxMxNxK) where they are dynamic">];
  let statistics = [
    Statistic<"numConfigured", "kernels-configured", "Kernels given a configuration">,
    Statistic<"numChecked", "configs-checked", "Configurations found legal">];
}

def Schedule : Pass<"tcgemm-schedule", "::mlir::ModuleOp"> {
  let summary = "Write each configured kernel as tile-level programs";
  let description = [{
    Adds a `gpu.module` with the programs of each kernel (main, pack, reduction)
    and a `plan` to the kernel: its guarded variants and their launches.
  }];
  let statistics = [Statistic<"numPrograms", "programs", "Programs written">,
                    Statistic<"numVariants", "variants", "Variants planned">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

#endif // TCGEMM_TRANSFORMS_PASSES_TD
