//===- Atomic.cpp - atom and red ------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks run on several threads of the host, so updates of global memory are
// atomic for the host, too. Shared memory belongs to one thread.
//
//===----------------------------------------------------------------------===//

#include "Instructions/AtomicOps.h"
#include "Instructions/BulkCopyOps.h"
#include "Instructions/MemoryOrder.h"
#include "Machine/Warp.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>
#include <mutex>

using namespace tcgemm::emu;
using namespace tcgemm::emu::atomics;
using tcgemm::ptx::Space;
using tcgemm::ptx::Type;

using Wide = unsigned __int128;

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// Replaces a value atomically for the host. Returns the old one.
template <class Op, class T> static T update(T *at, T b, T c, Place place) {
  T old;
  if constexpr (sizeof(T) == 16) {
    // These are rare, and not every host has them.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    std::memcpy(&old, at, sizeof(T));
    T next = Op::apply(old, b, c, place);
    std::memcpy(at, &next, sizeof(T));
  } else {
    old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(at, &old, Op::apply(old, b, c, place),
                                        /*weak=*/true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
      ;
  }
  return old;
}

template <class Op, class T>
static T updateShared(T *at, T b, T c, Place place) {
  T old;
  std::memcpy(&old, at, sizeof(T));
  T next = Op::apply(old, b, c, place);
  std::memcpy(at, &next, sizeof(T));
  return old;
}

/// A finding about an update of memory that was never written.
static void reportUndefined(Warp &warp, const LaneAccess &access,
                            uint32_t lanes) {
  unsigned lane = llvm::countr_zero(lanes);
  bool isShared = access.region[lane]->space == Space::Shared;
  warp.report(isShared ? FindingKind::UninitialisedShared
                       : FindingKind::UninitialisedGlobal,
              lane, access.address[lane],
              "an atomic operation reads memory that was never written");
}

namespace {
/// Flags in Instruction::imm2.
enum AtomicFlags : uint64_t {
  kHasResult = 1,
  kHasC = 2,
  kOverwrites = 4, ///< Does not depend on the old value.
};
} // namespace

/// Operands: d (if there is a result), b, c (if there is one); each a vector of
/// the same size.
template <class Op>
static Outcome runAtomic(Warp &warp, const Instruction &inst) {
  using Bits = typename Op::Bits;
  LaneAccess access;
  access.inst = &inst;
  access.kind = AccessKind::Atomic;
  access.order = getOrder(inst);
  access.scope = getScope(inst);
  access.bytes = inst.bytes;
  access.lanes = warp.exec;
  warp.memory.resolve(access, inst.address, inst.space, inst.bytes);

  bool hasResult = inst.imm2 & kHasResult;
  unsigned count = inst.bytes / sizeof(Bits);
  const Slot *d = inst.operands.data();
  const Slot *b = hasResult ? d + count : d;
  const Slot *c = inst.imm2 & kHasC ? b + count : b;
  uint32_t undefined = warp.definedness.findUndefined(access, 0, access.bytes);
  if (undefined && !(inst.imm2 & kOverwrites))
    reportUndefined(warp, access, undefined);

  // A result may be an operand of later lanes or elements.
  Bits old[8][kWarpSize] = {};
  forEachLane(access.lanes, [&](unsigned lane) {
    Place place{access.region[lane]->space == Space::Global};
    Bits *at = reinterpret_cast<Bits *>(access.data(lane));
    for (unsigned i = 0; i != count; ++i) {
      Bits x = warp.lanes<Bits>(b[i])[lane], y = warp.lanes<Bits>(c[i])[lane];
      old[i][lane] = place.isGlobal ? update<Op>(at + i, x, y, place)
                                    : updateShared<Op>(at + i, x, y, place);
    }
  });
  if (hasResult)
    for (unsigned i = 0; i != count; ++i) {
      Bits *to = warp.lanes<Bits>(d[i]);
      forEachLane(warp.exec, [&](unsigned lane) { to[lane] = old[i][lane]; });
      if (undefined && inst.imm2 & kOverwrites)
        warp.definedness.markUndefined(d[i], undefined, access);
    }
  warp.definedness.markDefined(access);
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {
enum Op {
  opAdd,
  opMin,
  opMax,
  opAnd,
  opOr,
  opXor,
  opExch,
  opCas,
  opInc,
  opDec
};
} // namespace

template <class Format> static Handler chooseShort(Op op, bool isPacked) {
  switch (op) {
  case opAdd:
    return isPacked ? runAtomic<Twice<AddShort<Format>>>
                    : runAtomic<AddShort<Format>>;
  case opMin:
    return isPacked ? runAtomic<Twice<ExtremeShort<Format, true>>>
                    : runAtomic<ExtremeShort<Format, true>>;
  case opMax:
    return isPacked ? runAtomic<Twice<ExtremeShort<Format, false>>>
                    : runAtomic<ExtremeShort<Format, false>>;
  default:
    return nullptr;
  }
}

template <class T> static Handler chooseNumber(Op op) {
  switch (op) {
  case opAdd:
    return runAtomic<Add<std::make_unsigned_t<T>>>;
  case opMin:
    return runAtomic<Min<T>>;
  case opMax:
    return runAtomic<Max<T>>;
  default:
    return nullptr;
  }
}

template <class T> static Handler chooseBits(Op op) {
  switch (op) {
  case opAnd:
    return runAtomic<And<T>>;
  case opOr:
    return runAtomic<Or<T>>;
  case opXor:
    return runAtomic<Xor<T>>;
  case opExch:
    return runAtomic<Exchange<T>>;
  case opCas:
    return runAtomic<CompareAndSwap<T>>;
  default:
    return nullptr;
  }
}

static Handler chooseHandler(Op op, Type type) {
  switch (type) {
  case Type::U32:
    if (op == opInc)
      return runAtomic<Increment>;
    if (op == opDec)
      return runAtomic<Decrement>;
    return chooseNumber<uint32_t>(op);
  case Type::S32:
    return chooseNumber<int32_t>(op);
  case Type::U64:
    return chooseNumber<uint64_t>(op);
  case Type::S64:
    return chooseNumber<int64_t>(op);
  case Type::B32:
    return chooseBits<uint32_t>(op);
  case Type::B64:
    return chooseBits<uint64_t>(op);
  case Type::B16:
    return op == opCas ? runAtomic<CompareAndSwap<uint16_t>> : nullptr;
  case Type::B128:
    if (op == opExch)
      return runAtomic<Exchange<Wide>>;
    return op == opCas ? runAtomic<CompareAndSwap<Wide>> : nullptr;
  case Type::F32:
    return op == opAdd ? runAtomic<AddFloat> : nullptr;
  case Type::F64:
    return op == opAdd ? runAtomic<AddDouble> : nullptr;
  case Type::F16:
    return chooseShort<HalfFormat>(op, false);
  case Type::F16x2:
    return chooseShort<HalfFormat>(op, true);
  case Type::BF16:
    return chooseShort<BFloatFormat>(op, false);
  case Type::BF16x2:
    return chooseShort<BFloatFormat>(op, true);
  default:
    return nullptr;
  }
}

static bool isShort(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F16x2 ||
         type == Type::BF16x2;
}

/// Vectors are of floats in global memory, of 16 bytes at most.
static bool isVector(Op op, Type type, unsigned count, Space space) {
  if (space != Space::Global && space != Space::Generic)
    return false;
  if (type == Type::F32)
    return op == opAdd && count <= 4;
  return isShort(type) && count * getBitWidth(type) <= 128;
}

static void decodeAtomic(Decoder &d, Modifiers &mods, bool hasResult) {
  MemoryOrder order = takeMemoryOrder(mods);
  if (order.order == Order::Weak)
    order.order = Order::Relaxed;
  // The default scope of atomics is the device, unlike that of accesses.
  if (order.scope == Scope::Cta &&
      !llvm::is_contained(d.getSource().modifiers, "cta"))
    order.scope = Scope::Gpu;
  Space space = mods.takeSpace();
  std::optional<unsigned> op = mods.takeOneOf(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  mods.take("noftz");
  bool hasPolicy = mods.take("L2::cache_hint");
  std::optional<unsigned> vector = mods.takeOneOf({"v2", "v4", "v8"});
  std::optional<Type> type = mods.takeType();
  bool isSpace = space == Space::Generic || space == Space::Global ||
                 space == Space::Shared || space == Space::SharedCluster;
  if (!op || !type || !isSpace)
    return d.fail(
        "an operation, a type and global or shared memory are needed");
  unsigned count = vector ? 2u << *vector : 1;
  d.code->run = chooseHandler(Op(*op), *type);
  bool returnsOnly = *op == opExch || *op == opCas;
  if (!d.code->run || (!hasResult && returnsOnly) ||
      (vector && !isVector(Op(*op), *type, count, space))) {
    d.code->run = nullptr;
    return d.fail("there is no such atomic operation");
  }
  bool hasC = *op == opCas;
  unsigned operands = 2 + hasResult + hasC;
  if (!d.expectOperands(operands + hasPolicy))
    return;
  unsigned next = 0;
  if (hasResult)
    d.dst(next++, *type, count);
  d.code->address = d.address(next++, space);
  d.src(next++, *type, count);
  if (hasC)
    d.src(next++, *type, count);
  if (hasPolicy)
    d.src(next, Type::B64);
  d.code->space = space;
  d.code->bytes = count * getBitWidth(*type) / 8;
  d.code->imm = order.pack();
  d.code->imm2 = (hasResult ? kHasResult : 0) | (hasC ? kHasC : 0) |
                 (*op == opExch ? kOverwrites : 0);
}

static void decodeAtom(Decoder &d, Modifiers &mods) {
  decodeAtomic(d, mods, /*hasResult=*/true);
}

static void decodeRed(Decoder &d, Modifiers &mods) {
  if (llvm::is_contained(d.getSource().modifiers, "async"))
    return decodeStoreAsync(d, mods);
  decodeAtomic(d, mods, /*hasResult=*/false);
}

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getAtomicFamily() {
  static constexpr FamilyEntry kFamily[] = {{"atom", decodeAtom},
                                            {"red", decodeRed}};
  return kFamily;
}
