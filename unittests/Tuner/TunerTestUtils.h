//===- TunerTestUtils.h - What the tuner's tests share ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_TUNER_TUNERTESTUTILS_H
#define TCGEMM_UNITTESTS_TUNER_TUNERTESTUTILS_H

#include "tcgemm/Store/Record.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <optional>

namespace tcgemm {

/// The value of a success; a failure fails the test with its text.
template <typename T> T unwrap(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    abort();
  }
  return std::move(*value);
}

/// The value of an optional that must have one.
template <typename T> T need(std::optional<T> value) {
  if (!value) {
    ADD_FAILURE() << "there is no value";
    abort();
  }
  return std::move(*value);
}

template <typename T> std::string getError(llvm::Expected<T> value) {
  return value ? "no error" : llvm::toString(value.takeError());
}

inline std::string getError(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "no error";
}

/// A folder that is removed with its owner.
class TemporaryFolder {
public:
  TemporaryFolder() {
    EXPECT_FALSE(
        llvm::sys::fs::createUniqueDirectory("tcgemm-tuner-test", path));
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  std::string get(llvm::StringRef name) const {
    return (path + "/" + name).str();
  }

private:
  llvm::SmallString<128> path;
};

inline TuningProblem makeProblem(int64_t m, int64_t n, int64_t k) {
  return {KernelSpec(), {m, n, k, 1}, "test"};
}

/// Gives A, B and D of `problem` one type.
inline void setTypes(TuningProblem &problem, ScalarType type) {
  problem.kernel.typeA = problem.kernel.typeB = problem.kernel.output = type;
}

inline KernelConfig makeConfig(llvm::StringRef text) {
  KernelConfig config;
  EXPECT_EQ(getError(config.apply(text)), "no error");
  return config;
}

/// A success of `microseconds` on a made-up device.
inline Record makeRecord(const TuningProblem &problem, llvm::StringRef config,
                         double microseconds) {
  Record record;
  record.problem = problem;
  record.config = makeConfig(config);
  record.platform = {"sm_90a", "Test GPU", "CUDA driver 13.0", "13.0.88",
                     "0.1.0+test"};
  record.timing =
      summarizeSamples(TimingStage::Full, {microseconds, microseconds * 1.01,
                                           microseconds * 0.99});
  record.timestamp = 1700000000;
  return record;
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_TUNER_TUNERTESTUTILS_H
