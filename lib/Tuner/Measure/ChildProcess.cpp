//===- ChildProcess.cpp - A child process that may crash ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/ChildProcess.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tcgemm {

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// A message is its length in four bytes, and its text.
static constexpr size_t kHeaderSize = 4;

Channel::Channel(Channel &&other) noexcept
    : descriptor(other.descriptor), buffer(std::move(other.buffer)) {
  other.descriptor = -1;
}

Channel &Channel::operator=(Channel &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  std::swap(buffer, other.buffer);
  return *this;
}

Channel::~Channel() {
  if (descriptor >= 0)
    ::close(descriptor);
}

bool Channel::send(const json::Value &message) {
  std::string text(kHeaderSize, 0);
  raw_string_ostream(text) << message;
  support::endian::write32le(text.data(), text.size() - kHeaderSize);
  for (size_t sent = 0; sent != text.size();) {
    // No SIGPIPE: the other end may be closed.
    ssize_t count = ::send(descriptor, text.data() + sent, text.size() - sent,
                           MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    sent += count;
  }
  return true;
}

bool Channel::readAvailable() {
  std::array<char, 65536> bytes;
  while (true) {
    ssize_t count =
        ::recv(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK;
    if (count == 0)
      return false;
    buffer.append(bytes.data(), count);
  }
}

std::optional<json::Object> Channel::takeMessage() {
  if (buffer.size() < kHeaderSize)
    return std::nullopt;
  size_t size = support::endian::read32le(buffer.data());
  if (buffer.size() < kHeaderSize + size)
    return std::nullopt;
  Expected<json::Value> value =
      json::parse(StringRef(buffer).substr(kHeaderSize, size));
  buffer.erase(0, kHeaderSize + size);
  if (!value) {
    // Both ends run the same program, so that the message can only be
    // truncated.
    consumeError(value.takeError());
    return std::nullopt;
  }
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return std::nullopt;
}

std::optional<json::Object> Channel::receive() {
  while (true) {
    if (std::optional<json::Object> message = takeMessage())
      return message;
    std::array<char, 65536> bytes;
    ssize_t count = ::recv(descriptor, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return std::nullopt;
    buffer.append(bytes.data(), count);
  }
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

Expected<ChildProcess> ChildProcess::start(function_ref<int(Channel &)> body) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return createStringError(std::string("cannot make a socket: ") +
                             std::strerror(errno));
  Channel ours(ends[0]), theirs(ends[1]);
  pid_t parent = ::getpid();
  pid_t process = ::fork();
  if (process < 0)
    return createStringError(std::string("cannot start a process: ") +
                             std::strerror(errno));
  if (process != 0) {
    // Parent and child both call it, because either may be first.
    ::setpgid(process, process);
    return ChildProcess(process, std::move(ours));
  }
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) // It died before that.
    ::_exit(1);
  ours = Channel(-1);
  int code = body(theirs);
  // Not exit(), which would run the parent's handlers and flush its streams.
  ::_exit(code);
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : process(other.process), channel(std::move(other.channel)) {
  other.process = 0;
}

ChildProcess &ChildProcess::operator=(ChildProcess &&other) noexcept {
  std::swap(process, other.process);
  std::swap(channel, other.channel);
  return *this;
}

ChildProcess::~ChildProcess() { kill(); }

void ChildProcess::kill() {
  if (process == 0)
    return;
  ::kill(-process, SIGKILL);
  describeEnd();
}

std::string ChildProcess::describeEnd() {
  if (process == 0)
    return "it had ended";
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR)
    ;
  process = 0;
  if (WIFSIGNALED(status))
    return "signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  return "exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace tcgemm
