//===- Program.h - A compiled function and its data -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VARIANTS_PROGRAM_H
#define VARIANTS_PROGRAM_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/MLIRContext.h"
#include "tcgemm/GpuRuntime/GpuRuntime.h"
#include "tcgemm/Pipelines/CompileOptions.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <vector>

/// A dense row-major array of small integers. The device's elements are bf16 of
/// inputs and f32 of the result.
struct Array {
  explicit Array(std::vector<int64_t> sizes, unsigned seed = 0);
  /// The element with these indices.
  float &at(llvm::ArrayRef<int64_t> indices);

  std::vector<int64_t> sizes;
  std::vector<float> values;
};

/// The function `product` of an MLIR module, with all that it computes on the
/// device.
class Program {
public:
  /// Errors: the text is no MLIR, or a pass fails; its diagnostics are printed.
  static llvm::Expected<std::unique_ptr<Program>>
  compile(llvm::StringRef source, const tcgemm::CompileOptions &options,
          const tcgemm::gpu_runtime::Device &device);
  /// Runs it on the device. Errors: those of the driver.
  llvm::Error run(llvm::ArrayRef<Array> inputs, Array &result);

private:
  Program();

  mlir::MLIRContext context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  std::string entry;
};

/// Returns whether tcgemm computes a sum over an index of the module's
/// function: by a product, or in an operation that it leaves as it is.
llvm::Expected<bool> hasSums(llvm::StringRef source);

#endif // VARIANTS_PROGRAM_H
