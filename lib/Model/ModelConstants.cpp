//===- ModelConstants.cpp - Constants of the model in files ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/YAMLDocument.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {

ArrayRef<ConstantInfo> getConstantInfos() {
  using C = ScheduleConstants;
  static constexpr ConstantInfo infos[] = {
      {"launch", &C::launch},
      {"prologue", &C::prologue},
      {"tensor_rate", &C::tensorRate},
      {"least_columns", &C::leastColumns},
      {"shared_rate", &C::sharedRate},
      {"fragment_rate", &C::fragmentRate},
      {"l2_rate", &C::l2Rate},
      {"neighbour_part", &C::neighbourPart},
      {"outside", &C::outside},
      {"latency", &C::latency},
      {"held", &C::held},
      {"per_stage", &C::perStage},
      {"per_cluster", &C::perCluster},
      {"per_warpgroup", &C::perWarpgroup},
      {"cluster_launch", &C::clusterLaunch},
      {"quad_part", &C::quadPart},
      {"per_tile", &C::perTile},
      {"tma_rate", &C::tmaRate},
      {"staged_rate", &C::stagedRate},
      {"element_rate", &C::elementRate},
      {"row_rate", &C::rowRate},
      {"column_rate", &C::columnRate},
      {"exposed_persistent", &C::exposedPersistent},
      {"exposed_pingpong", &C::exposedPingpong},
      {"dram_rate", &C::dramRate},
      {"loaded_rate", &C::loadedRate},
      {"loaded_dram_rate", &C::loadedDramRate},
      {"partial", &C::partial},
      {"sharpness", &C::sharpness},
      {"reduce_launch", &C::reduceLaunch},
      {"reduce_rate", &C::reduceRate},
      {"exchange", &C::exchange},
      {"exchange_rate", &C::exchangeRate},
      {"pack_launch", &C::packLaunch},
      {"pack_rate", &C::packRate},
  };
  return infos;
}

ModelConstants::ModelConstants() {
  for (const ScheduleFamily *family : getFittedFamilies())
    schedules.try_emplace(family->getSchedule());
}

const ScheduleConstants *ModelConstants::find(Schedule schedule) const {
  auto found = schedules.find(schedule);
  return found == schedules.end() ? nullptr : &found->second;
}

} // namespace tcgemm

namespace llvm::yaml {
template <> struct MappingTraits<tcgemm::ScheduleConstants> {
  static void mapping(IO &io, tcgemm::ScheduleConstants &constants) {
    for (const tcgemm::ConstantInfo &info : tcgemm::getConstantInfos())
      io.mapRequired(info.name.str().c_str(), constants.*info.member);
  }
  static std::string validate(IO &, tcgemm::ScheduleConstants &constants) {
    for (const tcgemm::ConstantInfo &info : tcgemm::getConstantInfos())
      if (double value = constants.*info.member; !(value > 0 && value < 1e12))
        return (info.name + " must be above 0 and below 1e12").str();
    return "";
  }
};
template <> struct MappingTraits<tcgemm::ModelConstants> {
  static void mapping(IO &io, tcgemm::ModelConstants &constants) {
    io.mapRequired("chip", constants.chip);
    for (const tcgemm::ScheduleFamily *family : tcgemm::getFittedFamilies()) {
      std::string name = getScheduleName(family->getSchedule()).str();
      io.mapRequired(name.c_str(), constants.schedules[family->getSchedule()]);
    }
  }
};
} // namespace llvm::yaml

namespace tcgemm {

Expected<ModelConstants> parseModelConstants(StringRef text,
                                             StringRef fileName) {
  ModelConstants constants;
  if (Error error = readYAML(text, fileName, constants))
    return std::move(error);
  if (Expected<const ChipInfo &> chip = lookupChip(constants.chip); !chip)
    return createStringError(fileName + ": " + toString(chip.takeError()));
  return constants;
}

void writeModelConstants(const ModelConstants &constants, raw_ostream &out) {
  out << "chip: " << constants.chip << '\n';
  for (const ScheduleFamily *family : getFittedFamilies()) {
    out << getScheduleName(family->getSchedule()) << ":\n";
    const ScheduleConstants *own = constants.find(family->getSchedule());
    for (const ConstantInfo &info : getConstantInfos())
      out << "  " << info.name << ": " << format("%.4g", own->*info.member)
          << '\n';
  }
}

} // namespace tcgemm
