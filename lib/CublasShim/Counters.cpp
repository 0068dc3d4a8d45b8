//===- Counters.cpp - How many calls were served --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Counters.h"
#include "Log.h"
#include "tcgemm_cublas.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <unistd.h>

using namespace tcgemm;
using namespace tcgemm::shim;

namespace {

constexpr unsigned kFunctions = static_cast<unsigned>(Function::Count);
constexpr unsigned kReasons = static_cast<unsigned>(Reason::Count);

constexpr const char *kFunctionNames[] = {
#define TCGEMM_NAME(name, family, Int, type) #name,
#define TCGEMM_TABLE_NAME(name, family, Int) #name,
    TCGEMM_CUBLAS_PRODUCTS(TCGEMM_NAME)
        TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_TABLE_NAME)
#undef TCGEMM_TABLE_NAME
#undef TCGEMM_NAME
            "cublasLtMatmul"};
static_assert(sizeof kFunctionNames / sizeof *kFunctionNames == kFunctions);

constexpr const char *kReasonTexts[] = {"served",
#define TCGEMM_TEXT(name, text) text,
                                        TCGEMM_SHIM_REASONS(TCGEMM_TEXT)
#undef TCGEMM_TEXT
};
static_assert(sizeof kReasonTexts / sizeof *kReasonTexts == kReasons);

std::atomic<uint64_t> counts[kFunctions][kReasons];
/// The process of the first call. Forked ones have its counts, too.
std::atomic<int> process{0};

/// The calls that were served, or those that were not.
uint64_t sum(bool isServed) {
  uint64_t total = 0;
  for (const auto &function : counts)
    for (unsigned reason = isServed ? 0 : 1;
         reason != (isServed ? 1 : kReasons); ++reason)
      total += function[reason].load(std::memory_order_relaxed);
  return total;
}

std::string describe() {
  std::string text = "tcgemm-cublas: " + std::to_string(sum(true)) +
                     " calls served, " + std::to_string(sum(false)) +
                     " forwarded\n";
  for (unsigned function = 0; function != kFunctions; ++function)
    for (unsigned reason = 0; reason != kReasons; ++reason)
      if (uint64_t number = counts[function][reason].load())
        text += "  " + std::to_string(number) + " " + kFunctionNames[function] +
                (reason ? ": forwarded: " : ": ") + kReasonTexts[reason] + "\n";
  return text;
}

/// Programs that multiply nothing, such as compilers that the program starts,
/// print nothing.
[[gnu::destructor]] void printSummary() {
  const char *path = std::getenv("TCGEMM_CUBLAS_SUMMARY");
  if (path && *path && process.load() == getpid())
    append(path, describe());
}

} // namespace

void shim::count(Function function, const Outcome &outcome) {
  auto index = static_cast<unsigned>(function);
  auto reason = static_cast<unsigned>(outcome.reason);
  int none = 0;
  process.compare_exchange_strong(none, getpid(), std::memory_order_relaxed);
  counts[index][reason].fetch_add(1, std::memory_order_relaxed);
  if (!isLogging())
    return;
  std::string line = kFunctionNames[index];
  if (!outcome.product.empty())
    line += " " + outcome.product;
  line += outcome.reason == Reason::None ? ": " : ": forwarded: ";
  line += kReasonTexts[reason];
  if (outcome.reason == Reason::None && outcome.status != cublas::StatusSuccess)
    line += ", but it has failed";
  if (!outcome.detail.empty())
    line += ": " + outcome.detail;
  log(line);
}

void tcgemmCublasGetCounts(uint64_t *served, uint64_t *forwarded) {
  if (served)
    *served = sum(true);
  if (forwarded)
    *forwarded = sum(false);
}
