//===- RuleChecker.h - The rules that a configuration breaks ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONFIG_COMMON_RULECHECKER_H
#define TCGEMM_LIB_CONFIG_COMMON_RULECHECKER_H

#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm {

/// A parameter that is printed as its value. Most rules hold, so that only
/// messages write texts.
struct ParameterText {
  const KernelConfig &config;
  llvm::StringRef key;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const ParameterText &text) {
  return os << text.config.get(text.key);
}

/// The checks that several schedules share.
class RuleChecker {
public:
  RuleChecker(const KernelConfig &config, const ChipInfo &chip,
              const ProblemInfo &problem)
      : config(config), chip(chip), problem(problem) {}
  virtual ~RuleChecker() = default;
  /// Checks parameters, shape and resources, as far as all rules before hold.
  llvm::SmallVector<Violation> run(ViolationDetail detail);

protected:
  /// Rules that can be computed for any values. The other rules divide by
  /// values that these have checked.
  virtual void checkParameters() = 0;
  /// Rules for the tile and its parts.
  virtual void checkShape() {}
  /// The registers and the shared memory that the chip has.
  virtual void checkResources() = 0;

  /// Checks the chip's compute capability, and another thing that it must have.
  void requireCapability(int64_t least, bool hasFeature = true);
  /// Requires that the chip converts A and B, if they are converted.
  void checkConversionCapability();
  /// Records that `rule` is broken unless `holds`.
  template <typename... Ts>
  void require(bool holds, llvm::StringLiteral rule, const char *format,
               Ts &&...values) {
    assert(llvm::is_contained(getRuleNames(), rule) && "rule without a name");
    if (holds)
      return;
    std::string message;
    if (detail == ViolationDetail::Messages)
      message = llvm::formatv(format, std::forward<Ts>(values)...).str();
    violations.push_back({rule, std::move(message)});
  }
  /// The value of a parameter, for messages.
  ParameterText getText(llvm::StringRef key) const { return {config, key}; }
  void requireRange(llvm::StringLiteral rule, llvm::StringRef key,
                    int64_t value, int64_t low, int64_t high) {
    require(value >= low && value <= high, rule,
            "{0} = {1}, but it must be from {2} to {3}", key, value, low, high);
  }
  /// Checks that parameters which the schedule does not have keep their default
  /// values.
  void requireDefaults();
  /// Checks stages, raster and slices, and the register hints for ptxas.
  void checkCommonCounts(int64_t leastStages = 2);
  /// Checks that a thread always copies the same `rowCopies` chunks of a row,
  /// or that each thread has chunks of at most one row. Returns whether that
  /// holds.
  bool checkCopyThreads(char name, TileShape tile, int64_t copyBytes,
                        int64_t rowCopies = 1);
  /// Checks that a thread may have the registers that `what` is estimated to
  /// need.
  void checkRegisterLimit(llvm::formatv_object_base &&what);
  /// Checks the widths of copies by threads.
  void checkCopyWidths();
  /// Checks that copies by threads have at least one element.
  void checkElementWidths();
  /// Checks that the ring fits a block, and `min_ctas` of them a
  /// multiprocessor.
  void checkRing();
  /// Checks that the `bytes` of shared memory that `users` take fit a block,
  /// and `min_ctas` of them a multiprocessor.
  void checkSharedMemory(int64_t bytes, llvm::formatv_object_base &&users);
  /// Checks that `min_ctas` blocks of `bytes` fit a multiprocessor.
  void checkResidents(int64_t bytes);
  /// Checks that the CTA's threads can share the copies of A's or B's tile.
  void checkCopies(char name, TileShape tile, int64_t copyBytes);
  /// Checks that the raster is one of bands.
  void requireBands();
  /// Checks that the threads store the outputs, directly or staged.
  void requireThreadStores();
  /// Checks that outputs are stored directly.
  void requireDirectStores();
  /// Checks that the chip has programmatic dependent launch if it is used.
  void checkDependentLaunch();
  /// Checks that inputs can be loaded early if they are, with the product's
  /// `partsOfK` inside a CTA.
  void checkEarlyInputs(int64_t partsOfK);
  /// Requires several stages, and k in one part, for a parameter that is true.
  void requireWholeDepth(llvm::StringLiteral rule, llvm::StringRef parameter,
                         int64_t partsOfK);
  /// Checks that a CTA's threads can compute tiles one after the other if they
  /// do, with the product's `partsOfK` inside a CTA.
  void checkPersistent(int64_t partsOfK);
  /// Checks that the epilogue accesses its matrices directly if it streams
  /// them.
  void checkStreaming();
  /// Checks that a block may have as many warps.
  void checkWarpCount();

  const KernelConfig &config;
  const ChipInfo &chip;
  const ProblemInfo &problem;
  llvm::SmallVector<Violation> violations;

private:
  ViolationDetail detail = ViolationDetail::Messages;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONFIG_COMMON_RULECHECKER_H
