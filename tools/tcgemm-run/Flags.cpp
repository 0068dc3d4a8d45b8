//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the options of a session from the flags.
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "GroupFlags.h"
#include "tcgemm/Problem/Groups.h"
#include "tcgemm/Problem/IndexLetters.h"

#include "../common/FlagRange.h"
#include "BilinearFlags.h"

#include "llvm/Support/FileSystem.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

/// Reads whether the input is PTX, and how it is launched.
static Error readPtx(const Flags &flags, const OutputFiles &outputs,
                     PtxOptions &options) {
  options.isUsed = StringRef(flags.input.input).ends_with(".ptx");
  const cl::Option *others[] = {
      &flags.actions.bench,    &flags.actions.compare,  &flags.actions.plan,
      &flags.input.problems,   &flags.input.cases,      &flags.input.m,
      &flags.input.n,          &flags.input.k,          &flags.input.batch,
      &flags.actions.emitMLIR, &flags.compile.savePack, &flags.trace.trace};
  if (!options.isUsed) {
    std::string given = flags.ptx.findGiven();
    return given.empty() ? Error::success()
                         : llvm::createStringError(
                               given + " needs a file that ends in .ptx");
  }
  if (std::string given = findGivenFlag(others); !given.empty())
    return llvm::createStringError(given + " does not go with a PTX file");
  if (flags.actions.format == ReportFormat::CSV)
    return llvm::createStringError("--format=csv does not go with a PTX file");
  options.launch.seed = flags.data.seed;
  return flags.ptx.read(options, outputs);
}

/// Returns whether a product is generated because there is no other input.
static bool isGenerated(const Flags &flags) {
  return flags.input.input.empty() && flags.input.cases.empty() &&
         !flags.device.listDevices;
}

/// Returns whether the kernels are those of one pack or several.
static bool isPack(const Flags &flags) {
  return !flags.input.cases.empty() ||
         llvm::sys::fs::is_directory(flags.input.input);
}

/// The error of a flag without an effect on packs.
static Error failPack(StringRef given, const Flags &flags) {
  return llvm::createStringError(
      given + " is for kernels that are compiled here, not for those of the " +
      (flags.input.cases.empty() ? "pack '" + flags.input.input
                                 : "packs of '" + flags.input.cases) +
      "'");
}

/// A flag that contradicts an index string, if it is given.
static std::string findFlagWithoutEinsum(const Flags &flags) {
  const cl::Option *others[] = {&flags.input.input,
                                &flags.input.m,
                                &flags.input.n,
                                &flags.input.k,
                                &flags.input.batch,
                                &flags.input.problems,
                                &flags.input.cases,
                                &flags.generate.layout,
                                &flags.generate.blockScales,
                                &flags.generate.groupScales,
                                &flags.generate.dual,
                                &flags.generate.bandA,
                                &flags.generate.bandB,
                                &flags.generate.symmetric,
                                &flags.generate.reduce};
  return findGivenFlag(others);
}

/// Reads the indices and extents of a contraction.
static Error readEinsum(const Flags &flags, SessionOptions &options) {
  if (std::string given = findFlagWithoutEinsum(flags); !given.empty())
    return llvm::createStringError("--einsum does not go with " + given);
  llvm::Expected<Contraction> contraction =
      Contraction::parse(flags.input.einsum, flags.input.sizes);
  if (!contraction)
    return contraction.takeError();
  llvm::Expected<TransposedContraction> folded = foldTransposed(*contraction);
  if (!folded)
    return folded.takeError();
  MatmulSizes sizes = folded->folded.getSizes();
  NamedProblem &problem = options.problems.emplace_back();
  problem.tag = flags.input.einsum;
  problem.sizes[unsigned(Dim::M)] = sizes.m;
  problem.sizes[unsigned(Dim::N)] = sizes.n;
  problem.sizes[unsigned(Dim::K)] = sizes.k;
  problem.sizes[unsigned(Dim::Batch)] = sizes.batch;
  options.problem.shapes["arg0"] = contraction->getShape(0);
  options.problem.shapes["arg1"] = contraction->getShape(1);
  options.generate.contraction = std::move(*contraction);
  return Error::success();
}

