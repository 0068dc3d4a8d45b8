//===- Wmma.cpp - wmma.load, wmma.store, wmma.mma -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Mma.h"
#include "Instructions/WmmaLayout.h"
#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace tcgemm::emu;
using namespace tcgemm::emu::wmma;
using tcgemm::ptx::Space;
using tcgemm::ptx::Type;

//===----------------------------------------------------------------------===//
// wmma.load and wmma.store
//===----------------------------------------------------------------------===//

static unsigned getRegisterBytes(const WmmaFragment &fragment) {
  return fragment.type == Type::F64 ? 8 : 4;
}

/// Rows or columns start at multiples of the fragment's bytes, says PTX. CUDA
/// asks for 16 at most, and so does the hardware.
static void checkAlignment(Warp &warp, const Instruction &inst) {
  if (!warp.block.launch().options.checks.bounds)
    return;
  auto &fragment = static_cast<const WmmaFragment &>(*inst.extra);
  uint64_t bytes = fragment.count * uint64_t(getRegisterBytes(fragment));
  uint64_t alignment = std::min<uint64_t>(16, bytes);
  const uint32_t *pitches = warp.lanes<uint32_t>(inst.operands.back());
  bool isReported = false;
  forEachLane(warp.exec, [&](unsigned lane) {
    uint64_t address = warp.effectiveAddress(inst.address, lane);
    uint64_t pitch = uint64_t(pitches[lane]) * fragment.bits / 8;
    if (isReported || (address | pitch) % alignment == 0)
      return;
    isReported = true;
    warp.report(FindingKind::Misaligned, inst, lane, address,
                llvm::formatv("matrix at {0:x} with a pitch of {1} bytes, but "
                              "both must be multiples of {2}",
                              address, pitch, alignment)
                    .str());
  });
}

/// Calls fn(register, bytes' place in it, access) for each access that a lane
/// makes: of a register, or of an element where they are apart.
template <class Fn>
static void forEachAccess(Warp &warp, const Instruction &inst, AccessKind kind,
                          Fn fn) {
  checkAlignment(warp, inst);
  auto &fragment = static_cast<const WmmaFragment &>(*inst.extra);
  const uint32_t *pitch = warp.lanes<uint32_t>(inst.operands.back());
  LaneAccess access;
  access.inst = &inst;
  access.kind = kind;
  unsigned parts = fragment.isContiguous ? 1 : fragment.elements;
  access.bytes = fragment.bits * fragment.elements / parts / 8;
  for (unsigned i = 0; i != fragment.registers.size(); ++i)
    for (unsigned part = 0; part != parts; ++part) {
      access.lanes = warp.exec;
      forEachLane(warp.exec, [&](unsigned lane) {
        access.address[lane] =
            warp.effectiveAddress(inst.address, lane) +
            fragment.getOffset(fragment.registers[i], lane, part, pitch[lane]);
      });
      // Lanes that do not take part are not looked at, but must not be garbage.
      forEachLane(~warp.exec, [&](unsigned lane) { access.address[lane] = 0; });
      warp.memory.resolveAddresses(access, inst.space, access.bytes);
      fn(i, part * access.bytes, access);
    }
}

static Outcome runWmmaLoad(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  auto &fragment = static_cast<const WmmaFragment &>(*inst.extra);
  unsigned width = getRegisterBytes(fragment);
  // The address and the pitch are read before any register is written.
  uint8_t values[16][kWarpSize * 8];
  std::memset(values, 0, sizeof(values));
  struct Missing {
    unsigned reg;
    uint32_t lanes;
    LaneAccess access;
  };
  llvm::SmallVector<Missing, 0> undefined;
  forEachAccess(warp, inst, AccessKind::Load,
                [&](unsigned i, unsigned at, const LaneAccess &access) {
                  forEachLane(access.lanes, [&](unsigned lane) {
                    std::memcpy(&values[i][lane * width + at],
                                access.data(lane), access.bytes);
                  });
                  if (uint32_t lanes = warp.definedness.findUndefined(
                          access, 0, access.bytes))
                    undefined.push_back({i, lanes, access});
                });
  unsigned own = fragment.registers.size();
  for (unsigned i = 0; i != fragment.count; ++i) {
    uint8_t *to = warp.lanes<uint8_t>(inst.operands[i]);
    forEachLane(warp.exec, [&](unsigned lane) {
      std::memcpy(to + lane * width, &values[i % own][lane * width], width);
    });
  }
  for (const Missing &missing : undefined)
    for (unsigned i = missing.reg; i < fragment.count; i += own)
      warp.definedness.markUndefined(inst.operands[i], missing.lanes,
                                     missing.access);
  return Outcome::Next;
}

