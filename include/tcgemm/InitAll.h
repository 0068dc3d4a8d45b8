//===- InitAll.h - Registration of dialects and passes ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration for tcgemm-opt, the plugin and embedders. Only registerUpstream*
// register MLIR's own dialects and passes. A host that already has these, such
// as a stock mlir-opt, calls only the other functions.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_INITALL_H
#define TCGEMM_INITALL_H

#include <memory>

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace tcgemm {

/// The tcgemm dialect and its interfaces. Lets passes read records, too.
void registerDialects(mlir::DialectRegistry &registry);

/// tcgemm's passes and pipelines. Call it once in a process.
void registerPasses();

/// MLIR's dialects for the path from linalg on tensors to NVVM, with their
/// interfaces, their transform operations and the NVVM target.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

/// MLIR's passes over those dialects.
void registerUpstreamPasses();

/// All of the above.
inline void registerAll(mlir::DialectRegistry &registry) {
  registerUpstreamDialects(registry);
  registerDialects(registry);
  registerUpstreamPasses();
  registerPasses();
}

/// A context with all dialects, for the text of one module. It starts no
/// threads.
std::unique_ptr<mlir::MLIRContext> createContext();

} // namespace tcgemm

#endif // TCGEMM_INITALL_H
