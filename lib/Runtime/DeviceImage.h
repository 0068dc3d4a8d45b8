//===- DeviceImage.h - A problem's buffer on a device -----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most devices receive the whole image of a buffer, including red zones. A
// device that checks accesses receives only the tensor, and only its elements
// with contents. The bytes before, between and after them are undefined or not
// allocated.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H
#define TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H

#include "tcgemm/Runtime/AccessChecker.h"
#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

class DeviceImage {
public:
  /// The image of a scalar, which has no memory.
  DeviceImage() = default;
  /// Allocates and uploads.
  static llvm::Expected<DeviceImage>
  create(Device &device, const ProblemBuffer &buffer, llvm::StringRef name);

  /// The address of byte 0 of the image, even if that byte is not allocated.
  uint64_t getAddress() const { return memory.getAddress() - skipped; }

  /// Sets the permissions of the next launch on a checking device. The elements
  /// of `undefined` become undefined.
  llvm::Error prepare(Device &device, const ProblemBuffer &buffer,
                      bool isWritable,
                      llvm::ArrayRef<BufferPart> undefined) const;

  /// Copies `buffer.image` to the device.
  llvm::Error upload(Device &device, const ProblemBuffer &buffer) const;
  /// Like above, for at least the elements of `part`, which then have contents.
  llvm::Error upload(Device &device, const ProblemBuffer &buffer,
                     const BufferPart &part) const;

  /// The current image on the device. Elements that were never written have
  /// their values of `buffer.image`; `missed` describes those in `parts`.
  llvm::Expected<std::vector<uint8_t>>
  download(Device &device, const ProblemBuffer &buffer,
           llvm::ArrayRef<BufferPart> parts, std::string &missed) const;

private:
  Buffer memory;
  int64_t skipped = 0; ///< Bytes at the start of the image without memory.
  int64_t bytes = 0;   ///< Bytes of the image with memory.
};

/// A part that is the whole buffer.
BufferPart getWhole(const ProblemBuffer &buffer);

/// Compares the bytes outside of `parts` of two images of `buffer`. Describes
/// the first difference; returns an empty text if there is none.
std::string findDamage(const ProblemBuffer &buffer,
                       llvm::ArrayRef<BufferPart> parts,
                       const std::vector<uint8_t> &before,
                       const std::vector<uint8_t> &after);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H
