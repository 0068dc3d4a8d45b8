//===- WgmmaDecode.cpp - Decoding of wgmma and setmaxnreg -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/WarpSync.h"
#include "Instructions/Wgmma.h"
#include "Machine/Block.h"
#include "Machine/Decoder.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Type;

/// `m64n256k16`.
static bool takeWgmmaShape(Modifiers &mods, WgmmaShape &shape) {
  std::optional<llvm::StringRef> text = mods.takePrefixed("m64n");
  if (!text)
    return false;
  llvm::StringRef rest = text->drop_front(4);
  return !rest.consumeInteger(10, shape.n) && rest.consume_front("k") &&
         !rest.consumeInteger(10, shape.k) && rest.empty();
}

/// The depth of A's and B's types; 0 if there is no such product.
static unsigned getDepth(const WgmmaShape &shape) {
  auto isByte = [](Type type) {
    return type == Type::E4M3 || type == Type::E5M2;
  };
  auto isInteger = [](Type type) {
    return type == Type::S8 || type == Type::U8;
  };
  Type a = shape.a, b = shape.b, d = shape.d;
  bool toFloat = d == Type::F32, toHalf = d == Type::F16;
  if (isByte(a) && isByte(b))
    return toFloat || toHalf ? 32 : 0;
  if (isInteger(a) && isInteger(b))
    return d == Type::S32 ? 32 : 0;
  if (a != b)
    return 0;
  if (a == Type::B1)
    return d == Type::S32 ? 256 : 0;
  if (a == Type::F16)
    return toFloat || toHalf ? 16 : 0;
  if (a == Type::BF16)
    return toFloat ? 16 : 0;
  return a == Type::TF32 && toFloat ? 8 : 0;
}

/// An immediate 1 or -1.
static bool decodeSign(Decoder &d, unsigned index) {
  int64_t value = int64_t(d.immediate(index));
  if (int32_t(value) != 1 && int32_t(value) != -1)
    d.fail("a scale must be 1 or -1");
  return int32_t(value) == -1;
}

static void decodeProduct(Decoder &d, Modifiers &mods) {
  auto shape = std::make_unique<WgmmaShape>();
  if (mods.take("sp"))
    return d.fail("sparse products are not supported");
  if (!takeWgmmaShape(mods, *shape))
    return d.fail("wgmma needs a shape");
  shape->satfinite = mods.take("satfinite");
  for (Type *type : {&shape->d, &shape->a, &shape->b}) {
    std::optional<Type> next = mods.takeType();
    if (!next)
      return d.fail("wgmma needs three types");
    *type = *next;
  }
  if (shape->hasBits() != (mods.take("and") && mods.take("popc")))
    return d.fail("products of b1, and only those, need '.and.popc'");
  bool isInteger = shape->d == Type::S32;
  unsigned unit = isInteger && shape->n > 32 ? 16 : 8;
  if (getDepth(*shape) != shape->k || shape->n % unit || !shape->n ||
      shape->n > 256 || (shape->satfinite && (!isInteger || shape->hasBits())))
    return d.fail("this combination of shape and types is not supported");
  if (!d.expectOperands(4, 8))
    return;
  Instruction &code = *d.code;
  bool isHalf = shape->d == Type::F16;
  shape->registersD = shape->n / (isHalf ? 4 : 2);
  d.dst(0u, isHalf ? Type::B32 : shape->d, shape->registersD);
  // Whether the accumulators are read is known only when it runs.
  code.destinations.clear();
  bool hasRegisters = d.operand(1).kind == ptx::Operand::Kind::Vector;
  shape->registersA = hasRegisters ? 4 : 0;
  if (hasRegisters)
    d.src(1u, Type::B32, 4);
  else
    d.src(1u, Type::B64);
  d.src(2u, Type::B64);
  d.src(3u, Type::Pred);
  bool isShort = shape->a == Type::F16 || shape->a == Type::BF16;
  unsigned transposes = isShort ? 2 - hasRegisters : 0;
  if (!d.expectOperands(isInteger ? 4 : 6 + transposes))
    return;
  if (!isInteger) {
    shape->negatesA = decodeSign(d, 4);
    shape->negatesB = decodeSign(d, 5);
  }
  if (transposes == 2)
    shape->isTransposedA = d.immediate(6u);
  if (transposes)
    shape->isTransposedB = d.immediate(5 + transposes);
  code.tensorMacs = 16 * shape->n * shape->k;
  code.extra = std::move(shape);
  code.run = issueWgmma;
}

