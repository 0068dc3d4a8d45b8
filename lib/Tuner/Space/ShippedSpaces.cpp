//===- ShippedSpaces.cpp - Spaces by name --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Space.h"

using namespace llvm;

namespace tcgemm {

Expected<Space> readSpace(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, ".yaml");
  if (!text)
    return text.takeError();
  return Space::parse(*text, name);
}

namespace {
/// The spaces of a type of A, on chips with wgmma and on others.
struct DefaultSpaces {
  ScalarType type;
  std::vector<std::string> withWgmma, others;
  /// Those of `simt`, which alone has other algebras than sums of products.
  std::vector<std::string> simt = {};
};
} // namespace

static const std::vector<DefaultSpaces> &getTable() {
  using T = ScalarType;
  static const std::vector<std::string> tensorCores = {
      "wgmma-quick", "wgmma-waves",    "wgmma-mid", "wgmma-clusters",
      "wgmma-short", "mma_sync-quick", "gemv",      "gemv-across"};
  static const std::vector<std::string> largeTensorCores =
      ArrayRef(tensorCores).drop_back(2).vec();
  static const std::vector<std::string> warps = {"mma_sync-quick", "gemv",
                                                 "gemv-across"};
  static const std::vector<DefaultSpaces> table = {
      {T::F16, tensorCores, warps},
      {T::BF16, tensorCores, warps},
      {T::F16Acc16, largeTensorCores, {"mma_sync-quick"}},
      {T::F32, {"simt-quick"}, {"simt-quick"}, {"simt-quick"}},
      {T::F64,
       {"mma_sync-f64", "simt-f64"},
       {"mma_sync-f64", "simt-f64"},
       {"simt-f64"}},
      {T::I32, {"simt-quick"}, {"simt-quick"}, {"simt-quick"}},
      {T::TF32, {"wgmma-tf32", "mma_sync-tf32"}, {"mma_sync-tf32"}},
      {T::TF32X3, {"wgmma-split", "mma_sync-tf32"}, {"mma_sync-tf32"}},
      {T::BF16X3, {"wgmma-split", "mma_sync-quick"}, {"mma_sync-quick"}},
      {T::BF16X6, {"wgmma-split", "mma_sync-quick"}, {"mma_sync-quick"}},
      {T::I8, {"wgmma-8bit"}, {"mma_sync-quick"}, {"simt-8bit"}},
      {T::U8, {"wgmma-8bit"}, {"mma_sync-quick"}, {"simt-8bit"}},
      {T::U1, {"wgmma-bits"}, {"mma_sync-bits"}},
      {T::E4M3, {"wgmma-8bit"}, {"mma_sync-quick"}},
      {T::E5M2, {"wgmma-8bit"}, {"mma_sync-quick"}}};
  return table;
}

/// The space of groups of rows. Elements that are multiplied as they are have
/// the same depths of a stage, except bits. With scales of blocks, a stage is a
/// block. With scales of groups, sums are promoted.
static std::string getSpaceOfGroups(const MatmulKind &kind) {
  if (kind.hasBlockScales())
    return "wgmma-rows-promoted";
  if (kind.hasGroupScales())
    return "wgmma-rows-groups";
  bool isWhole = !kind.convertsOperands() && !kind.splitsOperands() &&
                 kind.getMultipliedBits() >= 8;
  return isWhole ? "wgmma-rows" : "wgmma-rows-narrow";
}

std::vector<std::string> getDefaultSpaces(const ChipInfo &chip,
                                          const MatmulKind &kind) {
  if (kind.hasGroupsOfRows())
    return {getSpaceOfGroups(kind)};
  if (kind.convertsOperands()) {
    std::vector<std::string> names;
    // wgmma converts one operand to the 16 bits of the other.
    if (chip.features.wgmma && kind.findInstruction(InstructionKind::Wgmma))
      names.emplace_back(kind.hasGroupScales() ? "wgmma-groups"
                                               : "wgmma-mixed");
    if (kind.findInstruction(InstructionKind::MmaSync))
      names.insert(names.end(), {"mma_sync-mixed", "gemv-mixed"});
    return names;
  }
  if (kind.hasBlockScales())
    return {"wgmma-promoted"};
  for (const DefaultSpaces &row : getTable()) {
    if (row.type != kind.typeA)
      continue;
    // Products of bits with `or-and` are by tensor cores.
    if (!kind.algebra.isDefault() && !row.simt.empty())
      return row.simt;
    return chip.features.wgmma ? row.withWgmma : row.others;
  }
  return {};
}

} // namespace tcgemm
