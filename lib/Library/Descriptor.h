//===- Descriptor.h - A checked description of a product --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_DESCRIPTOR_H
#define TCGEMM_LIB_LIBRARY_DESCRIPTOR_H

#include "tcgemm.h"
#include "tcgemm/Store/Problems.h"
#include "tcgemm/Target/Dims.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <string>

namespace tcgemm::library {

/// An argument of a run.
enum Slot : unsigned {
  SlotA,
  SlotB,
  SlotC,
  SlotD,
  SlotEpilogue, ///< The first of TCGEMM_MAX_EPILOGUE_OPERANDS.
  SlotAlpha = SlotEpilogue + TCGEMM_MAX_EPILOGUE_OPERANDS,
  SlotBeta,
  NumSlots
};

/// The name of a slot for messages: `A`, `epilogue[1]`.
std::string getSlotName(unsigned slot);

/// A matrix that a product reads or writes.
struct SlotLayout {
  unsigned slot = SlotA;
  ScalarType type = ScalarType::F32; ///< The type of its elements in memory.
  /// Elements between neighbours along each dimension; 0 where it has none.
  std::array<int64_t, kNumDims> strides{};
  /// The power of two that divides the address: the descriptor's, or the size
  /// of an element if that is larger.
  unsigned alignment = 1;
};

/// A product as its descriptor states it, after all checks.
struct Description {
  TuningProblem problem;
  double alpha = 1, beta = 0;
  /// The arguments of the generated function, in their order.
  llvm::SmallVector<SlotLayout, 8> slots;
  std::string config;
  /// Whether kernels read alpha and beta from device memory.
  bool scalarsInMemory = false;

  /// The function to compile, as MLIR.
  std::string getSource() const;
  bool isEmpty() const {
    const MatmulSizes &s = problem.sizes;
    return s.m == 0 || s.n == 0 || s.batch == 0;
  }
};

/// Errors: a field breaks a rule; the text states its value and the rule.
llvm::Expected<Description> readDescriptor(const tcgemmMatmulDesc &desc);

/// The type's name in texts of problems; none if the number is no type.
std::optional<llvm::StringRef> findTypeName(tcgemmType type);

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_DESCRIPTOR_H
