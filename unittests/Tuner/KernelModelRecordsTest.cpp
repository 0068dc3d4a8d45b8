//===- KernelModelRecordsTest.cpp - The simulator and records ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Store/Shipped.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;
using llvm::cantFail;

namespace {

/// The logarithms of simulated over measured times of the shipped records that
/// the simulator describes.
std::vector<double> compareWithRecords(const Machine &machine) {
  const ChipInfo &chip = cantFail(lookupChip(machine.chip));
  std::vector<Record> records =
      cantFail(readRecords(TCGEMM_SOURCE_DIR "/tuning/nvidia-h200.jsonl"));
  std::vector<double> errors;
  for (const Record &record : records) {
    llvm::Expected<KernelPrediction> kernel =
        predictKernel(machine, chip, record.config, record.problem.getInfo());
    if (!kernel) {
      consumeError(kernel.takeError());
      continue;
    }
    double microseconds = double(kernel->getTotal()) * 1e-6;
    errors.push_back(std::log(microseconds / record.timing.median));
  }
  return errors;
}

/// The mean of the logarithms and their mean deviation from it.
std::pair<double, double> summarize(llvm::ArrayRef<double> errors) {
  double mean = 0, deviation = 0;
  for (double error : errors)
    mean += error / double(errors.size());
  for (double error : errors)
    deviation += std::abs(error - mean) / double(errors.size());
  return {mean, deviation};
}

TEST(KernelModelRecords, AreNearTheirSimulatedTimes) {
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Model/Inputs/fitted.machine.yaml");
  std::vector<double> errors = compareWithRecords(
      cantFail(parseMachine((*buffer)->getBuffer(), "fitted")));
  ASSERT_GT(errors.size(), 700u);
  auto [mean, deviation] = summarize(errors);
  // 1.02 and 0.095.
  EXPECT_NEAR(mean, 0, 0.05);
  EXPECT_LT(deviation, 0.11);
}

/// The shipped file may be calibrated again, so that the limits are wide.
TEST(KernelModelRecords, AreNearThoseOfTheShippedMachine) {
  std::vector<double> errors = compareWithRecords(cantFail(
      parseMachine(cantFail(readFileOrShipped("nvidia-h200", ".machine.yaml")),
                   "nvidia-h200")));
  ASSERT_GT(errors.size(), 700u);
  auto [mean, deviation] = summarize(errors);
  RecordProperty("geometric_mean", std::to_string(std::exp(mean)));
  RecordProperty("mean_deviation", std::to_string(deviation));
  EXPECT_NEAR(mean, 0, 0.4);
  EXPECT_LT(deviation, 0.3);
}

} // namespace
