//===- Flags.h - The command line -------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands and flags, and how they become the library's options.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_FLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_FLAGS_H

#include "ExitCodes.h"

#include "../common/Keywords.h"

#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Engine.h"
#include "tcgemm/Tuner/Tuner.h"

#include "llvm/Support/CommandLine.h"

namespace tcgemm {

namespace cl = llvm::cl;

enum class OutputStyle { Text, JSONLines };

/// All flags, made in main: the tool has no global state but what a signal
/// handler needs.
struct Flags {
  cl::SubCommand tuneCommand{"tune", "Tune problems (also without a command)"};
  cl::SubCommand bestCommand{"best", "Show the fastest configurations"};
  cl::SubCommand explainCommand{"explain", "Say what forbids a configuration"};
  cl::SubCommand compareCommand{"compare",
                                "Compare two databases, or two configurations"};
  cl::SubCommand dbCommand{"db", "Look after a database"};
  cl::SubCommand doctorCommand{"doctor", "Look whether all is there to tune"};
  cl::SubCommand replayCommand{"replay", "Try strategies on stored sweeps"};
  cl::SubCommand fitCommand{"fit", "Fit the model's constants to records"};
  cl::SubCommand reportCommand{"report", "Write a page about all records"};
  cl::SubCommand exportCommand{"export", "Write records, spaces or kernels"};
  cl::SubCommand importCommand{"import", "Take records into a database"};

  /// Those that tune, and all that are told of a kernel.
  cl::SubCommandGroup tuneCommands{&tuneCommand,
                                   &cl::SubCommand::getTopLevel()};
  cl::SubCommandGroup sizeCommands{&tuneCommand, &cl::SubCommand::getTopLevel(),
                                   &bestCommand, &exportCommand};
  cl::SubCommandGroup kernelCommands{
      &tuneCommand,   &cl::SubCommand::getTopLevel(),
      &bestCommand,   &explainCommand,
      &exportCommand, &compareCommand,
      &importCommand};

  cl::OptionCategory problems{"What to tune"};
  cl::OptionCategory spaces{"Which configurations"};
  cl::OptionCategory search{"How to search"};
  cl::OptionCategory devices{"Where to compile and run"};
  cl::OptionCategory outputs{"What is kept and shown"};

  cl::list<std::string> shapes{
      cl::Positional,       cl::desc("[BxMxNxK, MxNxK or FILE.mlir ...]"),
      cl::cat(problems),    cl::sub(tuneCommands),
      cl::sub(bestCommand), cl::sub(exportCommand)};
  cl::opt<std::string> m{"m",
                         cl::desc("Rows of D: 4096, 512,1024 or "
                                  "1024:4096:256"),
                         cl::value_desc("sizes"), cl::cat(problems),
                         cl::sub(sizeCommands)};
  cl::opt<std::string> n{"n", cl::desc("Columns of D"), cl::value_desc("sizes"),
                         cl::cat(problems), cl::sub(sizeCommands)};
  cl::opt<std::string> k{"k", cl::desc("Depth of the product"),
                         cl::value_desc("sizes"), cl::cat(problems),
                         cl::sub(sizeCommands)};
  cl::opt<std::string> batch{"batch", cl::desc("Number of products"),
                             cl::value_desc("sizes"), cl::cat(problems),
                             cl::sub(sizeCommands)};
  cl::opt<std::string> problemFile{
      "problems",
      cl::desc("Problems of a file (tag M N K, CSV, or nvMatmulHeuristics "
               "JSON), or of a shipped suite: suite, deepbench, llm"),
      cl::value_desc("file|suite"), cl::cat(problems), cl::sub(tuneCommands)};
  cl::opt<std::string> layout{
      "layout",
      cl::desc("Layouts of A and B, as BLAS names them (default: tn)"),
      cl::init("tn"),
      cl::value_desc("tn|nn|nt|tt"),
      cl::cat(problems),
      cl::sub(kernelCommands)};
  cl::opt<std::string> type{
      "dtype",           cl::desc("Type of A and B (default: bf16)"),
      cl::init("bf16"),  cl::value_desc("bf16|f16|f32"),
      cl::cat(problems), cl::sub(kernelCommands)};
  cl::opt<std::string> outType{"out-type",
                               cl::desc("Type of D (default: that of A)"),
                               cl::value_desc("bf16|f16|f32"),
                               cl::cat(problems), cl::sub(kernelCommands)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("none, or bias, rowbias, relu, gelu, gelutanh, silu, residual, "
               "gate joined by _ (default: none)"),
      cl::init("none"),
      cl::value_desc("parts"),
      cl::cat(problems),
      cl::sub(kernelCommands)};
  cl::opt<bool> isStatic{"static", cl::desc("Compile the sizes in"),
                         cl::cat(problems), cl::sub(kernelCommands)};
  cl::opt<bool> isApproximate{
      "approximate-math",
      cl::desc("Take the GPU's approximate instructions for math"),
      cl::cat(problems), cl::sub(kernelCommands)};

