//===- Mma.cpp - mma.sync -------------------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/Mma.h"

using namespace tcgemm::emu;
using tcgemm::ptx::Type;

bool tcgemm::emu::takeShape(Modifiers &mods, unsigned &m, unsigned &n,
                            unsigned &k) {
  // No other modifier begins with an m and a digit.
  std::optional<llvm::StringRef> text;
  for (const char *start : {"m8n", "m16n", "m32n"})
    if (!text)
      text = mods.takePrefixed(start);
  if (!text)
    return false;
  llvm::StringRef rest = *text;
  return rest.consume_front("m") && !rest.consumeInteger(10, m) &&
         rest.consume_front("n") && !rest.consumeInteger(10, n) &&
         rest.consume_front("k") && !rest.consumeInteger(10, k) && rest.empty();
}

MmaShape tcgemm::emu::findMma(const MmaKey &key) {
  if (MmaShape shape = findQuarterMma(key); shape.run)
    return shape;
  if (key.colA || key.rowB)
    return {};
  for (auto find : {findFloatMma, findIntegerMma, findDoubleMma})
    if (MmaShape shape = find(key); shape.run)
      return shape;
  return {};
}

namespace {
struct MmaCode : Extra {
  explicit MmaCode(MmaShape shape) : shape(shape) {}
  MmaShape shape;
};
} // namespace

static Outcome runMma(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  const MmaShape &shape = static_cast<const MmaCode &>(*inst.extra).shape;
  MmaRegisters registers;
  registers.lanes = warp.exec;
  const Slot *next = inst.operands.data();
  for (unsigned i = 0; i != shape.d; ++i)
    registers.d[i] = warp.lanes<uint8_t>(*next++);
  for (unsigned i = 0; i != shape.a; ++i)
    registers.a[i] = warp.lanes<uint8_t>(*next++);
  for (unsigned i = 0; i != shape.b; ++i)
    registers.b[i] = warp.lanes<uint8_t>(*next++);
  for (unsigned i = 0; i != shape.c; ++i)
    registers.c[i] = warp.lanes<uint8_t>(*next++);
  shape.run(registers);
  return Outcome::Next;
}

static void decodeMma(Decoder &d, Modifiers &mods) {
  MmaKey key;
  if (!mods.take("sync") || !mods.take("aligned"))
    return d.fail("mma needs '.sync.aligned'");
  if (!takeShape(mods, key.m, key.n, key.k))
    return d.fail("mma needs a shape");
  // The first is A's.
  llvm::SmallVector<bool, 2> isRow;
  for (llvm::StringRef modifier : d.getSource().modifiers)
    if ((modifier == "row" || modifier == "col") && mods.take(modifier))
      isRow.push_back(modifier == "row");
  if (isRow.size() != 2)
    return d.fail("mma needs two layouts");
  key.colA = !isRow[0];
  key.rowB = isRow[1];
  key.satfinite = mods.take("satfinite");
  if (std::optional<unsigned> op = mods.takeOneOf({"xor", "and"})) {
    key.bitOp = *op ? MmaKey::BitOp::And : MmaKey::BitOp::Xor;
    if (!mods.take("popc"))
      return d.fail("products of bits need '.popc'");
  }
  for (Type *type : {&key.d, &key.a, &key.b, &key.c}) {
    std::optional<Type> next = mods.takeType();
    if (!next)
      return d.fail("mma needs four types");
    *type = *next;
  }
  MmaShape shape = findMma(key);
  if (!shape.run)
    return d.fail("this combination of shape, layouts and types is not "
                  "supported");
  if (!d.expectOperands(4))
    return;
  d.dst(0, shape.typeD, shape.d);
  d.src(1, shape.typeAB, shape.a);
  d.src(2, shape.typeAB, shape.b);
  d.src(3, shape.typeC, shape.c);
  d.code->tensorMacs = key.m * key.n * key.k;
  d.code->extra = std::make_unique<MmaCode>(shape);
  d.code->run = runMma;
}

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getMmaFamily() {
  static constexpr FamilyEntry kFamily[] = {{"mma", decodeMma}};
  return kFamily;
}
