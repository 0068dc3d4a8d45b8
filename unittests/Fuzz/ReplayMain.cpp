//===- ReplayMain.cpp - Runs a fuzz target without libFuzzer --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   fuzz-TARGET [--seconds=N] [--seed=N] FILE|FOLDER...
//
// Runs the target on every file, and then for N seconds on random mutations of
// the files. It needs neither a sanitizer nor instrumented code, so that the
// tests of an ordinary build can run it. If the process dies, the current input
// is stored in the file `crash-TARGET`.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <random>
#include <unistd.h>

using namespace tcgemm::fuzz;
using llvm::StringRef;

static constexpr size_t kMaxSize = 1 << 16;
static constexpr unsigned kTimeout = 60; ///< Seconds of one input.

/// The input that the signal handler writes.
static const std::string *currentInput = nullptr;
static std::string crashFile;

/// Calls only functions that are permitted in a signal handler.
static void keepInput(int signal) {
  int file = open(crashFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && currentInput) {
    size_t written = 0;
    while (written < currentInput->size()) {
      ssize_t count = write(file, currentInput->data() + written,
                            currentInput->size() - written);
      if (count <= 0)
        break;
      written += count;
    }
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

static void installHandlers() {
  // The handler needs its own stack in case of a stack overflow.
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = keepInput;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    sigaction(signal, &action, nullptr);
}

static void run(const std::string &input) {
  currentInput = &input;
  alarm(kTimeout);
  // A block of exactly this size, so that reads past its end are detected.
  std::unique_ptr<uint8_t[]> bytes(new uint8_t[input.size()]);
  llvm::copy(input, bytes.get());
  LLVMFuzzerTestOneInput(bytes.get(), input.size());
  alarm(0);
}

namespace {
/// Draws mutations of the inputs of a corpus.
class Mutator {
public:
  Mutator(llvm::ArrayRef<std::string> corpus, uint64_t seed)
      : corpus(corpus), random(seed) {}

  std::string draw() {
    std::string input = pick();
    for (unsigned left = 1 + below(4); left != 0; --left)
      mutate(input);
    if (input.size() > kMaxSize)
      input.resize(kMaxSize);
    return input;
  }

private:
  size_t below(size_t limit) { return limit ? random() % limit : 0; }
  const std::string &pick() { return corpus[below(corpus.size())]; }

  /// Replaces the number at or after a random position.
  void changeNumber(std::string &input) {
    constexpr StringRef numbers[] = {
        "0",          "1",          "-1",
        "7",          "65536",      "2147483647",
        "2147483648", "4294967296", "9223372036854775807",
        "1e400",      "nan",        "18446744073709551615"};
    size_t begin = input.find_first_of("0123456789", below(input.size()));
    if (begin == std::string::npos)
      return;
    size_t end = input.find_first_not_of("0123456789", begin);
    input.replace(begin, std::min(end, input.size()) - begin,
                  numbers[below(std::size(numbers))]);
  }

  void mutate(std::string &input) {
    size_t at = below(input.size() + 1);
    size_t count = below(std::min<size_t>(input.size() - at, 64)) + 1;
    switch (below(6)) {
    case 0:
      if (at < input.size())
        input[at] ^= static_cast<char>(1 << below(8));
      return;
    case 1:
      input.insert(at, 1, static_cast<char>(random()));
      return;
    case 2:
      input.erase(at, count);
      return;
    case 3:
      input.insert(at, input.substr(at, count));
      return;
    case 4: {
      const std::string &other = pick();
      size_t from = below(other.size());
      input.insert(at, other.substr(from, count));
      return;
    }
    default:
      changeNumber(input);
      return;
    }
  }

  llvm::ArrayRef<std::string> corpus;
  std::mt19937_64 random;
};
} // namespace

static void readInput(StringRef path, std::vector<std::string> &corpus) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    fail("cannot read '" + path + "': " + buffer.getError().message());
  corpus.push_back((*buffer)->getBuffer().str());
}

static void readInputs(StringRef path, std::vector<std::string> &corpus) {
  if (!llvm::sys::fs::is_directory(path))
    return readInput(path, corpus);
  std::error_code code;
  std::vector<std::string> files;
  for (llvm::sys::fs::directory_iterator it(path, code), end;
       it != end && !code; it.increment(code))
    files.push_back(it->path());
  // The order of a folder is not that of another machine's.
  llvm::sort(files);
  for (const std::string &file : files)
    readInput(file, corpus);
}

int main(int argc, char **argv) {
  uint64_t seconds = 0, seed = 1;
  std::vector<std::string> corpus;
  for (StringRef argument : llvm::ArrayRef(argv + 1, argc - 1)) {
    if (argument.consume_front("--seconds=")) {
      require(!argument.getAsInteger(10, seconds), "--seconds: no count");
    } else if (argument.consume_front("--seed=")) {
      require(!argument.getAsInteger(10, seed), "--seed: no count");
    } else {
      readInputs(argument, corpus);
    }
  }
  require(!corpus.empty(), "no inputs");
  crashFile =
      ("crash-" + llvm::sys::path::stem(argv[0]).drop_front(strlen("fuzz-")))
          .str();
  installHandlers();
  for (const std::string &input : corpus)
    run(input);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Mutator mutator(corpus, seed);
  uint64_t numMutations = 0;
  for (; std::chrono::steady_clock::now() < end; ++numMutations)
    run(mutator.draw());
  llvm::outs() << corpus.size() << " inputs, " << numMutations
               << " mutations\n";
  return 0;
}
