//===- ChildProcessTest.cpp - Processes that may die ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/ChildProcess.h"
#include "TunerTestUtils.h"

#include <csignal>
#include <poll.h>
#include <unistd.h>

using namespace tcgemm;

namespace {

/// Waits for the next message, or the end of the child.
std::optional<llvm::json::Object> next(ChildProcess &child) {
  while (true) {
    if (auto message = child.getChannel().takeMessage())
      return message;
    pollfd wanted{child.getChannel().getDescriptor(), POLLIN, 0};
    ::poll(&wanted, 1, 10000);
    if (!child.getChannel().readAvailable())
      return child.getChannel().takeMessage();
  }
}

TEST(ChildProcess, MessagesGoBothWays) {
  auto child = unwrap(ChildProcess::start([](Channel &channel) {
    while (auto message = channel.receive())
      channel.send(llvm::json::Object{
          {"twice", 2 * message->getInteger("x").value_or(0)},
          {"text", std::string(300000, 'y')}});
    return 0;
  }));
  for (int x : {1, 20, 300}) {
    EXPECT_TRUE(child.getChannel().send(llvm::json::Object{{"x", x}}));
    auto answer = next(child);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->getInteger("twice"), 2 * x);
    EXPECT_EQ(answer->getString("text")->size(), 300000u);
  }
}

TEST(ChildProcess, ItsEndIsSeen) {
  auto child = unwrap(ChildProcess::start([](Channel &) { return 3; }));
  EXPECT_FALSE(next(child));
  EXPECT_EQ(child.describeEnd(), "exit code 3");
}

TEST(ChildProcess, ItsDeathIsSeen) {
  auto child = unwrap(ChildProcess::start([](Channel &channel) {
    channel.receive();
    ::kill(::getpid(), SIGKILL);
    return 0;
  }));
  child.getChannel().send(llvm::json::Object{});
  EXPECT_FALSE(next(child));
  EXPECT_EQ(child.describeEnd(), "signal 9 (Killed)");
  // Nobody is there; that is no signal for this process.
  child.getChannel().send(llvm::json::Object{});
  EXPECT_FALSE(child.getChannel().send(llvm::json::Object{}));
}

TEST(ChildProcess, AHangCanBeKilled) {
  auto child = unwrap(ChildProcess::start([](Channel &channel) {
    channel.send(llvm::json::Object{{"here", true}});
    while (true)
      ::pause();
    return 0;
  }));
  EXPECT_TRUE(next(child));
  child.kill();
  EXPECT_EQ(child.describeEnd(), "it had ended");
}

} // namespace
