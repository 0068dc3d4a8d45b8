//===- HostPipeline.h - From tensors to launches on buffers -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host part of the compiler: functions on tensors become functions on
// buffers whose bodies are launches.
// registerBufferizableOpInterfaceExternalModels must have been called for the
// dialect registry, together with upstream's models of the dialects that the
// functions use.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_PIPELINES_HOSTPIPELINE_H
#define TCGEMM_PIPELINES_HOSTPIPELINE_H

#include <functional>

namespace mlir {
class Operation;
class OpPassManager;
} // namespace mlir

namespace tcgemm {

struct HostOptions {
  /// Report why a linalg operation is not raised.
  bool remarks = true;
  /// Which contractions are raised: see CompileOptions.
  bool onlyMarked = false;
  std::function<bool(mlir::Operation *)> filter;
  /// How products are computed: see CompileOptions.
  std::string precision = "ieee";
  /// Two products that share A may be one kernel: see the pass tcgemm-raise.
  bool dual = true;
  /// Kernels may sum over a second k: see the same pass.
  bool summedDims = false;
  /// Operands may have bands, and results may be symmetric: see the same pass.
  bool structured = true;
  /// Kernels may read numbers as blocks: see the same pass.
  bool representations = true;
  /// Interleaved components may be separated by copies: see CompileOptions.
  bool separateComponents = false;
  /// Kernels may read constants of the module: see CompileOptions.
  bool packConstants = false;
  /// Return results in arguments that the caller allocates.
  bool outParams = true;
  /// Free temporaries after their last use. tcgemm-run owns them and does not
  /// need this.
  bool deallocate = false;
};

/// Adds one-shot bufferization alone: buffers of functions have the identity
/// layout, and loops may hand on new buffers.
void addBufferization(mlir::OpPassManager &manager);

/// Bufferizes a module whose contractions have been raised. Arguments of public
/// functions are read-only unless they are `bufferization.writable`; buffers
/// have the identity layout; results become trailing arguments.
void buildBufferizePipeline(mlir::OpPassManager &manager,
                            const HostOptions &options = {});

/// Raise and bufferize.
void buildHostPipeline(mlir::OpPassManager &manager,
                       const HostOptions &options = {});

/// Registers the textual pipelines `tcgemm-bufferize` and `tcgemm-host`.
void registerHostPipelines();

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_HOSTPIPELINE_H
