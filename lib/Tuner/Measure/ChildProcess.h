//===- ChildProcess.h - A child process that may crash ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fork of this process that runs a function and exchanges JSON messages over
// a socket. The parent never blocks on one child: it polls all sockets. The
// parent must have only one thread and must not have used a device, because
// neither survives a fork.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_CHILDPROCESS_H
#define TCGEMM_LIB_TUNER_MEASURE_CHILDPROCESS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace tcgemm {

/// One end of a socket that carries messages.
class Channel {
public:
  explicit Channel(int descriptor) : descriptor(descriptor) {}
  Channel(Channel &&other) noexcept;
  Channel &operator=(Channel &&other) noexcept;
  ~Channel();

  int getDescriptor() const { return descriptor; }
  /// Sends a message; false if the other end is closed.
  bool send(const llvm::json::Value &message);
  /// Waits for a message; none at the end, or if the data is not a message.
  std::optional<llvm::json::Object> receive();
  /// Reads available data without waiting; false at the end.
  bool readAvailable();
  /// The next complete message that was read.
  std::optional<llvm::json::Object> takeMessage();

private:
  int descriptor = -1;
  std::string buffer;
};

class ChildProcess {
public:
  /// Forks. `body` runs in the child and returns its exit code. The child dies
  /// with its parent, and does not receive interrupts of the terminal.
  static llvm::Expected<ChildProcess>
  start(llvm::function_ref<int(Channel &)> body);
  ChildProcess(ChildProcess &&other) noexcept;
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  /// Kills the process.
  ~ChildProcess();

  Channel &getChannel() { return channel; }
  /// Kills the process and its children, and waits for it.
  void kill();
  /// Waits for a process whose channel has ended: `exit code 3`, `signal 11
  /// (Segmentation fault)`.
  std::string describeEnd();

private:
  ChildProcess(int process, Channel channel)
      : process(process), channel(std::move(channel)) {}
  int process = 0; ///< 0: the process has ended.
  Channel channel;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_CHILDPROCESS_H
