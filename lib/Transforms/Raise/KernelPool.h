//===- KernelPool.h - Unique kernels of a module ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_KERNELPOOL_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_KERNELPOOL_H

#include "mlir/IR/SymbolTable.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

namespace tcgemm::raise {

/// The kernels that raise adds to a module. No two of them are equal, so that
/// products that differ only in their operands' values share one kernel.
class KernelPool {
public:
  explicit KernelPool(mlir::ModuleOp module) : symbols(module) {}

  /// Adds `kernel` under a unique name derived from `name`, or erases it and
  /// returns the equal kernel.
  KernelOp unify(KernelOp kernel, llvm::StringRef name);
  size_t size() const { return count; }

private:
  mlir::SymbolTable symbols;
  llvm::DenseMap<llvm::hash_code, llvm::SmallVector<KernelOp, 1>> byHash;
  size_t count = 0;
};

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_KERNELPOOL_H
