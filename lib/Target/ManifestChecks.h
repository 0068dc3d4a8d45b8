//===- ManifestChecks.h - Parts of the manifest's verifier ------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TARGET_MANIFESTCHECKS_H
#define TCGEMM_LIB_TARGET_MANIFESTCHECKS_H

#include "tcgemm/Target/Manifest.h"

#include "llvm/ADT/Twine.h"

namespace tcgemm::manifest {

/// An error that names the place in the document and the rule.
llvm::Error fail(const llvm::Twine &path, const llvm::Twine &rule);

/// Checks that a file is directly in the pack's directory.
llvm::Error checkFileName(llvm::StringRef name, const llvm::Twine &path);
llvm::Error checkSHA256(llvm::StringRef digits, const llvm::Twine &path);

llvm::Error verifyOperand(const OperandInfo &operand, const std::string &path);

/// The type that the value of an output must have, which is the number-th one
/// that the epilogue yields.
ScalarType getYieldType(const OperandInfo &output,
                        const EpilogueProgram &epilogue, size_t number);
/// Checks which operands of a grouped product have a matrix for each group.
llvm::Error verifyGroups(const KernelInfo &kernel, const std::string &path);
/// Checks that the kernel's features may be together. Its operands must have
/// been checked.
llvm::Error verifyFeatures(const KernelInfo &kernel, const std::string &path);
/// Checks that the fixed sizes of a kernel with a representation are those of
/// whole numbers.
llvm::Error verifyNumbers(const KernelInfo &kernel, const std::string &path);
llvm::Error verifyConstant(const PackConstant &constant,
                           const std::string &path);
/// The kernels and constants of `manifest` must have been checked.
llvm::Error verifyFunction(const Manifest &manifest,
                           const FunctionInfo &function,
                           const std::string &path);

} // namespace tcgemm::manifest

#endif // TCGEMM_LIB_TARGET_MANIFESTCHECKS_H