  cl::list<std::string> spaceNames{
      "space",
      cl::desc("A space's file, or a shipped one; several are searched "
               "together (default: the chip's quick ones)"),
      cl::value_desc("file|name"),
      cl::cat(spaces),
      cl::CommaSeparated,
      cl::sub(tuneCommands),
      cl::sub(explainCommand),
      cl::sub(replayCommand),
      cl::sub(exportCommand)};
  cl::opt<bool> listSpaces{"list-spaces",
                           cl::desc("Print the shipped spaces, and end"),
                           cl::cat(spaces), cl::sub(tuneCommands)};
  cl::opt<std::string> records{
      "records",
      cl::desc("Records whose answer is the first candidate: a file beside the "
               "shipped ones, or none (default: the shipped ones; none with "
               "--space or a protocol)"),
      cl::value_desc("file|none"), cl::cat(spaces), cl::sub(tuneCommands)};
  cl::opt<bool> count{"count",
                      cl::desc("Print how many configurations are left after "
                               "each rule, and end"),
                      cl::cat(spaces), cl::sub(tuneCommands)};
  cl::opt<bool> list{"list",
                     cl::desc("Print the legal configurations, and end"),
                     cl::cat(spaces), cl::sub(tuneCommands)};
  cl::opt<std::string> explain{
      "explain", cl::desc("Say what forbids a configuration, and end"),
      cl::value_desc("config"), cl::cat(spaces), cl::sub(tuneCommands)};
  cl::list<std::string> explained{cl::Positional, cl::desc("CONFIG [MxNxK]"),
                                  cl::cat(spaces), cl::OneOrMore,
                                  cl::sub(explainCommand)};

  cl::opt<std::string> strategy{
      "strategy",
      cl::desc("The order of the search (--list-strategies; default: ranked)"),
      cl::init("ranked"),
      cl::value_desc("name"),
      cl::cat(search),
      cl::sub(tuneCommands)};
  cl::opt<bool> listStrategies{"list-strategies",
                               cl::desc("Print the strategies, and end"),
                               cl::cat(search), cl::sub(tuneCommands)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("When to stop with a problem: 30s, 200 (candidates), 5%, or "
               "several by commas"),
      cl::value_desc("limits"), cl::cat(search), cl::sub(tuneCommands)};
  cl::opt<uint64_t> seed{"seed",
                         cl::desc("Decides what is random (default: 1)"),
                         cl::init(1),
                         cl::cat(search),
                         cl::sub(tuneCommands),
                         cl::sub(replayCommand)};
  cl::opt<unsigned> finalists{
      "finalists",
      cl::desc("The most that are timed again (0: none; default: 4)"),
      cl::init(4), cl::cat(search), cl::sub(tuneCommands)};

