//===- SupportedProducts.h - Types that schedules multiply ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists which types of operands each schedule multiplies, by which instruction,
// in which layouts and on which chips. The list follows from the table of
// instructions and from the rules of the schedules.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_SUPPORTEDPRODUCTS_H
#define TCGEMM_CONFIG_SUPPORTEDPRODUCTS_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Target/Instructions.h"

namespace tcgemm {

/// How a schedule takes an operand whose rows run along m or n.
enum class TransposedSupport {
  None,   ///< It does not.
  Packed, ///< A pack kernel transposes it first.
  Direct, ///< The kernel reads it.
};

/// How a chip multiplies the types.
enum class ChipSupport {
  None,     ///< It does not.
  Emulated, ///< By other instructions: see isEmulated.
  Native,
};

/// The products of two types by one schedule.
struct SupportedProduct {
  ScalarType a, b;
  /// The type in which the instructions add.
  ScalarType sum;
  Schedule schedule;
  /// The widest one for these types. Null for schedules that convert elements
  /// to f32 and multiply them one at a time.
  const MatrixInstruction *instruction;
  /// For A and B. All schedules take rows along k.
  std::array<TransposedSupport, 2> transposed;
  /// For each of getKnownChips.
  std::vector<ChipSupport> chips;
};

/// All products that some chip computes, by types in the order of the table of
/// instructions.
std::vector<SupportedProduct> listSupportedProducts();

} // namespace tcgemm

#endif // TCGEMM_CONFIG_SUPPORTEDPRODUCTS_H
