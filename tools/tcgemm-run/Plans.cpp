//===- Plans.cpp - Prints the launches of problems ------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "ExitCodes.h"
#include "PackSource.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {

/// Prints what a function does, step by step.
struct StepPrinter {
  const Problem &problem;
  llvm::ArrayRef<uint64_t> addresses;
  int64_t smCount;
  llvm::raw_ostream &out;

  Error operator()(const LaunchStep &step) {
    Expected<LaunchPlan> plan = problem.plan(step.launch, addresses, smCount);
    if (!plan)
      return plan.takeError();
    out << describePlan(*plan);
    return Error::success();
  }
  Error operator()(const FillStep &step) {
    out << problem.describe(step);
    return Error::success();
  }
  Error operator()(const CopyStep &step) {
    out << problem.describe(step);
    return Error::success();
  }
};

} // namespace

int tcgemm::printPlans(const SessionContext &context) {
  const SessionOptions &options = context.options;
  PackSource source(context);
  for (const NamedProblem &named : options.problems) {
    Expected<KernelPack> pack = source.getPack(named, /*device=*/nullptr);
    if (!pack)
      return context.fail(pack.takeError(), kExitBadInput);
    Expected<Problem> problem =
        Problem::create(*pack, options.getOptions(named));
    if (!problem)
      return context.fail(problem.takeError(), kExitBadInput);
    // Addresses as a device would give them: aligned to 4096 bytes.
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i != problem->buffers.size(); ++i)
      addresses.push_back((i + 1) << 40);
    if (!named.tag.empty())
      context.out << named.tag << '\n';
    StepPrinter printer{*problem, addresses, options.planSMCount, context.out};
    for (const ProblemStep &step : problem->steps)
      if (Error error = std::visit(printer, step))
        return context.fail(std::move(error), kExitBadInput);
  }
  return kExitSuccess;
}