static Outcome runWmmaStore(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  auto &fragment = static_cast<const WmmaFragment &>(*inst.extra);
  unsigned width = getRegisterBytes(fragment);
  forEachAccess(warp, inst, AccessKind::Store,
                [&](unsigned i, unsigned at, const LaneAccess &access) {
                  uint8_t *from = warp.lanes<uint8_t>(inst.operands[i]);
                  forEachLane(access.lanes, [&](unsigned lane) {
                    std::memcpy(access.data(lane), from + lane * width + at,
                                access.bytes);
                  });
                  warp.definedness.markDefined(access);
                });
  return Outcome::Next;
}

/// `.sync.aligned.row.m16n16k16.shared.f16` and the operands but the stride.
static void decodeTransfer(Decoder &d, Modifiers &mods, bool isLoad) {
  std::optional<unsigned> role =
      isLoad ? mods.takeOneOf({"a", "b", "c"}) : mods.takeOneOf({"d"});
  if (!role || !mods.take("sync") || !mods.take("aligned"))
    return d.fail("a matrix and '.sync.aligned' are needed");
  std::optional<unsigned> layout = mods.takeOneOf({"row", "col"});
  WmmaShape shape;
  if (!layout || !takeShape(mods, shape.m, shape.n, shape.k))
    return d.fail("a layout and a shape are needed");
  Space space = mods.takeSpace();
  std::optional<Type> type = mods.takeType();
  bool isRowMajor = *layout == 0;
  Role which = isLoad ? Role(*role) : Role::C;
  bool isPart = which == Role::C ? type && isSupportedResult(shape, *type)
                                 : type && isSupported(shape, *type);
  // Elements of less than a byte must be next to each other.
  if (isPart && getBitWidth(*type) < 8)
    isPart = isRowMajor == (which == Role::A);
  bool isSpace = space == Space::Generic || space == Space::Global ||
                 space == Space::Shared;
  if (!isPart || !isSpace)
    return d.fail("this combination of shape, layout, type and space is not "
                  "supported");
  if (!d.expectOperands(2, 3))
    return;
  auto fragment = layOut(which, shape, *type, isRowMajor);
  unsigned address = isLoad ? 1 : 0;
  d.code->space = space;
  d.code->address = d.address(address, space);
  if (isLoad)
    d.dst(0, fragment->type, fragment->count);
  else
    d.src(1, fragment->type, fragment->count);
  if (d.getNumOperands() == 3) {
    d.src(2, Type::U32);
  } else {
    // The length of a row or column.
    unsigned rows = which == Role::B ? shape.k : shape.m;
    unsigned columns = which == Role::A ? shape.k : shape.n;
    d.code->operands.push_back(
        d.constant(isRowMajor ? columns : rows, Type::U32));
  }
  d.code->extra = std::move(fragment);
  d.code->run = isLoad ? runWmmaLoad : runWmmaStore;
}

//===----------------------------------------------------------------------===//
// wmma.mma
//===----------------------------------------------------------------------===//

namespace {
struct WmmaCode : Extra {
  MmaShape part;      ///< A product of mma.sync,
  unsigned parts = 1; ///< and how many.
  bool isTransposed = false;
  /// From one part to the next, in registers.
  unsigned stepA = 0, stepB = 0;
  unsigned a = 0, b = 0; ///< Registers of the operands in the text.
};
} // namespace

