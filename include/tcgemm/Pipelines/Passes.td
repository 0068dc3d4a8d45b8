//===- Passes.td - Pass 2 and passes of the pipelines -------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_PASSES_TD
#define TCGEMM_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def AddCopyKernels : Pass<"tcgemm-add-copy-kernels", "::mlir::ModuleOp"> {
  let summary = "Add the kernels that a pack's copies and transpositions launch";
  let description = [{
    Adds a `gpu.module` with the PTX of two kernels for each size of an element that a
    `memref.copy` or a `linalg.transpose` on buffers copies: one splits pairs of
    neighbours to two rows, or joins them, and the other one does all else.
    `tcgemm-write-pack` writes the launches of these kernels to the manifest. A module
    without such an operation is not changed.

    ```mlir
    linalg.transpose ins(%a : memref<?x?xbf16>) outs(%b : memref<?x?xbf16>)
      permutation = [1, 0]
    // adds
    gpu.module @tcgemm_copies attributes {tcgemm.ptx = ".version 7.0 ..."} {}
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
  let statistics = [
    Statistic<"numKernels", "copy-kernels", "Kernels added">];
}

def Configure : Pass<"tcgemm-configure", "::mlir::ModuleOp"> {
  let summary = "Choose each kernel's configuration and check it";
  let description = [{
    Sets the `#tcgemm.config` of every `tcgemm.kernel` without one. The pass asks the
    registered providers first, then `records`, then a fitted model, and finally the
    default model. They choose by the kernel's sizes or `size-hint`. The parameters in
    `config` are fixed, and the others are chosen to fit them. An existing `config` or
    `chip` of a kernel is kept; with `only-chip`, as in the pipelines, another chip is an
    error. Each configuration is checked against the chip's limits
    and the kernel's types. An error gives the value, the rule and the limit of
    everything that is wrong.

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
           "Tuned records to use: a database or lines of JSON, which precede the "
           "shipped records; shipped, or an empty text: these only; none: no records">,
    Option<"onlyChip", "only-chip", "bool", "false",
           "Kernels of other chips are errors: code is written for one chip">];
  let statistics = [
    Statistic<"numConfigured", "kernels-configured", "Kernels given a configuration">,
    Statistic<"numChecked", "configs-checked", "Configurations found legal">];
}

def KeepParts : Pass<"tcgemm-keep-parts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Leave parts out of programs with roles, to measure the others";
  let description = [{
    Leaves the copies, the products or the epilogues out of every `tcgemm.program` that
    has roles. Producers and consumers still hand over every stage of the ring. A program
    without copies multiplies what is in shared memory. One without products stores
    zeros. Results are therefore wrong, and only the times of such programs mean
    something: `tcgemm-tune calibrate` measures them. Copies by threads, products of
    fragments and sums over a cluster cannot be left out, and are errors.

    ```mlir
    %2 = tcgemm.mma.async %ring, %state, %1 tiles 0, 1 into %0 : ...
    %3 = tcgemm.mma.await %2 : ...
    tcgemm.ring.release %ring, %1 arrivals 4 : ...
    // becomes, with products=false
    tcgemm.ring.release %ring, %1 arrivals 4 : ...
    ```
  }];
  let options = [
    Option<"copies", "copies", "bool", "true", "Keep the copies to shared memory">,
    Option<"products", "products", "bool", "true", "Keep the products">,
    Option<"epilogue", "epilogue", "bool", "true", "Keep the epilogues">];
}

def LowerPrograms : Pass<"tcgemm-lower-programs", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower the tile-level programs of a gpu.module to NVVM";
  let description = [{
    Runs tcgemm-lower-epilogue-math, tcgemm-lower-tiles, cse and
    tcgemm-program-to-nvvm on a `gpu.module` that has programs, and sets its attribute
    `tcgemm.programs`. Other modules are not changed.
  }];
  let options = [Option<"approximateMath", "approximate-math", "bool", "false",
    "Use approximate instructions for math instead of polynomials">];
}

def WritePack : Pass<"tcgemm-write-pack", "::mlir::ModuleOp"> {
  let summary = "Write a kernel pack: the manifest and the binaries";
  let description = [{
    Writes the binaries of `tcgemm-emit`, the kernels' plans and the functions to a
    directory, which `tcgemm-run` and others can launch (docs/reference/manifest.md).
    Functions must consist of launches only. A function with another operation is left
    out with a warning that names the operation; it is an error if no function is left.
    The module is not changed, except that `drop-binaries` removes its code.
  }];
  let options = [Option<"path", "path", "std::string", "\"\"",
                        "The directory to write">,
                 Option<"dropBinaries", "drop-binaries", "bool", "false",
                        "Remove the code from the module once it is written">];
}

#endif // TCGEMM_PIPELINES_PASSES_TD
