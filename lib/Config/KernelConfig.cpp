//===- KernelConfig.cpp - Text and JSON of a configuration ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/KernelConfig.h"
#include "Common/ChangedParameters.h"

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Target/FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Texts and hashes of records must not change. So new parameters go to the end
/// of the list, and those behind the first ones are left out of text, JSON and
/// hash while they have their default value.
constexpr size_t kNumAlwaysWritten = 34;

/// Calls `visit(key, field…)` for each parameter, with the field of each of the
/// configurations: the one list of them.
template <typename Fn, typename... Configs>
void forEachFieldOf(Fn visit, Configs &...c) {
  visit("schedule", c.schedule...);
  visit("cta", c.cta...);
  visit("warps", c.warps...);
  visit("instruction", c.instruction...);
  visit("stages", c.stages...);
  visit("raster", c.raster...);
  visit("raster_group", c.rasterGroup...);
  visit("split_k", c.splitK...);
  visit("slice_order", c.sliceOrder...);
  visit("copy_a", c.copyA...);
  visit("copy_b", c.copyB...);
  visit("unaligned", c.unaligned...);
  visit("shared", c.mmaSync.shared...);
  visit("fragment_buffers", c.fragmentBuffers...);
  visit("spread_copies", c.spreadCopies...);
  visit("loads_first", c.loadsFirst...);
  visit("epilogue", c.epilogue...);
  visit("min_ctas", c.minCtas...);
  visit("max_registers", c.maxRegisters...);
  visit("epilogue_buffers", c.wgmma.epilogueBuffers...);
  visit("l2_promotion", c.wgmma.l2Promotion...);
  visit("cluster", c.wgmma.cluster...);
  visit("persistent", c.persistent...);
  visit("pingpong", c.wgmma.pingpong...);
  visit("swap_ab", c.swapAB...);
  visit("stage_inputs", c.wgmma.stageInputs...);
  visit("producer", c.wgmma.producer...);
  visit("tiles_per_cta", c.wmma.tilesPerCta...);
  visit("tile_order", c.tileOrder...);
  visit("stage_a", c.stageA...);
  visit("stage_b", c.stageB...);
  visit("threads", c.simt.threads...);
  visit("transpose_staging", c.simt.transposeStaging...);
  visit("dependent_launch", c.dependentLaunch...);
  visit("promote_sums", c.wgmma.promoteSums...);
  visit("math", c.gemv.math...);
  visit("row_copies_a", c.simt.rowCopiesA...);
  visit("row_copies_b", c.simt.rowCopiesB...);
  visit("loads", c.gemv.loads...);
  visit("dependent_steps", c.dependentSteps...);
  visit("representation", c.mmaSync.representation...);
  visit("early_inputs", c.earlyInputs...);
  visit("stream_epilogue", c.streamEpilogue...);
}

template <typename Config, typename Fn> void forEachField(Config &c, Fn visit) {
  forEachFieldOf(visit, c);
}

// The keywords of each enumeration, in the order of its values.
ArrayRef<StringLiteral> keywords(Schedule) {
  static constexpr StringLiteral names[] = {"mma_sync", "wgmma", "wmma",
                                            "simt",     "gemv",  "expand"};
  return names;
}
ArrayRef<StringLiteral> keywords(RasterOrder) {
  static constexpr StringLiteral names[] = {"along_m", "along_n", "diagonal"};
  return names;
}
ArrayRef<StringLiteral> keywords(TileOrder) {
  static constexpr StringLiteral names[] = {"sequential", "strided"};
  return names;
}
ArrayRef<StringLiteral> keywords(SliceOrder) {
  static constexpr StringLiteral names[] = {"outer", "inner"};
  return names;
}
ArrayRef<StringLiteral> keywords(SharedLayout) {
  static constexpr StringLiteral names[] = {"xor", "pad", "sectors"};
  return names;
}
ArrayRef<StringLiteral> keywords(UnalignedPath) {
  static constexpr StringLiteral names[] = {"pack", "copy_8", "copy_4",
                                            "registers"};
  return names;
}
ArrayRef<StringLiteral> keywords(EpilogueKind) {
  static constexpr StringLiteral names[] = {"direct", "staged", "tma"};
  return names;
}
ArrayRef<StringLiteral> keywords(ProducerKind) {
  static constexpr StringLiteral names[] = {"tma", "cp_async"};
  return names;
}
ArrayRef<StringLiteral> keywords(DotMath) {
  static constexpr StringLiteral names[] = {"fma", "mma"};
  return names;
}
ArrayRef<StringLiteral> keywords(DotLoads) {
  static constexpr StringLiteral names[] = {"registers", "shared"};
  return names;
}
ArrayRef<StringLiteral> keywords(RepresentationForm) {
  static constexpr StringLiteral names[] = {"fragments", "packed"};
  return names;
}