static void decodeWgmma(Decoder &d, Modifiers &mods) {
  d.out.usesWgmma = true;
  d.parent.program.usesAsyncProxy = true;
  bool isSync = mods.take("sync");
  if (!mods.take("aligned") || !isSync)
    return d.fail("wgmma needs '.sync.aligned'");
  if (mods.take("mma_async"))
    return decodeProduct(d, mods);
  if (mods.take("fence")) {
    d.expectOperands(0);
    d.code->run = fenceWgmma;
  } else if (mods.take("commit_group")) {
    d.expectOperands(0);
    d.code->run = commitWgmma;
  } else if (mods.take("wait_group")) {
    if (d.expectOperands(1))
      d.code->imm = d.immediate(0u);
    d.code->run = waitWgmma;
  } else {
    d.fail("this form is not supported");
  }
}

//===----------------------------------------------------------------------===//
// setmaxnreg
//===----------------------------------------------------------------------===//

/// The registers of each thread at the launch, if the compiler uses as many as
/// the requested number of blocks allows.
static uint32_t getLaunchRegisters(const Block &block) {
  uint64_t threads = block.warps.size() * kWarpSize;
  uint64_t blocks = block.launch().function.source->minBlocks;
  return std::min<uint64_t>(
      256, 65536 / (threads * std::max<uint64_t>(1, blocks)) / 8 * 8);
}

/// imm: the number; imm2: whether it is more than before.
static Outcome runSetMaxRegisters(Warp &warp, const Instruction &inst) {
  Block &block = warp.block;
  checkWholeWarp(warp, inst);
  uint32_t initial = getLaunchRegisters(block);
  uint32_t before = warp.maxRegisters ? warp.maxRegisters : initial;
  bool check = block.launch().options.checks.barriers;
  WaitState &wait = warp.path().wait;
  if (check && !wait.active &&
      (inst.imm2 ? inst.imm < before : inst.imm > before))
    warp.report(
        FindingKind::BarrierMisuse, llvm::countr_zero(warp.exec), 0,
        llvm::formatv("the threads have {0} registers already", before));
  if (inst.imm2) {
    // Nothing says that warps which exit give theirs back.
    uint32_t others = 0;
    for (auto &each : block.warps)
      if (each.get() != &warp)
        others += each->maxRegisters ? each->maxRegisters : initial;
    if (others + inst.imm > initial * block.warps.size()) {
      wait = {true, {SyncKey::Kind::Word, 1}, 0};
      return Outcome::Blocked;
    }
  }
  wait.active = false;
  warp.maxRegisters = inst.imm;
  ++block.cluster.effects;
  return Outcome::Next;
}

static void decodeSetMaxRegisters(Decoder &d, Modifiers &mods) {
  d.code->imm2 = mods.take("inc");
  if (!d.code->imm2 && !mods.take("dec"))
    return d.fail("one of .inc and .dec is needed");
  mods.take("sync");
  mods.take("aligned");
  mods.take("u32");
  if (!d.expectOperands(1))
    return;
  d.code->imm = d.immediate(0u);
  if (d.code->imm < 24 || d.code->imm > 256 || d.code->imm % 8)
    d.fail("the number of registers must be a multiple of 8 from 24 to 256");
  d.code->run = runSetMaxRegisters;
}

llvm::ArrayRef<FamilyEntry> getWgmmaFamily() {
  static constexpr FamilyEntry kFamily[] = {
      {"wgmma", decodeWgmma}, {"setmaxnreg", decodeSetMaxRegisters}};
  return kFamily;
}

} // namespace tcgemm::emu
