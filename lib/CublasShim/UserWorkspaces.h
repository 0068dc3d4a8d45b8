//===- UserWorkspaces.h - Workspaces of cuBLAS's handles ------ -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_USERWORKSPACES_H
#define TCGEMM_LIB_CUBLASSHIM_USERWORKSPACES_H

#include "Serve.h"

namespace tcgemm::shim {

/// The workspace that the program has given to the handle by
/// cublasSetWorkspace; an empty one if it has given none, or has called
/// cublasSetStream since. cuBLAS has no function that returns it.
Workspace getUserWorkspace(cublas::Handle handle);

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_USERWORKSPACES_H
