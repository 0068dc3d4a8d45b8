//===- WorkShards.cpp - The shards of a command ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorkShards.h"
#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

std::string WorkShards::getGroupName(const TuningProblem &problem) const {
  if (!isCompilation)
    return problem.str();
  return getBuildKey(problem, KernelConfig(), platform.chip, /*isPTX=*/false)
      .kernel;
}

Error WorkShards::prepare() {
  Expected<const ChipInfo &> found = lookupChip(platform.chip);
  if (!found)
    return found.takeError();
  chip = &*found;
  Expected<SpacesByName> read = readSpacesByName(flags, inputs, *chip);
  if (!read)
    return read.takeError();
  spaces = std::move(*read);
  for (const auto &[names, list] : spaces)
    for (const Space &space : list)
      if (Expected<SearchSpace> bound =
              SearchSpace::create(space, *chip, inputs.problems.front());
          !bound)
        return bound.takeError();
  llvm::StringMap<size_t> byName;
  for (const TuningProblem &problem : inputs.problems) {
    auto [entry, isNew] =
        byName.try_emplace(getGroupName(problem), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[entry->second].problems.push_back(&problem);
  }
  return setKeys();
}

/// The configuration that records predict for a problem.
std::optional<KernelConfig>
WorkShards::getKnown(const TuningProblem &problem) const {
  if (!inputs.options.known)
    return std::nullopt;
  return inputs.options.known->lookup(
      {*chip, problem.getInfo(), problem.str(), /*overrides=*/""});
}

Error WorkShards::setKeys() {
  std::string common = getGeneratorVersion() + "\n" +
                       getPlatformText(platform) + "\n" +
                       std::to_string(flags.cluster.shardSize) + "\n" +
                       (isCompilation ? "compilation\n" : "candidates\n");
  for (const auto &[names, list] : spaces)
    for (const std::string &name : names) {
      Expected<std::string> space = readFileOrShipped(name, ".yaml");
      if (!space)
        return space.takeError();
      common += *space + "\n";
    }
  for (Group &group : groups) {
    std::string text = common;
    for (const TuningProblem *problem : group.problems) {
      text += problem->str() + "\n";
      if (std::optional<KernelConfig> known = getKnown(*problem))
        text += known->str() + "\n";
    }
    group.key = getSHA256(text).substr(0, 32);
  }
  return Error::success();
}

Error WorkShards::announce() {
  std::vector<std::string> keys;
  keys.reserve(groups.size());
  for (const Group &group : groups)
    keys.push_back(group.key);
  return folder.addCommand(keys);
}

Expected<std::unique_ptr<WorkShards>>
WorkShards::create(const Flags &flags, const TuneInputs &inputs,
                   WorkFolder &folder, const Platform &platform) {
  std::unique_ptr<WorkShards> made(
      new WorkShards(flags, inputs, folder, platform));
  if (Error error = made->prepare())
    return std::move(error);
  return std::move(made);
}

/// Sets the shards of a group with their candidates.
Error WorkShards::enumerate(size_t group) {
  if (group == current)
    return Error::success();
  std::vector<KernelConfig> configs;
  llvm::StringSet<> seen;
  auto add = [&](const KernelConfig &config) {
    if (seen.insert(config.str()).second)
      configs.push_back(config);
  };
  for (const TuningProblem *problem : groups[group].problems) {
    if (std::optional<KernelConfig> known = getKnown(*problem))
      add(*known);
    for (const Space &space :
         findSpaces(spaces, flags, inputs, *chip, *problem)) {
      Expected<SearchSpace> bound = SearchSpace::create(space, *chip, *problem);
      if (!bound)
        return bound.takeError();
      bound->forEachLegal([&](const SpacePoint &point) {
        add(bound->getConfig(point));
        return true;
      });
    }
  }
  const TuningProblem &first = *groups[group].problems.front();
  if (configs.empty())
    llvm::errs() << "tcgemm-tune: note: no configuration of the space is "
                    "legal for "
                 << first.str() << '\n';
  shards = makeShards(first, configs, platform, flags.cluster.shardSize);
  current = group;
  return Error::success();
}

Expected<std::vector<Shard>> WorkShards::getShards(size_t group) {
  const TuningProblem &problem = *groups[group].problems.front();
  Expected<std::optional<ShardList>> listed =
      folder.readList(groups[group].key);
  if (!listed)
    return listed.takeError();
  if (!*listed) {
    if (Error error = enumerate(group))
      return std::move(error);
    ShardList list{problem.str(), getPlatformText(platform), isCompilation, {}};
    for (const Shard &shard : shards)
      list.shards.push_back({shard.id, shard.configs.size()});
    if (Error error = folder.addList(groups[group].key, list))
      return std::move(error);
    *listed = std::move(list);
  }
  std::vector<Shard> own;
  for (const ShardList::Entry &entry : (*listed)->shards) {
    own.push_back({entry.id, problem, {}});
    numCandidates += entry.candidates;
  }
  return std::move(own);
}

Expected<std::vector<KernelConfig>> WorkShards::getConfigs(size_t group,
                                                           const Shard &shard) {
  if (Error error = enumerate(group))
    return std::move(error);
  auto found = llvm::find_if(
      shards, [&](const Shard &each) { return each.id == shard.id; });
  if (found != shards.end())
    return found->configs;
  return llvm::createStringError(
      "a list of the folder has shard " + shard.id + " of " +
      shard.problem.str() +
      ", which this task does not have; use another folder");
}
