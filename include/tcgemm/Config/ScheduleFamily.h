//===- ScheduleFamily.h - The interface of a schedule -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is a folder of lib/Config with one implementation of this
// interface, and a row in the registry (ScheduleFamily.cpp). No other code
// depends on the schedule of a configuration. This library needs no MLIR: the
// programs of a schedule are in lib/Schedules.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_SCHEDULEFAMILY_H
#define TCGEMM_CONFIG_SCHEDULEFAMILY_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Config/KernelWork.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Sizes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tcgemm {

/// The threads of a CTA: `each` for every unit of a parameter with three
/// factors, plus `extra`.
struct ThreadCount {
  llvm::StringLiteral key; ///< The parameter: `warps` or `threads`.
  std::array<int64_t, 3> factors;
  int64_t each;
  int64_t extra = 0;
};

struct WorkTerms;

/// Sees a candidate, with the CTAs of it that a multiprocessor holds together.
using CandidateVisitor =
    llvm::function_ref<void(const KernelConfig &config, int64_t residents)>;

class ScheduleFamily {
public:
  virtual ~ScheduleFamily();

  virtual Schedule getSchedule() const = 0;
  /// The parameters that the schedule has. Others keep their default values.
  virtual llvm::ArrayRef<llvm::StringLiteral> getKeys() const = 0;
  /// Returns whether products of `problem`'s element type can be computed.
  virtual bool takesElements(const ProblemInfo &problem) const = 0;
  /// The features of products that programs can compute, among those that have
  /// a rule (getFeatureRule).
  virtual FeatureSet getFeatures() const { return {}; }
  /// True if programs of one configuration can compute a dual product.
  virtual bool takesDual(const KernelConfig &) const {
    return getFeatures().has(Feature::SecondB);
  }
  /// True if programs have roles, whose events a trace records.
  virtual bool takesTrace() const { return false; }
  virtual bool usesTensorCores() const { return true; }
  /// The instructions of its products, in the table of instructions.
  virtual InstructionKind getInstructionKind() const {
    return InstructionKind::Fma;
  }
  /// Returns whether programs can compute a function of A's (0) or B's (1)
  /// elements in registers. Otherwise it is computed when the operand is
  /// packed.
  virtual bool mapsFragments(const KernelConfig &config,
                             const ProblemInfo &problem,
                             unsigned operand) const {
    return false;
  }
  /// Returns whether such programs can replace values beyond K by zeros.
  virtual bool cutsFragments() const { return true; }

  /// Returns whether programs read each part of a split operand once for all
  /// products. Otherwise each product has copies of its parts, which follow
  /// each other along k.
  virtual bool sharesParts() const { return false; }
  /// The elements along k in memory, for `depth` that are multiplied. With
  /// operands that are split, products of parts count as depth.
  int64_t countStored(const MatmulKind &problem, int64_t depth) const;

  virtual ThreadCount getThreadCount(const KernelConfig &config) const;
  /// Returns whether the tile decides `instruction`.
  virtual bool derivesInstruction() const { return false; }
  /// Sets `instruction` after a text that did not set it was applied.
  virtual void completeInstruction(KernelConfig &config) const;

  /// Tile of A (0) or B (1) in shared memory.
  virtual TileShape getTile(const KernelConfig &config,
                            const ProblemInfo &problem, unsigned operand) const;
  /// See tcgemm::getCopyBytes.
  virtual int64_t getCopyBytes(const KernelConfig &config,
                               const ProblemInfo &problem,
                               unsigned operand) const;
  virtual SharedMemoryPlan
  planSharedMemory(const KernelConfig &config,
                   const ProblemInfo &problem) const = 0;
  virtual int64_t estimateRegisters(const KernelConfig &config,
                                    const ProblemInfo &problem) const;

  /// Returns whether the methods below can compute with `config`; the limits
  /// that all schedules share are checked before (isComputable in Legality.h).
  virtual bool isComputable(const KernelConfig &config) const { return true; }
  /// All rules that `config` breaks.
  virtual llvm::SmallVector<Violation>
  findViolations(const KernelConfig &config, const ChipInfo &chip,
                 const ProblemInfo &problem, ViolationDetail detail) const = 0;

