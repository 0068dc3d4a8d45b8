//===- PassOptions.h - Checks of the options of passes ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass checks its options in `initialize`, before it has an operation. A
// wrong value is then an error for a module in which the pass finds nothing to
// do, too.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_PASSOPTIONS_H
#define TCGEMM_TARGET_PASSOPTIONS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Pass/Pass.h"
#include "tcgemm/Target/FormatError.h"

namespace tcgemm {

/// Reports an error in the options of `pass`, which the error's text names.
inline mlir::LogicalResult reportOptions(const mlir::Pass &pass,
                                         mlir::MLIRContext *context,
                                         llvm::Error error) {
  if (!error)
    return mlir::success();
  return mlir::emitError(mlir::UnknownLoc::get(context))
         << pass.getArgument() << ": " << llvm::toString(std::move(error));
}

/// Checks the number that an option has. `unit` begins with a space.
inline llvm::Error checkOptionRange(llvm::StringRef option, int64_t value,
                                    int64_t low, int64_t high,
                                    llvm::StringRef unit = "") {
  if (value >= low && value <= high)
    return llvm::Error::success();
  return formatError("{0} is {1}{2}, but it must be from {3} to {4}", option,
                     value, unit, low, high);
}

} // namespace tcgemm

#endif // TCGEMM_TARGET_PASSOPTIONS_H
