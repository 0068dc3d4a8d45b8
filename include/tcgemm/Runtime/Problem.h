//===- Problem.h - A function with its data, run and checked ----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assigns a shape, contents and guarded memory to every argument of a function
// of a pack, runs the function's steps and checks each launch separately. The
// host executes fills and copies, which are not code of the pack.
//
// Every buffer has red zones before and after it. The red zones of inputs and
// the padding between their rows contain NaN, so that a kernel that reads past
// its operand computes NaN. The red zones of outputs contain a pattern that
// must not change. The initial value of an output's elements is the NaN of all
// ones, which reveals elements that were not written. A device that checks
// every access needs none of this: it receives the purpose of each buffer.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_RUNTIME_PROBLEM_H
#define TCGEMM_RUNTIME_PROBLEM_H

#include "tcgemm/Runtime/AccessChecker.h"
#include "tcgemm/Runtime/Executor.h"
#include "tcgemm/Runtime/Reference.h"
#include "tcgemm/Runtime/StridedCopy.h"

#include <map>

namespace tcgemm {

struct ProblemOptions {
  std::string function; ///< Empty: the pack's first function.
  /// Sizes of the first launch, by Dim. Free sizes must be given here or by
  /// `shapes`.
  std::array<std::optional<int64_t>, kNumDims> sizes;
  /// Shapes by argument name: `arg<i>`, or the operand's name in the first
  /// launch that uses it. The maps below have the same keys.
  std::map<std::string, std::vector<int64_t>> shapes;
  std::map<std::string, FillOptions> fills;
  std::map<std::string, int64_t> rowPaddings; ///< Elements after each row.
  /// Elements from one index to the next, of each dimension: in place of row
  /// paddings.
  std::map<std::string, std::vector<int64_t>> strides;
  std::map<std::string, int64_t> offsets; ///< Elements before element 0.
  std::map<std::string, double> scalars;
  FillOptions defaultFill;
  int64_t defaultRowPadding = 0;
  int64_t defaultOffset = 0;
  uint64_t seed = 1;
  std::string variant; ///< Forced variant of every launch.
  /// Number of runs of each checked launch; all must produce the same bytes.
  int64_t repeat = 1;
};

/// An argument or temporary of the function, or a constant that it uses.
struct ProblemBuffer {
  std::string name; ///< `arg<i>`, `tmp<i>` or `const<i>`.
  /// The operand's name in the first launch that uses the buffer; `name` if no
  /// launch does.
  std::string operandName;
  ScalarType type = ScalarType::F32;
  StridedShape shape;
  FillOptions fill;
  bool isScalar = false;
  bool isRead = false;    ///< Has contents before the first launch.
  bool isWritten = false; ///< Written by a launch, a fill or a copy.
  double scalar = 0;
  /// The constant that the buffer holds, if any, and the bytes of its elements.
  /// The pack owns both.
  const PackConstant *constant = nullptr;
  const std::string *constantBytes = nullptr;
  int64_t offset = 0;         ///< Elements between red zone and element 0.
  std::vector<uint8_t> image; ///< Host copy including red zones.

  /// Bytes of the red zone before the offset, and of the one after the end.
  static constexpr int64_t kRedZone = 4096;
  int64_t getImageSize() const;
  int64_t getStart() const; ///< Byte offset of element 0 in the image.
  /// Creates the image: the contents if there are any, poison and canaries
  /// elsewhere.
  llvm::Error fillImage(uint64_t seed);
};

/// A buffer, or a view of it. Offset and strides count elements.
struct BufferPart {
  unsigned buffer = 0; ///< Index in Problem::buffers.
  int64_t offset = 0;  ///< Distance from the buffer's element 0 to the part's.
  StridedShape shape;

