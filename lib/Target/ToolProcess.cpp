//===- ToolProcess.cpp - A program that ends with its caller --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolProcess.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace llvm;

namespace tcgemm {

static Error makeError(const Twine &what) {
  std::string reason = std::strerror(errno);
  return createStringError(what + ": " + reason);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

AnonymousFile::AnonymousFile(int descriptor)
    : descriptor(descriptor), path("/proc/" + std::to_string(::getpid()) +
                                   "/fd/" + std::to_string(descriptor)) {}

AnonymousFile::AnonymousFile(AnonymousFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)),
      path(std::move(other.path)) {}

AnonymousFile::~AnonymousFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Expected<AnonymousFile> AnonymousFile::create(const std::string &name) {
  int descriptor = ::memfd_create(name.c_str(), MFD_CLOEXEC);
  if (descriptor < 0)
    return makeError("cannot create a file in memory for ptxas");
  return AnonymousFile(descriptor);
}

Error AnonymousFile::write(StringRef text) const {
  while (!text.empty()) {
    ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeError("cannot write a file in memory for ptxas");
    text = text.drop_front(static_cast<size_t>(count));
  }
  return Error::success();
}

Expected<std::string> AnonymousFile::read() const {
  std::string text;
  std::array<char, 65536> bytes;
  while (true) {
    ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(),
                            static_cast<off_t>(text.size()));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return makeError("cannot read what ptxas has written");
    if (count == 0)
      return text;
    text.append(bytes.data(), static_cast<size_t>(count));
  }
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

// The code from here to `start` is executed between fork and exec, in a copy of
// a process that may have other threads. It calls only async-signal-safe
// functions and allocates no memory.

static void killOwnGroup(int /*signal*/) { ::kill(0, SIGKILL); }

[[noreturn]] static void execute(char *const *arguments, int output) {
  int input = ::open("/dev/null", O_RDONLY);
  if (input < 0 || ::dup2(input, STDIN_FILENO) < 0 ||
      ::dup2(output, STDOUT_FILENO) < 0 || ::dup2(output, STDERR_FILENO) < 0)
    ::_exit(ToolProcess::kCannotExecute);
  ::execv(arguments[0], arguments);
  ::_exit(ToolProcess::kCannotExecute);
}

/// Ends this process with the status or signal of the program.
[[noreturn]] static void repeatEnd(int status) {
  if (WIFSIGNALED(status)) {
    // The program has already written its core dump, if any.
    rlimit none = {};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WEXITSTATUS(status));
}

[[noreturn]] static void runGuard(char *const *arguments, int output,
                                  pid_t caller) {
  ::setpgid(0, 0);
  struct sigaction action = {};
  action.sa_handler = killOwnGroup;
  ::sigaction(SIGTERM, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != caller) // It ended before that.
    ::_exit(ToolProcess::kCannotExecute);
  pid_t program = ::fork();
  if (program < 0)
    ::_exit(ToolProcess::kCannotExecute);
  if (program == 0)
    execute(arguments, output);
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR)
    ;
  repeatEnd(status);
}

ToolProcess::ToolProcess(ToolProcess &&other) noexcept
    : guard(std::exchange(other.guard, 0)) {}

Expected<ToolProcess> ToolProcess::start(ArrayRef<StringRef> arguments,
                                         const AnonymousFile &output) {
  std::vector<std::string> texts;
  for (StringRef argument : arguments)
    texts.push_back(argument.str());
  SmallVector<char *> pointers;
  for (std::string &text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_t caller = ::getpid();
  pid_t guard = ::fork();
  if (guard < 0)
    return makeError("cannot start a process for '" + arguments[0] + "'");
  if (guard == 0)
    runGuard(pointers.data(), output.getDescriptor(), caller);
  // Parent and child both call it, because either may be first.
  ::setpgid(guard, guard);
  return ToolProcess(guard);
}

std::optional<int> ToolProcess::poll() {
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(guard, &status, WNOHANG)) < 0 && errno == EINTR)
    ;
  if (ended == 0)
    return std::nullopt;
  guard = 0;
  return status;
}

void ToolProcess::kill() {
  if (guard == 0)
    return;
  ::kill(-guard, SIGKILL);
  while (::waitpid(guard, nullptr, 0) < 0 && errno == EINTR)
    ;
  guard = 0;
}

} // namespace tcgemm
