//===- GroupedTest.h - A fixture of grouped products ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_LIBRARY_GROUPEDTEST_H
#define TCGEMM_UNITTESTS_LIBRARY_GROUPEDTEST_H

#include "LibraryTest.h"

#include "gmock/gmock.h"

namespace tcgemm {

class GroupedTest : public LibraryTest {
protected:
  /// The caller destroys the plan.
  tcgemmPlan_t makePlan(const tcgemmGroupedDesc &desc) {
    tcgemmPlan_t plan = nullptr;
    EXPECT_OK(tcgemmPlanGrouped(handle, &desc, &plan));
    return plan;
  }
  /// The operands of a run. The caller adds scales and those of the epilogue.
  static tcgemmOperands fill(const DeviceMemory &a, const DeviceMemory &b,
                             const DeviceMemory &offsets,
                             const DeviceMemory &d) {
    tcgemmOperands operands;
    EXPECT_OK(tcgemmOperandsInit(&operands));
    operands.a = a.get(), operands.b = b.get(), operands.d = d.get();
    operands.offsets = offsets.get();
    return operands;
  }
  /// Runs a plan that needs no workspace. `message` is that of an error.
  void run(tcgemmPlan_t plan, const tcgemmOperands &operands,
           tcgemmStatus status = TCGEMM_SUCCESS,
           const std::string &message = "") {
    EXPECT_EQ(tcgemmRunOperands(plan, &operands, nullptr, 0, nullptr), status)
        << getMessage();
    if (status != TCGEMM_SUCCESS)
      EXPECT_EQ(getMessage(), message);
  }
  void expectRefused(const tcgemmGroupedDesc &desc, tcgemmStatus status,
                     const testing::Matcher<std::string> &message) {
    tcgemmPlan_t plan = nullptr;
    EXPECT_EQ(tcgemmPlanGrouped(handle, &desc, &plan), status);
    EXPECT_THAT(std::string(getMessage()), message);
    EXPECT_EQ(plan, nullptr);
  }
};

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_LIBRARY_GROUPEDTEST_H
