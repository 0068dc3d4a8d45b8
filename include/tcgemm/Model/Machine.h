//===- Machine.h - The speeds of a GPU, for the simulator -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A machine file is YAML: the chip, and quantities with unit, interval and
// source (docs/reference/machine-files.md). Times follow from them as in the
// paper of tcgemm/Model/Ring.h: a startup, and a size divided by a rate.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_MACHINE_H
#define TCGEMM_MODEL_MACHINE_H

#include "tcgemm/Model/Ring.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace tcgemm {

/// The quantities of a machine file; getQuantityInfos has their names and
/// units.
enum class Quantity {
  Processors,
  Launch,
  CopyStartup,
  CopyRate,
  CacheRate,
  MathStartup,
  MathRate,
  EpilogueStartup,
  EpilogueRate,
  ReductionLaunch,
  ReductionRate,
  CopyLatency,
  SlotRelease,
  CtaPrologue,
  MemoryRate,
  Clock,
  LoadedClock,
  MemoryLatency,
  ClusterLaunch,
  ExchangeStartup,
  ExchangeRate,
  StagedRate,
  ElementRate,
  RowRate,
  ColumnRate,
  StoreLaunch,
  LastStoreRate,
  CtaLaunch,
  MemoryStoreRate,
  OutsideRow,
  ClusterProcessors,
  UnsharedRate,
  SharedRate,
  BusyClock,
};
constexpr size_t kNumQuantities = size_t(Quantity::BusyClock) + 1;

struct QuantityInfo {
  llvm::StringLiteral name, unit;
  double low, high; ///< The values that a file may have.
  bool isWhole;     ///< True if it is a count.
  /// The quantity that stands in for this one in files without it, because they
  /// are older; it comes earlier in the table. None if every file has this one.
  std::optional<Quantity> standIn = std::nullopt;
  /// The value in files without it, with which it has no effect.
  std::optional<double> neutral = std::nullopt;

  /// True if files may leave it out.
  bool isOptional() const { return standIn || neutral; }
};
/// By Quantity.
llvm::ArrayRef<QuantityInfo> getQuantityInfos();

/// A value, and how it is known.
struct MachineValue {
  double value = 0;
  /// The interval of the value's measurements, if it was measured.
  std::optional<std::array<double, 2>> interval;
  /// The document or file that it is from, or the command that measured it. One
  /// of both is there.
  std::string source, command;
};

/// The measurement of a machine file's values.
struct MachineOrigin {
  std::string date;    ///< `2026-11-25`, in UTC.
  std::string driver;  ///< `CUDA driver 13.0`.
  std::string tool;    ///< The version of tcgemm.
  std::string command; ///< The command that wrote the file.
  int64_t rounds = 0;  ///< In which every experiment was timed once.
  /// The smallest step of the nanosecond clock that kernels read.
  double timerStep = 0;
  /// The smallest difference between two measured times.
  double eventStep = 0;
};

struct Machine {
  std::string name; ///< `NVIDIA H200`.
  std::string chip; ///< `sm_90a`.
  /// True if every value was measured by its command on this machine.
  bool isCalibrated = false;
  /// None if no value was measured.
  std::optional<MachineOrigin> origin;
  std::array<MachineValue, kNumQuantities> values;

  double get(Quantity quantity) const { return values[size_t(quantity)].value; }
  int64_t getProcessors() const { return int64_t(get(Quantity::Processors)); }
};

/// Reads YAML as writeMachine writes it. Errors name the file and the place or
/// the quantity, its value, the rule and the limit.
llvm::Expected<Machine> parseMachine(llvm::StringRef text,
                                     llvm::StringRef fileName);
void writeMachine(const Machine &machine, llvm::raw_ostream &out);

/// The same machine while its board has rested: `busy_clock` is the clock under
/// load, because a kernel ends before the power limit lowers it.
Machine getRested(Machine machine);

/// The bytes of the tile for which `store_launch` is measured: 128 by 128
/// results of 16 bits. Other tiles take `last_store_rate` into account.
inline constexpr double kStoreLaunchBytes = 128 * 128 * 2;

/// The bytes that are copied for a multiply-add where `busy_clock` is measured:
/// tiles of 128x256 with elements of 16 bits.
inline constexpr double kBusyBytesPerMac = 2.0 * (128 + 256) / (128 * 256);

/// Rounds a time. Longer than twice kMaxRingTime gives that, which the
/// simulator refuses. As llround, which is a call of the C library; the rest of
/// the conversion is exact, because values are far below 2^52.
inline Picoseconds toPicoseconds(double nanoseconds) {
  double value = std::min(1000 * nanoseconds, 2.0 * kMaxRingTime);
  if (!(value >= 0))
    return std::llround(value);
  auto whole = static_cast<Picoseconds>(value);
  return whole + (value - static_cast<double>(whole) >= 0.5);
}

/// A tile of the result, and the elements of k of a stage.
struct TileSizes {
  int64_t m = 0, n = 0, k = 0;
};

/// T_A or T_B of the paper: the copy of `extent` times `depth` elements of
/// `bits` bits. `sharers` CTAs of a cluster share it: each reads a part from
/// the L2 cache and receives all of it. The cache's rate is divided among all
/// multiprocessors.
Picoseconds getCopyTime(const Machine &machine, int64_t extent, int64_t depth,
                        int64_t bits, int64_t sharers = 1);
/// T_MATH of the paper for a product of 16-bit elements; twice as long for
/// elements of 32 bits, half as long for 8.
Picoseconds getMathTime(const Machine &machine, const TileSizes &tile,
                        int64_t bits);
/// T_EPI of the paper for `bytes` that the epilogue reads and writes.
Picoseconds getEpilogueTime(const Machine &machine, int64_t bytes);
/// A second kernel that reads and writes `bytes` of partial sums.
Picoseconds getReductionTime(const Machine &machine, int64_t bytes);
/// T_INIT of the paper.
Picoseconds getLaunchTime(const Machine &machine);

} // namespace tcgemm

#endif // TCGEMM_MODEL_MACHINE_H
