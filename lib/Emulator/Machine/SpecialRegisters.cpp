//===- SpecialRegisters.cpp - Special registers ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine/Block.h"

#include "llvm/ADT/StringSwitch.h"

namespace tcgemm::emu {

std::optional<SpecialRegister> findSpecialRegister(llvm::StringRef name) {
  using S = SpecialRegister;
  // Registers with components.
  auto [stem, component] = name.split('.');
  if (!component.empty()) {
    if (component.size() != 1 || component[0] < 'x' || component[0] > 'z')
      return std::nullopt;
    auto first = llvm::StringSwitch<std::optional<S>>(stem)
                     .Case("%tid", S::TidX)
                     .Case("%ntid", S::NtidX)
                     .Case("%ctaid", S::CtaidX)
                     .Case("%nctaid", S::NctaidX)
                     .Case("%clusterid", S::ClusteridX)
                     .Case("%nclusterid", S::NclusteridX)
                     .Case("%cluster_ctaid", S::ClusterCtaidX)
                     .Case("%cluster_nctaid", S::ClusterNctaidX)
                     .Default(std::nullopt);
    if (!first)
      return std::nullopt;
    return S(unsigned(*first) + unsigned(component[0] - 'x'));
  }
  return llvm::StringSwitch<std::optional<S>>(name)
      .Case("%cluster_ctarank", S::ClusterCtarank)
      .Case("%cluster_nctarank", S::ClusterNctarank)
      .Case("%is_explicit_cluster", S::IsExplicitCluster)
      .Case("%laneid", S::Laneid)
      .Case("%warpid", S::Warpid)
      .Case("%nwarpid", S::Nwarpid)
      .Case("%smid", S::Smid)
      .Case("%nsmid", S::Nsmid)
      .Case("%gridid", S::Gridid)
      .Case("%lanemask_eq", S::LanemaskEq)
      .Case("%lanemask_le", S::LanemaskLe)
      .Case("%lanemask_lt", S::LanemaskLt)
      .Case("%lanemask_ge", S::LanemaskGe)
      .Case("%lanemask_gt", S::LanemaskGt)
      .Case("%dynamic_smem_size", S::DynamicSmemSize)
      .Case("%total_smem_size", S::TotalSmemSize)
      .Case("%aggr_smem_size", S::AggrSmemSize)
      .Case("%clock", S::Clock)
      .Case("%clock_hi", S::ClockHi)
      .Case("%clock64", S::Clock64)
      .Case("%globaltimer", S::Globaltimer)
      .Case("%globaltimer_lo", S::GlobaltimerLo)
      .Case("%globaltimer_hi", S::GlobaltimerHi)
      .Default(std::nullopt);
}

/// Component `i` of a special register with three, for which `base` is x.
static unsigned component(SpecialRegister reg, SpecialRegister base) {
  return unsigned(reg) - unsigned(base);
}

/// A component of a special register with three; nothing if it is another one.
static std::optional<uint64_t>
evaluateVector(const Warp &warp, SpecialRegister reg, unsigned lane) {
  using S = SpecialRegister;
  const Block &block = warp.block;
  const Launch &launch = block.launch().launch;
  auto in = [&](S base) {
    return reg >= base && unsigned(reg) < unsigned(base) + 3;
  };
  if (in(S::TidX))
    return warp.getThread(lane)[component(reg, S::TidX)];
  if (in(S::NtidX))
    return launch.block[component(reg, S::NtidX)];
  if (in(S::CtaidX))
    return block.id[component(reg, S::CtaidX)];
  if (in(S::NctaidX))
    return launch.grid[component(reg, S::NctaidX)];
  if (in(S::ClusteridX)) {
    unsigned i = component(reg, S::ClusteridX);
    return block.id[i] / launch.cluster[i];
  }
  if (in(S::NclusteridX)) {
    unsigned i = component(reg, S::NclusteridX);
    return launch.grid[i] / launch.cluster[i];
  }
  if (in(S::ClusterCtaidX)) {
    unsigned i = component(reg, S::ClusterCtaidX);
    return block.id[i] % launch.cluster[i];
  }
  if (in(S::ClusterNctaidX))
    return launch.cluster[component(reg, S::ClusterNctaidX)];
  return std::nullopt;
}

static uint64_t evaluate(const Warp &warp, const SpecialSlot &special,
                         unsigned lane, uint32_t localBase) {
  using S = SpecialRegister;
  S reg = special.special;
  if (std::optional<uint64_t> value = evaluateVector(warp, reg, lane))
    return *value;
  const Block &block = warp.block;
  const LaunchContext &context = block.launch();
  const Launch &launch = context.launch;
  uint32_t bit = 1u << lane;
  switch (reg) {
  case S::ClusterCtarank:
    return block.rank;
  case S::ClusterNctarank:
    return launch.cluster[0] * launch.cluster[1] * launch.cluster[2];
  case S::IsExplicitCluster:
    return launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1;
  case S::Laneid:
    return lane;
  case S::Warpid:
    return warp.index;
  case S::Nwarpid:
    return (launch.block[0] * launch.block[1] * launch.block[2] + kWarpSize -
            1) /
           kWarpSize;
  case S::Smid:
    return block.cluster.index % context.options.smCount;
  case S::Nsmid:
    return context.options.smCount;
  case S::LanemaskEq:
    return bit;
  case S::LanemaskLe:
    return bit | (bit - 1);
  case S::LanemaskLt:
    return bit - 1;
  case S::LanemaskGe:
    return ~(bit - 1);
  case S::LanemaskGt:
    return ~(bit | (bit - 1));
  case S::DynamicSmemSize:
    return launch.sharedMemory;
  case S::TotalSmemSize:
  case S::AggrSmemSize:
    return block.shared.bytes - kSharedReserved;
  case S::LocalAddress:
    return localBase + special.argument;
  default:
    return 0;
  }
}

void fillSpecials(const Warp &warp, Frame &frame) {
  for (const SpecialSlot &special : frame.function->specials) {
    uint8_t *slot = frame.slots + special.slot.offset;
    uint32_t predicate = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      uint64_t value = evaluate(warp, special, lane, frame.localBase);
      if (special.bytes == 0)
        predicate |= uint32_t(value != 0) << lane;
      else
        memcpy(slot + size_t(lane) * special.bytes, &value,
               std::min(special.bytes, 8u));
    }
    if (special.bytes == 0)
      memcpy(slot, &predicate, sizeof(predicate));
  }
}

} // namespace tcgemm::emu
