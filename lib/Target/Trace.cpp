//===- Trace.cpp - Events of a kernel's roles -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Trace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <set>

using namespace llvm;

namespace tcgemm {

/// The version of layouts that this code writes and reads.
static constexpr int32_t kTraceVersion = 1;
/// More roles than any program has.
static constexpr int64_t kMaxTraceRoles = 32;

ArrayRef<TraceEventInfo> getTraceEventInfos() {
  static constexpr TraceEventInfo infos[] = {
      {"role_begin", TraceScope::All},
      {"role_end", TraceScope::All},
      {"acquire_begin", TraceScope::Producers},
      {"acquire_end", TraceScope::Producers},
      {"commit", TraceScope::Producers},
      {"wait_begin", TraceScope::Consumers},
      {"wait_end", TraceScope::Consumers},
      {"release", TraceScope::Consumers},
      {"order_begin", TraceScope::Consumers},
      {"order_end", TraceScope::Consumers},
      {"reduce_begin", TraceScope::Consumers},
      {"reduce_end", TraceScope::Consumers},
      {"epilogue_begin", TraceScope::Consumers},
      {"epilogue_end", TraceScope::Consumers},
  };
  return infos;
}

std::optional<TraceEvent> findTraceEvent(StringRef name) {
  for (auto [i, info] : enumerate(getTraceEventInfos()))
    if (info.name == name)
      return static_cast<TraceEvent>(i);
  return std::nullopt;
}

ArrayRef<TraceSpanInfo> getTraceSpanInfos() {
  using E = TraceEvent;
  static constexpr TraceSpanInfo infos[] = {
      {E::AcquireBegin, E::AcquireEnd, "wait for an empty stage",
       /*isWait=*/true},
      {E::AcquireEnd, E::Commit, "copies of a stage"},
      {E::WaitBegin, E::WaitEnd, "wait for a full stage", /*isWait=*/true},
      {E::WaitEnd, E::Release, "products of a stage"},
      {E::OrderBegin, E::OrderEnd, "wait for the turn", /*isWait=*/true},
      {E::ReduceBegin, E::ReduceEnd, "sum over the cluster"},
      {E::EpilogueBegin, E::EpilogueEnd, "epilogue"},
  };
  return infos;
}

StringRef getTraceSpanName(TraceSpan span) {
  return getTraceSpanInfos()[static_cast<unsigned>(span)].name;
}

Error TraceOptions::check() const {
  if (ctas.empty() || ctas.size() > kMaxTraceCtas)
    return createStringError(
        formatv("a trace is of 1 to {0} CTAs, but {1} are given", kMaxTraceCtas,
                ctas.size()));
  std::set<int64_t> known;
  for (int64_t cta : ctas) {
    if (cta < std::numeric_limits<int32_t>::min() ||
        cta > std::numeric_limits<int32_t>::max())
      return createStringError(
          formatv("the CTA {0} of a trace is not from -2^31 to 2^31 - 1", cta));
    if (!known.insert(cta).second)
      return createStringError(
          formatv("the CTA {0} of a trace is given twice", cta));
  }
  if (events < 1 || events > kMaxTraceEvents)
    return createStringError(
        formatv("a trace has room for 1 to {0} events of a role, but {1} is "
                "given",
                kMaxTraceEvents, events));
  return Error::success();
}

std::vector<int32_t> TraceLayout::encode() const {
  std::vector<int32_t> words{kTraceVersion,
                             static_cast<int32_t>(options.events),
                             static_cast<int32_t>(options.ctas.size()),
                             static_cast<int32_t>(roles.size())};
  for (int64_t cta : options.ctas)
    words.push_back(static_cast<int32_t>(cta));
  for (const TraceRole &role : roles) {
    words.push_back(role.isProducer);
    words.push_back(role.firstWarp);
  }
  return words;
}

Expected<TraceLayout> TraceLayout::decode(ArrayRef<int32_t> words) {
  constexpr size_t fixedWords = 4;
  if (words.size() < fixedWords || words[0] != kTraceVersion)
    return createStringError(
        formatv("the layout of the trace has version {0}, but this program "
                "reads version {1}",
                words.empty() ? 0 : words[0], kTraceVersion));
  TraceLayout layout;
  layout.options.events = words[1];
  int64_t ctas = words[2], roles = words[3];
  if (ctas < 0 || ctas > int64_t(kMaxTraceCtas) || roles < 1 ||
      roles > kMaxTraceRoles ||
      words.size() != fixedWords + size_t(ctas + 2 * roles))
    return createStringError(
        formatv("the layout of the trace has {0} CTAs and {1} roles in {2} "
                "words",
                ctas, roles, words.size()));
  ArrayRef<int32_t> rest = words.drop_front(fixedWords);
  layout.options.ctas.assign(rest.begin(), rest.begin() + ctas);
  for (int64_t i = 0; i < roles; ++i)
    layout.roles.push_back({rest[ctas + 2 * i] != 0, rest[ctas + 2 * i + 1]});
  if (Error error = layout.options.check())
    return std::move(error);
  return std::move(layout);
}

std::string getTraceVariable(StringRef program) {
  return (program + "_trace").str();
}

std::string getTraceLayoutVariable(StringRef program) {
  return (program + "_trace_layout").str();
}

} // namespace tcgemm
