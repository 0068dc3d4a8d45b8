//===- Passes.td - Pass 5: PTX and cubin -------------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_PASSES_TD
#define TCGEMM_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def Emit : Pass<"tcgemm-emit", "::mlir::ModuleOp"> {
  let summary = "Turn each gpu.module into PTX and, by ptxas, a cubin";
  let description = [{
    Replaces each `gpu.module` in the LLVM and NVVM dialects by a `gpu.binary` with
    its PTX and, with `format=cubin`, its cubin. The chip is that of the
    module's `#nvvm.target`, or else the option's. The pass needs no libdevice and,
    except for ptxas, no CUDA toolkit.

    A `gpu.module` with the attribute `tcgemm.ptx` has its PTX there, in place of a body.

    The output of ptxas is stored in the objects' `properties`. Spills and remarks of
    the kind C75xx (serialized wgmma, ignored setmaxnreg, ...) fail the pass, unless an
    option allows them. If ptxas spills because it chose a low number of registers
    itself, it is run again with a limit of one resident block.

    ```mlir
    gpu.module @matmul { llvm.func @matmul_main(...) attributes {nvvm.kernel} {...} }
    // becomes
    gpu.binary @matmul [
      #gpu.object<#nvvm.target<chip = "sm_90">, properties = {
        kernels = {matmul_main = {registers = 226 : i64, spill_bytes = 0 : i64,
          stack_bytes = 0 : i64, static_shared_memory = 0 : i64, remarks = []}},
        log = "ptxas info ...", ptxas = "13.0.88"}, bin = "...">,
      #gpu.object<#nvvm.target<chip = "sm_90">, assembly = "...">]
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90\"",
           "Chip of modules without a target, e.g. sm_80">,
    Option<"format", "format", "std::string", "\"cubin\"",
           "Output: ptx, or cubin (by ptxas; keeps the PTX too)">,
    Option<"ptxas", "ptxas", "std::string", "\"\"",
           "Path of ptxas; it is searched for by default">,
    Option<"timeout", "timeout", "unsigned", "60", "Time limit of ptxas in seconds">,
    Option<"ptxasThreads", "ptxas-threads", "unsigned", "0",
           "Threads of ptxas from CUDA 13 on; 0: the number of cores">,
    Option<"optLevel", "opt-level", "unsigned", "2",
           "LLVM's optimization level, 0 to 3">,
    Option<"shortPointers", "short-pointers", "bool", "true",
           "32-bit pointers to shared memory">,
    Option<"allowSpills", "allow-spills", "bool", "false",
           "Accept kernels that spill registers">,
    Option<"allowRemarks", "allow-remarks", "bool", "false",
           "Accept kernels with remarks of ptxas (C75xx)">,
    Option<"onlyPrograms", "only-programs", "bool", "false",
           "Skip modules without the mark of tcgemm-lower-programs">];
  let statistics = [
    Statistic<"numModules", "modules-emitted", "Modules turned into PTX">,
    Statistic<"numAssembled", "modules-assembled", "Modules that ptxas assembled">,
    Statistic<"numKernels", "kernels-emitted", "Entry points emitted">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"];
}

#endif // TCGEMM_TARGET_PASSES_TD
