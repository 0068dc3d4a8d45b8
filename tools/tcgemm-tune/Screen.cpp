//===- Screen.cpp - What a run shows --------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Screen.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using llvm::formatv;

std::string tcgemm::formatTime(const Record &record) {
  std::string text = formatv("{0:f2} us, {1:f1} TFLOP/s", record.timing.median,
                             record.getTflops());
  return record.timing.stage == TimingStage::Model
             ? text + " by a model, not measured"
             : text;
}

std::string tcgemm::formatState(const Record &record) {
  const DeviceState &state = record.state;
  llvm::SmallVector<std::string> parts;
  if (state.smClock)
    parts.push_back(formatv("{0} MHz", *state.smClock));
  if (state.memoryClock)
    parts.push_back(formatv("memory {0} MHz", *state.memoryClock));
  if (state.power)
    parts.push_back(formatv("{0:f0} W", *state.power));
  if (state.temperature)
    parts.push_back(formatv("{0} C", *state.temperature));
  if (std::string throttling = state.getThrottling(); !throttling.empty())
    parts.push_back("throttled: " + throttling);
  if (std::optional<double> joules = record.getJoules())
    parts.push_back(formatv("{0:e2} J a run", *joules));
  if (std::optional<double> efficiency = record.getTflopsPerWatt())
    parts.push_back(formatv("{0:f2} TFLOP/s per W", *efficiency));
  return llvm::join(parts, ", ");
}

std::string tcgemm::formatGroups(const TuningProblem &problem) {
  if (!problem.kernel.isGrouped)
    return "";
  const GroupKindInfo &kind = getGroupKindInfo(problem.kernel.groupKind);
  int64_t all = kind.divided == 'k' ? problem.sizes.k : problem.sizes.m;
  int64_t groups = problem.sizes.batch, parts = kind.divided ? groups : 1;
  int64_t least = all / parts, most = llvm::divideCeil(all, parts);
  return formatv("{0} group{1} of {2}{3} {4}", groups, groups == 1 ? "" : "s",
                 least, least == most ? "" : formatv(" to {0}", most).str(),
                 kind.hasRows() ? "rows" : "terms");
}

std::string tcgemm::formatConfig(const KernelConfig &config) {
  KernelConfig standard;
  llvm::SmallVector<std::string> parts;
  for (llvm::StringRef key : KernelConfig::keys()) {
    std::string value = config.get(key);
    bool isDerived =
        key == "instruction" && getFamily(config.schedule).derivesInstruction();
    if (isDerived || (value == standard.get(key) && key != "schedule"))
      continue;
    // Without blanks, so that it can be passed as one word.
    llvm::erase(value, ' ');
    parts.push_back(key.str() + "=" + value);
  }
  return llvm::join(parts, ",");
}