std::string print(int64_t value) { return std::to_string(value); }
std::string print(bool value) { return value ? "true" : "false"; }
std::string print(const std::array<int64_t, 3> &v) {
  return "[" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + "]";
}
template <typename E>
std::enable_if_t<std::is_enum_v<E>, std::string> print(E v) {
  return keywords(v)[static_cast<size_t>(v)].str();
}

Error parse(StringRef key, StringRef text, int64_t &value) {
  if (text.getAsInteger(10, value) || value < 0 || value > 1 << 20)
    return formatError(
        "config parameter '{0}': expected an integer from 0 to 1048576, "
        "but got '{1}'",
        key, text);
  return Error::success();
}

Error parse(StringRef key, StringRef text, bool &value) {
  if (text != "true" && text != "false")
    return formatError(
        "config parameter '{0}': expected true or false, but got '{1}'", key,
        text);
  value = text == "true";
  return Error::success();
}

Error parse(StringRef key, StringRef text, std::array<int64_t, 3> &value) {
  StringRef list = text;
  bool brackets = list.consume_front("[");
  SmallVector<StringRef, 3> parts;
  if (!brackets || list.consume_back("]"))
    list.split(parts, brackets ? ',' : 'x');
  if (parts.size() != 3)
    return formatError(
        "config parameter '{0}': expected three integers as [1, 2, 3] "
        "or 1x2x3, but got '{1}'",
        key, text);
  for (auto [part, element] : zip_equal(parts, value))
    if (Error failure = parse(key, part.trim(), element))
      return failure;
  return Error::success();
}

template <typename E>
std::enable_if_t<std::is_enum_v<E>, Error> parse(StringRef key, StringRef text,
                                                 E &v) {
  ArrayRef<StringLiteral> names = keywords(v);
  const auto *found = find(names, text);
  if (found == names.end())
    return formatError(
        "config parameter '{0}': expected one of {1}, but got '{2}'", key,
        join(names, ", "), text);
  v = static_cast<E>(found - names.begin());
  return Error::success();
}

} // namespace

StringRef getScheduleName(Schedule schedule) {
  return keywords(schedule)[static_cast<size_t>(schedule)];
}

int64_t KernelConfig::getNumThreads() const {
  ThreadCount count = getFamily(schedule).getThreadCount(*this);
  auto [x, y, z] = count.factors;
  return x * y * z * count.each + count.extra;
}

Error KernelConfig::set(StringRef key, StringRef value) {
  bool isKnown = false;
  Error result = Error::success();
  forEachField(*this, [&](StringRef name, auto &field) {
    if (name != key)
      return;
    isKnown = true;
    // A success needs no check before it is replaced, but LLVM asks for one.
    consumeError(std::move(result));
    result = parse(key, value.trim(), field);
  });
  if (isKnown)
    return result;
  consumeError(std::move(result));
  // Only now: a message takes longer than a parameter.
  return formatError("unknown config parameter '{0}'; expected one of {1}", key,
                     join(keys(), ", "));
}

