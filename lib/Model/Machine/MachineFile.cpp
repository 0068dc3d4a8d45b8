//===- MachineFile.cpp - Machine files ------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/Machine.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/YAMLDocument.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/YAMLParser.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

/// A quantity as the file has it.
struct FileValue {
  bool isThere = false;
  double value = 0;
  std::string unit, source, command;
  std::vector<double> interval;
};

struct MachineFile {
  Machine machine;
  std::vector<FileValue> values =
      std::vector<FileValue>(getQuantityInfos().size());
};

} // namespace
} // namespace tcgemm

namespace llvm::yaml {
template <> struct MappingTraits<tcgemm::FileValue> {
  static void mapping(IO &io, tcgemm::FileValue &value) {
    value.isThere = true;
    tcgemm::mapRequired(io, "value", value.value, "unit", value.unit);
    tcgemm::mapOptional(io, "interval", value.interval, "source", value.source,
                        "command", value.command);
  }
};
template <> struct MappingTraits<tcgemm::MachineOrigin> {
  static void mapping(IO &io, tcgemm::MachineOrigin &origin) {
    tcgemm::mapRequired(io, "date", origin.date, "driver", origin.driver,
                        "tcgemm", origin.tool, "command", origin.command,
                        "rounds", origin.rounds, "timer_step_ns",
                        origin.timerStep, "event_step_ns", origin.eventStep);
  }
};
/// The mapping below `quantities`.
template <> struct MappingTraits<std::vector<tcgemm::FileValue>> {
  static void mapping(IO &io, std::vector<tcgemm::FileValue> &values) {
    for (auto [info, value] : zip_equal(tcgemm::getQuantityInfos(), values)) {
      std::string name = info.name.str();
      if (info.isOptional())
        io.mapOptional(name.c_str(), value);
      else
        io.mapRequired(name.c_str(), value);
    }
  }
};
template <> struct MappingTraits<tcgemm::MachineFile> {
  static void mapping(IO &io, tcgemm::MachineFile &file) {
    tcgemm::mapRequired(io, "name", file.machine.name, "chip",
                        file.machine.chip, "calibrated",
                        file.machine.isCalibrated, "quantities", file.values);
    tcgemm::mapOptional(io, "measured", file.machine.origin);
  }
};
} // namespace llvm::yaml

namespace tcgemm {

/// The shortest text that is read as the same number.
static std::string printNumber(double number) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text.clear();
    raw_string_ostream(text) << format("%.*g", digits, number);
    if (std::strtod(text.c_str(), nullptr) == number)
      break;
  }
  return text;
}

/// The first rule that a quantity breaks, as the end of an error; empty if
/// none.
static std::string findFault(const QuantityInfo &info, const FileValue &value,
                             bool isCalibrated) {
  if (value.unit != info.unit)
    return formatv("has the unit '{0}', but it must be '{1}'", value.unit,
                   info.unit);
  auto isInRange = [&](double number) {
    return number >= info.low && number <= info.high;
  };
  std::string number = printNumber(value.value);
  std::string range = formatv("{0} to {1} {2}", printNumber(info.low),
                              printNumber(info.high), info.unit);
  if (!isInRange(value.value))
    return formatv("= {0}, but it must be {1}", number, range);
  if (info.isWhole && value.value != std::floor(value.value))
    return formatv("= {0}, but it must be a whole number", number);
  ArrayRef<double> interval = value.interval;
  if (!interval.empty() && interval.size() != 2)
    return formatv("has an interval of {0} numbers, but it must have 2",
                   interval.size());
  if (!interval.empty() &&
      !(interval[0] <= value.value && value.value <= interval[1] &&
        isInRange(interval[0]) && isInRange(interval[1])))
    return formatv("= {0} has the interval [{1}, {2}], but an interval must "
                   "contain the value and lie within {3}",
                   number, printNumber(interval[0]), printNumber(interval[1]),
                   range);
  if (isCalibrated && (interval.empty() || value.command.empty()))
    return "needs an interval and a command, because the machine is "
           "calibrated";
  if (value.source.empty() && value.command.empty())
    return "needs a source or a command";
  return "";
}