std::string tcgemm::formatSeconds(double seconds) {
  if (seconds < 100)
    return formatv("{0:f1} s", seconds);
  if (seconds < 6000)
    return formatv("{0:f0} min", seconds / 60);
  return formatv("{0:f1} h", seconds / 3600);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void TextScreen::beginProblem(const TuningProblem &problem, uint64_t index,
                              uint64_t numProblems, uint64_t count) {
  this->problem = problem;
  number = formatv("[{0}/{1}]", index + 1, numProblems);
  if (!device.empty())
    number += " " + device;
  prefix = number + " " + problem.str();
  total = count;
  done = resumed = failed = pruned = 0;
  best.reset();
  throttling.clear();
  start = shown = Clock::now();
  if (run)
    run->beginProblem(count);
  else if (!isTerminal)
    err << prefix << ": " << total << " configurations\n";
}

void TextScreen::skipProblem(const TuningProblem &problem, uint64_t index,
                             uint64_t numProblems) {
  err << formatv("[{0}/{1}] {2}: no configuration of the space is legal\n",
                 index + 1, numProblems, problem.str());
}

void TextScreen::record(const Record &record, bool isResumed) {
  if (run)
    return run->record(device, record, isResumed);
  ++done;
  resumed += isResumed;
  failed += !record.isSuccess();
  // The state of an older record is not the current state.
  if (!isResumed && record.state.isKnown())
    throttling = record.state.getThrottling();
  if (record.isSuccess() && record.timing.median > 0 &&
      (!best || record.timing.median < best->timing.median))
    best = record;
  // A terminal is redrawn often, a log grows slowly.
  double wait = isTerminal ? 0.1 : 10;
  if (std::chrono::duration<double>(Clock::now() - shown).count() >= wait)
    showProgress();
}

/// A pruned candidate is done, but it takes no time.
void TextScreen::prune(const Record &record, const Pruning &) {
  if (run)
    return run->record(device, record, /*isResumed=*/true);
  ++done;
  ++pruned;
}

/// The progress with a bar of `barWidth`. A short line has only the problem's
/// sizes and omits the least important parts.
std::string TextScreen::formatProgress(unsigned barWidth, bool isShort) const {
  std::string line = isShort ? number + " " + problem.sizes.str() : prefix;
  if (barWidth > 0 && total > 0) {
    uint64_t filled = std::min<uint64_t>(barWidth, done * barWidth / total);
    line += " |" + std::string(filled, '#') +
            std::string(barWidth - filled, '.') + "|";
  }
  line += formatv(" {0}/{1}", done, total);
  double seconds = std::chrono::duration<double>(shown - start).count();
  uint64_t fresh = done - resumed - pruned;
  if (fresh > 0 && total >= done)
    line += ", " +
            formatSeconds(seconds / static_cast<double>(fresh) *
                          static_cast<double>(total - done)) +
            " to go";
  if (failed && !isShort)
    line += formatv(", {0} failed", failed);
  if (pruned && !isShort)
    line += formatv(", {0} pruned", pruned);
  if (best)
    line += ", best " + (isShort ? formatv("{0:f2} us", best->timing.median)
                                 : formatTime(*best));
  if (!throttling.empty() && !isShort)
    line += ", throttled: " + throttling;
  return line;
}

/// The most that fits one line of so many columns.
std::string TextScreen::fitProgress(unsigned columns) const {
  constexpr unsigned longBar = 24, shortBar = 8;
  for (bool isShort : {false, true})
    for (unsigned barWidth : {longBar, shortBar, 0U})
      if (std::string line = formatProgress(barWidth, isShort);
          line.size() < columns)
        return line;
  return formatProgress(0, /*isShort=*/true);
}

/// Shows a line in place of the one before. What exceeds the terminal is cut: a
/// line that wraps would not be replaced by the next.
void TextScreen::showLine(llvm::StringRef line) {
  unsigned columns = getColumns();
  // Returns to the first column and deletes the rest of a longer line.
  err << '\r' << line.take_front(columns > 0 ? columns - 1 : 0) << "\033[K";
  isShown = true;
}

void TextScreen::showProgress() {
  shown = Clock::now();
  if (isTerminal)
    showLine(fitProgress(getColumns()));
  else
    err << formatProgress(0, /*isShort=*/false) << '\n';
  err.flush();
}

void TextScreen::clear() {
  if (run)
    run->clear();
  if (isShown)
    err << "\r\033[K";
  isShown = false;
}

void TextScreen::beginFinal(llvm::ArrayRef<Record> finalists) {
  if (!isTerminal)
    return;
  std::string end = ": final of " + std::to_string(finalists.size());
  bool fits = prefix.size() + end.size() < getColumns();
  showLine((fits ? prefix : number + " " + problem.sizes.str()) + end);
}

/// `, 3836 pruned (1100 by bound, 2736 by prediction)`; empty if none was.
static std::string formatPruned(const TuningResult &result) {
  if (result.getNumPruned() == 0)
    return "";
  llvm::SmallVector<std::string> parts;
  for (auto [i, count] : llvm::enumerate(result.pruned))
    if (count > 0)
      parts.push_back(formatv("{0} by {1}", count,
                              getPruneReasonName(static_cast<PruneReason>(i))));
  return formatv(", {0} pruned ({1})", result.getNumPruned(),
                 llvm::join(parts, ", "));
}

void TextScreen::endProblem(const TuningResult &result) {
  clear();
  if (run)
    run->endProblem();
  out << prefix << ": ";
  const Record *winner = result.getBest();
  if (winner)
    out << formatTime(*winner) << ", " << formatConfig(winner->config) << '\n';
  else if (result.outcomes[unsigned(Outcome::Success)] > 0)
    out << "compiled\n";
  else
    out << "no valid configuration\n";
  out << "  " << result.tried << " of " << result.legal << " legal tried";
  if (result.resumed)
    out << ", " << result.resumed << " known before";
  out << formatPruned(result);
  for (unsigned i = 1; i != kNumOutcomes; ++i)
    if (result.outcomes[i])
      out << ", " << result.outcomes[i] << ' '
          << getOutcomeName(static_cast<Outcome>(i));
  out << ", " << formatSeconds(result.seconds);
  if (result.end != "space")
    out << ", ended by "
        << (result.end == "budget" ? "its budget" : "interrupt");
  out << '\n';
  if (winner && winner->timing.stage == TimingStage::Final)
    out << formatv("  95 % interval {0:f2} to {1:f2} us\n", winner->timing.low,
                   winner->timing.high);
  if (winner && winner->state.isKnown())
    out << "  " << formatState(*winner) << '\n';
  for (unsigned i = 1; i <= result.numTies; ++i)
    out << "  tie: " << formatTime(result.finalists[i]) << ", "
        << formatConfig(result.finalists[i].config) << '\n';
  out.flush();
}

void TextScreen::loseDevice(llvm::StringRef failure) {
  clear();
  err << "tcgemm-tune: warning: " << device
      << " failed and is not used again: " << failure << '\n';
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void JSONScreen::loseDevice(llvm::StringRef failure) {
  print(llvm::json::Object{{"event", "lost"}, {"failure", failure}});
}

void JSONScreen::print(llvm::json::Object event) {
  // A record has its own member `device`, the model.
  if (!device.empty())
    event["ordinal"] = device;
  out << llvm::json::Value(std::move(event)) << '\n';
  out.flush();
}

void JSONScreen::beginProblem(const TuningProblem &problem, uint64_t index,
                              uint64_t numProblems, uint64_t total) {
  print(llvm::json::Object{{"event", "problem"},
                           {"kernel", problem.kernel.str()},
                           {"sizes", problem.sizes.str()},
                           {"tag", problem.tag},
                           {"index", index},
                           {"problems", numProblems},
                           {"candidates", total}});
}

void JSONScreen::skipProblem(const TuningProblem &problem, uint64_t index,
                             uint64_t numProblems) {
  print(llvm::json::Object{{"event", "skipped"},
                           {"kernel", problem.kernel.str()},
                           {"sizes", problem.sizes.str()},
                           {"tag", problem.tag},
                           {"index", index},
                           {"problems", numProblems}});
}

void JSONScreen::record(const Record &record, bool isResumed) {
  llvm::json::Object event = toJSON(record);
  event["event"] = "record";
  event["resumed"] = isResumed;
  print(std::move(event));
}

void JSONScreen::prune(const Record &record, const Pruning &pruning) {
  llvm::json::Object event = toJSON(record);
  event["event"] = "pruned";
  event["reason"] = getPruneReasonName(pruning.reason);
  event["least"] = pruning.least;
  event["best"] = pruning.best;
  print(std::move(event));
}

void JSONScreen::beginFinal(llvm::ArrayRef<Record> finalists) {
  print(
      llvm::json::Object{{"event", "final"}, {"candidates", finalists.size()}});
}

void JSONScreen::endProblem(const TuningResult &result) {
  llvm::json::Array finalists;
  for (const Record &record : result.finalists)
    finalists.push_back(toJSON(record));
  llvm::json::Object outcomes;
  for (unsigned i = 0; i != kNumOutcomes; ++i)
    outcomes[getOutcomeName(static_cast<Outcome>(i))] = result.outcomes[i];
  llvm::json::Object pruned;
  for (auto [i, count] : llvm::enumerate(result.pruned))
    pruned[getPruneReasonName(static_cast<PruneReason>(i))] = count;
  print(llvm::json::Object{{"event", "result"},
                           {"kernel", result.problem.kernel.str()},
                           {"sizes", result.problem.sizes.str()},
                           {"finalists", std::move(finalists)},
                           {"ties", result.numTies},
                           {"outcomes", std::move(outcomes)},
                           {"legal", result.legal},
                           {"tried", result.tried},
                           {"resumed", result.resumed},
                           {"pruned", std::move(pruned)},
                           {"seconds", result.seconds},
                           {"end", result.end}});
}
