//===- WarpMemory.h - Memory accesses of a warp -----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_WARPMEMORY_H
#define TCGEMM_LIB_EMULATOR_MACHINE_WARPMEMORY_H

#include "Machine/CallStack.h"

namespace tcgemm::emu {

/// Finds the memory of addresses, and checks the accesses.
class WarpMemory {
public:
  explicit WarpMemory(Warp &warp) : warp(warp) {}

  /// Fills `access` for its `lanes`: computes the addresses, finds the regions,
  /// checks bounds, alignment (to `alignment` bytes) and writability, and
  /// notifies the observers (except of copies). Failing lanes are reported and
  /// leave access.lanes. The caller has set order and scope.
  void resolve(LaneAccess &access, const AddressOperand &operand,
               ptx::Space space, uint32_t alignment);
  /// The same for addresses that are in access.address already.
  void resolveAddresses(LaneAccess &access, ptx::Space space,
                        uint32_t alignment);

private:
  /// Resolves all lanes at once if they are in one likely region, aligned and
  /// in bounds. Otherwise returns false.
  bool resolveFast(LaneAccess &access, ptx::Space space, uint32_t alignment);
  void resolveLanes(LaneAccess &access, ptx::Space space, uint32_t alignment);
  /// The region of an address, or null. The address becomes one of the region's
  /// own space.
  Region *findRegion(uint64_t &address, ptx::Space space, unsigned lane,
                     uint32_t bytes);
  Region *findGlobal(uint64_t address, uint32_t bytes);
  Region *findShared(uint64_t &address, ptx::Space space, uint32_t bytes);
  Region *findLocal(uint64_t &address, unsigned lane, uint32_t bytes);
  Region *findParam(uint64_t &address, unsigned lane, uint32_t bytes);
  /// Reports accesses to an mbarrier, and to the memory of a block that has
  /// exited.
  void checkOwner(const LaneAccess &access, bool isCopy);
  void reportBadAccess(const LaneAccess &access, FindingKind kind,
                       unsigned lane, uint64_t address,
                       const std::string &message);
  void reportOutOfBounds(const LaneAccess &access, ptx::Space space,
                         unsigned lane, uint64_t address);

  Warp &warp;
  Region *lastGlobal = nullptr;
};

/// `'D'[3, 17]`, `shared 0x480`: the name of an address in findings.
std::string describePlace(const Region &region, uint64_t address);

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_WARPMEMORY_H
