//===- SessionPtx.cpp - Runs a PTX file -----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is no reference. The contents of the arrays are summarized, so that two
// runs can be compared, and findings of the emulator are reported.
//
//===----------------------------------------------------------------------===//

#include "SessionPtx.h"
#include "ExitCodes.h"
#include "Observed.h"
#include "Progress.h"
#include "SessionDevice.h"

#include "tcgemm/Runtime/Npy.h"
#include "tcgemm/Target/Chip.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
namespace json = llvm::json;

namespace {

/// An array after the run.
struct Summary {
  std::string name, type, shape;
  double least = 0, largest = 0, mean = 0; ///< Statistics of the numbers.
  int64_t numNaN = 0;
  uint64_t hash = 0; ///< Hash of the array's bytes.
  std::string missed;
};

} // namespace

static Summary summarize(const PtxArgument &argument,
                         const std::string &missed) {
  const ProblemBuffer &buffer = argument.buffer;
  Summary summary;
  summary.name = buffer.name;
  summary.type = argument.typeName;
  llvm::raw_string_ostream os(summary.shape);
  llvm::interleave(buffer.shape.sizes, os, "x");
  summary.missed = missed;
  HostTensor tensor = getTensor(buffer);
  summary.hash = llvm::xxh3_64bits(tensor.bytes);
  double sum = 0;
  int64_t count = buffer.shape.getNumElements(), numbers = 0;
  for (int64_t i = 0; i != count; ++i) {
    double value = tensor.get(i);
    if (std::isnan(value)) {
      ++summary.numNaN;
      continue;
    }
    summary.least = numbers ? std::min(summary.least, value) : value;
    summary.largest = numbers ? std::max(summary.largest, value) : value;
    sum += value;
    ++numbers;
  }
  summary.mean = numbers ? sum / static_cast<double>(numbers) : 0;
  return summary;
}

static void printTable(const Summary &s, llvm::raw_ostream &os) {
  os << formatv("  {0}  {1}[{2}]  {3:f6} to {4:f6}, mean {5:f6}, {6} NaN, hash "
                "{7:x-16}\n",
                s.name, s.type, s.shape, s.least, s.largest, s.mean, s.numNaN,
                s.hash);
  if (!s.missed.empty())
    os << "    " << s.missed << '\n';
}

/// JSON has no infinities.
static json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  return formatv("{0}", value).str();
}

static json::Value asJSON(const Summary &s) {
  return json::Object{
      {"name", s.name},           {"type", s.type},
      {"shape", s.shape},         {"min", number(s.least)},
      {"max", number(s.largest)}, {"mean", number(s.mean)},
      {"nan", s.numNaN},          {"hash", formatv("{0:x-16}", s.hash).str()},
      {"missed", s.missed}};
}

static void print(ReportFormat format, const PtxLaunch &launch,
                  const PtxResult &result, llvm::raw_ostream &os) {
  std::vector<Summary> summaries;
  for (auto [argument, missed] : llvm::zip(launch.arguments, result.missed))
    if (argument.buffer.isWritten)
      summaries.push_back(summarize(argument, missed));
  bool isBad = result.observed.hasFindings() || !result.damage.empty();
  if (format == ReportFormat::JSON) {
    json::Array outputs;
    for (const Summary &summary : summaries)
      outputs.push_back(asJSON(summary));
    json::Object object{{"kernel", launch.kernel},
                        {"status", isBad ? "fail" : "ok"},
                        {"damage", result.damage},
                        {"outputs", std::move(outputs)}};
    addObservations(result.observed, object);
    os << json::Value(std::move(object)) << '\n';
    return;
  }
  auto extent = [](const std::array<uint32_t, 3> &s) {
    return formatv("{0}x{1}x{2}", s[0], s[1], s[2]).str();
  };
  os << formatv("{0}  grid {1}  block {2}  cluster {3}  {4}\n", launch.kernel,
                extent(launch.config.grid), extent(launch.config.block),
                extent(launch.config.cluster), isBad ? "fail" : "ok");
  for (const Summary &summary : summaries)
    printTable(summary, os);
  if (!result.damage.empty())
    os << "  " << result.damage << '\n';
  printObservations(result.observed, os);
}

int tcgemm::runPtxFile(SessionContext &context) {
  const SessionOptions &options = context.options;
  PtxLaunch launch = options.ptx.launch;
  auto buffer = llvm::MemoryBuffer::getFile(options.input);
  if (!buffer)
    return context.fail(
        llvm::createStringError("cannot read '" + options.input +
                                "': " + buffer.getError().message()),
        kExitBadInput);
  launch.ptx = (*buffer)->getBuffer().str();
  Expected<std::string> target = checkPtxLaunch(launch);
  if (!target)
    return context.fail(addContext(options.input, target.takeError()),
                        kExitBadInput);
  std::string chip = options.compile.chip;
  if (!options.hasChip) {
    // PTX for a chip that is not in the list runs on the next best.
    Expected<const ChipInfo &> known = lookupChip(*target);
    chip = known ? *target : "sm_90a";
    if (!known)
      llvm::consumeError(known.takeError());
  }
  SessionDevice device(context);
  if (int code = device.open(chip))
    return code;
  context.watchdog.start(options.input);
  Expected<PtxResult> result = tcgemm::runPtx(*device, launch);
  context.watchdog.stop();
  if (!result) {
    int code = context.fail(result.takeError(), kExitBadInput);
    if (getInterruptFlag())
      return kExitInterrupted;
    Observations observed;
    if (AccessChecker *checker = device->getAccessChecker())
      observed = checker->takeObservations();
    printObservations(observed, context.err);
    return observed.hasFindings() ? int(kExitFinding) : code;
  }
  print(options.format, launch, *result, context.out);
  context.out.flush();
  for (const PtxArgument &argument : launch.arguments)
    if (Error error = writeOutputFiles(options.outputs, argument.buffer))
      return context.fail(std::move(error), kExitBadInput);
  if (Error error = AnnotatedFile(options.annotate).write(result->observed))
    return context.fail(std::move(error), kExitBadInput);
  if (result->observed.hasFindings())
    return kExitFinding;
  return result->damage.empty() ? kExitSuccess : kExitWrongResult;
}
