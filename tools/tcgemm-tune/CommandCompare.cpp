//===- CommandCompare.cpp - tcgemm-tune compare ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Screen.h"
#include "Selection.h"
#include "tcgemm/Store/RecordProvider.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

static bool isOverlapping(const Timing &a, const Timing &b) {
  return a.low <= b.high && b.low <= a.high;
}

//===----------------------------------------------------------------------===//
// Databases
//===----------------------------------------------------------------------===//

/// Best against best, for each problem that both have.
static int compareDatabases(const Flags &flags) {
  llvm::StringMap<Record> first;
  std::vector<Record> second;
  for (unsigned side : {0U, 1U}) {
    Expected<std::vector<Record>> records =
        readRecords(flags.output.compared[side]);
    if (!records)
      return fail(records.takeError(), kExitBadInput);
    for (Record &record : *records)
      if (side == 1)
        second.push_back(std::move(record));
      else if (auto [entry, isNew] =
                   first.try_emplace(record.problem.str(), record);
               !isNew && record.timing.median < entry->second.timing.median)
        entry->second = std::move(record);
  }
  double sum = 0;
  unsigned count = 0;
  for (const Record &b : second) {
    auto a = first.find(b.problem.str());
    if (a == first.end() || b.timing.median <= 0)
      continue;
    double ratio = a->second.timing.median / b.timing.median;
    const Timing &left = a->second.timing, &right = b.timing;
    bool isTie = isOverlapping(left, right);
    sum += std::log(ratio);
    ++count;
    if (flags.output.format == OutputStyle::JSONLines)
      llvm::outs() << llvm::json::Value(
                          llvm::json::Object{{"problem", b.problem.str()},
                                             {"a", left.median},
                                             {"b", right.median},
                                             {"ratio", ratio},
                                             {"tie", isTie}})
                   << '\n';
    else
      llvm::outs() << formatv("{0,-40} {1,10:f2} {2,10:f2} {3,8:f3}{4}\n",
                              b.problem.str(), left.median, right.median, ratio,
                              isTie ? "  tie" : "");
  }
  if (count == 0)
    return fail(
        llvm::createStringError("the databases have no problem in common"),
        kExitNoConfig);
  if (flags.output.format == OutputStyle::Text)
    llvm::outs() << formatv(
        "geometric mean of A's time over B's, {0} problems: "
        "{1:f3}\n",
        count, std::exp(sum / count));
  return kExitSuccess;
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

namespace {

/// Two configurations of one problem on one platform.
struct Pair {
  Record a, b;

  bool isTimed() const {
    return a.isSuccess() && b.isSuccess() && a.timing.median > 0 &&
           b.timing.median > 0;
  }
  bool isTie() const { return isTimed() && isOverlapping(a.timing, b.timing); }
  /// `a`, `b`, or `none`.
  StringRef getWinner() const {
    if (a.isSuccess() != b.isSuccess())
      return a.isSuccess() ? "a" : "b";
    if (!isTimed() || isTie())
      return "none";
    return a.timing.median < b.timing.median ? "a" : "b";
  }
};

} // namespace

/// Returns whether the time is that of one launch or chain, whose interval is a
/// point.
static bool isRough(const Record &record) {
  return record.timing.stage == TimingStage::Single ||
         record.timing.stage == TimingStage::Screened;
}

static std::vector<StringRef> getDifferences(const Pair &pair) {
  std::vector<StringRef> keys;
  for (StringRef key : KernelConfig::keys())
    if (pair.a.config.get(key) != pair.b.config.get(key))
      keys.push_back(key);
  return keys;
}

static std::string describeVerdict(const Pair &pair) {
  const Timing &a = pair.a.timing, &b = pair.b.timing;
  if (!pair.a.isSuccess() && !pair.b.isSuccess())
    return "both fail";
  if (pair.a.isSuccess() != pair.b.isSuccess())
    return (pair.getWinner().upper() + " wins: the other one fails");
  if (!pair.isTimed())
    return "not measured";
  std::string text;
  if (pair.isTie())
    text = "a tie: the intervals overlap";
  else if (a.median < b.median)
    text = formatv("A is {0:f2} times as fast", b.median / a.median);
  else
    text = formatv("B is {0:f2} times as fast", a.median / b.median);
  if (isRough(pair.a) || isRough(pair.b))
    text += "; not both are measured well: --device=cuda times them again";
  return text;
}

static void printPair(const Pair &pair) {
  const Platform &platform = pair.a.platform;
  std::string groups = formatGroups(pair.a.problem);
  llvm::outs() << pair.a.problem.str() << (groups.empty() ? "" : ", ") << groups
               << "\n"
               << platform.device << ", " << platform.chip << ", "
               << platform.driver << ", tcgemm " << platform.tcgemm << "\n";
  auto row = [](StringRef name, const auto &a, const auto &b) {
    llvm::outs() << formatv("  {0,-16} {1,-26} {2}\n", name, a, b);
  };
  row("", "A", "B");
  row("hash", pair.a.config.hash(), pair.b.config.hash());
  for (StringRef key : getDifferences(pair))
    row(key, pair.a.config.get(key), pair.b.config.get(key));
  auto both = [&](StringRef name, auto get) {
    row(name, get(pair.a), get(pair.b));
  };
  both("outcome",
       [](const Record &r) { return getOutcomeName(r.outcome).str(); });
  if (pair.isTimed()) {
    both("time, us", [](const Record &r) {
      return formatv("{0:f2}", r.timing.median).str();
    });
    both("95 % interval", [](const Record &r) {
      return formatv("{0:f2} to {1:f2}", r.timing.low, r.timing.high).str();
    });
    both("TFLOP/s", [](const Record &r) {
      return formatv("{0:f1}", r.getTflops()).str();
    });
    both("measured", [](const Record &r) {
      return getTimingStageName(r.timing.stage).str();
    });
  }
  both("registers", [](const Record &r) { return r.resources.registers; });
  both("spilled bytes", [](const Record &r) { return r.resources.spillBytes; });
  both("shared memory",
       [](const Record &r) { return r.resources.sharedMemory; });
  both("threads", [](const Record &r) { return r.resources.threads; });
  both("workspace", [](const Record &r) { return r.resources.workspace; });
  both("compile, ms", [](const Record &r) {
    return formatv("{0:f0}", r.costs.compile).str();
  });
  for (auto [name, record] : {std::pair("A", &pair.a), {"B", &pair.b}})
    if (!record->isSuccess())
      llvm::outs() << name << ": " << record->message << '\n';
  if (pair.a.timing.stage == TimingStage::Model)
    llvm::outs() << "times are a model's, not measured\n";
  llvm::outs() << describeVerdict(pair) << '\n';
}

static void printPairJSON(const Pair &pair) {
  llvm::json::Object object{
      {"problem", pair.a.problem.str()},
      {"a", toJSON(pair.a)},
      {"b", toJSON(pair.b)},
      {"differs", llvm::json::Array(getDifferences(pair))},
      {"winner", pair.getWinner()},
      {"tie", pair.isTie()}};
  if (pair.isTimed())
    object["ratio"] = pair.a.timing.median / pair.b.timing.median;
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

/// The times of both in the records, from the latest platform that has both.
/// None if a time is missing. Errors: the problem is ambiguous.
static Expected<std::optional<Pair>> findPair(llvm::ArrayRef<Record> records,
                                              const ConfigChoice &a,
                                              const ConfigChoice &b) {
  std::optional<Pair> found;
  for (const Record &first : records) {
    if (!a.matches(first.config))
      continue;
    const auto *second = llvm::find_if(records, [&](const Record &r) {
      return b.matches(r.config) && r.problem.str() == first.problem.str() &&
             r.platform == first.platform;
    });
    if (second == records.end())
      continue;
    if (found && found->a.problem.str() != first.problem.str())
      return llvm::createStringError(
          "both are recorded for several problems: give a shape");
    if (!found || first.timestamp > found->a.timestamp)
      found = Pair{first, *second};
  }
  return found;
}

/// The configuration of a choice; of a hash, that of any record with it.
static Expected<KernelConfig> getConfig(const Flags &flags,
                                        const ConfigChoice &choice) {
  if (choice.hash.empty())
    return choice.config;
  Expected<std::vector<Record>> records = readAllRecords(flags.output.database);
  if (!records)
    return records.takeError();
  for (const Record &record : *records)
    if (choice.matches(record.config))
      return record.config;
  return llvm::createStringError("no record in '" + flags.output.database +
                                 "' has the hash '" + choice.hash + "'");
}

/// Measures both, interleaved in the final.
static Expected<Pair> measurePair(Evaluator &evaluator,
                                  const TuningProblem &problem,
                                  const KernelConfig &a,
                                  const KernelConfig &b) {
  if (Error error = evaluator.begin(problem))
    return std::move(error);
  for (const KernelConfig &config : {a, b})
    if (Error error = evaluator.submit(config))
      return std::move(error);
  Pair pair;
  for (unsigned i = 0; i != 2; ++i) {
    Expected<std::optional<Evaluation>> evaluation = evaluator.wait();
    if (!evaluation)
      return evaluation.takeError();
    std::optional<Evaluation> &answer = *evaluation;
    if (!answer)
      return llvm::createStringError("the device's process gave no answer");
    Record &record = answer->record;
    (record.config == a ? pair.a : pair.b) = std::move(record);
  }
  if (!pair.isTimed())
    return pair;
  Expected<std::vector<Record>> refined = evaluator.refine({pair.a, pair.b});
  if (!refined)
    return refined.takeError();
  return Pair{std::move((*refined)[0]), std::move((*refined)[1])};
}

static int measureAndPrint(const Flags &flags, const ConfigChoice &a,
                           const ConfigChoice &b,
                           llvm::ArrayRef<TuningProblem> problems,
                           llvm::function_ref<void(const Pair &)> print) {
  if (problems.size() != 1)
    return fail(llvm::createStringError(
                    "not both are recorded for one problem: give its shape, "
                    "and they are timed"),
                kExitNoConfig);
  Expected<KernelConfig> first = getConfig(flags, a);
  if (!first)
    return fail(first.takeError(), kExitNoConfig);
  Expected<KernelConfig> second = getConfig(flags, b);
  if (!second)
    return fail(second.takeError(), kExitNoConfig);
  if (*first == *second)
    return fail(llvm::createStringError("both are the same configuration"),
                kExitBadInput);
  Expected<EngineOptions> options = readEngineOptions(flags);
  if (!options)
    return fail(options.takeError(), kExitBadInput);
  Expected<std::unique_ptr<Store>> store =
      Store::open(flags.output.database, Store::Mode::ReadWrite);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  Expected<std::unique_ptr<Evaluator>> engine = createEngine(**store, *options);
  if (!engine)
    return fail(engine.takeError(), kExitNoDevice);
  Expected<Pair> pair =
      measurePair(**engine, problems.front(), *first, *second);
  if (!pair)
    return fail(pair.takeError(), kExitRunFailed);
  print(*pair);
  return kExitSuccess;
}

static int compareConfigs(const Flags &flags) {
  Expected<ConfigChoice> a = ConfigChoice::parse(flags.output.compared[0]);
  if (!a)
    return fail(a.takeError(), kExitBadInput);
  Expected<ConfigChoice> b = ConfigChoice::parse(flags.output.compared[1]);
  if (!b)
    return fail(b.takeError(), kExitBadInput);
  std::vector<TuningProblem> problems;
  if (flags.output.compared.size() > 2) {
    Expected<std::vector<TuningProblem>> given = readProblems(flags);
    if (!given)
      return fail(given.takeError(), kExitBadInput);
    problems = std::move(*given);
  }
  auto print = [&](const Pair &pair) {
    if (flags.output.format == OutputStyle::JSONLines)
      printPairJSON(pair);
    else
      printPair(pair);
  };
  // A device that is named is asked, whatever is recorded.
  bool isAsked = flags.device.device.getNumOccurrences() > 0;
  if (!isAsked && llvm::sys::fs::exists(flags.output.database)) {
    Expected<std::vector<Record>> records = selectRecords(flags, problems);
    if (!records)
      return fail(records.takeError(), kExitBadInput);
    Expected<std::optional<Pair>> found = findPair(*records, *a, *b);
    if (!found)
      return fail(found.takeError(), kExitBadInput);
    if (std::optional<Pair> &pair = *found) {
      if (pair->a.config == pair->b.config)
        return fail(llvm::createStringError("both are the same configuration"),
                    kExitBadInput);
      print(*pair);
      return kExitSuccess;
    }
  }
  return measureAndPrint(flags, *a, *b, problems, print);
}

int tcgemm::runCompare(const Flags &flags) {
  size_t count = flags.output.compared.size();
  auto isFile = [](StringRef text) {
    return llvm::sys::fs::exists(text) || text.ends_with(".db");
  };
  if (count < 2 || count > 3)
    return fail(llvm::createStringError("compare takes two databases, or two "
                                        "configurations and perhaps a shape"),
                kExitBadInput);
  if (count == 2 &&
      (isFile(flags.output.compared[0]) || isFile(flags.output.compared[1])))
    return compareDatabases(flags);
  return compareConfigs(flags);
}