static Outcome runWmma(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  auto &code = static_cast<const WmmaCode &>(*inst.extra);
  const MmaShape &part = code.part;
  unsigned countD = part.d * code.parts;
  const Slot *d = inst.operands.data();
  const Slot *a = d + countD, *b = a + code.a, *c = b + code.b;
  if (code.isTransposed)
    std::swap(a, b);
  // Only all parts together may overwrite operands.
  alignas(64) uint64_t results[kMaxFragment][kWarpSize];
  for (unsigned p = 0; p != code.parts; ++p) {
    MmaRegisters registers;
    registers.lanes = kAllLanes;
    for (unsigned i = 0; i != part.a; ++i)
      registers.a[i] = warp.lanes<uint8_t>(a[p * code.stepA + i]);
    for (unsigned i = 0; i != part.b; ++i)
      registers.b[i] = warp.lanes<uint8_t>(b[p * code.stepB + i]);
    for (unsigned i = 0; i != part.c; ++i)
      registers.c[i] = warp.lanes<uint8_t>(c[p * part.c + i]);
    for (unsigned i = 0; i != part.d; ++i)
      registers.d[i] = results[p * part.d + i];
    part.run(registers);
  }
  unsigned width = part.typeD == Type::F64 ? 8 : 4;
  for (unsigned i = 0; i != countD; ++i) {
    uint8_t *to = warp.lanes<uint8_t>(d[i]);
    const uint8_t *from = reinterpret_cast<const uint8_t *>(results[i]);
    forEachLane(warp.exec, [&](unsigned lane) {
      std::memcpy(to + lane * width, from + lane * width, width);
    });
  }
  return Outcome::Next;
}

/// The types of D, A, B and C; those of A and B are left out for halves.
static bool takeTypes(Modifiers &mods, MmaKey &key) {
  llvm::SmallVector<Type, 4> types;
  while (std::optional<Type> type = mods.takeType())
    types.push_back(*type);
  if (types.size() == 2)
    types = {types[0], Type::F16, Type::F16, types[1]};
  if (types.size() != 4)
    return false;
  key.d = types[0];
  key.a = types[1];
  key.b = types[2];
  key.c = types[3];
  return true;
}

static void decodeProduct(Decoder &d, Modifiers &mods) {
  MmaKey key;
  key.isWmma = true;
  if (std::optional<unsigned> op = mods.takeOneOf({"xor", "and"})) {
    key.bitOp = *op ? MmaKey::BitOp::And : MmaKey::BitOp::Xor;
    if (!mods.take("popc"))
      return d.fail("products of bits need '.popc'");
  }
  if (!mods.take("sync") || !mods.take("aligned"))
    return d.fail("wmma needs '.sync.aligned'");
  // The layouts concern the loads alone.
  WmmaShape shape;
  if (!mods.takeOneOf({"row", "col"}) || !mods.takeOneOf({"row", "col"}) ||
      !takeShape(mods, shape.m, shape.n, shape.k))
    return d.fail("wmma.mma needs two layouts and a shape");
  if (!takeTypes(mods, key))
    return d.fail("wmma.mma needs two or four types");
  if (key.a == Type::F64)
    mods.take("rn");
  key.satfinite = mods.take("satfinite");
  auto code = std::make_unique<WmmaCode>();
  unsigned rows = std::min(16u, std::max(shape.m, shape.n));
  key.m = shape.m == 8 && shape.n == 8 ? 8 : rows;
  key.n = 8;
  key.k = shape.k;
  if (key.a == key.b && isSupported(shape, key.a))
    code->part = findMma(key);
  if (!code->part.run)
    return d.fail("this combination of shape and types is not supported");
  code->parts = shape.m * shape.n / (key.m * 8);
  code->isTransposed = shape.isTransposed();
  bool isLong = shape.m == 32 || shape.n == 32;
  code->stepA = isLong ? code->part.a : 0;
  code->stepB = isLong ? 0 : code->part.b;
  code->a = layOut(Role::A, shape, key.a, true)->count;
  code->b = layOut(Role::B, shape, key.b, true)->count;
  if (!d.expectOperands(4))
    return;
  d.dst(0, code->part.typeD, code->part.d * code->parts);
  d.src(1, code->part.typeAB, code->a);
  d.src(2, code->part.typeAB, code->b);
  d.src(3, code->part.typeC, code->part.c * code->parts);
  d.code->tensorMacs = shape.m * shape.n * shape.k;
  d.code->extra = std::move(code);
  d.code->run = runWmma;
}

static void decodeWmma(Decoder &d, Modifiers &mods) {
  std::optional<unsigned> which = mods.takeOneOf({"load", "store", "mma"});
  if (!which)
    return d.fail("wmma loads, stores or multiplies");
  if (*which == 2)
    return decodeProduct(d, mods);
  decodeTransfer(d, mods, *which == 0);
}

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getWmmaFamily() {
  static constexpr FamilyEntry kFamily[] = {{"wmma", decodeWmma}};
  return kFamily;
}
