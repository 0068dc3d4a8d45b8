//===- CommandSolve.cpp - tcgemm-tune solve ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineInputs.h"
#include "Screen.h"
#include "SolveFlags.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Model/Solver.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

static Error checkLimits(const SolveFlags &flags) {
  for (auto [name, value, low, high] :
       {std::tuple("most-tile", flags.tileLimit.getValue(), 64u, 4096u),
        std::tuple("most-cluster", flags.clusterLimit.getValue(), 1u, 8u),
        std::tuple("most-split", flags.splitLimit.getValue(), 1u, 1024u)})
    if (value < low || value > high)
      return llvm::createStringError(formatv(
          "--{0} = {1}, but it must be {2} to {3}", name, value, low, high));
  constexpr double mostSeconds = 1e6;
  if (!(flags.timeLimit > 0 && flags.timeLimit <= mostSeconds))
    return llvm::createStringError(
        formatv("--time-limit = {0}, but it must be above 0 and at most {1}",
                flags.timeLimit.getValue(), mostSeconds));
  return Error::success();
}

/// The problem without its sizes.
static Expected<TilingProblem> readProblem(const SolveFlags &flags) {
  if (Error error = checkLimits(flags))
    return std::move(error);
  Expected<Machine> machine = readMachine(flags.machine);
  if (!machine)
    return machine.takeError();
  TilingProblem problem;
  problem.machine = std::move(*machine);
  problem.chip = &llvm::cantFail(lookupChip(problem.machine.chip));
  problem.space = TilingSpace::ofWgmma(flags.tileLimit, flags.clusterLimit,
                                       flags.splitLimit);
  problem.objective = flags.objective;
  return std::move(problem);
}

static double toMicroseconds(Picoseconds time) { return double(time) * 1e-6; }

/// What the simulator of wgmma kernels says about the tiling's configuration.
static void printKernel(const TilingProblem &problem, const Tiling &tiling) {
  Expected<KernelPrediction> kernel =
      predictKernel(problem.machine, *problem.chip, getConfig(problem, tiling),
                    problem.product);
  if (!kernel) {
    llvm::outs() << "  no simulation of the kernel: "
                 << toString(kernel.takeError()) << '\n';
    return;
  }
  llvm::outs() << formatv("  with latency, shared rates and clock: {0:f3} us, "
                          "tensor cores {1:f0} % busy at {2:f2} GHz\n",
                          toMicroseconds(kernel->getTotal()),
                          100 * kernel->tensorShare, kernel->clock);
}

static Error print(const TilingProblem &problem, const TilingSolution &solution,
                   llvm::StringRef shape, double seconds) {
  TilingTimes times = getTilingTimes(problem, solution.tiling);
  Expected<RingResult> result =
      simulateRing(times.times, times.shape, times.waves);
  if (!result)
    return result.takeError();
  llvm::raw_ostream &out = llvm::outs();
  out << shape << ": " << formatConfig(getConfig(problem, solution.tiling))
      << '\n';
  out << formatv("  time {0:f3} us: launch {1:f3}, {2} waves of {3:f3}, "
                 "reduction {4:f3}\n",
                 toMicroseconds(result->total + times.reduction),
                 toMicroseconds(times.times.init), result->waves,
                 toMicroseconds(result->wave), toMicroseconds(times.reduction));
  out << formatv("  a wave: {0} stages; copies of A {1:f3} and B {2:f3}, "
                 "product {3:f3}; epilogue {4:f3}\n",
                 times.shape.stages, toMicroseconds(times.times.copyA),
                 toMicroseconds(times.times.copyB),
                 toMicroseconds(times.times.math),
                 toMicroseconds(times.times.epilogue));
  out << formatv("  wait of the warps that multiply: {0:f3} us\n",
                 toMicroseconds(result->wait));
  printKernel(problem, solution.tiling);
  out << (solution.isProven ? "  proven: no legal tiling of the space has less "
                            : "  not proven, the time was up: least known ")
      << (problem.objective == TilingObjective::Time ? "time" : "wait")
      << formatv(" ({0} questions to Z3, {1:f2} s)\n", solution.numChecks,
                 seconds);
  return Error::success();
}

/// Compares with a simulation of every legal tiling.
static Error check(const TilingProblem &problem,
                   const TilingSolution &solution) {
  Expected<TilingSolution> best = enumerateTilings(problem);
  if (!best)
    return best.takeError();
  if (best->objective > solution.objective ||
      (solution.isProven && best->objective < solution.objective))
    return llvm::createStringError(
        formatv("the solver found {0} ps, but the least of {1} simulated "
                "tilings is {2} ps",
                solution.objective, best->numChecks, best->objective));
  llvm::outs() << formatv("  checked: the least of {0} simulated tilings is "
                          "{1} ps\n",
                          best->numChecks, best->objective);
  return Error::success();
}

static int solve(const SolveFlags &flags, const TilingProblem &problem,
                 llvm::StringRef shape) {
  if (Error error = checkTilingProblem(problem))
    return fail(std::move(error), kExitBadInput);
  using Clock = std::chrono::steady_clock;
  SolverOptions options;
  options.library = flags.library;
  options.timeLimit =
      std::chrono::milliseconds(int64_t(flags.timeLimit * 1000));
  Clock::time_point start = Clock::now();
  Expected<TilingSolution> solution = solveTiling(problem, options);
  if (!solution)
    return fail(solution.takeError(), kExitNoConfig);
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (Error error = print(problem, *solution, shape, seconds))
    return fail(std::move(error), kExitRunFailed);
  if (flags.check)
    if (Error error = check(problem, *solution))
      return fail(std::move(error), kExitRunFailed);
  return kExitSuccess;
}

int tcgemm::runSolve(const SolveFlags &flags) {
  Expected<TilingProblem> problem = readProblem(flags);
  if (!problem)
    return fail(problem.takeError(), kExitBadInput);
  Expected<KernelSpec> kernel = flags.shared.problem.readKernel();
  if (!kernel)
    return fail(kernel.takeError(), kExitBadInput);
  std::vector<TuningProblem> problems;
  for (const std::string &text : flags.shapes) {
    Expected<MatmulSizes> sizes = MatmulSizes::parse(text);
    if (!sizes)
      return fail(sizes.takeError(), kExitBadInput);
    problems.push_back({*kernel, *sizes, /*tag=*/""});
  }
  if (Error error = checkSolverLibrary(flags.library))
    return fail(std::move(error), kExitRunFailed);
  for (const TuningProblem &shape : problems) {
    problem->product = shape.getInfo();
    problem->base = chooseBase(problem->product);
    problem->space.setDepths(problem->product);
    int code = solve(flags, *problem, shape.sizes.str());
    if (code != kExitSuccess)
      return code;
  }
  return kExitSuccess;
}
