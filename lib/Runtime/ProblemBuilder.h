//===- ProblemBuilder.h - From a pack's function to a problem ---*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Determines the buffers, shapes and steps of a function. The sources of sizes
// are the function, the options, and the kernels of its launches.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_PROBLEMBUILDER_H
#define TCGEMM_LIB_RUNTIME_PROBLEMBUILDER_H

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// The entry of an option map for a buffer, by the buffer's name or its
/// operand's.
template <typename T>
const T *findOption(const std::map<std::string, T> &map,
                    const ProblemBuffer &buffer) {
  auto it = map.find(buffer.name);
  if (it == map.end())
    it = map.find(buffer.operandName);
  return it == map.end() ? nullptr : &it->second;
}

class ProblemBuilder {
public:
  ProblemBuilder(const KernelPack &pack, const FunctionInfo &function,
                 const ProblemOptions &options, Problem &problem)
      : manifest(pack.manifest), pack(pack), function(function),
        options(options), problem(problem) {}

  /// Sets names, types and uses of all buffers.
  void describeBuffers();
  /// Determines the shapes of all buffers, then the steps. Errors: an unknown
  /// size, contradicting sizes, a view outside of its buffer.
  llvm::Error resolve();

private:
  using Shape = std::vector<std::optional<int64_t>>;

  ProblemBuffer &addBuffer(BufferKind kind, unsigned index, ScalarType type);
  void addConstants();
  void noteUse(llvm::StringRef name, const OperandInfo *operand,
               bool isWritten);
  unsigned getBuffer(BufferRef ref) const;
  unsigned getBuffer(llvm::StringRef name) const;

  llvm::Error takeArgumentShapes();
  void evaluateSizes();
  llvm::Error inferShapes(const LaunchInfo &launch, bool isFirst);
  void inferShapes(const CopyInfo &copy);
  llvm::Error inferAllShapes();
  Shape &getShape(llvm::StringRef name);
  void solve(const Expr &expr, int64_t value);
  void learnSize(llvm::StringRef name, unsigned dim, int64_t size);
  /// The factors of a view's size; none if `name` is no view.
  std::vector<Expr> getFactors(llvm::StringRef name, unsigned dim) const;
  void inferFactors(const LaunchInfo &launch, llvm::StringRef name,
                    unsigned dim, Dim kernelDim);
  std::optional<int64_t> lookUp(llvm::StringRef symbol) const;

  llvm::Error layOut(ProblemBuffer &buffer, const Shape &shape);
  llvm::Expected<int64_t> evaluate(const Expr &expr, llvm::StringRef name,
                                   llvm::StringRef what) const;
  llvm::Error createView(const ViewInfo &view, const std::string &name);
  BufferPart getPart(llvm::StringRef name) const;
  llvm::Error checkWritten(llvm::StringRef name) const;
  llvm::Error addStep(const LaunchInfo &launch);
  llvm::Error addStep(const FillInfo &fill);
  llvm::Error addStep(const CopyInfo &copy);
  llvm::Expected<CopyPlan> planCopy(const CopyInfo &copy,
                                    const CopyStep &step) const;

  const Manifest &manifest;
  const KernelPack &pack;
  const FunctionInfo &function;
  const ProblemOptions &options;
  Problem &problem;
  /// The constants that the function uses, by their index in the manifest.
  std::vector<unsigned> constants;
  std::vector<Shape> shapes;     ///< By buffer; may be incomplete.
  std::vector<Shape> viewShapes; ///< By view.
  std::vector<BufferPart> views;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_PROBLEMBUILDER_H