Error KernelConfig::apply(StringRef text) {
  constexpr StringLiteral separators = ",; \t\n";
  SmallVector<StringRef> given;
  while (!(text = text.ltrim(separators)).empty()) {
    size_t equals = text.find('=');
    if (equals == StringRef::npos)
      return formatError("expected key=value in config text, but got '{0}'",
                         text);
    StringRef key = text.take_front(equals).trim();
    text = text.drop_front(equals + 1).ltrim();
    size_t end =
        text.starts_with("[") ? text.find(']') : text.find_first_of(separators);
    if (text.starts_with("[") && end != StringRef::npos)
      ++end;
    if (is_contained(given, key))
      return formatError("config text gives '{0}' twice", key);
    if (Error failure = set(key, text.take_front(end)))
      return failure;
    given.push_back(key);
    text = end == StringRef::npos ? StringRef() : text.drop_front(end);
  }
  if (!is_contained(given, "instruction"))
    getFamily(schedule).completeInstruction(*this);
  return Error::success();
}

/// The parameters that are written, with their values.
static SmallVector<std::pair<StringRef, std::string>>
getWritten(const KernelConfig &config) {
  SmallVector<std::pair<StringRef, std::string>> all;
  KernelConfig standard;
  size_t index = 0;
  forEachField(config, [&](StringRef key, const auto &field) {
    std::string text = print(field);
    if (index++ < kNumAlwaysWritten || text != standard.get(key))
      all.emplace_back(key, std::move(text));
  });
  return all;
}

std::string KernelConfig::str() const {
  return join(map_range(getWritten(*this),
                        [](const auto &entry) {
                          return (entry.first + " = " + entry.second).str();
                        }),
              ", ");
}

json::Object KernelConfig::toJSON() const {
  json::Object object;
  for (const auto &[key, text] : getWritten(*this))
    object[key] = text;
  return object;
}

Expected<KernelConfig> KernelConfig::fromJSON(const json::Object &object) {
  KernelConfig config;
  for (const auto &entry : object) {
    std::optional<StringRef> text = entry.second.getAsString();
    if (!text)
      return formatError("config parameter '{0}': expected a string",
                         entry.first.str());
    if (Error failure = config.set(entry.first, *text))
      return std::move(failure);
  }
  return config;
}

std::string KernelConfig::hash() const {
  return utohexstr(xxh3_64bits(str()), /*LowerCase=*/true, /*Width=*/16);
}

ArrayRef<StringRef> KernelConfig::keys() {
  static const SmallVector<StringRef> names = [] {
    SmallVector<StringRef> list;
    KernelConfig config;
    forEachField(config, [&](StringRef name, auto &) { list.push_back(name); });
    return list;
  }();
  return names;
}

SmallVector<StringRef> listChangedParameters(const KernelConfig &config) {
  static const KernelConfig standard;
  SmallVector<StringRef> changed;
  forEachFieldOf(
      [&](StringRef key, const auto &field, const auto &usual) {
        if (!(field == usual))
          changed.push_back(key);
      },
      config, standard);
  return changed;
}

/// The field with three integers of a configuration, which may be const.
template <typename Config>
static auto findTripleIn(Config &config, StringRef key) {
  using Triple = std::remove_reference_t<decltype((config.cta))>;
  Triple *found = nullptr;
  forEachField(config, [&](StringRef name, auto &field) {
    if constexpr (std::is_same_v<decltype(field), Triple &>)
      if (name == key)
        found = &field;
  });
  return found;
}

std::array<int64_t, 3> *KernelConfig::findTriple(StringRef key) {
  return findTripleIn(*this, key);
}

const std::array<int64_t, 3> *KernelConfig::findTriple(StringRef key) const {
  return findTripleIn(*this, key);
}

std::string KernelConfig::get(StringRef key) const {
  std::string text;
  forEachField(*this, [&](StringRef name, const auto &field) {
    if (name == key)
      text = print(field);
  });
  return text;
}

} // namespace tcgemm
