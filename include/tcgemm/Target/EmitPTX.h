//===- EmitPTX.h - From the LLVM dialect to PTX -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_EMITPTX_H
#define TCGEMM_TARGET_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tcgemm/Target/Chip.h"
#include <string>

namespace tcgemm {

struct EmitPTXOptions {
  /// LLVM's optimization level, 0 to 3.
  int optLevel = 2;
  /// 32-bit pointers to shared and local memory.
  bool shortPointers = true;
};

/// Marks a gpu.module whose functions were tile-level programs.
inline constexpr llvm::StringLiteral kProgramsAttrName = "tcgemm.programs";

/// The attribute of a gpu.module without functions that has its PTX as text.
inline constexpr llvm::StringLiteral kPtxTextAttrName = "tcgemm.ptx";

/// The attribute of a gpu.module whose instructions need a later PTX version
/// than the chip: an i64 as ChipInfo::ptxVersion.
inline constexpr llvm::StringLiteral kPtxVersionAttrName = "tcgemm.ptx_version";

/// The unit attribute of a function whose spills are not an error.
inline constexpr llvm::StringLiteral kMaySpillAttrName = "tcgemm.may_spill";

/// The function of the driver that prints an assertion and ends the launch.
inline constexpr llvm::StringLiteral kAssertFailFunction = "__assertfail";

/// Registers the dialects for the translation of a gpu.module.
void registerEmissionDialects(mlir::DialectRegistry &registry);

/// The PTX of all functions of `module`, whose body is in the LLVM and NVVM
/// dialects. Errors are reported as diagnostics on the module.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module,
                                     const ChipInfo &chip,
                                     const EmitPTXOptions &options = {});

} // namespace tcgemm

#endif // TCGEMM_TARGET_EMITPTX_H
