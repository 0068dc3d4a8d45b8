//===- SpeedLimits.cpp - The speeds that a GPU does not exceed ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Model/SpeedLimits.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/YAMLDocument.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {

ArrayRef<LimitInfo> getLimitInfos() {
  static constexpr LimitInfo infos[] = {
      {"launch", "ns", 0, 1e6},
      {"copy_latency", "ns", 0, 1e6},
      {"epilogue", "ns", 0, 1e6},
      {"math_rate", "macs/ns", 0.01, 1e7},
      {"copy_rate", "bytes/ns", 0.01, 1e6},
      {"cache_rate", "bytes/ns", 0.01, 1e9},
      {"memory_rate", "bytes/ns", 0.01, 1e9},
      {"outside_row", "ns", 0, 1e6},
      {"cluster_processors", "count", 1, 4096},
  };
  static_assert(std::size(infos) == kNumSpeedLimits);
  return infos;
}

namespace {

/// A limit as the file has it.
struct FileLimit {
  double value = 0;
  std::string unit, source;
};

struct LimitsFile {
  SpeedLimits limits;
  std::vector<FileLimit> values =
      std::vector<FileLimit>(getLimitInfos().size());
};

} // namespace
} // namespace tcgemm

namespace llvm::yaml {
template <> struct MappingTraits<tcgemm::FileLimit> {
  static void mapping(IO &io, tcgemm::FileLimit &limit) {
    tcgemm::mapRequired(io, "value", limit.value, "unit", limit.unit, "source",
                        limit.source);
  }
};
/// The mapping below `limits`.
template <> struct MappingTraits<std::vector<tcgemm::FileLimit>> {
  static void mapping(IO &io, std::vector<tcgemm::FileLimit> &values) {
    for (auto [info, value] : zip_equal(tcgemm::getLimitInfos(), values))
      io.mapRequired(info.name.str().c_str(), value);
  }
};
template <> struct MappingTraits<tcgemm::LimitsFile> {
  static void mapping(IO &io, tcgemm::LimitsFile &file) {
    tcgemm::mapRequired(io, "name", file.limits.name, "chip", file.limits.chip,
                        "limits", file.values);
  }
};
} // namespace llvm::yaml

namespace tcgemm {

static std::string printNumber(double number) {
  std::string text;
  raw_string_ostream(text) << format("%g", number);
  return text;
}

/// The first rule that a limit breaks, as the end of an error; empty if none.
static std::string findFault(const LimitInfo &info, const FileLimit &limit) {
  if (limit.unit != info.unit)
    return formatv("has the unit '{0}', but it must be '{1}'", limit.unit,
                   info.unit);
  if (!(limit.value >= info.low && limit.value <= info.high))
    return formatv("= {0}, but it must be {1} to {2} {3}",
                   printNumber(limit.value), printNumber(info.low),
                   printNumber(info.high), info.unit);
  if (limit.source.empty())
    return "needs a source";
  return "";
}

Expected<SpeedLimits> parseSpeedLimits(StringRef text, StringRef fileName) {
  LimitsFile file;
  if (Error error = readYAML(text, fileName, file))
    return std::move(error);
  SpeedLimits &limits = file.limits;
  if (Expected<const ChipInfo &> chip = lookupChip(limits.chip); !chip)
    return createStringError(fileName + ": " + toString(chip.takeError()));
  if (limits.name.empty())
    return createStringError(fileName + ": name is empty");
  for (auto [info, read, value, source] :
       zip_equal(getLimitInfos(), file.values, limits.values, limits.sources)) {
    std::string fault = findFault(info, read);
    if (!fault.empty())
      return createStringError(fileName + ": " + info.name + " " + fault);
    value = read.value;
    source = read.source;
  }
  return std::move(limits);
}

} // namespace tcgemm
