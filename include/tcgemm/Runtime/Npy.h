//===- Npy.h - NumPy's file format ------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files, versions 1 and 2, C order, little-endian:
// `<f2`, `<f4`, `<f8`, `|b1`, `|i1`, `<i2`, `<i4`, `<i8`. NumPy has no
// bfloat16: the file of a bf16 tensor has its bits as `<u2`. Buffers of
// integers have no sign, so that their files may also be unsigned: `|u1`,
// `<u2`, `<u4`,
// `<u8`.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_NPY_H
#define TCGEMM_RUNTIME_NPY_H

#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm {

/// Parses the bytes of a file that holds elements of `type`. Errors: not a
/// .npy file, truncated, Fortran order, another element type.
llvm::Expected<HostTensor> parseNpy(llvm::StringRef bytes, ScalarType type);

/// Reads a file; errors name it.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, ScalarType type);

/// The bytes of a version 1 file, without the tensor's padding.
std::string formatNpy(const HostTensor &tensor);

llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_NPY_H
