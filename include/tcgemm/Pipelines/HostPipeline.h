//===- HostPipeline.h - From tensors to launches on buffers -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host half of the compiler: functions on tensors become functions on
// buffers whose bodies are launches. The dialect registry must have
// registerBufferizableOpInterfaceExternalModels applied to it, beside
// upstream's models of the dialects that the functions use.
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
  /// Say of every linalg operation that is not raised why it is not.
  bool remarks = true;
  /// Which contractions are raised: see CompileOptions.
  bool onlyMarked = false;
  std::function<bool(mlir::Operation *)> filter;
  /// Kernels may read constants of the module: see CompileOptions.
  bool packConstants = false;
  /// Give results through arguments that the caller allocates.
  bool outParams = true;
  /// Free the temporaries at the end of their life; tcgemm-run, which owns
  /// them, does not need it.
  bool deallocate = false;
};

/// Bufferizes a module whose contractions have been raised. Arguments of public
/// functions are read-only unless they are `bufferization.writable`; buffers
/// have the identity layout; results become trailing arguments.
void buildBufferizePipeline(mlir::OpPassManager &manager,
                            const HostOptions &options = {});

/// Raise and bufferize.
void buildHostPipeline(mlir::OpPassManager &manager,
                       const HostOptions &options = {});

/// Makes both known to textual pipelines: `tcgemm-bufferize`, `tcgemm-host`.
void registerHostPipelines();

} // namespace tcgemm

#endif // TCGEMM_PIPELINES_HOSTPIPELINE_H
