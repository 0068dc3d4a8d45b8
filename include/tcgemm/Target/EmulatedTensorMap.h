//===- EmulatedTensorMap.h - Tensor maps of an emulator ---------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA does not document the 128 bytes of a tensor map, which the driver
// writes and the hardware reads. The maps of an emulator have this layout
// instead, little-endian:
//
//   byte  size  field
//      0     8  magic, "TCGEMMTM"
//      8     1  version, 1
//      9     1  element type: the index in ScalarType
//     10     1  rank
//     11     1  swizzle, as CUtensorMapSwizzle
//     12     1  L2 promotion, as CUtensorMapL2promotion
//     13     3  zero
//     16     8  address of element 0
//     24   5×4  dims, less 1 (2³² is allowed), innermost first
//     44   5×2  box
//     54     2  zero
//     56   4×8  byte strides of the dims 1 and up
//     88     1  1 with a window, else 0; then the bytes 89 to 94 are zero
//     89     2  lower corner of the window, signed
//     91     2  upper corner, signed
//     93     2  steps
//     95    25  zero
//    120     8  FNV-1a (64 bits) of the bytes 0 to 119
//
// Entries beyond the rank are zero. The checksum detects memory that is not a
// map any more, and maps that a kernel has overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_EMULATEDTENSORMAP_H
#define TCGEMM_TARGET_EMULATEDTENSORMAP_H

#include "tcgemm/Target/TensorMap.h"

namespace tcgemm {

/// The map's bytes. Errors: those of checkTensorMap.
llvm::Expected<TensorMapImage>
encodeEmulatedTensorMap(const TensorMapDescription &map);

/// The inverse of encodeEmulatedTensorMap. Errors: the size is not 128 bytes,
/// the bytes are not such a map or are damaged, or a rule of checkTensorMap is
/// broken.
llvm::Expected<TensorMapDescription>
decodeEmulatedTensorMap(llvm::ArrayRef<uint8_t> bytes);

} // namespace tcgemm

#endif // TCGEMM_TARGET_EMULATEDTENSORMAP_H
