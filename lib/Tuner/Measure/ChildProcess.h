//===- ChildProcess.h - A process that may die ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of this process (fork) that runs a function and talks over a socket
// in messages, which are JSON. The parent never blocks on one: it polls the
// sockets of all. The parent must have one thread only, and must not have
// touched a device: neither survives a fork.
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
  /// False if the other end is gone.
  bool send(const llvm::json::Value &message);
  /// Waits for a message; none at the end, or if what came is no message.
  std::optional<llvm::json::Object> receive();
  /// Reads what is there without waiting; false at the end.
  bool readAvailable();
  /// The next whole message that was read.
  std::optional<llvm::json::Object> takeMessage();

private:
  int descriptor = -1;
  std::string buffer;
};

class ChildProcess {
public:
  /// Forks. `body` runs in the child, whose exit code is what it returns; it
  /// dies with its parent, and an interrupt of the terminal does not reach it.
  static llvm::Expected<ChildProcess>
  start(llvm::function_ref<int(Channel &)> body);
  ChildProcess(ChildProcess &&other) noexcept;
  ChildProcess &operator=(ChildProcess &&other) noexcept;
  /// Kills it.
  ~ChildProcess();

  Channel &getChannel() { return channel; }
  /// Kills it and its children, and waits.
  void kill();
  /// Waits for a process whose channel has ended: `exit code 3`, `signal 11
  /// (Segmentation fault)`.
  std::string describeEnd();

private:
  ChildProcess(int process, Channel channel)
      : process(process), channel(std::move(channel)) {}
  int process = 0; ///< 0: there is none any more.
  Channel channel;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_CHILDPROCESS_H
