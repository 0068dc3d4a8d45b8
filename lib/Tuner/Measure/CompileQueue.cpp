//===- CompileQueue.cpp - Compilations of several engines -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/CompileQueue.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm {

static std::string getJobKey(const BuildKey &key) {
  return key.kernel + '\n' + key.config.str();
}

size_t CompileQueue::getNumPending(Client client) const {
  auto known = finished.find(client);
  size_t count = known == finished.end() ? 0 : known->second.size();
  return count + count_if(jobs, [&](const auto &entry) {
           return is_contained(entry.second.clients, client);
         });
}

void CompileQueue::add(Client client, const TuningProblem &problem,
                       Build build) {
  std::string key = getJobKey(build.key);
  auto [entry, isNew] = jobs.try_emplace(key);
  Job &job = entry->second;
  if (isNew) {
    job.problem = problem;
    job.build = std::move(build);
    waiting.push_back(key);
  }
  if (!is_contained(job.clients, client))
    job.clients.push_back(client);
}

Error CompileQueue::dispatch() {
  while (!waiting.empty() && pool.hasIdle()) {
    Job &job = jobs.at(waiting.front());
    waiting.pop_front();
    job.isRunning = true;
    if (Error error = pool.start(job.problem, job.build))
      return error;
  }
  return Error::success();
}

Expected<std::vector<Build>> CompileQueue::take(Client client) {
  Expected<std::vector<Build>> builds = pool.collect();
  if (!builds)
    return builds.takeError();
  for (Build &build : *builds) {
    auto job = jobs.find(getJobKey(build.key));
    if (job == jobs.end())
      continue;
    for (Client each : job->second.clients)
      finished[each].push_back(build);
    jobs.erase(job);
  }
  std::vector<Build> own = std::move(finished[client]);
  finished.erase(client);
  return own;
}

void CompileQueue::abandon(Client client) {
  finished.erase(client);
  for (auto entry = jobs.begin(); entry != jobs.end();) {
    Job &job = entry->second;
    erase(job.clients, client);
    if (!job.clients.empty()) {
      ++entry;
      continue;
    }
    if (job.isRunning)
      pool.abandon(job.build.key);
    else
      erase(waiting, entry->first);
    entry = jobs.erase(entry);
  }
}

} // namespace tcgemm
