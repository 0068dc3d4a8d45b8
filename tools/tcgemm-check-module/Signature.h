//===- Signature.h - A function's arguments and results ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types and sizes. A size that is dynamic is found from the operations that tie
// it to another one, or is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_SIGNATURE_H
#define TCGEMM_TOOLS_CHECKMODULE_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tcgemm/Target/ScalarType.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace tcgemm {

/// A tensor or a scalar.
struct ValueType {
  ScalarType element = ScalarType::F32;
  bool isTensor = false;
  /// All sizes of arguments are known; a dynamic size of a result is negative.
  std::vector<int64_t> sizes;
  std::string text; ///< As MLIR writes it.
};

struct Signature {
  std::vector<ValueType> arguments, results;

  unsigned countScalarResults() const;
};

struct SizeOptions {
  int64_t defaultSize = 33;
  /// By argument: `arg0`.
  std::map<std::string, std::vector<int64_t>> shapes;
};

/// Errors: a type that is neither a ranked tensor nor a scalar; sizes that
/// contradict each other or the options.
llvm::Expected<Signature> readSignature(mlir::func::FuncOp function,
                                        const SizeOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_SIGNATURE_H
