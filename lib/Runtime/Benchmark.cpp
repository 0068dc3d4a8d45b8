//===- Benchmark.cpp - Measuring kernels ----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates sets of device memory, captures contenders as graphs, and runs
// rounds in random order.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Benchmark.h"
#include "tcgemm/Runtime/StridedCopy.h"

#include "CublasContender.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

Spread tcgemm::summarize(std::vector<double> samples) {
  if (samples.empty())
    return {};
  llvm::sort(samples);
  auto at = [&](double fraction) {
    double position = fraction * static_cast<double>(samples.size() - 1);
    auto below = static_cast<size_t>(position);
    size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (position - static_cast<double>(below)) *
                                (samples[above] - samples[below]);
  };
  return {at(0.5), at(0.1), at(0.9)};
}

namespace {

/// A contender; `enqueue` enqueues one run on a set of buffers.
struct Entry {
  Contender contender;
  std::function<Error(unsigned set)> enqueue;
  std::unique_ptr<Graph> cold, hot;
  std::vector<double> coldSamples, hotSamples; ///< Microseconds of a run.
};

class Benchmark {
public:
  Benchmark(Device &device, Executor &executor, const Problem &problem,
            const BenchmarkOptions &options)
      : device(device), executor(executor), problem(problem), options(options) {
  }

  Expected<BenchmarkReport> run();

private:
  Error makeSets();
  Error makePlans();
  Error prepareCopies();
  Error enqueueSteps(unsigned set);
  Error addCublasLt();
  Error compareResults();
  Error chooseBest();
  Error makeGraphs(Entry &entry);
  Error warmUp();
  Error measure();
  Expected<double> timeOnce(Graph &graph);
  uint64_t getOutput(unsigned set) const;

  Device &device;
  Executor &executor;
  const Problem &problem;
  const BenchmarkOptions &options;
  BenchmarkReport report;
  std::vector<Buffer> memory;
  std::vector<std::vector<uint64_t>> sets; ///< Image addresses.
  /// By the set, then by the step.
  std::vector<std::vector<LaunchPlan>> plans;
  StridedCopier copier{device, &executor};
  Buffer workspace;
  std::unique_ptr<CublasContender> cublas;
  std::vector<Entry> entries;
};

} // namespace

/// Creates copies of all buffers until they exceed twice the L2 together.
Error Benchmark::makeSets() {
  int64_t setBytes = 0;
  for (const ProblemBuffer &buffer : problem.buffers)
    if (!buffer.isScalar) {
      setBytes += llvm::alignTo(buffer.getImageSize(), 256);
      report.bytes += getByteCount(buffer.type, buffer.shape.getNumElements());
    }
  int64_t wanted =
      std::max(options.minRotatedBytes, 2 * device.getProperties().l2Bytes);
  report.numSets = std::clamp<int64_t>(
      llvm::divideCeil(wanted, std::max<int64_t>(report.bytes, 1)), 1,
      options.maxSets);
  for (int64_t s = 0; s != report.numSets; ++s) {
    Expected<Buffer> allocated = device.allocate(setBytes);
    if (!allocated)
      return allocated.takeError();
    uint64_t address = allocated->getAddress();
    memory.push_back(std::move(*allocated));
    std::vector<uint64_t> &addresses = sets.emplace_back();
    for (const ProblemBuffer &buffer : problem.buffers) {
      addresses.push_back(address);
      if (!buffer.isScalar)
        address += llvm::alignTo(buffer.getImageSize(), 256);
    }
    if (s != 0) {
      if (Error error = device.copyOnDevice(memory[s].getAddress(),
                                            memory[0].getAddress(), setBytes))
        return error;
      continue;
    }
    for (auto [buffer, target] : llvm::zip(problem.buffers, addresses))
      if (!buffer.isScalar)
        if (Error error = device.copyToDevice(target, buffer.image.data(),
                                              buffer.image.size()))
          return error;
  }
  return device.synchronize();
}

