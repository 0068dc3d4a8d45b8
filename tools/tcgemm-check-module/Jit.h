//===- Jit.h - A compiled function and its calls ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_CHECKMODULE_JIT_H
#define TCGEMM_TOOLS_CHECKMODULE_JIT_H

#include "Signature.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "tcgemm/Target/FormatError.h"

#include <memory>

namespace tcgemm {

/// The descriptor of a memref in the C interface.
struct MemRef {
  std::vector<int64_t> words;

  MemRef() = default;
  MemRef(void *data, llvm::ArrayRef<int64_t> sizes);
  /// Room for the descriptor of a tensor of this type.
  explicit MemRef(const ValueType &type) : words(getNumWords(type)) {}

  static size_t getNumWords(const ValueType &type) {
    return 3 + 2 * type.sizes.size();
  }
};

/// A value of a call: a descriptor, or the bytes of a scalar.
struct CallValue {
  MemRef memref;
  uint64_t scalar = 0;
};

/// The program crashed inside the call, so that locks may be held.
class CrashError : public TextError<CrashError> {
public:
  static char ID;
  using TextError::TextError;
};

/// One function of a module in the LLVM dialect, compiled for this machine.
/// Memory that its code allocates is freed with this object.
class JitFunction {
public:
  ~JitFunction();
  static llvm::Expected<std::unique_ptr<JitFunction>>
  create(mlir::ModuleOp module, llvm::StringRef name);

  /// Runs the module's constructors.
  void initialize() { engine->initialize(); }
  /// Calls the function with `arguments`; `results` have the types `types` and
  /// are returned by value. Errors: the code has aborted (for instance by a
  /// failed assertion), or a CrashError.
  llvm::Error call(llvm::ArrayRef<CallValue> arguments,
                   llvm::ArrayRef<ValueType> argumentTypes,
                   llvm::MutableArrayRef<CallValue> results,
                   llvm::ArrayRef<ValueType> types);

private:
  JitFunction() = default;

  std::unique_ptr<mlir::ExecutionEngine> engine;
  std::vector<void *> allocations;
  void (*entry)(void **) = nullptr;
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_CHECKMODULE_JIT_H