/// The indices of a vector that a part of an epilogue reads. Fails if D has
/// none of its kind, or if they have components of numbers.
static llvm::Expected<std::string>
getVectorIndices(const GenerateOptions &generate, EpiloguePart part) {
  bool isAlongN = getPartOperand(part) == EpilogueOperand::AlongN;
  auto fail = [&](StringRef why) {
    return llvm::createStringError("--epilogue: '" + getPartName(part) +
                                   "' reads a vector along " +
                                   (isAlongN ? "n" : "m") + ", " + why);
  };
  if (generate.bilinear)
    return fail("but numbers with components have none");
  std::string letters = getResultIndices(
      *generate.contraction, isAlongN ? IndexKind::N : IndexKind::M);
  if (letters.empty())
    return fail(isAlongN ? "but B and D have no index that A lacks"
                         : "but A and D have no index that B lacks");
  return letters;
}

/// Sets the shapes of the result of a contraction and of tensors that its
/// epilogue reads. A vector along m or n has all indices of that kind.
static Error readEinsumEpilogue(SessionOptions &options) {
  const GenerateOptions &generate = options.generate;
  if (!generate.contraction)
    return Error::success();
  std::vector<int64_t> shape = generate.contraction->getShape(2);
  unsigned next = 2; // Behind A and B.
  auto add = [&] {
    options.problem.shapes["arg" + std::to_string(next++)] = shape;
  };
  if (generate.problem.hasBeta)
    add();
  for (EpiloguePart part : generate.problem.epilogue.parts) {
    EpilogueOperand operand = getPartOperand(part);
    if (operand == EpilogueOperand::AlongM ||
        operand == EpilogueOperand::AlongN) {
      llvm::Expected<std::string> letters = getVectorIndices(generate, part);
      if (!letters)
        return letters.takeError();
      std::vector<int64_t> &sizes =
          options.problem.shapes["arg" + std::to_string(next++)];
      for (char letter : *letters)
        sizes.push_back(generate.contraction->extents.at(letter));
    } else if (operand == EpilogueOperand::Matrix)
      add();
    else if (operand == EpilogueOperand::Number)
      ++next;
  }
  next += generate.problem.hasAlpha + generate.problem.hasBeta;
  add(); // D, which follows the inputs.
  return Error::success();
}

/// A flag that contradicts groups, if it is given.
static std::string findFlagWithoutGroups(const Flags &flags) {
  const cl::Option *others[] = {
      &flags.input.input,         &flags.input.batch,
      &flags.input.einsum,        &flags.input.sizes,
      &flags.input.problems,      &flags.input.cases,
      &flags.generate.transformA, &flags.generate.transformB,
      &flags.generate.transformC, &flags.generate.algebra,
      &flags.generate.reduce,     &flags.generate.dual,
      &flags.generate.bandA,      &flags.generate.bandB,
      &flags.generate.symmetric};
  return findGivenFlag(others);
}

/// Reads a convolution.
static Error readConvolution(const Flags &flags, SessionOptions &options) {
  const cl::Option *others[] = {&flags.input.input,
                                &flags.input.m,
                                &flags.input.n,
                                &flags.input.k,
                                &flags.input.batch,
                                &flags.input.einsum,
                                &flags.input.sizes,
                                &flags.input.groupSizes,
                                &flags.input.problems,
                                &flags.input.cases,
                                &flags.generate.layout,
                                &flags.generate.alpha,
                                &flags.generate.beta,
                                &flags.generate.blockScales,
                                &flags.generate.groupScales,
                                &flags.generate.transformA,
                                &flags.generate.transformB,
                                &flags.generate.transformC,
                                &flags.generate.algebra,
                                &flags.generate.reduce};
  if (std::string given = findGivenFlag(others); !given.empty())
    return llvm::createStringError("--conv does not go with " + given);
  return flags.convolution.read(options);
}

