//===- Matrix.cpp - ldmatrix, stmatrix, movmatrix -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// A matrix is 8 rows of 16 bytes. The 32 lanes' words of a register, in memory,
// are a matrix row by row: so what is not transposed needs no shuffling.
//
//===----------------------------------------------------------------------===//

#include "Instructions/WarpSync.h"

#include <cstring>

using namespace tcgemm::emu;
using tcgemm::ptx::Space;
using tcgemm::ptx::Type;

constexpr uint32_t kRowBytes = 16;

/// The words of a matrix, transposed as one of 8 x 8 halves.
static void transpose(const uint32_t *from, uint32_t *to) {
  uint16_t rows[64], columns[64];
  std::memcpy(rows, from, sizeof(rows));
  for (unsigned row = 0; row != 8; ++row)
    for (unsigned column = 0; column != 8; ++column)
      columns[column * 8 + row] = rows[row * 8 + column];
  std::memcpy(to, columns, sizeof(columns));
}

/// The rows' addresses come from the first lanes, 8 a matrix.
static LaneAccess resolveRows(Warp &warp, const Instruction &inst,
                              AccessKind kind) {
  LaneAccess access;
  access.inst = &inst;
  access.kind = kind;
  access.bytes = kRowBytes;
  unsigned rows = 8 * inst.operands.size();
  access.lanes = warp.exec & (kAllLanes >> (kWarpSize - rows));
  warp.memory.resolve(access, inst.address, inst.space, kRowBytes);
  return access;
}

/// Tracks the undefined bytes of rows.
template <bool isTransposed>
static void moveUndefined(Warp &warp, const Instruction &inst,
                          const LaneAccess &access) {
  // By word of a row: the rows, that is lanes, in which it is undefined.
  uint32_t byWord[4];
  for (unsigned word = 0; word != 4; ++word)
    byWord[word] = warp.definedness.findUndefined(access, 4 * word, 4);
  for (unsigned i = 0; i != inst.operands.size(); ++i)
    forEachLane(warp.exec, [&](unsigned lane) {
      unsigned row = isTransposed ? lane % 4 * 2 : lane / 4;
      unsigned word = isTransposed ? lane / 8 : lane % 4;
      uint32_t rows = (isTransposed ? 3u : 1u) << (row + 8 * i);
      uint32_t undefined = byWord[word] & rows;
      if (!undefined)
        return;
      // The finding is to name this lane and the address of the word.
      unsigned from = __builtin_ctz(undefined);
      LaneAccess origin = access;
      origin.lanes = 1u << lane;
      origin.region[lane] = access.region[from];
      origin.address[lane] = access.address[from] + 4 * word;
      warp.definedness.markUndefined(inst.operands[i], 1u << lane, origin);
    });
}

template <bool isTransposed>
static Outcome runLoadMatrix(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  LaneAccess access = resolveRows(warp, inst, AccessKind::Load);
  for (unsigned i = 0; i != inst.operands.size(); ++i) {
    alignas(16) uint32_t matrix[kWarpSize];
    for (unsigned row = 0; row != 8; ++row) {
      unsigned lane = 8 * i + row;
      // A failed row reads as zero.
      if (access.lanes >> lane & 1)
        std::memcpy(&matrix[4 * row], access.data(lane), kRowBytes);
      else
        std::memset(&matrix[4 * row], 0, kRowBytes);
    }
    const uint32_t *result = matrix;
    uint32_t transposed[kWarpSize];
    if (isTransposed) {
      transpose(matrix, transposed);
      result = transposed;
    }
    uint32_t *to = warp.lanes<uint32_t>(inst.operands[i]);
    if (warp.exec == kAllLanes)
      std::memcpy(to, result, sizeof(matrix));
    else
      forEachLane(warp.exec, [&](unsigned lane) { to[lane] = result[lane]; });
  }
  if (warp.definedness.findUndefined(access, 0, kRowBytes))
    moveUndefined<isTransposed>(warp, inst, access);
  return Outcome::Next;
}

