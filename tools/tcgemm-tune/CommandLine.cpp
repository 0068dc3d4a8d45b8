//===- CommandLine.cpp - Commands, their help and their flags -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Program.h"

using namespace tcgemm;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

struct Example {
  StringRef command, text;
};

constexpr Example kExamples[] = {
    {"tune", "tcgemm-tune tune 4096x4096x4096 --budget=60s --db=h200.db"},
    {"best", "tcgemm-tune best 4096x4096x4096"},
    {"explain", "tcgemm-tune explain cta=63x64x64 4096x4096x4096"},
    {"calibrate", "tcgemm-tune calibrate -o mine.machine.yaml"},
    {"compare", "tcgemm-tune compare before.db after.db"},
    {"db", "tcgemm-tune db merge all.db monday.db tuesday.db"},
    {"doctor", "tcgemm-tune doctor --device=cuda:1"},
    {"replay", "tcgemm-tune replay sweep.db --strategies=ranked,bandit"},
    {"fit", "tcgemm-tune fit sweep.db -o mine.model.yaml"},
    {"logic", "tcgemm-tune logic h200.db -o h200.logic.json"},
    {"report", "tcgemm-tune report h200.db -o report.html"},
    {"export", "tcgemm-tune export 4096x4096x4096 --as=header -o gemm.h"},
    {"solve", "tcgemm-tune solve 4096x4096x4096 --machine=nvidia-h200"},
    {"types", "tcgemm-tune types --chip=sm_90a"},
    {"launch", "tcgemm-tune launch --launcher=slurm --nodes=4 "
               "--tasks-per-node=8 --work=/shared/work -- 4096x4096x4096"},
    {"status", "tcgemm-tune status /shared/work"},
    {"trend", "tcgemm-tune trend h200.db --from=0.1.0 --to=0.2.0"},
    {"install", "tcgemm-tune install --budget=10m"},
    {"validate", "tcgemm-tune validate h200.csv --machine=mine.machine.yaml"},
    {"import", "tcgemm-tune import cache.json --db=h200.db"},
};

} // namespace

std::string tcgemm::getOverview(StringRef command) {
  std::string text =
      "Finds the fastest configuration of matrix products on a GPU.\n\n"
      "Candidates are compiled, run, checked and timed; what came of each is "
      "kept in\na database, from which a second run continues.\n\n"
      "Exit codes: 0 all is well, 1 a problem has no valid configuration, 2 "
      "bad input,\n3 no device, 4 the run cannot continue, 5 trend found a "
      "slower problem, 130\ninterrupted.\n\n";
  bool isCommand = llvm::any_of(kExamples, [&](const Example &example) {
    return example.command == command;
  });
  text += isCommand ? "Example:\n" : "Examples:\n";
  for (const Example &example : kExamples)
    if (!isCommand || example.command == command)
      text += ("  " + example.text + "\n").str();
  return text;
}

std::string tcgemm::getCommandLine(int argc, const char *const *argv) {
  std::string text = "tcgemm-tune";
  llvm::raw_string_ostream os(text);
  for (int i = 1; i < argc; ++i) {
    os << ' ';
    llvm::sys::printArg(os, argv[i], /*Quote=*/false);
  }
  return text;
}

llvm::Error tcgemm::checkCommandFlags() {
  cl::SubCommand &top = cl::SubCommand::getTopLevel();
  for (cl::SubCommand *command : cl::getRegisteredSubcommands()) {
    if (command == &top || !*command)
      continue;
    for (const auto &entry : cl::getRegisteredOptions(top))
      if (entry.second->getNumOccurrences() > 0 &&
          !command->OptionsMap.contains(entry.first))
        return llvm::createStringError(
            "--" + entry.first + " does not go with '" + command->getName() +
            "'; `tcgemm-tune " + command->getName() +
            " --help` lists what does");
  }
  return llvm::Error::success();
}
