//===- CompileFlags.cpp - Flags of generated text and the compiler --------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileFlags.h"

#include "tcgemm/Problem/NamedBilinear.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;

llvm::Error GenerateFlags::read(GenerateOptions &options) const {
  if (llvm::Error error = options.problem.read(type, layout, outType, epilogue))
    return error;
  if (llvm::Error error = options.problem.setBlockScales(blockScales))
    return error;
  if (llvm::Error error = options.problem.setGroupScales(groupScales))
    return error;
  if (llvm::Error error = options.problem.setTransforms(transformA, transformB))
    return error;
  if (std::optional<BilinearAlgebra> numbers = BilinearAlgebra::parse(algebra))
    options.bilinear = GeneratedBilinear{*numbers};
  else if (llvm::Error error = options.problem.setAlgebra(algebra))
    return llvm::joinErrors(
        std::move(error),
        llvm::createStringError(
            "numbers with components are " +
            llvm::join(llvm::map_range(
                           getBilinearInfos(),
                           [](const BilinearInfo &info) { return info.name; }),
                       ", ") +
            ", each also with -conj-a, -conj-b or -conj-ab"));
  // The option without a value.
  if (llvm::Error error = options.problem.setDual(
          dual.empty() ? llvm::StringRef(getDualInfos().front().name)
                       : llvm::StringRef(dual.getValue())))
    return error;
  if (llvm::Error error = options.problem.setReductions(reduce))
    return error;
  options.problem.hasAlpha = alpha.getNumOccurrences() > 0;
  options.problem.hasBeta = beta.getNumOccurrences() > 0;
  llvm::Expected<ElementTransform> ofC = ElementTransform::parse(transformC);
  if (!ofC)
    return ofC.takeError();
  options.transformC = std::move(*ofC);
  if (!options.transformC.isIdentity() && !options.problem.hasBeta)
    return llvm::createStringError("--transform-c=" + transformC +
                                   " needs --beta: there is no C without it");
  if (llvm::Error error = options.problem.setBands(bandA, bandB))
    return error;
  if (symmetric)
    if (llvm::Error error = options.problem.setSymmetric())
      return error;
  options.isStatic = isStatic;
  return llvm::Error::success();
}

void GenerateFlags::readScalars(const MatmulProblem &problem,
                                std::map<std::string, double> &scalars) const {
  // Names of the generated function's arguments, from the end.
  unsigned numTensors =
      2 - problem.isSymmetric + problem.isDual() + problem.hasScalesA +
      problem.hasScalesB + problem.hasGroupScales() +
      problem.groups.zeroPoints.has_value() + problem.hasBeta +
      llvm::count_if(problem.epilogue.parts, readsOperand);
  if (problem.hasAlpha)
    scalars["arg" + std::to_string(numTensors++)] = alpha;
  if (problem.hasBeta)
    scalars["arg" + std::to_string(numTensors)] = beta;
}

llvm::Error CompileFlags::read(SessionOptions &options) const {
  options.hasChip = chip.getNumOccurrences() > 0;
  if (options.hasChip)
    options.compile.chip = chip;
  options.compile.configText = config;
  options.compile.ptxasPath = ptxas;
  options.compile.separateComponents = true;
  options.compile.mlirPipelineOptions = pipeline;
  options.compile.sizeHint = sizeHint;
  options.compile.records = records;
  if (llvm::Error error = parsePrecision(precision).takeError())
    return error;
  options.compile.precision = precision;
  options.compile.approximateMath = approximateMath;
  options.compile.allowSpills = allowSpills;
  options.savePack = savePack;
  return llvm::Error::success();
}
