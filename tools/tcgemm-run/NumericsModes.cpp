//===- NumericsModes.cpp - The ways to compute a product ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumericsModes.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/SupportedProducts.h"

using namespace tcgemm;

/// The error of an addition of f32.
static constexpr double kFloatError = 0x1p-23;

/// Returns whether a schedule of `chip` multiplies the types of `kind`, with
/// sums of instructions added in registers if `promotes`.
static bool isSupported(const MatmulKind &kind, bool promotes,
                        const ChipInfo &chip,
                        llvm::ArrayRef<SupportedProduct> products) {
  size_t index = &chip - getKnownChips().data();
  return llvm::any_of(products, [&](const SupportedProduct &product) {
    bool canPromote = llvm::is_contained(getFamily(product.schedule).getKeys(),
                                         "promote_sums");
    return product.a == kind.typeA && product.b == kind.typeB &&
           product.chips[index] != ChipSupport::None &&
           (!promotes || canPromote);
  });
}

static std::string getModeName(const MatmulKind &kind, Precision precision,
                               bool promotes) {
  if (getBufferType(kind.typeA) == ScalarType::F32)
    return getPrecisionName(precision).str();
  ScalarType sum = getInstructionSum(kind.typeA, kind.accumulator);
  return getPtxTypeName(sum).str() + (promotes ? "-promoted" : "-sums");
}

llvm::Expected<std::vector<NumericsMode>>
tcgemm::findNumericsModes(const MatmulKind &kind, const ChipInfo &chip,
                          std::vector<std::string> &notes) {
  std::vector<SupportedProduct> products = listSupportedProducts();
  std::vector<NumericsMode> modes;
  for (Precision precision : getPrecisions(kind.typeA)) {
    MatmulKind each = kind;
    each.typeA = getOperandType(kind.typeA, precision);
    each.typeB = getOperandType(kind.typeB, precision);
    // Operands of one type in memory have a precision together.
    if (getPrecision(each.typeA) != getPrecision(each.typeB))
      continue;
    // Split precisions promote their sums by default.
    bool isRough = !each.splitsOperands() &&
                   getAccumulationError(each.typeA, each.typeB,
                                        each.accumulator) > kFloatError;
    for (bool promotes : {false, true}) {
      if (promotes && !isRough)
        continue;
      std::string name = getModeName(each, precision, promotes);
      if (isSupported(each, promotes, chip, products))
        modes.push_back({name, precision, promotes});
      else
        notes.push_back("chip " + chip.name.str() + " has no " + name);
    }
  }
  if (modes.empty())
    return llvm::createStringError("chip " + chip.name +
                                   " multiplies no operands of " +
                                   kind.getOperandTypeText());
  return modes;
}

llvm::Expected<std::vector<NumericsMode>>
tcgemm::selectNumericsModes(std::vector<NumericsMode> modes,
                            llvm::ArrayRef<std::string> names) {
  if (names.empty())
    return modes;
  std::vector<NumericsMode> selected;
  for (llvm::StringRef name : names) {
    auto found = llvm::find_if(
        modes, [&](const NumericsMode &mode) { return mode.name == name; });
    if (found == modes.end()) {
      auto getName = [](const NumericsMode &mode) { return mode.name; };
      return llvm::createStringError(
          "--numerics-modes: '" + name + "' is none of " +
          llvm::join(llvm::map_range(modes, getName), ", "));
    }
    selected.push_back(*found);
  }
  return selected;
}
