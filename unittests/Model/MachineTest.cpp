//===- MachineTest.cpp - Tests of machine files -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tcgemm;
using llvm::cantFail;
using llvm::StringRef;

namespace {

std::string readText() {
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Model/Inputs/fitted.machine.yaml");
  return (*buffer)->getBuffer().str();
}

/// The error after `from` is replaced by `to`.
std::string getError(StringRef from, StringRef to) {
  std::string text = readText();
  size_t position = text.find(from.str());
  EXPECT_NE(position, std::string::npos) << from.str();
  text.replace(position, from.size(), to.str());
  llvm::Expected<Machine> machine = parseMachine(text, "m.yaml");
  EXPECT_FALSE(bool(machine)) << to.str();
  return machine ? "" : toString(machine.takeError());
}

TEST(Machine, EveryValueHasASource) {
  Machine machine = cantFail(parseMachine(readText(), "h200"));
  EXPECT_EQ(machine.chip, "sm_90a");
  EXPECT_FALSE(machine.isCalibrated);
  for (const MachineValue &value : machine.values)
    EXPECT_FALSE(value.source.empty());
}

/// The file is older than the last quantities.
TEST(Machine, QuantitiesStandInForThoseThatAreNotThere) {
  Machine machine = cantFail(parseMachine(readText(), "h200"));
  auto get = [&](Quantity quantity) { return machine.get(quantity); };
  EXPECT_EQ(get(Quantity::MemoryLatency), get(Quantity::CopyLatency));
  EXPECT_EQ(get(Quantity::ClusterLaunch), get(Quantity::Launch));
  EXPECT_EQ(get(Quantity::ExchangeStartup), get(Quantity::SlotRelease));
  EXPECT_EQ(get(Quantity::ExchangeRate), get(Quantity::CopyRate));
  EXPECT_EQ(get(Quantity::ColumnRate), get(Quantity::EpilogueRate));
  EXPECT_EQ(machine.values[size_t(Quantity::MemoryLatency)].source,
            "not in the file; as copy_latency");
  EXPECT_EQ(get(Quantity::LastStoreRate), get(Quantity::EpilogueRate));
  EXPECT_EQ(get(Quantity::MemoryStoreRate), get(Quantity::MemoryRate));
  EXPECT_EQ(get(Quantity::UnsharedRate), get(Quantity::CacheRate));
  EXPECT_EQ(get(Quantity::ClusterProcessors), get(Quantity::Processors));
  // Others have no effect then.
  EXPECT_EQ(get(Quantity::CtaLaunch), 0);
  EXPECT_EQ(get(Quantity::OutsideRow), 0);
  EXPECT_EQ(machine.values[size_t(Quantity::OutsideRow)].source,
            "not in the file; without effect");
  machine = cantFail(parseMachine(
      readText() +
          "  row_rate:\n    value: 7\n    unit: bytes/ns\n    source: s\n",
      "h200"));
  EXPECT_EQ(get(Quantity::RowRate), 7);
  EXPECT_EQ(get(Quantity::ColumnRate), get(Quantity::EpilogueRate));
  // One that is there obeys the rules.
  llvm::Expected<Machine> bad = parseMachine(
      readText() + "  row_rate:\n    value: 7\n    unit: ''\n", "m.yaml");
  ASSERT_FALSE(bool(bad));
  EXPECT_EQ(toString(bad.takeError()), "m.yaml: row_rate has the unit '', but "
                                       "it must be 'bytes/ns'");
  for (const QuantityInfo &info : getQuantityInfos())
    if (info.standIn)
      EXPECT_LT(&getQuantityInfos()[size_t(*info.standIn)], &info);
}

TEST(Machine, IsTheSameAfterWritingAndReading) {
  Machine machine = cantFail(parseMachine(readText(), "h200"));
  machine.name = "a \"b\" \\ c";
  machine.isCalibrated = true;
  machine.origin = {"2026-11-25", "CUDA \"13\"", "0.1.0+12", "calibrate # x",
                    21,           31.25,         0.5};
  for (auto [index, value] : llvm::enumerate(machine.values)) {
    // Whole processors; clocks that fall.
    value.value =
        getQuantityInfos()[index].isWhole ? 7 : 10 - double(index) / 4;
    value.interval = {value.value - 0.125, value.value + 1e-3};
    value.command = "tcgemm-tune calibrate # \"" + std::to_string(index) + '"';
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  writeMachine(machine, out);
  Machine read = cantFail(parseMachine(text, "written"));
  EXPECT_EQ(read.name, machine.name);
  EXPECT_TRUE(read.isCalibrated);
  ASSERT_TRUE(read.origin);
  EXPECT_EQ(read.origin->date, machine.origin->date);
  EXPECT_EQ(read.origin->driver, machine.origin->driver);
  EXPECT_EQ(read.origin->tool, machine.origin->tool);
  EXPECT_EQ(read.origin->command, machine.origin->command);
  EXPECT_EQ(read.origin->rounds, 21);
  EXPECT_EQ(read.origin->timerStep, 31.25);
  EXPECT_EQ(read.origin->eventStep, 0.5);
  for (auto [value, expected] : llvm::zip_equal(read.values, machine.values)) {
    EXPECT_EQ(value.value, expected.value);
    EXPECT_EQ(value.interval, expected.interval);
    EXPECT_EQ(value.source, expected.source);
    EXPECT_EQ(value.command, expected.command);
  }
}

TEST(Machine, RefusesBadFiles) {
  EXPECT_EQ(getError("value: 132", "value: 132.5"),
            "m.yaml: processors = 132.5, but it must be a whole number");
  EXPECT_EQ(getError("value: 132", "value: 0"),
            "m.yaml: processors = 0, but it must be 1 to 4096 count");
  EXPECT_EQ(getError("value: 112", "value: nan"),
            "m.yaml: copy_rate = nan, but it must be 0.01 to 1e+06 bytes/ns");
  EXPECT_EQ(getError("unit: macs/ns", "unit: flop/ns"),
            "m.yaml: math_rate has the unit 'flop/ns', but it must be "
            "'macs/ns'");
  EXPECT_EQ(getError("unit: count", "unit: count\n    interval: [1]"),
            "m.yaml: processors has an interval of 1 numbers, but it must "
            "have 2");
  EXPECT_EQ(getError("unit: count", "unit: count\n    interval: [1, 131]"),
            "m.yaml: processors = 132 has the interval [1, 131], but an "
            "interval must contain the value and lie within 1 to 4096 count");
  EXPECT_EQ(getError("source: \"datasheet\"", "source: \"\""),
            "m.yaml: processors needs a source or a command");
  EXPECT_EQ(getError("calibrated: false", "calibrated: true"),
            "m.yaml: processors needs an interval and a command, because the "
            "machine is calibrated");
  EXPECT_EQ(getError("value: 1.62", "value: 1.99"),
            "m.yaml: loaded_clock = 1.99 GHz, but it must be at most clock = "
            "1.98 GHz");
  EXPECT_EQ(getError("quantities:",
                     "quantities:\n  busy_clock:\n    value: 1.99\n"
                     "    unit: GHz\n    source: x"),
            "m.yaml: busy_clock = 1.99 GHz, but it must be at most clock = "
            "1.98 GHz");
  EXPECT_EQ(getError("\"NVIDIA H200\"", "\"\""), "m.yaml: name is empty");
  auto getOriginError = [](StringRef date, StringRef rounds, StringRef step) {
    return getError(
        "quantities:",
        ("measured:\n  date: \"" + date + "\"\n  driver: d\n  tcgemm: t\n" +
         "  command: c\n  rounds: " + rounds + "\n  timer_step_ns: " + step +
         "\n  event_step_ns: 1\nquantities:")
            .str());
  };
  EXPECT_EQ(getOriginError("", "3", "1"), "m.yaml: measured: date is empty");
  EXPECT_EQ(getOriginError("d", "0", "1"),
            "m.yaml: measured: rounds = 0, but it must be 1 to 1000000");
  EXPECT_EQ(getOriginError("d", "3", "nan"),
            "m.yaml: measured: timer_step_ns = nan, but it must be 0 to 1e+09");
  EXPECT_NE(getOriginError("d", "many", "1").find("m.yaml:"),
            std::string::npos);
  EXPECT_NE(getError("quantities:", "measured: {date: d}\nquantities:")
                .find("missing required key 'driver'"),
            std::string::npos);
  EXPECT_NE(getError("sm_90a", "sm_1").find("m.yaml: "), std::string::npos);
  EXPECT_NE(getError("launch:", "lunch:").find("missing required key"),
            std::string::npos);
  EXPECT_EQ(getError("unit: count", "unit: count\n    other: 1"),
            "m.yaml:11:5: unknown key 'other'");
}

TEST(Machine, TimesAreStartupsAndSizesOverRates) {
  Machine machine;
  auto set = [&](Quantity quantity, double value) {
    machine.values[size_t(quantity)].value = value;
  };
  set(Quantity::Processors, 10);
  set(Quantity::Launch, 1680);
  set(Quantity::CopyStartup, 770);
  set(Quantity::CopyRate, 16);
  set(Quantity::CacheRate, 80);
  set(Quantity::MathStartup, 0.5);
  set(Quantity::MathRate, 1000);
  set(Quantity::EpilogueStartup, 1543);
  set(Quantity::EpilogueRate, 4);
  set(Quantity::ReductionLaunch, 100);
  set(Quantity::ReductionRate, 2);
  // The cache gives 8 bytes a nanosecond to each of 10 multiprocessors.
  EXPECT_EQ(getCopyTime(machine, 128, 32, 16),
            770'000 + 128 * 32 * 2 * 1000 / 8);
  EXPECT_EQ(getCopyTime(machine, 128, 32, 16, 2),
            770'000 + 128 * 32 * 2 * 1000 / 16);
  // Four CTAs read a quarter each, but each of them receives all.
  EXPECT_EQ(getCopyTime(machine, 128, 32, 16, 4),
            770'000 + 128 * 32 * 2 * 1000 / 16);
  EXPECT_EQ(getCopyTime(machine, 128, 32, 4), 770'000 + 128 * 16 * 1000 / 8);
  EXPECT_EQ(getMathTime(machine, {128, 64, 32}, 16), 500 + 128 * 64 * 32);
  EXPECT_EQ(getMathTime(machine, {128, 64, 32}, 8), 500 + 128 * 64 * 32 / 2);
  EXPECT_EQ(getEpilogueTime(machine, 1000), 1'543'000 + 250'000);
  EXPECT_EQ(getReductionTime(machine, 1000), 100'000 + 500'000);
  EXPECT_EQ(getLaunchTime(machine), 1'680'000);
  // Without the power limit, products of all are as fast as at `busy_clock`.
  set(Quantity::Clock, 2);
  set(Quantity::LoadedClock, 1.6);
  set(Quantity::BusyClock, 1.8);
  Machine rested = getRested(machine);
  EXPECT_EQ(rested.get(Quantity::LoadedClock), 1.8);
  EXPECT_DOUBLE_EQ(rested.get(Quantity::MathRate), 1125);
  // The power limit makes nothing faster.
  set(Quantity::BusyClock, 1.5);
  EXPECT_EQ(getRested(machine).get(Quantity::LoadedClock), 1.6);
  EXPECT_EQ(rested.get(Quantity::CopyRate), 16);
  // What is longer than the simulator's limit is refused by it.
  int64_t most = int64_t(1) << 30;
  EXPECT_GT(getMathTime(machine, {most, most, most}, 64), kMaxRingTime);
}

} // namespace
