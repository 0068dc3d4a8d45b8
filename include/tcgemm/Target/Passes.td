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
    module's `#nvvm.target`, else the option's. No libdevice and no CUDA toolkit
    are used but for ptxas.

    What ptxas says is kept in the objects' `properties`. Spills and remarks
    of the C75xx kind (serialized wgmma, ignored setmaxnreg, ...) fail the pass,
    unless an option allows them. Where ptxas spills by its own choice of
    registers, it is run once more and told that one resident block is enough.

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
           "What to make: ptx, or cubin (by ptxas; keeps the PTX too)">,
    Option<"ptxas", "ptxas", "std::string", "\"\"",
           "Path of ptxas; else it is looked for">,
    Option<"timeout", "timeout", "unsigned", "60", "Seconds that ptxas may take">,
    Option<"ptxasThreads", "ptxas-threads", "unsigned", "0",
           "Threads of ptxas from CUDA 13 on; 0: as many as there are cores">,
    Option<"optLevel", "opt-level", "unsigned", "2",
           "LLVM's optimization level, 0 to 3">,
    Option<"shortPointers", "short-pointers", "bool", "true",
           "32-bit pointers to shared memory">,
    Option<"allowSpills", "allow-spills", "bool", "false",
           "Accept kernels that spill registers">,
    Option<"allowRemarks", "allow-remarks", "bool", "false",
           "Accept kernels that ptxas remarks on (C75xx)">,
    Option<"onlyPrograms", "only-programs", "bool", "false",
           "Leave modules that tcgemm-lower-programs has not marked">];
  let statistics = [
    Statistic<"numModules", "modules-emitted", "Modules turned into PTX">,
    Statistic<"numAssembled", "modules-assembled", "Modules that ptxas assembled">,
    Statistic<"numKernels", "kernels-emitted", "Entry points emitted">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect"];
}

#endif // TCGEMM_TARGET_PASSES_TD