Error Benchmark::prepareCopies() {
  for (const ProblemStep &step : problem.steps) {
    const auto *copy = std::get_if<CopyStep>(&step);
    if (!copy)
      continue;
    if (copy->source.buffer == copy->target.buffer)
      return llvm::createStringError("a copy has both sides in " +
                                     problem.buffers[copy->source.buffer].name +
                                     ", which a benchmark does not support");
    if (!copy->plan)
      return llvm::createStringError("a copy to " +
                                     problem.buffers[copy->target.buffer].name +
                                     " has more dimensions or elements than "
                                     "a kernel copies");
    if (Error error = copier.prepare(*copy->plan))
      return error;
  }
  return Error::success();
}

Error Benchmark::enqueueSteps(unsigned set) {
  for (const ProblemStep &step : problem.steps) {
    if (const auto *copy = std::get_if<CopyStep>(&step)) {
      if (Error error = copier.enqueue(
              *copy->plan, problem.getAddress(copy->source, sets[set]),
              problem.getAddress(copy->target, sets[set])))
        return error;
    } else if (Error error = executor.launch(
                   plans[set][std::get<LaunchStep>(step).launch],
                   workspace.getAddress())) {
      return error;
    }
  }
  return Error::success();
}

Error Benchmark::makePlans() {
  int64_t workspaceBytes = 0;
  if (Error error = prepareCopies())
    return error;
  for (const std::vector<uint64_t> &addresses : sets) {
    std::vector<LaunchPlan> &list = plans.emplace_back();
    for (unsigned i = 0; i != problem.launches.size(); ++i) {
      Expected<LaunchPlan> plan =
          problem.plan(i, addresses, device.getProperties().smCount);
      if (!plan)
        return plan.takeError();
      workspaceBytes = std::max(workspaceBytes, plan->workspaceBytes);
      // Loading inside a capture is not allowed.
      if (Error error = executor.prepare(*plan))
        return error;
      list.push_back(std::move(*plan));
    }
  }
  Expected<Buffer> allocated = device.allocate(workspaceBytes);
  if (!allocated)
    return allocated.takeError();
  workspace = std::move(*allocated);
  Entry entry;
  entry.contender.name = "tcgemm";
  for (const ProblemStep &step : problem.steps) {
    const auto *launch = std::get_if<LaunchStep>(&step);
    entry.contender.detail +=
        (entry.contender.detail.empty() ? "" : "+") +
        (launch ? plans.front()[launch->launch].variant->name : "copy");
  }
  entry.enqueue = [this](unsigned set) { return enqueueSteps(set); };
  entries.push_back(std::move(entry));
  return Error::success();
}

/// The address of the first output's elements.
uint64_t Benchmark::getOutput(unsigned set) const {
  const ProblemLaunch &launch = problem.launches.front();
  for (auto [info, part] : llvm::zip(launch.kernel->operands, launch.operands))
    if (info.role == OperandUse::Output)
      return problem.getAddress(part, sets[set]);
  return 0;
}

/// Adds every algorithm as a contender. A missing comparison is a note, not an
/// error: the measurement of tcgemm is valid without it.
Error Benchmark::addCublasLt() {
  if (problem.steps.size() != 1) {
    report.note = "no cuBLASLt comparison: the function has " +
                  std::to_string(problem.steps.size()) + " launches and copies";
    return Error::success();
  }
  Expected<std::unique_ptr<CublasContender>> created =
      CublasContender::create(device, problem, options);
  if (!created) {
    report.note =
        "no cuBLASLt comparison: " + llvm::toString(created.takeError());
    return Error::success();
  }
  cublas = std::move(*created);
  report.cublasLtVersion = cublas->getMatmul().getVersion();
  report.numAlgorithms = cublas->getMatmul().getNumAlgorithms();
  std::string name = options.fuseCublasLt ? "cublaslt-fused" : "cublaslt";
  for (unsigned i = 0; i != report.numAlgorithms; ++i) {
    Entry entry;
    entry.contender.name = name + (i == 0 ? "-first" : "-best");
    entry.contender.detail = "algorithm " + std::to_string(i);
    entry.enqueue = [this, i](unsigned set) {
      return cublas->enqueue(i, sets[set]);
    };
    // The heuristic may offer an algorithm that the library then cannot run.
    if (Error error = entry.enqueue(0)) {
      llvm::consumeError(std::move(error));
      continue;
    }
    entries.push_back(std::move(entry));
  }
  if (entries.size() < 2) {
    report.note = "no cuBLASLt comparison: none of its algorithms runs";
    return Error::success();
  }
  return compareResults();
}