  cl::opt<std::string> model{
      "model",
      cl::desc("What ranks: 'default', 'none', or constants from a file or a "
               "shipped one (default: the chip's shipped ones)"),
      cl::value_desc("file|name"),
      cl::cat(search),
      cl::sub(tuneCommands),
      cl::sub(replayCommand),
      cl::sub(fitCommand)};
  cl::list<std::string> without{
      "without",          cl::desc("Shapes whose records are left out"),
      cl::CommaSeparated, cl::value_desc("shapes"),
      cl::cat(search),    cl::sub(fitCommand)};
  cl::list<std::string> strategies{
      "strategies",       cl::desc("Strategies to try (default: all)"),
      cl::CommaSeparated, cl::value_desc("names"),
      cl::cat(search),    cl::sub(replayCommand)};
  cl::opt<unsigned> seeds{
      "seeds",
      cl::desc("Runs of each strategy, with seeds that count up (default: 20)"),
      cl::init(20), cl::cat(search), cl::sub(replayCommand)};
  cl::list<unsigned> candidates{
      "candidates",
      cl::desc("After how many candidates to look (default: 1,2,4,8,16,32,60,"
               "120,240)"),
      cl::CommaSeparated,
      cl::value_desc("numbers"),
      cl::cat(search),
      cl::sub(replayCommand)};
  cl::opt<unsigned> outstanding{
      "outstanding",
      cl::desc("Candidates under way at a time: so many answers are late "
               "(default: 1)"),
      cl::init(1), cl::cat(search), cl::sub(replayCommand)};

  cl::opt<std::string> device{
      "device",
      cl::desc("cuda, cuda:N or emulator (default: cuda)"),
      cl::init("cuda"),
      cl::value_desc("device"),
      cl::cat(devices),
      cl::sub(tuneCommands),
      cl::sub(doctorCommand),
      cl::sub(compareCommand)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("Compile what the search would run; needs no device"),
      cl::cat(devices), cl::sub(tuneCommands)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("Chip to compile for (default: the device's)"),
      cl::value_desc("sm_90a"),
      cl::cat(devices),
      cl::sub(tuneCommands),
      cl::sub(bestCommand),
      cl::sub(explainCommand),
      cl::sub(exportCommand),
      cl::sub(compareCommand),
      cl::sub(reportCommand),
      cl::sub(importCommand)};
  cl::opt<unsigned> jobs{"jobs",
                         cl::desc("Compilers at a time (default: cores)"),
                         cl::init(0),
                         cl::cat(devices),
                         cl::sub(tuneCommands),
                         cl::sub(compareCommand)};
  cl::opt<std::string> ptxas{"ptxas",
                             cl::desc("The ptxas to use"),
                             cl::value_desc("path"),
                             cl::cat(devices),
                             cl::sub(tuneCommands),
                             cl::sub(doctorCommand),
                             cl::sub(exportCommand),
                             cl::sub(compareCommand)};
  cl::opt<bool> allowSpills{
      "allow-spills",         cl::desc("Accept kernels that spill registers"),
      cl::cat(devices),       cl::sub(tuneCommands),
      cl::sub(exportCommand), cl::sub(compareCommand)};
  cl::opt<double> compileTimeout{
      "compile-timeout",
      cl::desc("Seconds for a candidate's compilation (default: 120)"),
      cl::init(120),
      cl::cat(devices),
      cl::sub(tuneCommands),
      cl::sub(compareCommand)};
  cl::opt<double> launchTimeout{
      "launch-timeout",
      cl::desc("Seconds for a candidate on the device (default: 60)"),
      cl::init(60),
      cl::cat(devices),
      cl::sub(tuneCommands),
      cl::sub(compareCommand)};
  cl::opt<int64_t> memoryLimit{
      "memory-limit",
      cl::desc("Bytes of the device that a candidate may use (default: all)"),
      cl::init(0),
      cl::cat(devices),
      cl::sub(tuneCommands),
      cl::sub(compareCommand)};

