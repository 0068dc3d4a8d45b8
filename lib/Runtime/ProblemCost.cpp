//===- ProblemCost.cpp - Cost of running a problem ------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/ProblemCost.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <limits>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

MemoryNeed tcgemm::estimateMemory(const Problem &problem, bool isEmulated) {
  double images = 0, largest = 0;
  for (const ProblemBuffer &buffer : problem.buffers) {
    if (buffer.isScalar)
      continue;
    auto bytes = static_cast<double>(buffer.getImageSize());
    images += bytes;
    largest = std::max(largest, bytes);
  }
  // A buffer that is filled or fetched exists twice. The emulator has a shadow
  // byte for each byte of memory and of fetched data.
  if (isEmulated)
    return {3 * images + 3 * largest, 0};
  return {images + largest, images};
}

/// The number in a file of one line; infinite if there is none.
static double readNumber(StringRef path) {
  double number = std::numeric_limits<double>::infinity();
  if (auto buffer = llvm::MemoryBuffer::getFileAsStream(path))
    if (StringRef text = (*buffer)->getBuffer().trim();
        !text.empty() && llvm::all_of(text, llvm::isDigit))
      text.getAsDouble(number);
  return number;
}

/// `MemAvailable:  24034184 kB` in bytes.
static double readFreeMemory() {
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/meminfo");
  uint64_t kilobytes = 0;
  if (!buffer)
    return std::numeric_limits<double>::infinity();
  StringRef text = (*buffer)->getBuffer().split("MemAvailable:").second;
  if (text.ltrim().consumeInteger(10, kilobytes))
    return std::numeric_limits<double>::infinity();
  return static_cast<double>(kilobytes) * 1024;
}

/// The remaining part of the process's limit of address space.
static double readAddressSpace() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<double>::infinity();
  double used = 0;
  auto buffer = llvm::MemoryBuffer::getFileAsStream("/proc/self/statm");
  uint64_t pages = 0;
  if (buffer &&
      !(*buffer)->getBuffer().split(' ').first.getAsInteger(10, pages))
    used = static_cast<double>(pages) *
           static_cast<double>(::sysconf(_SC_PAGESIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

double tcgemm::getAvailableHostMemory() {
  // Control groups of version 2, and of version 1.
  return std::min({readFreeMemory(), readAddressSpace(),
                   readNumber("/sys/fs/cgroup/memory.max"),
                   readNumber("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
}

/// `1.5 GiB`.
static std::string printBytes(double bytes) {
  constexpr double gibibyte = 1 << 30;
  return llvm::formatv("{0:f1} GiB", bytes / gibibyte);
}

Error tcgemm::checkMemory(const Problem &problem,
                          const DeviceProperties *device) {
  bool isEmulated = device && device->isEmulated;
  MemoryNeed need = estimateMemory(problem, isEmulated);
  double available = getAvailableHostMemory();
  if (need.host > available)
    return llvm::createStringError(
        "the problem's arrays take " + printBytes(need.host) +
        " of the host's memory" + (isEmulated ? " with the emulator's" : "") +
        "; the limit is what is available: " + printBytes(available));
  if (!device || isEmulated)
    return Error::success();
  auto total = static_cast<double>(device->globalMemory);
  if (need.device > total)
    return llvm::createStringError(
        "the problem's arrays take " + printBytes(need.device) +
        " of the device's memory; the limit is what " + device->name +
        " has: " + printBytes(total));
  return Error::success();
}

double tcgemm::estimateEmulatorSeconds(const Problem &problem,
                                       unsigned threads) {
  // Multiplications per second and thread. An instruction of tensor cores has
  // thousands of multiplications, an f32 instruction one for each lane.
  constexpr double tensorRate = 1.5e9, scalarRate = 2e8;
  double seconds = 0;
  for (unsigned i = 0; i != problem.launches.size(); ++i) {
    const ProblemLaunch &launch = problem.launches[i];
    ProblemSizes sizes = problem.getSizes(i);
    if (launch.kernel->hasDividedGroups())
      sizes[unsigned(Dim::Batch)] = 1;
    double work = launch.kernel->findSecond() ? 2 : 1;
    for (int64_t size : sizes)
      work *= static_cast<double>(size);
    bool isScalar =
        !launch.operands.empty() &&
        getByteSize(problem.buffers[launch.operands.front().buffer].type) > 2;
    seconds += work / (isScalar ? scalarRate : tensorRate);
  }
  unsigned all = std::max(1U, std::thread::hardware_concurrency());
  return seconds / (threads ? threads : all);
}