static Error readSizes(const Flags &flags, SessionOptions &options) {
  if (flags.convolution.isUsed())
    return readConvolution(flags, options);
  if (std::string given = flags.convolution.findGiven(); !given.empty())
    return llvm::createStringError(given + " needs --conv");
  if (flags.input.groupSizes.getNumOccurrences()) {
    if (std::string given = findFlagWithoutGroups(flags); !given.empty())
      return llvm::createStringError("--group-sizes does not go with " + given);
    return readGroups(flags.input, options);
  }
  if (flags.input.groups.getNumOccurrences())
    return llvm::createStringError("--groups needs --group-sizes");
  if (flags.input.checkOffsets.getNumOccurrences())
    return llvm::createStringError("--check-offsets needs --group-sizes");
  if (flags.input.einsum.getNumOccurrences())
    return readEinsum(flags, options);
  if (flags.input.sizes.getNumOccurrences())
    return llvm::createStringError("--sizes needs --einsum");
  const NumberOption<int64_t> *sizes[] = {&flags.input.m, &flags.input.n,
                                          &flags.input.k, &flags.input.batch};
  NamedProblem single;
  for (unsigned d = 0; d != kNumPlainDims; ++d) {
    if (!sizes[d]->getNumOccurrences())
      continue;
    if (Error error = checkFlagRange(*sizes[d], 0, INT64_MAX))
      return error;
    single.sizes[d] = *sizes[d];
  }
  options.problem.sizes = single.sizes;
  if (flags.input.problems.empty()) {
    options.problems.push_back(single);
  } else {
    llvm::Expected<std::vector<NamedProblem>> read =
        readProblems(flags.input.problems);
    if (!read)
      return read.takeError();
    options.problems = std::move(*read);
  }
  if (isGenerated(flags))
    for (const NamedProblem &problem : options.problems)
      for (unsigned d = 0; d != 3; ++d)
        if (!problem.sizes[d] &&
            !(flags.actions.emitMLIR && !flags.generate.isStatic))
          return llvm::createStringError(
              "nothing to run: give a pack, an MLIR file, or --m, --n and "
              "--k");
  return Error::success();
}

/// A flag, if any, that is given but has no effect on a report of errors.
static std::string findFlagWithoutNumerics() {
  constexpr StringRef used[] = {"numerics",
                                "numerics-k",
                                "numerics-data",
                                "numerics-modes",
                                "numerics-plot",
                                "type",
                                "layout",
                                "m",
                                "n",
                                "chip",
                                "config",
                                "records",
                                "ptxas",
                                "allow-spills",
                                "pipeline-options",
                                "ld-pad",
                                "offset",
                                "seed",
                                "device",
                                "checks",
                                "emulator-threads",
                                "timeout",
                                "emulator-sm-count",
                                "max-instructions",
                                "format"};
  for (const auto &entry : cl::getRegisteredOptions())
    if (entry.second->getNumOccurrences() &&
        !llvm::is_contained(used, entry.first))
      return "--" + entry.first.str();
  return "";
}

/// The report makes its own products.
static Error readNumericsSizes(const Flags &flags, SessionOptions &options) {
  if (std::string given = findFlagWithoutNumerics(); !given.empty())
    return llvm::createStringError(given + " does not go with --numerics");
  if (!options.input.empty())
    return llvm::createStringError(
        "--numerics is for generated products, not for '" + options.input +
        "'");
  NamedProblem &problem = options.problems.emplace_back();
  for (auto [dim, flag] :
       {std::pair(Dim::M, &flags.input.m), std::pair(Dim::N, &flags.input.n)}) {
    int64_t side = flag->getNumOccurrences() ? flag->getValue()
                                             : NumericsOptions::kDefaultSide;
    if (side < 1 || side > NumericsOptions::kMostSide)
      return llvm::createStringError("--" + flag->ArgStr + ": " +
                                     llvm::Twine(side) + " is not from 1 to " +
                                     llvm::Twine(NumericsOptions::kMostSide) +
                                     ", as --numerics needs it");
    problem.sizes[unsigned(dim)] = side;
  }
  return Error::success();
}

/// The type of D is that of the sums, so that nothing else is rounded.
static Error readNumericsTypes(MatmulProblem &problem) {
  for (ScalarType type : {problem.typeA, problem.typeB}) {
    if (!isFloatType(type))
      return llvm::createStringError(
          "--numerics is for operands of floats, not of " +
          getPtxTypeName(type) + ": integers have no rounding errors");
    if (getPrecision(type) != Precision::IEEE)
      return llvm::createStringError(
          "--numerics: --type=" + getPtxTypeName(getBufferType(type)) +
          " reports " + getPrecisionName(getPrecision(type)) + ", too");
  }
  problem.output = problem.accumulator;
  return Error::success();
}

/// Results are those of one checked run.
static Error checkOutputs(const Flags &flags, const OutputFiles &outputs) {
  const cl::Option *others[] = {&flags.input.problems, &flags.input.cases,
                                &flags.actions.plan, &flags.actions.emitMLIR,
                                &flags.actions.noVerify};
  std::string given = findGivenFlag(others);
  if (outputs.empty() || given.empty())
    return Error::success();
  return llvm::createStringError("--output does not go with " + given);
}

