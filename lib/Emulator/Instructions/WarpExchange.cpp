//===- WarpExchange.cpp - shfl, vote, match, redux ------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/WarpSync.h"
#include "Machine/Block.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace tcgemm::emu;
using tcgemm::ptx::Operand;
using tcgemm::ptx::Type;

/// The member mask, an instruction's last operand.
static void decodeMembers(Decoder &d, unsigned index) {
  d.src(index, Type::B32);
}

/// Fails for forms without `.sync`, which need targets before sm_70.
static bool expectSync(Decoder &d, Modifiers &mods) {
  if (mods.take("sync"))
    return true;
  d.fail("this needs '.sync'");
  return false;
}

//===----------------------------------------------------------------------===//
// shfl
//===----------------------------------------------------------------------===//

namespace {

enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };

struct Choice {
  unsigned lane;
  bool isInRange;
};

} // namespace

/// The lane whose value `lane` gets: itself if the source is out of its
/// segment.
template <ShuffleMode mode>
static Choice chooseLane(unsigned lane, uint32_t b, uint32_t c) {
  b &= 31;
  uint32_t segment = c >> 8 & 31;
  int64_t first = lane & segment;
  int64_t last = first | (c & 31 & ~segment);
  int64_t from = lane;
  if constexpr (mode == ShuffleMode::Up)
    from -= b;
  else if constexpr (mode == ShuffleMode::Down)
    from += b;
  else if constexpr (mode == ShuffleMode::Bfly)
    from ^= b;
  else
    from = first | (b & ~segment);
  // For .up the clamp is a lower bound.
  bool isInRange = mode == ShuffleMode::Up ? from >= last : from <= last;
  return {isInRange ? unsigned(from) : lane, isInRange};
}

/// Operands: d, p, a, b, c, members.
template <ShuffleMode mode>
static Outcome runShuffle(Warp &warp, const Instruction &inst) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.operands[2]);
  const uint32_t *b = warp.lanes<uint32_t>(inst.operands[3]);
  const uint32_t *c = warp.lanes<uint32_t>(inst.operands[4]);
  uint32_t result[kWarpSize];
  uint32_t inRange = 0, undefined = 0;
  forEachGroup(warp, inst.operands[5], [&](uint32_t, uint32_t lanes) {
    forEachLane(lanes, [&](unsigned lane) {
      Choice choice = chooseLane<mode>(lane, b[lane], c[lane]);
      inRange |= uint32_t(choice.isInRange) << lane;
      uint32_t known = lanes & warp.definedness.getExchanged();
      undefined |= uint32_t(!(known >> choice.lane & 1)) << lane;
      result[lane] = a[choice.lane];
    });
  });
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = result[lane]; });
  warp.setMask(inst.operands[1], inRange);
  // Reductions of a part of a warp read lanes beyond it and ignore the values.
  // So only a use of the value is a defect.
  if (undefined)
    warp.definedness.markUndefined(inst.operands[0], undefined,
                                   UndefinedOrigin{&inst});
  return Outcome::Next;
}

/// Appends `d|p`, or d and something to write p to.
static void decodePair(Decoder &d, Type type) {
  const Operand &result = d.operand(0);
  static const Operand sink;
  bool isPair = result.kind == Operand::Kind::Pair;
  d.dst(isPair ? result.elements[0] : result, type);
  d.dst(isPair ? result.elements[1] : sink, Type::Pred);
}

static void decodeShuffle(Decoder &d, Modifiers &mods) {
  static constexpr Handler kHandlers[] = {
      runShuffle<ShuffleMode::Up>, runShuffle<ShuffleMode::Down>,
      runShuffle<ShuffleMode::Bfly>, runShuffle<ShuffleMode::Idx>};
  if (!expectSync(d, mods))
    return;
  std::optional<unsigned> mode = mods.takeOneOf({"up", "down", "bfly", "idx"});
  if (!mode || !mods.take("b32"))
    return d.fail("shfl.sync needs a mode and '.b32'");
  if (!d.expectOperands(5))
    return;
  decodePair(d, Type::B32);
  for (unsigned i = 1; i != 4; ++i)
    d.src(i, Type::B32);
  decodeMembers(d, 4);
  const auto &operands = d.code->operands;
  auto isA = [&](const Slot &slot) { return slot.id == operands[2].id; };
  // Each lane uses its own b, c and members.
  if (llvm::none_of(llvm::drop_begin(operands, 3), isA))
    d.code->exchanged = operands[2].id;
  d.code->run = kHandlers[*mode];
}

