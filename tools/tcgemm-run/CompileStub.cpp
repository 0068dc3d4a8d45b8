//===- CompileStub.cpp - Stands in for the compiler -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked only into builds without the compiler's pipelines: packs run, MLIR is
// refused with a reason.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/Compile.h"

llvm::Expected<tcgemm::KernelPack>
tcgemm::compileToPack(llvm::StringRef, const CompileOptions &) {
  return llvm::createStringError(
      "this tcgemm-run was built without the compiler; give it a kernel pack");
}
