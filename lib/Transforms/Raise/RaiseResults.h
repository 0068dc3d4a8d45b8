//===- RaiseResults.h - Results of a launch ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to raise.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_RAISE_RAISERESULTS_H
#define TCGEMM_LIB_TRANSFORMS_RAISE_RAISERESULTS_H

#include "Raise/RaiseGroup.h"

namespace tcgemm::raise {

/// The tensors or buffers that a launch overwrites, and how its results become
/// the values that the group computes.
class LaunchResults {
public:
  /// Keeps both references. `builder` writes next to the launch.
  LaunchResults(Group &group, mlir::OpBuilder &builder)
      : group(group), builder(builder), loc(group.contraction.getLoc()) {}

  /// Returns what the launch overwrites for this value of the group. `dims`
  /// becomes the dims with which the kernel stores it.
  mlir::Value createTarget(mlir::Value output, std::string &dims);
  /// Converts the launch's `result` to `output`, which it replaces.
  mlir::Value restore(mlir::Value result, mlir::Value output);

private:
  /// Returns whether the result is transposed behind the launch.
  bool isTransposed(llvm::StringRef dims) const {
    return group.transposes && !group.onBuffers() && !canStore(group, dims);
  }
  mlir::Value getDestination(mlir::Value output);

  Group &group;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::DenseSet<mlir::Value> destinations;
  /// The destinations of results that are transposed behind the launch.
  llvm::DenseMap<mlir::Value, mlir::Value> transposedTargets;
};

} // namespace tcgemm::raise

#endif // TCGEMM_LIB_TRANSFORMS_RAISE_RAISERESULTS_H
