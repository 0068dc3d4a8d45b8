//===- Chip.h - Target GPUs -------------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table describes each GPU architecture: limits that legality checks,
// features, the PTX version, and rough speeds, which only the default model
// uses.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_CHIP_H
#define TCGEMM_TARGET_CHIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tcgemm {

struct ChipFeatures {
  bool cpAsync = true;
  /// mma.sync m16n8k16 on f16 and bf16.
  bool mmaSync = true;
  bool tma = false;
  bool wgmma = false;
  /// No other compute capability runs the chip's code: the suffix `a`.
  bool isForOneCapability = false;
};

/// The speed of a typical board of the architecture; used by models only.
struct ChipSpeed {
  int64_t numSMs;
  double clockGHz;
  /// Peak rate of mma.sync: dense f16 multiply-adds for each clock and SM.
  double macsPerClock;
  double dramGBs;
  double l2GBs;
  double l2MiB;
  /// Fused multiply-adds of f32 for each clock and SM, without tensor cores.
  double fmasPerClock = 128;
  /// The same for f64, and multiply-adds of f64 by mma.sync.
  double doubleFmasPerClock = 2;
  double doubleMacsPerClock = 2;
};

struct ChipInfo {
  llvm::StringRef name;
  /// Compute capability, ten times the major and the minor: 86.
  int64_t capability;
  /// Bytes of shared memory that one block may use (opt-in), and of one SM.
  int64_t sharedPerBlock;
  int64_t sharedPerSM;
  int64_t maxThreadsPerSM;
  /// PTX ISA version of the output, as in LLVM's features: 80 is 8.0.
  int64_t ptxVersion;
  ChipFeatures features;
  ChipSpeed speed;
  int64_t registersPerSM = 65536;
  int64_t maxRegistersPerThread = 255;
  int64_t maxThreadsPerBlock = 1024;
  /// Bytes of shared memory that the driver reserves in each resident block.
  int64_t sharedReserved = 1024;

  /// The PTX version as a feature of LLVM's NVPTX target: "+ptx80".
  std::string getPTXFeature() const {
    return "+ptx" + std::to_string(ptxVersion);
  }
};

/// All chips, oldest first.
llvm::ArrayRef<ChipInfo> getKnownChips();

/// The chip called `name` ("sm_90a"). The error lists the known chips.
llvm::Expected<const ChipInfo &> lookupChip(llvm::StringRef name);

/// Returns the name of the chip that kernels for one GPU are compiled for: the
/// one whose code no other capability runs, if such a chip is known. A
/// capability without a known chip gives its name: "sm_75".
std::string getNativeChip(int64_t capability);

} // namespace tcgemm

#endif // TCGEMM_TARGET_CHIP_H
