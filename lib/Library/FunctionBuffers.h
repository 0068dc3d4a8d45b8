//===- FunctionBuffers.h - The buffers of a pack's function -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FUNCTIONBUFFERS_H
#define TCGEMM_LIB_LIBRARY_FUNCTIONBUFFERS_H

#include "Kernels.h"
#include "tcgemm/Runtime/HostTensor.h"

namespace tcgemm::library {

/// The place of an operand: behind a slot's address, in the workspace, or, with
/// TCGEMM_FIXED_SLOT, the address `offset`.
struct Place {
  unsigned slot = 0;
  uint64_t offset = 0;
};

struct PlacedBuffer {
  Place place;
  StridedShape shape;
  uint64_t alignment = 1; ///< It divides the address of the place.
};

/// The buffers that launches of a function of several kernels read and write.
class FunctionBuffers {
public:
  FunctionBuffers(const LoadedPack &pack, std::vector<PlacedBuffer> arguments)
      : pack(pack), arguments(std::move(arguments)) {}

  /// Places the temporaries in the workspace, behind its first `bytes` bytes,
  /// and adds theirs. Errors: a size is out of range.
  llvm::Error placeTemporaries(uint64_t &bytes);
  /// The buffer or view with a name of the manifest. Errors: a view joins
  /// indices of an argument that are not one index in its memory.
  llvm::Expected<PlacedBuffer> find(llvm::StringRef name) const;

private:
  llvm::Expected<std::vector<int64_t>>
  evaluate(llvm::ArrayRef<Expr> exprs) const;
  llvm::Expected<PlacedBuffer> findView(const ViewInfo &view) const;

  const LoadedPack &pack;
  std::vector<PlacedBuffer> arguments, temporaries;
};

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FUNCTIONBUFFERS_H