/// A trace is of one checked run. Times of traced kernels are no benchmark.
static Error checkTrace(const Flags &flags) {
  const cl::Option *others[] = {&flags.input.problems,  &flags.input.cases,
                                &flags.actions.plan,    &flags.actions.emitMLIR,
                                &flags.actions.bench,   &flags.actions.compare,
                                &flags.actions.noVerify};
  std::string given = findGivenFlag(others);
  if (!flags.trace.trace.getNumOccurrences())
    return Error::success();
  if (!given.empty())
    return llvm::createStringError("--trace does not go with " + given);
  given = flags.trace.findCompiled();
  if (given.empty() || !isPack(flags))
    return Error::success();
  return failPack(given, flags);
}

/// Fails for flags without an effect on an input that is read.
static Error checkInput(const Flags &flags) {
  if (isGenerated(flags) || flags.device.listDevices)
    return Error::success();
  const GenerateFlags &generate = flags.generate;
  const cl::Option *ofProducts[] = {
      &generate.layout,     &generate.type,         &generate.outType,
      &generate.epilogue,   &generate.blockScales,  &generate.transformA,
      &generate.transformB, &generate.transformC,   &generate.groupScales,
      &generate.algebra,    &generate.components,   &generate.dual,
      &generate.bandA,      &generate.bandB,        &generate.symmetric,
      &generate.reduce,     &generate.alpha,        &generate.beta,
      &generate.isStatic,   &flags.actions.emitMLIR};
  if (std::string given = findGivenFlag(ofProducts); !given.empty())
    return llvm::createStringError(
        given + " is for generated products, not for '" +
        (flags.input.input.empty() ? flags.input.cases : flags.input.input) +
        "'");
  const cl::Option *ofCompiler[] = {
      &flags.compile.config,   &flags.compile.sizeHint,
      &flags.compile.records,  &flags.compile.precision,
      &flags.compile.ptxas,    &flags.compile.allowSpills,
      &flags.compile.pipeline, &flags.compile.savePack};
  std::string given = findGivenFlag(ofCompiler);
  return given.empty() || !isPack(flags) ? Error::success()
                                         : failPack(given, flags);
}

Error tcgemm::readFlags(const Flags &flags, SessionOptions &options) {
  options.input = flags.input.input;
  llvm::Expected<OutputFiles> outputs = parseOutputFiles(flags.data.outputs);
  if (!outputs)
    return outputs.takeError();
  options.outputs = std::move(*outputs);
  if (Error error = readPtx(flags, options.outputs, options.ptx))
    return error;
  if (Error error = checkOutputs(flags, options.outputs))
    return error;
  if (Error error = checkInput(flags))
    return error;
  if (Error error = flags.device.read(options))
    return error;
  options.generate.isBatched = flags.input.batch.getNumOccurrences() > 0;
  if (Error error = flags.compile.read(options))
    return error;
  if (Error error = checkTrace(flags))
    return error;
  if (Error error = flags.trace.read(options))
    return error;
  if (Error error = flags.data.read(options.problem))
    return error;
  if (Error error = flags.numerics.read(options.numerics))
    return error;
  if (Error error = options.numerics.isUsed ? readNumericsSizes(flags, options)
                                            : readSizes(flags, options))
    return error;
  if (Error error = flags.actions.read(options))
    return error;
  if (!isGenerated(flags))
    return Error::success();
  if (Error error = flags.generate.read(options.generate))
    return error;
  if (Error error = readBilinear(flags, options))
    return error;
  if (Error error = readEinsumEpilogue(options))
    return error;
  if (Error error = ConvolutionFlags::readEpilogue(options))
    return error;
  MatmulProblem &problem = options.generate.problem;
  if (Error error = problem.setPrecision(options.compile.precision))
    return error;
  if (problem.isGrouped)
    if (Error error = checkGroups(problem))
      return error;
  if (flags.actions.cublasLtPrecise &&
      !(isFP8(problem.typeA) && isFP8(problem.typeB)))
    return llvm::createStringError(
        "--cublaslt-precise is for operands of FP8, not of " +
        problem.getOperandTypeText());
  if (options.numerics.isUsed)
    return readNumericsTypes(problem);
  flags.generate.readScalars(options.generate.problem, options.problem.scalars);
  return Error::success();
}