//===----------------------------------------------------------------------===//
// vote, match, redux, elect, activemask
//===----------------------------------------------------------------------===//

namespace {
enum class Vote : uint8_t { All, Any, Uni, Ballot };
} // namespace

/// Operands: d, a, members.
template <Vote vote>
static Outcome runVote(Warp &warp, const Instruction &inst) {
  uint32_t holds = warp.mask(inst.operands[1]);
  uint32_t result = 0;
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  forEachGroup(warp, inst.operands[2], [&](uint32_t, uint32_t lanes) {
    uint32_t ballot = holds & lanes;
    if constexpr (vote == Vote::Ballot)
      forEachLane(lanes, [&](unsigned lane) { d[lane] = ballot; });
    else if (vote == Vote::All   ? ballot == lanes
             : vote == Vote::Any ? ballot != 0
                                 : ballot == 0 || ballot == lanes)
      result |= lanes;
  });
  if constexpr (vote != Vote::Ballot)
    warp.setMask(inst.operands[0], result);
  return Outcome::Next;
}

static void decodeVote(Decoder &d, Modifiers &mods) {
  static constexpr Handler kHandlers[] = {
      runVote<Vote::All>, runVote<Vote::Any>, runVote<Vote::Uni>,
      runVote<Vote::Ballot>};
  if (!expectSync(d, mods))
    return;
  std::optional<unsigned> mode =
      mods.takeOneOf({"all", "any", "uni", "ballot"});
  bool isBallot = mode == unsigned(Vote::Ballot);
  if (!mode || !mods.take(isBallot ? "b32" : "pred"))
    return d.fail("vote.sync needs a mode and its type");
  if (!d.expectOperands(3))
    return;
  d.dst(0, isBallot ? Type::B32 : Type::Pred);
  d.src(1, Type::Pred);
  decodeMembers(d, 2);
  d.code->run = kHandlers[*mode];
}

/// Operands: d, (p,) a, members.
template <class T, bool isAll>
static Outcome runMatch(Warp &warp, const Instruction &inst) {
  const T *a = warp.lanes<T>(inst.operands[isAll ? 2 : 1]);
  uint32_t same[kWarpSize];
  uint32_t holds = 0;
  forEachGroup(
      warp, inst.operands[isAll ? 3 : 2], [&](uint32_t, uint32_t lanes) {
        forEachLane(lanes, [&](unsigned lane) {
          same[lane] = 0;
          forEachLane(lanes, [&](unsigned other) {
            same[lane] |= uint32_t(a[other] == a[lane]) << other;
          });
        });
        if (!isAll || !lanes)
          return;
        bool isSame = same[llvm::countr_zero(lanes)] == lanes;
        forEachLane(lanes,
                    [&](unsigned lane) { same[lane] = isSame ? lanes : 0; });
        holds |= isSame ? lanes : 0;
      });
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = same[lane]; });
  if constexpr (isAll)
    warp.setMask(inst.operands[1], holds);
  return Outcome::Next;
}

static void decodeMatch(Decoder &d, Modifiers &mods) {
  static constexpr Handler kHandlers[2][2] = {
      {runMatch<uint32_t, false>, runMatch<uint64_t, false>},
      {runMatch<uint32_t, true>, runMatch<uint64_t, true>}};
  if (!expectSync(d, mods))
    return;
  std::optional<unsigned> mode = mods.takeOneOf({"any", "all"});
  std::optional<unsigned> wide = mods.takeOneOf({"b32", "b64"});
  if (!mode || !wide)
    return d.fail("match.sync needs '.any' or '.all' and '.b32' or '.b64'");
  if (!d.expectOperands(3))
    return;
  if (*mode)
    decodePair(d, Type::B32);
  else
    d.dst(0, Type::B32);
  d.src(1, *wide ? Type::B64 : Type::B32);
  decodeMembers(d, 2);
  d.code->run = kHandlers[*mode][*wide];
}

namespace {

struct Add {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};
struct And {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a & b; }
};
struct Or {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a | b; }
};
struct Xor {
  uint32_t operator()(uint32_t a, uint32_t b) const { return a ^ b; }
};
template <class T> struct Min {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return uint32_t(std::min(T(a), T(b)));
  }
};
template <class T> struct Max {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    return uint32_t(std::max(T(a), T(b)));
  }
};

} // namespace

