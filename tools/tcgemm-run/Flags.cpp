//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts of flags into options.
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

/// Whether the input is PTX, and how it is launched.
static Error readPtx(const Flags &flags, const OutputFiles &outputs,
                     PtxOptions &options) {
  options.isUsed = StringRef(flags.input.input).ends_with(".ptx");
  const cl::Option *others[] = {
      &flags.actions.bench,    &flags.actions.compare, &flags.actions.plan,
      &flags.input.problems,   &flags.input.cases,     &flags.input.m,
      &flags.input.n,          &flags.input.k,         &flags.input.batch,
      &flags.actions.emitMLIR, &flags.compile.savePack};
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

/// Whether a product is generated, for want of other input.
static bool isGenerated(const Flags &flags) {
  return flags.input.input.empty() && flags.input.cases.empty() &&
         !flags.device.listDevices;
}

static Error readSizes(const Flags &flags, SessionOptions &options) {
  const int64_t sizes[] = {flags.input.m, flags.input.n, flags.input.k,
                           flags.input.batch};
  NamedProblem single;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (sizes[d] >= 0)
      single.sizes[d] = sizes[d];
    else if (sizes[d] != -1)
      return llvm::createStringError("sizes must not be negative");
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
  if (Error error = flags.device.read(options))
    return error;
  options.generate.isBatched = flags.input.batch.getNumOccurrences() > 0;
  if (Error error = flags.compile.read(options))
    return error;
  if (Error error = flags.data.read(options.problem))
    return error;
  if (Error error = readSizes(flags, options))
    return error;
  if (Error error = flags.actions.read(options))
    return error;
  if (!isGenerated(flags))
    return Error::success();
  if (Error error = flags.generate.read(options.generate))
    return error;
  MatmulProblem &problem = options.generate.problem;
  if (Error error = problem.setPrecision(options.compile.precision))
    return error;
  flags.generate.readScalars(options.generate.problem, options.problem.scalars);
  return Error::success();
}
