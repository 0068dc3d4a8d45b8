//===- DeviceImage.h - A problem's buffer on a device -----------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most devices get the image of a buffer as it is, red zones included. One that
// checks accesses gets the tensor alone, and of it only the elements that have
// contents: what is before, between and behind them is then undefined, or not
// there at all.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H
#define TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H

#include "tcgemm/Runtime/AccessChecker.h"
#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

class DeviceImage {
public:
  /// Of a scalar, which has no memory.
  DeviceImage() = default;
  /// Allocates and uploads.
  static llvm::Expected<DeviceImage>
  create(Device &device, const ProblemBuffer &buffer, llvm::StringRef name);

  /// Where byte 0 of the image is, or would be.
  uint64_t getAddress() const { return memory.getAddress() - skipped; }

  /// Tells a checking device what the next launch may do. The elements of
  /// `undefined` have no contents from now on.
  llvm::Error prepare(Device &device, const ProblemBuffer &buffer,
                      bool isWritable,
                      llvm::ArrayRef<BufferPart> undefined) const;

  /// Gives the device what `buffer.image` holds.
  llvm::Error upload(Device &device, const ProblemBuffer &buffer) const;
  /// As above, at least the elements of `part`, which have contents then.
  llvm::Error upload(Device &device, const ProblemBuffer &buffer,
                     const BufferPart &part) const;

  /// The image as it is now. Elements that were never written keep what
  /// `buffer.image` has; `missed` then says which of `parts`.
  llvm::Expected<std::vector<uint8_t>>
  download(Device &device, const ProblemBuffer &buffer,
           llvm::ArrayRef<BufferPart> parts, std::string &missed) const;

private:
  Buffer memory;
  int64_t skipped = 0; ///< Bytes of the image that have no memory in front.
  int64_t bytes = 0;   ///< Of the image, that have memory.
};

/// All of a buffer that stands by itself.
BufferPart getWhole(const ProblemBuffer &buffer);

/// Compares the bytes outside of `parts` of two images of `buffer`. Says where
/// the first one differs; returns an empty text if none does.
std::string findDamage(const ProblemBuffer &buffer,
                       llvm::ArrayRef<BufferPart> parts,
                       const std::vector<uint8_t> &before,
                       const std::vector<uint8_t> &after);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H