  cl::opt<std::string> database{
      "db",
      cl::desc("The database (default: tcgemm-tune.db)"),
      cl::init("tcgemm-tune.db"),
      cl::value_desc("file"),
      cl::cat(outputs),
      cl::sub(tuneCommands),
      cl::sub(bestCommand),
      cl::sub(explainCommand),
      cl::sub(doctorCommand),
      cl::sub(exportCommand),
      cl::sub(importCommand),
      cl::sub(compareCommand)};
  cl::opt<OutputStyle, false, KeywordParser<OutputStyle>> format{
      "format",
      cl::desc("How results are printed (default: text)"),
      cl::values(
          clEnumValN(OutputStyle::Text, "text", "for people"),
          clEnumValN(OutputStyle::JSONLines, "jsonl", "an object a line")),
      cl::init(OutputStyle::Text),
      cl::cat(outputs),
      cl::sub(tuneCommands),
      cl::sub(bestCommand),
      cl::sub(compareCommand),
      cl::sub(dbCommand),
      cl::sub(doctorCommand),
      cl::sub(replayCommand)};
  cl::list<std::string> compared{
      cl::Positional, cl::desc("A.db B.db, or CONFIG CONFIG [MxNxK]"),
      cl::cat(outputs), cl::OneOrMore, cl::sub(compareCommand)};
  cl::list<std::string> dbArguments{
      cl::Positional, cl::desc("stats|verify|prune DB, or merge DB SOURCE..."),
      cl::cat(outputs), cl::OneOrMore, cl::sub(dbCommand)};
  cl::list<std::string> sweepArguments{
      cl::Positional,
      cl::desc("DB|FILE.jsonl... [BxMxNxK or MxNxK ...]"),
      cl::cat(problems),
      cl::OneOrMore,
      cl::sub(replayCommand),
      cl::sub(fitCommand)};
  cl::opt<std::string> outputFile{
      "o",
      cl::desc("Where the constants go (default: standard output)"),
      cl::init("-"),
      cl::value_desc("file"),
      cl::cat(outputs),
      cl::sub(fitCommand)};
  cl::opt<bool> pruneVersions{
      "old-versions",
      cl::desc("prune: also what other versions of tcgemm made"),
      cl::cat(outputs), cl::sub(dbCommand)};
};

/// Each makes the library's options of flags. Errors are bad input.
llvm::Expected<KernelSpec> readKernel(const Flags &flags);
/// None is an error unless `mayBeNone`.
llvm::Expected<std::vector<TuningProblem>> readProblems(const Flags &flags,
                                                        bool mayBeNone = false);
/// None if no shape is given.
llvm::Expected<std::vector<TuningProblem>>
readGivenProblems(const Flags &flags);
/// Whether an argument names a module instead of a shape.
bool isModule(llvm::StringRef text);
/// Without --space, the protocol's or the chip's for such elements.
llvm::Expected<std::vector<Space>> readSpaces(const Flags &flags,
                                              const ChipInfo &chip,
                                              ScalarType type,
                                              const ProtocolRun *run = nullptr);
llvm::Expected<StrategyOptions> readStrategyOptions(const Flags &flags);
/// Makes `options` follow `name`: nothing to do for a strategy's name, but a
/// file or a shipped one of that name is a protocol. An error: it is neither.
llvm::Error setStrategy(StrategyOptions &options, llvm::StringRef name);
llvm::Expected<TunerOptions> readTunerOptions(const Flags &flags);
llvm::Expected<EngineOptions> readEngineOptions(const Flags &flags);

/// Prints `tcgemm-tune: error: ...`, and returns `code`.
int fail(llvm::Error error, int code);

/// The commands; each returns an exit code.
int runTune(const Flags &flags);
int runCount(const Flags &flags);
int runList(const Flags &flags);
int runListSpaces();
int runExplain(const Flags &flags);
int runBest(const Flags &flags);
int runCompare(const Flags &flags);
int runDb(const Flags &flags);
int runDoctor(const Flags &flags);
int runReplay(const Flags &flags);
int runFit(const Flags &flags);

/// Writes a file, or standard output for `-`; whole or not at all.
int writeOutput(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_FLAGS_H
