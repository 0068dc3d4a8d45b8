//===- BackgroundTuner.cpp - Tuning beside the program --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackgroundTuner.h"

#include "../Target/ToolProcess.h"
#include "Failure.h"
#include "Log.h"
#include "tcgemm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace path = llvm::sys::path;

namespace {

/// How often the end of a process is asked for.
constexpr std::chrono::milliseconds kPollInterval(20);

std::string getVariable(const char *name, StringRef standard) {
  const char *value = std::getenv(name);
  return value && *value ? value : standard.str();
}

/// The path of tcgemm-tune: as it is installed beside the library.
std::string findTuner() {
  Dl_info info{};
  llvm::SmallString<256> file;
  if (dladdr(reinterpret_cast<void *>(&tcgemmCreate), &info) && info.dli_fname)
    file = path::parent_path(info.dli_fname);
  path::append(file, "..", "bin", "tcgemm-tune");
  return getVariable("TCGEMM_TUNER", file);
}

/// The options for what a kernel has beside the first four words of its text.
std::vector<std::string> getFurtherOptions(const KernelSpec &kernel) {
  std::vector<std::string> options;
  if (kernel.isGrouped)
    options.push_back("--groups=" +
                      getGroupKindInfo(kernel.groupKind).name.str());
  if (kernel.hasBlockScales())
    options.push_back(std::string("--block-scales=") +
                      (kernel.hasScalesA ? "a" : "") +
                      (kernel.hasScalesB ? "b" : ""));
  if (kernel.hasGroupScales())
    options.push_back("--group-scales=" + kernel.groups.str());
  if (!kernel.algebra.isDefault())
    options.push_back("--algebra=" + kernel.algebra.str());
  if (kernel.isDual())
    options.push_back(("--dual=" + getDualName(kernel.dual)).str());
  if (!kernel.reductions.empty())
    options.push_back("--reduce=" + kernel.reductions.str());
  return options;
}

/// The words of the command that tunes a problem.
std::vector<std::string> makeCommand(const TuningProblem &problem,
                                     const std::string &database, int ordinal) {
  std::vector<std::string> words;
  // The thread cannot have a low priority: others may wait for its locks.
  if (llvm::ErrorOr<std::string> nice = llvm::sys::findProgramByName("nice"))
    words = {*nice, "-n", "19"};
  for (const std::string &word : {findTuner(), std::string("tune"),
                                  problem.sizes.str(), "--db=" + database})
    words.push_back(word);
  // The first four words of a kernel's text are its types, layout and epilogue.
  std::string text = problem.kernel.str();
  llvm::SmallVector<StringRef> parts;
  StringRef(text).split(parts, ' ');
  for (auto [flag, part] :
       llvm::zip(llvm::ArrayRef(
                     {"--dtype=", "--layout=", "--out-type=", "--epilogue="}),
                 parts))
    words.push_back(flag + part.str());
  llvm::append_range(words, getFurtherOptions(problem.kernel));
  std::string options =
      getVariable("TCGEMM_TUNE_OPTIONS", "--budget=60s,24 --jobs=1");
  llvm::SmallVector<StringRef> given;
  llvm::SplitString(options, given);
  if (llvm::none_of(given, [](StringRef option) {
        return option.starts_with("--device=");
      }))
    words.push_back("--device=cuda:" + std::to_string(ordinal));
  for (StringRef option : given)
    words.push_back(option.str());
  return words;
}

/// The end of a program's output, in one line.
std::string getLastLines(StringRef output) {
  constexpr size_t most = 500;
  std::string text = output.trim().take_back(most).str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

} // namespace

BackgroundTuner::BackgroundTuner(std::string database, int ordinal,
                                 Callbacks callbacks)
    : database(std::move(database)), ordinal(ordinal),
      callbacks(std::move(callbacks)) {}

BackgroundTuner::~BackgroundTuner() {
  // After a fork, the thread is in the other process only, perhaps with a lock.
  if (thread.joinable() && owner != ::getpid()) {
    thread.detach();
    return;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

bool BackgroundTuner::add(const TuningProblem &problem) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace(problem.str(), false);
  if (!isNew)
    return !entry->second;
  queue.push_back(problem);
  if (!thread.joinable()) {
    owner = ::getpid();
    thread = std::thread([this] { work(); });
  }
  changed.notify_all();
  return true;
}

bool BackgroundTuner::isStopped() {
  std::lock_guard<std::mutex> lock(mutex);
  return stop;
}

void BackgroundTuner::work() {
  while (true) {
    TuningProblem problem;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return stop || !queue.empty(); });
      if (stop)
        return;
      problem = std::move(queue.front());
      queue.pop_front();
    }
    Error error = tune(problem);
    bool isTuned = !error;
    std::string reason = llvm::toString(std::move(error));
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (stop)
        return;
    }
    if (!isTuned)
      log(reason);
    callbacks.finished(problem, isTuned);
    // Not before: a plan that is added meanwhile would neither wait for the
    // callback nor find the new records.
    std::lock_guard<std::mutex> lock(mutex);
    known[problem.str()] = true;
  }
}

/// Waits until no other process tunes. Fails if the tuner must end, or the file
/// cannot be locked.
Error BackgroundTuner::waitForLock(int file) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return fail(TCGEMM_FILE,
                  "cannot lock '" + database + ".lock': " + strerror(errno));
    if (isStopped())
      return fail(TCGEMM_TUNING, "the tuner ends");
    std::this_thread::sleep_for(kPollInterval);
  }
  return Error::success();
}

Error BackgroundTuner::tune(const TuningProblem &problem) {
  if (std::error_code code =
          llvm::sys::fs::create_directories(path::parent_path(database)))
    return fail(TCGEMM_FILE,
                "cannot tune " + problem.str() + ": cannot create '" +
                    path::parent_path(database) + "': " + code.message());
  std::string name = database + ".lock";
  int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    return fail(TCGEMM_FILE, "cannot tune " + problem.str() +
                                 ": cannot open '" + name +
                                 "': " + strerror(errno));
  llvm::scope_exit close([&] { ::close(file); });
  if (Error error = waitForLock(file))
    return error;
  // Another process may have tuned it.
  return callbacks.isTuned(problem) ? Error::success() : run(problem);
}

/// Runs tcgemm-tune.
Error BackgroundTuner::run(const TuningProblem &problem) {
  std::vector<std::string> words = makeCommand(problem, database, ordinal);
  log("tunes: " + llvm::join(words, " "));
  auto failRun = [&](const Twine &reason) {
    return fail(TCGEMM_TUNING,
                "tuning of " + problem.str() + " failed: " + reason);
  };
  Expected<AnonymousFile> output = AnonymousFile::create("tcgemm-tune.log");
  if (!output)
    return failRun(llvm::toString(output.takeError()));
  std::vector<StringRef> arguments(words.begin(), words.end());
  Expected<ToolProcess> process = ToolProcess::start(arguments, *output);
  if (!process)
    return failRun(llvm::toString(process.takeError()));
  std::optional<int> status;
  while (!(status = process->poll())) {
    if (isStopped())
      return failRun("the tuner ends");
    std::this_thread::sleep_for(kPollInterval);
  }
  Expected<std::string> text = output->read();
  if (!text)
    return failRun(llvm::toString(text.takeError()));
  if (WIFSIGNALED(*status))
    return failRun(Twine(strsignal(WTERMSIG(*status))) + ": " +
                   getLastLines(*text));
  if (int code = WEXITSTATUS(*status))
    return failRun("exit code " + Twine(code) + ": " + getLastLines(*text));
  log("tuned " + problem.str());
  return Error::success();
}
