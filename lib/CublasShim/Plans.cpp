//===- Plans.cpp - Plans of the products of a process ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plans.h"
#include "Log.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace tcgemm::shim;

static Mode readMode() {
  struct Name {
    const char *text;
    Mode mode;
  };
  constexpr Name names[] = {{"compile", Mode::Compile},
                            {"background", Mode::Background},
                            {"off", Mode::Off}};
  const char *variable = std::getenv("TCGEMM_CUBLAS");
  if (!variable || !*variable)
    return Mode::Compile;
  for (const Name &name : names)
    if (std::strcmp(variable, name.text) == 0)
      return name.mode;
  complain(std::string("calls are forwarded: TCGEMM_CUBLAS is '") + variable +
           "', but it must be compile, background or off");
  return Mode::Off;
}

Mode tcgemm::shim::getMode() {
  static const Mode mode = readMode();
  return mode;
}

Plans *Plans::get(Reason &reason) {
  const Tcgemm *tcgemm = Tcgemm::get();
  const CudaDriver *driver = tcgemm ? CudaDriver::get() : nullptr;
  reason = !tcgemm   ? Reason::NoLibrary
           : !driver ? Reason::NoDriver
                     : Reason::None;
  if (!driver)
    return nullptr;
  // Never destroyed: destructors of the program may multiply.
  static auto *const plans = new Plans(*tcgemm, *driver);
  return plans;
}

Plans::Key Plans::makeKey(const ContextKey &context,
                          const tcgemmMatmulDesc &desc) {
  bool hasC = desc.scaling == TCGEMM_ALPHA_BETA;
  // The strings are literals of a table.
  return {reinterpret_cast<intptr_t>(context.first),
          static_cast<int64_t>(context.second),
          desc.typeA,
          desc.typeB,
          desc.typeD,
          desc.transA,
          desc.transB,
          desc.m,
          desc.n,
          desc.k,
          desc.batch,
          desc.lda,
          desc.ldb,
          hasC ? desc.ldc : 0,
          desc.ldd,
          desc.strideA,
          desc.strideB,
          hasC ? desc.strideC : 0,
          desc.strideD,
          desc.scaling,
          desc.pointerMode,
          desc.alignment,
          reinterpret_cast<intptr_t>(desc.precision),
          reinterpret_cast<intptr_t>(desc.epilogue)};
}

const Plans::Device &Plans::getDevice(const ContextKey &context) {
  std::lock_guard<std::mutex> lock(deviceMutex);
  auto [found, isNew] = devices.try_emplace(context);
  Device &device = found->second;
  if (isNew && tcgemm.tcgemmCreate(&device.handle, TCGEMM_CURRENT_CONTEXT))
    device.failure = tcgemm.tcgemmGetLastErrorMessage();
  return device;
}

const Planned *Plans::lookUp(const Key &key) {
  std::shared_lock<std::shared_mutex> lock(planMutex);
  auto found = plans.find(key);
  return found == plans.end() ? nullptr : found->second.get();
}

const Planned *Plans::make(const Job &job) {
  RelaxedCapture relaxed(driver);
  auto planned = std::make_unique<Planned>();
  if (tcgemm.tcgemmPlan(job.handle, &job.desc, &planned->plan) ||
      tcgemm.tcgemmPlanWorkspaceSize(planned->plan, &planned->workspaceBytes))
    planned->failure = tcgemm.tcgemmGetLastErrorMessage();
  std::lock_guard<std::shared_mutex> lock(planMutex);
  // Another thread may have made it; its plan may be in use.
  auto [found, isNew] = plans.try_emplace(job.key, std::move(planned));
  if (!isNew)
    tcgemm.tcgemmPlanDestroy(planned->plan);
  return found->second.get();
}

const Planned *Plans::find(const Request &request, cublas::Stream stream,
                           Reason &reason, std::string &detail) {
  ContextKey context = driver.getContext();
  reason = Reason::NoContext;
  if (!context.first)
    return nullptr;
  Job job{makeKey(context, request.desc), request.desc, nullptr};
  job.desc.alpha = 1;
  job.desc.beta = 0;
  const Planned *planned = lookUp(job.key);
  if (!planned) {
    const Device &device = getDevice(context);
    detail = device.failure;
    if (!device.handle)
      return nullptr;
    job.handle = device.handle;
    reason = Reason::Capture;
    if (driver.isCapturing(reinterpret_cast<cuda::Stream>(stream)))
      return nullptr;
    reason = Reason::Compiling;
    if (getMode() == Mode::Background) {
      add(job);
      return nullptr;
    }
    planned = make(job);
  }
  reason = planned->failure.empty() ? Reason::None : Reason::Plan;
  detail = planned->failure;
  return reason == Reason::None ? planned : nullptr;
}

//===----------------------------------------------------------------------===//
// The thread that compiles
//===----------------------------------------------------------------------===//

void Plans::add(const Job &job) {
  std::lock_guard<std::mutex> lock(jobMutex);
  if (isStopping || !waiting.insert(job.key).second)
    return;
  jobs.push_back(job);
  if (!thread.joinable()) {
    process = getpid();
    thread = std::thread([this] { work(); });
    std::atexit(stop);
  }
  jobCondition.notify_one();
}

void Plans::work() {
  bool isFirst = true;
  for (;;) {
    std::unique_lock<std::mutex> lock(jobMutex);
    jobCondition.wait(lock, [this] { return isStopping || !jobs.empty(); });
    if (isStopping)
      return;
    Job job = jobs.front();
    jobs.pop_front();
    lock.unlock();
    make(job);
    // Handlers run in reverse order. The first job has loaded the compiler, and
    // the thread must end before the compiler's destructors run.
    if (isFirst)
      std::atexit(stop);
    isFirst = false;
  }
}

/// Waits for the kernel that is being compiled. The other jobs are dropped.
void Plans::stop() {
  Reason reason = Reason::None;
  Plans *plans = get(reason);
  // A forked process has no thread.
  if (!plans || plans->process != getpid())
    return;
  {
    std::lock_guard<std::mutex> lock(plans->jobMutex);
    plans->isStopping = true;
  }
  plans->jobCondition.notify_one();
  if (plans->thread.joinable())
    plans->thread.join();
}