/// Compares both results on the same inputs, if both compute the same function.
Error Benchmark::compareResults() {
  const ProblemLaunch &launch = problem.launches.front();
  if (!cublas->isWhole()) {
    report.note = "cuBLASLt runs the plain product, without the epilogue";
    return Error::success();
  }
  const BufferPart *output = nullptr;
  for (auto [info, part] : llvm::zip(launch.kernel->operands, launch.operands))
    if (info.role == OperandUse::Output && !output)
      output = &part;
  ScalarType type = problem.buffers[output->buffer].type;
  std::vector<double> results[2];
  for (unsigned side : {0U, 1U}) {
    if (Error error = entries[side].enqueue(0))
      return error;
    std::vector<uint8_t> bytes(output->shape.getExtent() * getByteSize(type));
    if (Error error =
            device.copyFromDevice(bytes.data(), getOutput(0), bytes.size()))
      return error;
    int64_t size = output->shape.getRowSize();
    output->shape.forEachRow([&](int64_t offset) {
      results[side].resize(results[side].size() + size);
      decodeRun(type, bytes.data(), offset, 1, size,
                results[side].data() + results[side].size() - size);
    });
  }
  double largest = 0, difference = 0;
  for (auto [ours, theirs] : llvm::zip(results[0], results[1])) {
    largest = std::max(largest, std::fabs(theirs));
    double change = std::fabs(ours - theirs);
    if (!(change <= difference))
      difference = std::isnan(change) ? HUGE_VAL : change;
  }
  report.difference = largest > 0 ? difference / largest : difference;
  // Results near the largest differ by a few units of the last place at most.
  report.isWrong = report.difference > 4 * getUlp(type, 1.0) + 1e-3;
  if (report.isWrong)
    report.note = "the results of tcgemm and cuBLASLt differ";
  return Error::success();
}

Error Benchmark::makeGraphs(Entry &entry) {
  for (bool isCold : {true, false}) {
    Expected<std::unique_ptr<Graph>> graph = device.capture([&]() -> Error {
      for (int64_t i = 0; i != report.chainLength; ++i)
        if (Error error = entry.enqueue(isCold ? i % report.numSets : 0))
          return error;
      return Error::success();
    });
    if (!graph)
      return graph.takeError();
    (isCold ? entry.cold : entry.hot) = std::move(*graph);
  }
  return Error::success();
}

/// Microseconds of one run in a chain.
Expected<double> Benchmark::timeOnce(Graph &graph) {
  Expected<double> milliseconds = device.time([&] { return graph.launch(); });
  if (!milliseconds)
    return milliseconds.takeError();
  return *milliseconds * 1000 / static_cast<double>(report.chainLength);
}

/// Keeps tcgemm, cuBLASLt's first algorithm, and its fastest one.
Error Benchmark::chooseBest() {
  if (entries.size() < 2)
    return Error::success();
  std::vector<std::pair<double, size_t>> times;
  for (size_t i = 1; i != entries.size(); ++i) {
    std::vector<double> samples;
    for (unsigned repetition = 0; repetition != 4; ++repetition) {
      Expected<double> time = timeOnce(*entries[i].cold);
      if (!time)
        return time.takeError();
      if (repetition != 0) // The first one warms up.
        samples.push_back(*time);
    }
    times.emplace_back(*std::min_element(samples.begin(), samples.end()), i);
  }
  size_t best = llvm::min_element(times)->second;
  std::vector<Entry> kept;
  kept.push_back(std::move(entries[0]));
  if (best == 1) {
    // One measurement has both names.
    entries[1].contender.name += "=best";
    kept.push_back(std::move(entries[1]));
  } else {
    kept.push_back(std::move(entries[1]));
    kept.push_back(std::move(entries[best]));
  }
  entries = std::move(kept);
  return Error::success();
}

