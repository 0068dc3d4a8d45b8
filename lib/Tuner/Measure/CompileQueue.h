//===- CompileQueue.h - Compilations of several engines ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engines of several devices with one chip have common compilers. Jobs are
// started in the order of their arrival. A build that several engines want at
// the same time is compiled once, and each of them gets it.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_MEASURE_COMPILEQUEUE_H
#define TCGEMM_LIB_TUNER_MEASURE_COMPILEQUEUE_H

#include "Measure/EngineProcesses.h"

#include <deque>
#include <map>

namespace tcgemm {

class CompileQueue {
public:
  /// An engine; only its address is used.
  using Client = const void *;

  CompileQueue(const EngineOptions &options, const std::string &chip,
               bool isPTX, const std::string &binaries)
      : options(options), pool(this->options, chip, isPTX, binaries) {}

  size_t getNumCompilers() const { return pool.getSize(); }
  /// The builds of a client that it has not taken.
  size_t getNumPending(Client client) const;
  void add(Client client, const TuningProblem &problem, Build build);
  /// Starts jobs on all idle compilers.
  llvm::Error dispatch();
  void addDescriptors(std::vector<int> &descriptors) const {
    pool.addDescriptors(descriptors);
  }
  /// The finished builds of a client. Errors: a build cannot be written.
  llvm::Expected<std::vector<Build>> take(Client client);
  /// Drops the jobs of a client. A compilation that has begun is killed unless
  /// another client wants it.
  void abandon(Client client);

private:
  struct Job {
    TuningProblem problem;
    Build build;
    std::vector<Client> clients;
    bool isRunning = false;
  };

  const EngineOptions options;
  CompilerPool pool;
  std::map<std::string, Job> jobs; ///< By kernel and configuration.
  std::deque<std::string> waiting; ///< Keys of jobs, the oldest first.
  std::map<Client, std::vector<Build>> finished;
};

/// The compilers of several engines, by chip and format.
class CompileQueues {
public:
  std::shared_ptr<CompileQueue> get(const EngineOptions &options,
                                    const std::string &chip, bool isPTX,
                                    const std::string &binaries) {
    std::shared_ptr<CompileQueue> &queue = queues[{chip, isPTX}];
    if (!queue)
      queue = std::make_shared<CompileQueue>(options, chip, isPTX, binaries);
    return queue;
  }

private:
  std::map<std::pair<std::string, bool>, std::shared_ptr<CompileQueue>> queues;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_MEASURE_COMPILEQUEUE_H
