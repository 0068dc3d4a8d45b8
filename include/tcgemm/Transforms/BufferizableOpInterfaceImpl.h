//===- BufferizableOpInterfaceImpl.h - Launches on buffers ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define TCGEMM_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tcgemm {

/// Adds support of `tcgemm.launch` to one-shot bufferization.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace tcgemm

#endif // TCGEMM_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