Error Benchmark::warmUp() {
  double spent = 0; // Milliseconds.
  while (spent < options.warmUpMilliseconds)
    for (Entry &entry : entries) {
      Expected<double> time = timeOnce(*entry.cold);
      if (!time)
        return time.takeError();
      spent += *time * static_cast<double>(report.chainLength) / 1000 + 0.01;
    }
  return Error::success();
}

Error Benchmark::measure() {
  for (unsigned round = 0; round != options.rounds; ++round) {
    // In a fixed order, each contender would run at a different temperature.
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i != 2 * entries.size(); ++i)
      order.emplace_back(mixSeed(options.seed, round * 1000 + i), i);
    llvm::sort(order);
    for (auto [key, which] : order) {
      Entry &entry = entries[which / 2];
      bool isCold = which % 2 == 0;
      Graph &graph = isCold ? *entry.cold : *entry.hot;
      // Hot means that the data is in the cache: an untimed run loads it.
      if (!isCold)
        if (Error error = entry.enqueue(0))
          return error;
      Expected<double> time = timeOnce(graph);
      if (!time)
        return time.takeError();
      (isCold ? entry.coldSamples : entry.hotSamples).push_back(*time);
    }
  }
  auto getRatios = [](const std::vector<double> &theirs,
                      const std::vector<double> &ours) {
    std::vector<double> ratios;
    for (auto [a, b] : llvm::zip(theirs, ours))
      ratios.push_back(b > 0 ? a / b : 0);
    return summarize(ratios);
  };
  for (Entry &entry : entries) {
    entry.contender.cold = summarize(entry.coldSamples);
    entry.contender.hot = summarize(entry.hotSamples);
    entry.contender.coldRatio =
        getRatios(entry.coldSamples, entries[0].coldSamples);
    entry.contender.hotRatio =
        getRatios(entry.hotSamples, entries[0].hotSamples);
    report.contenders.push_back(entry.contender);
  }
  return Error::success();
}

Expected<BenchmarkReport> Benchmark::run() {
  if (llvm::any_of(problem.steps, [](const ProblemStep &step) {
        return std::holds_alternative<FillStep>(step);
      }))
    return llvm::createStringError(
        "the function has fills, but a benchmark measures launches of kernels "
        "and copies only");
  report.flops = problem.getFlops();
  if (Error error = makeSets())
    return std::move(error);
  if (Error error = makePlans())
    return std::move(error);
  if (options.compareCublasLt)
    if (Error error = addCublasLt())
      return std::move(error);
  // The time of one run in advance determines the length of the chains.
  if (Error error = entries[0].enqueue(0))
    return std::move(error);
  Expected<double> once = device.time([&] { return entries[0].enqueue(0); });
  if (!once)
    return once.takeError();
  auto needed = static_cast<int64_t>(
      std::ceil(options.chainMilliseconds / std::max(*once, 0.002)));
  report.chainLength =
      std::max(report.numSets, std::min<int64_t>(needed, 1024));
  for (Entry &entry : entries)
    if (Error error = makeGraphs(entry))
      return std::move(error);
  if (Error error = chooseBest())
    return std::move(error);
  if (Error error = warmUp())
    return std::move(error);
  if (Error error = measure())
    return std::move(error);
  return std::move(report);
}

Expected<BenchmarkReport>
tcgemm::runBenchmark(Device &device, Executor &executor, const Problem &problem,
                     const BenchmarkOptions &options) {
  return Benchmark(device, executor, problem, options).run();
}