template <class Op>
static Outcome runRedux(Warp &warp, const Instruction &inst) {
  const uint32_t *a = warp.lanes<uint32_t>(inst.operands[1]);
  uint32_t result[kWarpSize];
  forEachGroup(warp, inst.operands[2], [&](uint32_t, uint32_t lanes) {
    uint32_t value = a[llvm::countr_zero(lanes)];
    forEachLane(lanes & (lanes - 1),
                [&](unsigned lane) { value = Op()(value, a[lane]); });
    forEachLane(lanes, [&](unsigned lane) { result[lane] = value; });
  });
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = result[lane]; });
  return Outcome::Next;
}

static void decodeRedux(Decoder &d, Modifiers &mods) {
  // By operation and, for the first three, by type.
  static constexpr Handler kHandlers[][2] = {
      {runRedux<Add>, runRedux<Add>},
      {runRedux<Min<uint32_t>>, runRedux<Min<int32_t>>},
      {runRedux<Max<uint32_t>>, runRedux<Max<int32_t>>},
      {runRedux<And>, nullptr},
      {runRedux<Or>, nullptr},
      {runRedux<Xor>, nullptr}};
  if (!expectSync(d, mods))
    return;
  std::optional<unsigned> op =
      mods.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  std::optional<unsigned> type;
  if (op)
    type = *op < 3 ? mods.takeOneOf({"u32", "s32"}) : mods.takeOneOf({"b32"});
  if (!type)
    return d.fail("redux.sync has no such operation or type");
  if (!d.expectOperands(3))
    return;
  d.dst(0, Type::B32);
  d.src(1, Type::B32);
  decodeMembers(d, 2);
  d.code->run = kHandlers[*op][*type];
}

/// Operands: d, p, members. As on hardware the lowest lane is elected.
static Outcome runElect(Warp &warp, const Instruction &inst) {
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  uint32_t leaders = 0;
  // The masks are read before d, perhaps the same register, is written.
  uint32_t result[kWarpSize];
  forEachGroup(warp, inst.operands[2], [&](uint32_t, uint32_t lanes) {
    unsigned leader = llvm::countr_zero(lanes);
    leaders |= 1u << leader;
    forEachLane(lanes, [&](unsigned lane) { result[lane] = leader; });
  });
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = result[lane]; });
  warp.setMask(inst.operands[1], leaders);
  return Outcome::Next;
}

static void decodeElect(Decoder &d, Modifiers &mods) {
  if (!expectSync(d, mods) || !d.expectOperands(2))
    return;
  decodePair(d, Type::B32);
  decodeMembers(d, 1);
  d.code->run = runElect;
}

static Outcome runActiveMask(Warp &warp, const Instruction &inst) {
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) { d[lane] = warp.exec; });
  return Outcome::Next;
}

static void decodeActiveMask(Decoder &d, Modifiers &mods) {
  if (!mods.take("b32"))
    return d.fail("activemask needs '.b32'");
  if (!d.expectOperands(1))
    return;
  d.dst(0, Type::B32);
  d.code->run = runActiveMask;
}

//===----------------------------------------------------------------------===//
// Instructions without effect
//===----------------------------------------------------------------------===//

static Outcome runNothing(Warp &, const Instruction &) { return Outcome::Next; }

static void decodeNanosleep(Decoder &d, Modifiers &mods) {
  if (!mods.take("u32"))
    return d.fail("nanosleep needs '.u32'");
  if (!d.expectOperands(1))
    return;
  d.src(0, Type::U32);
  d.code->run = runNothing;
}

/// Grids run one after another, so no wait is needed.
static Outcome runGridWait(Warp &warp, const Instruction &) {
  warp.observe([&](ClusterObserver &o) { o.waitForGrids(warp); });
  return Outcome::Next;
}

static void decodeGridDependency(Decoder &d, Modifiers &mods) {
  bool waits = mods.take("wait");
  if (!waits && !mods.take("launch_dependents"))
    return d.fail("griddepcontrol needs '.launch_dependents' or '.wait'");
  if (d.expectOperands(0))
    d.code->run = waits ? runGridWait : runNothing;
}

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getWarpFamily() {
  static constexpr FamilyEntry kFamily[] = {
      {"shfl", decodeShuffle},        {"vote", decodeVote},
      {"match", decodeMatch},         {"redux", decodeRedux},
      {"elect", decodeElect},         {"activemask", decodeActiveMask},
      {"nanosleep", decodeNanosleep}, {"griddepcontrol", decodeGridDependency},
  };
  return kFamily;
}
