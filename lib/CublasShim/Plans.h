//===- Plans.h - Plans of the products of a process ----------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_PLANS_H
#define TCGEMM_LIB_CUBLASSHIM_PLANS_H

#include "CudaDriver.h"
#include "Product.h"
#include "Tcgemm.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace tcgemm::shim {

/// When kernels are compiled, by TCGEMM_CUBLAS.
enum class Mode {
  Off,        ///< Never: all calls are forwarded.
  Compile,    ///< In the first call with a product, which waits.
  Background, ///< By a thread. Calls are forwarded until it has finished.
};

/// The mode of the process. An unknown one is a message on standard error, and
/// `Off`.
Mode getMode();

/// A plan, or why there is none. It lives as long as the process.
struct Planned {
  tcgemmPlan_t plan = nullptr;
  size_t workspaceBytes = 0;
  std::string failure;
};

/// The plans of all contexts. All functions may be called by several threads.
class Plans {
public:
  /// Null with a reason if libtcgemm.so or the driver is missing.
  static Plans *get(Reason &reason);

  /// The plan for a product on the calling thread's context. Without one,
  /// `reason` states why, and `detail` says more.
  const Planned *find(const Request &request, cublas::Stream stream,
                      Reason &reason, std::string &detail);

  const Tcgemm &getTcgemm() const { return tcgemm; }
  const CudaDriver &getDriver() const { return driver; }

private:
  /// A context, and the numbers of a descriptor that a plan depends on.
  using Key = std::array<int64_t, 24>;
  /// The handle of one context, or the reason why there is none.
  struct Device {
    tcgemmHandle_t handle = nullptr;
    std::string failure;
  };
  struct Job {
    Key key;
    tcgemmMatmulDesc desc;
    tcgemmHandle_t handle;
  };

  Plans(const Tcgemm &tcgemm, const CudaDriver &driver)
      : tcgemm(tcgemm), driver(driver) {}
  static Key makeKey(const ContextKey &context, const tcgemmMatmulDesc &desc);
  const Device &getDevice(const ContextKey &context);
  const Planned *lookUp(const Key &key);
  const Planned *make(const Job &job);
  void add(const Job &job);
  void work();
  static void stop();

  const Tcgemm &tcgemm;
  const CudaDriver &driver;
  std::mutex deviceMutex;
  std::map<ContextKey, Device> devices;
  std::shared_mutex planMutex;
  std::map<Key, std::unique_ptr<Planned>> plans;
  /// Guards the members of the thread that compiles.
  std::mutex jobMutex;
  std::condition_variable jobCondition;
  std::deque<Job> jobs;
  std::set<Key> waiting; ///< The keys of all jobs that were added.
  std::thread thread;
  bool isStopping = false;
  int process = 0; ///< The process that has the thread.
};

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_PLANS_H
