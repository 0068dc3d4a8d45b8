//===- CommandLaunch.cpp - tcgemm-tune launch -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "tcgemm/Tuner/Launcher.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
struct Job {
  std::string file; ///< In the folder of the work list.
  std::string script;
};
} // namespace

static Error checkLaunchFlags(const Flags &flags) {
  const ClusterFlags &cluster = flags.cluster;
  if (cluster.work.empty())
    return llvm::createStringError(
        "launch needs --work=DIR, a folder that all nodes see");
  constexpr unsigned most = 100000;
  for (auto [name, value, least] :
       {std::tuple("--nodes", +cluster.nodes, 1U),
        std::tuple("--tasks-per-node", +cluster.tasksPerNode, 1U),
        std::tuple("--compile-nodes", +cluster.compileNodes, 0U)})
    if (value < least || value > most)
      return llvm::createStringError(
          formatv("{0} is {1}, but it must be from {2} to {3}", name, value,
                  least, most));
  if (cluster.compileNodes == 0 && !cluster.compilePartition.empty())
    return llvm::createStringError("--compile-partition needs --compile-nodes");
  if (cluster.compileNodes > 0 &&
      llvm::none_of(cluster.launchArguments, [](const std::string &argument) {
        return llvm::StringRef(argument).ltrim('-').starts_with("chip=");
      }))
    return llvm::createStringError(
        "--compile-nodes needs --chip=NAME among the flags of the search, "
        "because nodes without a GPU cannot know for what to compile");
  return Error::success();
}

/// The jobs in their order. Each waits for the one before.
static Expected<std::vector<Job>> writeJobs(const Flags &flags,
                                            const char *program) {
  JobRequest request;
  request.time = flags.cluster.time;
  request.program = program;
  request.work = flags.cluster.work;
  request.flags.assign(flags.cluster.launchArguments.begin(),
                       flags.cluster.launchArguments.end());
  std::vector<Job> jobs;
  auto add = [&](const char *file) -> Error {
    Expected<std::string> script =
        writeJobScript(flags.cluster.launcher, request);
    if (!script)
      return script.takeError();
    jobs.push_back({file, std::move(*script)});
    return Error::success();
  };
  if (flags.cluster.compileNodes > 0) {
    JobRequest own = request;
    request.name += "-compile";
    request.nodes = flags.cluster.compileNodes;
    request.partition = flags.cluster.compilePartition;
    request.isCompilation = true;
    if (Error error = add("compile.sh"))
      return std::move(error);
    request = own;
  }
  request.nodes = flags.cluster.nodes;
  request.tasksPerNode = flags.cluster.tasksPerNode;
  request.partition = flags.cluster.partition;
  if (Error error = add("job.sh"))
    return std::move(error);
  return std::move(jobs);
}

/// Runs a program. Its output goes to a file if `output` is not empty.
static Error runProgram(llvm::ArrayRef<std::string> words,
                        llvm::StringRef output) {
  std::vector<llvm::StringRef> arguments(words.begin(), words.end());
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, output,
                                                std::nullopt};
  // An existing file would not be cut.
  if (!output.empty())
    if (std::error_code code = llvm::sys::fs::remove(output))
      return llvm::createStringError("cannot remove '" + output +
                                     "': " + code.message());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(
      words.front(), arguments, std::nullopt,
      output.empty() ? llvm::ArrayRef<std::optional<llvm::StringRef>>()
                     : llvm::ArrayRef(redirects),
      0, 0, &message);
  if (code == 0)
    return Error::success();
  return llvm::createStringError(
      "'" + words.front() + "' failed with exit code " + llvm::Twine(code) +
      (message.empty() ? "" : ": " + message));
}

/// The name of the job that the program has printed, as `sbatch --parsable`:
/// `NUMBER` or `NUMBER;CLUSTER`.
static Expected<std::string> readJobName(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  llvm::StringRef name =
      (*buffer)->getBuffer().split('\n').first.split(';').first.trim();
  if (name.empty())
    return llvm::createStringError("the launcher has named no job in '" + path +
                                   "'");
  return name.str();
}

static Error submit(const Flags &flags, llvm::ArrayRef<Job> jobs) {
  std::string launcher = flags.cluster.launcher, folder = flags.cluster.work;
  Expected<SubmitCommand> command = getSubmitCommand(launcher);
  if (!command)
    return command.takeError();
  llvm::ErrorOr<std::string> program =
      llvm::sys::findProgramByName(command->program);
  if (!program)
    return llvm::createStringError("--launcher=" + launcher +
                                   ": there is no '" + command->program +
                                   "' on the path");
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make the folder '" + folder +
                                   "': " + code.message());
  for (const Job &job : jobs) {
    std::string path = folder + "/" + job.file;
    if (writeOutput(path, [&](llvm::raw_ostream &os) { os << job.script; }) !=
        0)
      return llvm::createStringError("there is no script to submit");
  }
  std::string before; ///< The name of the job before.
  for (const Job &job : jobs) {
    std::vector<std::string> words{*program};
    bool isNamed = &job != &jobs.back() && !command->nameFlag.empty();
    if (isNamed)
      words.push_back(command->nameFlag);
    if (!before.empty())
      words.push_back(command->afterFlag + before);
    words.push_back(folder + "/" + job.file);
    std::string output = isNamed ? folder + "/" + job.file + ".id" : "";
    if (Error error = runProgram(words, output))
      return error;
    if (!isNamed)
      continue;
    Expected<std::string> name = readJobName(output);
    if (!name)
      return name.takeError();
    before = *name;
    llvm::outs() << "job " << before << ": " << job.file << '\n';
    llvm::outs().flush();
  }
  return Error::success();
}

int tcgemm::runLaunch(const Flags &flags, const char *program) {
  if (Error error = checkLaunchFlags(flags))
    return fail(std::move(error), kExitBadInput);
  Expected<std::vector<Job>> jobs = writeJobs(flags, program);
  if (!jobs)
    return fail(jobs.takeError(), kExitBadInput);
  if (!flags.cluster.dryRun) {
    if (Error error = submit(flags, *jobs))
      return fail(std::move(error), kExitRunFailed);
    return kExitSuccess;
  }
  for (const Job &job : *jobs) {
    if (jobs->size() > 1)
      llvm::outs() << "# " << job.file
                   << (&job == &jobs->front() ? "\n"
                                              : ", after the end of the job "
                                                "before\n");
    llvm::outs() << job.script;
  }
  return kExitSuccess;
}