  /// A legal configuration without tuning; none if another schedule is faster
  /// for the problem, or if chip, problem or the user's overrides forbid all.
  /// `sized` is the request's problem with typical sizes where none is known.
  virtual std::optional<KernelConfig>
  proposeDefault(const ConfigRequest &request,
                 const ProblemInfo &sized) const = 0;
  /// Returns whether a proposed default was measured to be faster than the
  /// other schedules, so that no estimate has to confirm it.
  virtual bool hasMeasuredDefault() const { return false; }
  /// Configurations for a model to rank, of which the fastest one is a good
  /// choice without tuning. Some may be illegal. All sizes of `problem` are
  /// known. Empty if the schedule has its proposed default only.
  std::vector<KernelConfig> listCandidates(const ChipInfo &chip,
                                           const ProblemInfo &problem) const;
  /// The tiles of these configurations, in their order: each as the one with a
  /// single slice of k and without clusters. The ring has no depth yet.
  virtual std::vector<KernelConfig> listTiles(const ChipInfo &chip,
                                              const ProblemInfo &problem) const;
  /// Shows the configurations that have a tile of listTiles.
  virtual void visitTile(const KernelConfig &tile, const ChipInfo &chip,
                         const ProblemInfo &problem,
                         CandidateVisitor visit) const;
  /// The work of a kernel for a problem whose sizes are known.
  KernelWork describeWork(const KernelConfig &config, const ChipInfo &chip,
                          const ProblemInfo &problem) const;
  /// The same with the terms of the problem, and with the CTAs that a
  /// multiprocessor holds together (estimateResidents).
  virtual KernelWork describeWith(const WorkTerms &terms,
                                  const KernelConfig &config,
                                  int64_t residents) const;
  /// Returns whether there are fitted constants for the schedule's kernels
  /// (tcgemm/Model/AnalyticModel.h).
  virtual bool hasFittedModel() const { return false; }
  /// Microseconds of a product, whose sizes are known. The estimate ranks
  /// configurations and promises nothing.
  virtual double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                              const ProblemInfo &problem) const = 0;

  /// Adapts `config`, which was recorded for another problem, to this problem.
  /// `isSplit` states that its slices of k were changed.
  virtual KernelConfig adapt(KernelConfig config, bool isSplit,
                             const ChipInfo &chip,
                             const ProblemInfo &problem) const;
  /// Clusters that are worth trying for a recorded configuration.
  virtual llvm::ArrayRef<std::array<int64_t, 3>> getClusters() const;
  /// Returns whether the registers suffice for an epilogue that reads or
  /// computes more than the epilogue for which `config` was tuned.
  virtual bool hasRoomForEpilogue(const KernelConfig &config, bool readsMore,
                                  bool computesMore) const;
  /// Returns whether a persistent kernel can have its epilogue's inputs staged.
  virtual bool canStageInputs(const KernelConfig &config) const;

protected:
  /// Bytes of a row of A or B in the fragments of one instruction.
  virtual int64_t getFragmentRowBytes(const KernelConfig &config,
                                      const ProblemInfo &problem) const;
};

/// The family of a schedule.
const ScheduleFamily &getFamily(Schedule schedule);
/// All families, in the order of the enumeration.
llvm::ArrayRef<const ScheduleFamily *> getFamilies();
/// All families, in the order in which their defaults are tried. gemv proposes
/// one for few rows only, and mma_sync runs on every chip.
llvm::ArrayRef<const ScheduleFamily *> getFamiliesByPreference();
/// The families with a fitted model, in the order of preference.
llvm::SmallVector<const ScheduleFamily *> getFittedFamilies();
/// The features of the problem that have a rule, and that the family does not
/// compute; in the order of the enumeration.
llvm::SmallVector<Feature> findMissingFeatures(const ScheduleFamily &family,
                                               const ProblemInfo &problem);
/// True if the family computes all features that the problem has.
bool takesFeatures(const ScheduleFamily &family, const ProblemInfo &problem);
/// The names of the schedules that take a trace, with commas between them.
std::string listTracedSchedules();
/// True if products with a band have a default configuration for the chip with
/// the parameters in `overrides`. False if there is no such chip.
bool hasStructuredConfig(llvm::StringRef chip, llvm::StringRef overrides);
/// The same for dual products.
bool hasDualConfig(llvm::StringRef chip, llvm::StringRef overrides);
/// The same for products that are summed over an outer dimension, too.
bool hasSummedConfig(llvm::StringRef chip, llvm::StringRef overrides);
/// The same for products of f64 whose B is the representation of numbers.
bool hasRepresentationConfig(llvm::StringRef chip, llvm::StringRef overrides);
/// The first family that takes the problem's elements and features;
/// mma_sync if none does.
const ScheduleFamily &findFamily(const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_SCHEDULEFAMILY_H