/// The first rule that the origin breaks, as the end of an error; empty if
/// none.
static std::string findFault(const MachineOrigin &origin) {
  constexpr int64_t mostRounds = 1'000'000;
  constexpr double mostStep = 1e9;
  for (auto [key, text] : {std::pair("date", StringRef(origin.date)),
                           std::pair("driver", StringRef(origin.driver)),
                           std::pair("tcgemm", StringRef(origin.tool)),
                           std::pair("command", StringRef(origin.command))})
    if (text.empty())
      return formatv("{0} is empty", key);
  if (origin.rounds < 1 || origin.rounds > mostRounds)
    return formatv("rounds = {0}, but it must be 1 to {1}", origin.rounds,
                   mostRounds);
  for (auto [key, step] : {std::pair("timer_step_ns", origin.timerStep),
                           std::pair("event_step_ns", origin.eventStep)})
    if (!(step >= 0 && step <= mostStep))
      return formatv("{0} = {1}, but it must be 0 to {2}", key,
                     printNumber(step), printNumber(mostStep));
  return "";
}

/// The value of a quantity that the file does not have.
static MachineValue replaceAbsent(const Machine &machine,
                                  const QuantityInfo &info) {
  MachineValue result;
  if (info.standIn) {
    result = machine.values[size_t(*info.standIn)];
    result.source = ("not in the file; as " +
                     getQuantityInfos()[size_t(*info.standIn)].name)
                        .str();
    return result;
  }
  result.value = *info.neutral;
  result.source = "not in the file; without effect";
  return result;
}

static MachineValue convert(const FileValue &value) {
  MachineValue result;
  result.value = value.value;
  if (!value.interval.empty())
    result.interval = {value.interval[0], value.interval[1]};
  result.source = value.source;
  result.command = value.command;
  return result;
}

Expected<Machine> parseMachine(StringRef text, StringRef fileName) {
  MachineFile file;
  if (Error error = readYAML(text, fileName, file))
    return std::move(error);
  Machine &machine = file.machine;
  if (Expected<const ChipInfo &> chip = lookupChip(machine.chip); !chip)
    return createStringError(fileName + ": " + toString(chip.takeError()));
  if (machine.name.empty())
    return createStringError(fileName + ": name is empty");
  if (machine.origin)
    if (std::string fault = findFault(*machine.origin); !fault.empty())
      return createStringError(fileName + ": measured: " + fault);
  for (auto [info, value, result] :
       zip_equal(getQuantityInfos(), file.values, machine.values)) {
    if (info.isOptional() && !value.isThere) {
      result = replaceAbsent(machine, info);
      continue;
    }
    std::string fault = findFault(info, value, machine.isCalibrated);
    if (!fault.empty())
      return createStringError(fileName + ": " + info.name + " " + fault);
    result = convert(value);
  }
  double highest = machine.get(Quantity::Clock);
  for (Quantity quantity : {Quantity::LoadedClock, Quantity::BusyClock})
    if (double clock = machine.get(quantity); clock > highest)
      return createStringError(
          fileName +
          formatv(": {0} = {1} GHz, but it must be at most clock = {2} GHz",
                  getQuantityInfos()[size_t(quantity)].name, printNumber(clock),
                  printNumber(highest))
              .str());
  return std::move(machine);
}

static std::string quote(StringRef text) {
  return '"' + yaml::escape(text) + '"';
}

static void writeOrigin(const MachineOrigin &origin, raw_ostream &out) {
  out << "measured:\n  date: " << quote(origin.date)
      << "\n  driver: " << quote(origin.driver)
      << "\n  tcgemm: " << quote(origin.tool)
      << "\n  command: " << quote(origin.command)
      << "\n  rounds: " << origin.rounds
      << "\n  timer_step_ns: " << printNumber(origin.timerStep)
      << "\n  event_step_ns: " << printNumber(origin.eventStep) << '\n';
}

void writeMachine(const Machine &machine, raw_ostream &out) {
  out << "name: " << quote(machine.name) << "\nchip: " << machine.chip
      << "\ncalibrated: " << (machine.isCalibrated ? "true" : "false") << '\n';
  if (machine.origin)
    writeOrigin(*machine.origin, out);
  out << "quantities:\n";
  for (auto [info, value] : zip_equal(getQuantityInfos(), machine.values)) {
    out << "  " << info.name << ":\n    value: " << printNumber(value.value)
        << "\n    unit: " << info.unit << '\n';
    if (value.interval)
      out << "    interval: [" << printNumber((*value.interval)[0]) << ", "
          << printNumber((*value.interval)[1]) << "]\n";
    for (auto [key, text] : {std::pair("source", StringRef(value.source)),
                             std::pair("command", StringRef(value.command))})
      if (!text.empty())
        out << "    " << key << ": " << quote(text) << '\n';
  }
}

} // namespace tcgemm