  /// Byte offset of the part's element 0 in the image of `buffer`.
  int64_t getStart(const ProblemBuffer &buffer) const;
};

/// One launch with its operands.
struct ProblemLaunch {
  const KernelInfo *kernel = nullptr;
  std::vector<BufferPart> operands; ///< One per operand of the kernel.
};

struct LaunchStep {
  unsigned launch = 0; ///< Index in Problem::launches.
};

/// Writes the bytes of one element to all elements of `target`.
struct FillStep {
  BufferPart target;
  std::vector<uint8_t> element;
};

/// Copies between parts of the same shape.
struct CopyStep {
  BufferPart source;
  BufferPart target;
  /// The launch on a device; none if the shapes are beyond the kernels' limits.
  std::optional<CopyPlan> plan;
};

using ProblemStep = std::variant<LaunchStep, FillStep, CopyStep>;

/// The host side of a problem: shapes, and contents once they are filled.
class Problem {
public:
  /// Resolves all shapes. Errors: no such function, a size that is neither
  /// given nor known, sizes that disagree, names that match nothing, a view
  /// that is not inside its buffer.
  static llvm::Expected<Problem> create(const KernelPack &pack,
                                        const ProblemOptions &options);

  /// Fills the images, which are large. Planning does not need them.
  llvm::Error fill();
  void freeImages();

  /// Plans launch `index` for buffers at these addresses (of their images).
  llvm::Expected<LaunchPlan> plan(unsigned index,
                                  llvm::ArrayRef<uint64_t> addresses,
                                  int64_t smCount) const;

  const KernelPack &getPack() const { return *pack; }
  const ProblemOptions &getOptions() const { return options; }
  /// 2·M·N·K·batch over all launches.
  double getFlops() const;
  /// The sizes of a launch. K has the elements of a summed dimension, too.
  ProblemSizes getSizes(unsigned index) const;

  /// The address of a part's element 0, for images at these addresses.
  uint64_t getAddress(const BufferPart &part,
                      llvm::ArrayRef<uint64_t> addresses) const;
  /// Executes a fill or a copy on the images.
  void apply(const FillStep &fill);
  void apply(const CopyStep &copy);
  /// One line of readable text: `fill tmp0 64x64 strides 64x1 with 0.5`.
  std::string describe(const FillStep &fill) const;
  std::string describe(const CopyStep &copy) const;

  /// Arguments, then temporaries, then constants.
  std::vector<ProblemBuffer> buffers;
  std::vector<ProblemLaunch> launches;
  std::vector<ProblemStep> steps; ///< All steps of the function, in order.

private:
  llvm::Error chooseContents();
  void clearOutsideBands();

  const KernelPack *pack = nullptr;
  ProblemOptions options;
};

/// Values by which the outputs of two devices are compared.
struct OutputSummary {
  std::string name;
  ScalarType type = ScalarType::F32;
  uint64_t hash = 0;  ///< Hash of the elements' bytes in row-major order.
  double largest = 0; ///< Largest magnitude of a finite element.
  std::vector<double> sample; ///< Elements at equal distances.
};

/// Summarizes the elements of a part of `buffer`, without the bytes between its
/// rows.
OutputSummary summarizeOutput(const ProblemBuffer &buffer,
                              const BufferPart &part);

/// The result of one launch.
struct LaunchResult {
  std::string kernel;
  std::string variant;
  ProblemSizes sizes{};
  VerifyReport report;
  /// Describes red zones or inputs that were written, or a repetition with a
  /// different result; empty if there is no damage.
  std::string damage;
  std::string
      missed; ///< Elements that were not written, if the device records that.
  Observations observed; ///< From a device that checks accesses.
  std::vector<OutputSummary> outputs;

  /// Returns whether the results are right. Findings of a checking device are
  /// separate.
  bool passed() const {
    return report.passed && damage.empty() && missed.empty();
  }
};

struct RunResult {
  std::vector<LaunchResult> launches;
  bool passed() const;
  bool hasFindings() const;
};

/// Runs the steps of a filled problem on `device`, checking every launch.
/// Replaces the images of outputs by the device's data. Errors are those of the
/// device or of planning; wrong results are in the returned value.
llvm::Expected<RunResult> runAndVerify(Device &device, Executor &executor,
                                       Problem &problem,
                                       const VerifyOptions &options);

} // namespace tcgemm

#endif // TCGEMM_RUNTIME_PROBLEM_H