template <bool isTransposed>
static Outcome runStoreMatrix(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  LaneAccess access = resolveRows(warp, inst, AccessKind::Store);
  for (unsigned i = 0; i != inst.operands.size(); ++i) {
    const uint32_t *matrix = warp.lanes<uint32_t>(inst.operands[i]);
    uint32_t transposed[kWarpSize];
    if (isTransposed) {
      transpose(matrix, transposed);
      matrix = transposed;
    }
    for (unsigned row = 0; row != 8; ++row)
      if (unsigned lane = 8 * i + row; access.lanes >> lane & 1)
        std::memcpy(access.data(lane), &matrix[4 * row], kRowBytes);
  }
  warp.definedness.markDefined(access);
  return Outcome::Next;
}

static Outcome runMoveMatrix(Warp &warp, const Instruction &inst) {
  checkWholeWarp(warp, inst);
  uint32_t result[kWarpSize];
  transpose(warp.lanes<uint32_t>(inst.operands[1]), result);
  uint32_t *to = warp.lanes<uint32_t>(inst.operands[0]);
  forEachLane(warp.exec, [&](unsigned lane) { to[lane] = result[lane]; });
  return Outcome::Next;
}

/// Decodes the common part of the three instructions:
static bool takeCommon(Decoder &d, Modifiers &mods) {
  if (mods.take("sync") && mods.take("aligned") && mods.take("m8n8"))
    return true;
  d.fail("only '.sync.aligned.m8n8' is supported");
  return false;
}

/// `.x4.trans.shared.b16`, and the address; the count of matrices, or 0.
static unsigned decodeAccess(Decoder &d, Modifiers &mods, unsigned address,
                             bool &isTransposed) {
  if (!takeCommon(d, mods))
    return 0;
  std::optional<unsigned> log = mods.takeOneOf({"x1", "x2", "x4"});
  isTransposed = mods.take("trans");
  Space space = mods.takeSpace();
  bool isShared = space == Space::Shared || space == Space::Generic;
  if (!log || !isShared || !mods.take("b16")) {
    d.fail("a count, shared memory and '.b16' are needed");
    return 0;
  }
  if (!d.expectOperands(2))
    return 0;
  d.code->space = space;
  d.code->bytes = kRowBytes;
  d.code->address = d.address(address, space);
  return 1u << *log;
}

static void decodeLoadMatrix(Decoder &d, Modifiers &mods) {
  bool isTransposed;
  if (unsigned count = decodeAccess(d, mods, 1, isTransposed)) {
    d.dst(0, Type::B32, count);
    d.code->run = isTransposed ? runLoadMatrix<true> : runLoadMatrix<false>;
  }
}

static void decodeStoreMatrix(Decoder &d, Modifiers &mods) {
  bool isTransposed;
  if (unsigned count = decodeAccess(d, mods, 0, isTransposed)) {
    d.src(1, Type::B32, count);
    d.code->run = isTransposed ? runStoreMatrix<true> : runStoreMatrix<false>;
  }
}

static void decodeMoveMatrix(Decoder &d, Modifiers &mods) {
  if (!takeCommon(d, mods))
    return;
  if (!mods.take("trans") || !mods.take("b16"))
    return d.fail("movmatrix needs '.trans.b16'");
  if (!d.expectOperands(2))
    return;
  d.dst(0, Type::B32);
  d.src(1, Type::B32);
  d.code->run = runMoveMatrix;
}

llvm::ArrayRef<FamilyEntry> tcgemm::emu::getMatrixFamily() {
  static constexpr FamilyEntry kFamily[] = {
      {"ldmatrix", decodeLoadMatrix},
      {"stmatrix", decodeStoreMatrix},
      {"movmatrix", decodeMoveMatrix},
  };
  return kFamily;
}
