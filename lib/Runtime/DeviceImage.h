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

  /// Tells a checking device what the next launch may do.
  llvm::Error prepare(Device &device, const ProblemBuffer &buffer, bool isInput,
                      bool isOutput) const;

  /// Gives the device what `buffer.image` holds.
  llvm::Error upload(Device &device, const ProblemBuffer &buffer) const;

  /// The image as it is now. Elements that were never written keep what
  /// `buffer.image` has; `missed` then says which.
  llvm::Expected<std::vector<uint8_t>> download(Device &device,
                                                const ProblemBuffer &buffer,
                                                std::string &missed) const;

private:
  Buffer memory;
  int64_t skipped = 0; ///< Bytes of the image that have no memory in front.
  int64_t bytes = 0;   ///< Of the image, that have memory.
};

/// Whether the bytes outside of the elements of `after` are those of `before`,
/// both being images of `buffer`; if not, says where the first one differs.
std::string findDamage(const ProblemBuffer &buffer,
                       const std::vector<uint8_t> &before,
                       const std::vector<uint8_t> &after);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_DEVICEIMAGE_H
