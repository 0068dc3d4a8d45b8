//===- WgmmaOperands.cpp - Operands of wgmma in shared memory -------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"
#include "Instructions/TensorCore.h"
#include "Instructions/Wgmma.h"
#include "Machine/Block.h"

#include "llvm/Support/FormatVariadic.h"

namespace tcgemm::emu {

using ptx::Type;

//===----------------------------------------------------------------------===//
// Place of an operand
//===----------------------------------------------------------------------===//

namespace {
/// A decoded descriptor. An operand consists of core matrices of 8 rows with 16
/// bytes. With a swizzle, rows are parts of lines as long as the swizzle's
/// span, and eight such lines follow each other.
struct Layout {
  uint32_t start, leading, stride, base;
  uint32_t span; ///< 16: no swizzle.
  bool isTransposed;

  Layout(uint64_t bits, bool isTransposed)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4), base(bits >> 49 & 7),
        isTransposed(isTransposed) {
    static constexpr uint32_t kSpans[] = {16, 128, 64, 32};
    span = kSpans[bits >> 62];
  }

  /// Row `row` (of m or n) and chunk `chunk` of k; if it is transposed, row
  /// `row` of k and chunk `chunk` of m or n.
  uint32_t getAddress(uint32_t row, uint32_t chunk) const {
    uint32_t perLine = span / 16, at = start + row % 8 * span;
    if (!isTransposed)
      at += row / 8 * stride + chunk * (span == 16 ? leading : 16);
    else if (span == 16)
      at += row / 8 * leading + chunk * stride;
    else
      at += row / 8 * stride + chunk / perLine * leading + chunk % perLine * 16;
    return at ^ ((((at >> 7) - base) << 4) & (span - 16));
  }
};

/// Calls fn(row, chunk) for all of an operand of `outer` rows of m or n.
template <class Fn>
void forEachChunk(unsigned outer, unsigned innerBytes, unsigned depth,
                  bool isTransposed, Fn fn) {
  unsigned rows = isTransposed ? depth : outer;
  unsigned chunks = isTransposed ? outer / 8 : innerBytes / 16;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned chunk = 0; chunk < chunks; ++chunk)
      fn(row, chunk);
}
} // namespace

void getChunks(const WgmmaOp &op, const WgmmaOp::Part &part,
               llvm::SmallVectorImpl<uint32_t> &chunks) {
  const WgmmaShape &shape = op.getShape();
  auto add = [&](uint64_t descriptor, unsigned outer, bool isTransposed) {
    Layout layout(descriptor, isTransposed);
    uint64_t end = op.block->shared.bytes;
    forEachChunk(outer, 32, shape.k, isTransposed,
                 [&](unsigned row, unsigned chunk) {
                   uint32_t at = layout.getAddress(row, chunk);
                   if (at + 16 <= end)
                     chunks.push_back(at);
                 });
  };
  if (!shape.registersA)
    add(part.descriptorA, 64, shape.isTransposedA);
  add(part.descriptorB, shape.n, shape.isTransposedB);
}

//===----------------------------------------------------------------------===//
// Reading it
//===----------------------------------------------------------------------===//

namespace {
/// Copies chunks of shared memory. Reports bytes that cannot be read.
class Reader {
public:
  explicit Reader(WgmmaOp &op)
      : op(op), shared(op.block->shared),
        warp(*op.block->warps[size_t(op.group) * 4]),
        checks(op.block->launch().options.checks) {}

  void read(uint32_t address, uint8_t *to) {
    if (address < kSharedReserved || address + 16 > shared.bytes) {
      memset(to, 0, 16);
      tell(FindingKind::OutOfBounds, checks.bounds, toldBounds, address,
           "is outside of the block's");
      return;
    }
    memcpy(to, shared.data + address, 16);
    if (!shared.defined)
      return;
    uint64_t flags[2];
    memcpy(flags, shared.defined + address, 16);
    constexpr uint64_t kOnes = 0x0101010101010101;
    if ((flags[0] & flags[1]) != kOnes)
      tell(FindingKind::UninitialisedShared, checks.uninitialised,
           toldUndefined, address, "has bytes that were never written");
  }

private:
  void tell(FindingKind kind, bool isWanted, bool &told, uint32_t address,
            const char *what) {
    if (told)
      return;
    told = true;
    std::string text =
        llvm::formatv("an operand's shared memory at {0:x} {1}", address, what);
    if (isWanted)
      warp.report(kind, *op.inst, 0, address, text);
    else if (kind == FindingKind::OutOfBounds)
      warp.block.launch().fail(text);
  }

  WgmmaOp &op;
  const Region &shared;
  Warp &warp;
  const Checks &checks;
  bool toldBounds = false, toldUndefined = false;
};

} // namespace

static float getElement(Type type, const uint8_t *bytes, size_t index) {
  switch (type) {
  case Type::TF32: {
    uint32_t bits;
    memcpy(&bits, bytes + 4 * index, 4);
    return bitCast<float>(bits & 0xffffe000);
  }
  case Type::E4M3:
    return e4m3ToFloat(bytes[index]);
  case Type::E5M2:
    return e5m2ToFloat(bytes[index]);
  case Type::S8:
    return int8_t(bytes[index]);
  default:
    return bytes[index];
  }
}

static bool isShort(Type type) {
  return type == Type::F16 || type == Type::BF16;
}

/// Elements of 16 bits: a core matrix at a time. `isColumns`: `to` has the
/// matrix's rows of m or n as columns.
static void readShorts(Reader &reader, const Layout &layout, Type type,
                       unsigned outer, bool isColumns, float *to,
                       size_t blockPitch, size_t kPitch, unsigned pitch) {
  const TensorCore &core = getTensorCore();
  bool isBFloat = type == Type::BF16;
  auto convert = isBFloat ? core.convertBFloats : core.convertHalves;
  auto transpose = isBFloat ? core.transposeBFloats : core.transposeHalves;
  auto move = layout.isTransposed == isColumns ? convert : transpose;
  alignas(64) uint8_t matrix[8][16];
  for (unsigned block = 0; block < outer / 8; ++block)
    for (unsigned part = 0; part < 2; ++part) {
      for (unsigned row = 0; row < 8; ++row)
        reader.read(layout.isTransposed
                        ? layout.getAddress(part * 8 + row, block)
                        : layout.getAddress(block * 8 + row, part),
                    matrix[row]);
      move(matrix, to + block * blockPitch + size_t(part) * 8 * kPitch, pitch);
    }
}

static void readA(Reader &reader, const WgmmaOp &op, unsigned index,
                  WgmmaOperands &to) {
  const WgmmaShape &shape = op.getShape();
  if (!shape.registersA) {
    if (index != 0)
      return; // All of it was read.
    Layout layout(op.parts[0].descriptorA, shape.isTransposedA);
    if (isShort(shape.a))
      return readShorts(reader, layout, shape.a, 64, /*isColumns=*/false,
                        to.a[0], size_t(8) * 32, 1, 32);
    uint8_t bytes[16];
    unsigned elements = shape.getRowValues() / 2;
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned chunk = 0; chunk < 2; ++chunk) {
        reader.read(layout.getAddress(row, chunk), bytes);
        for (unsigned e = 0; e < elements; ++e)
          to.a[row][chunk * elements + e] = getElement(shape.a, bytes, e);
      }
    return;
  }
  const Frame *frame = op.parts[index].frame;
  if (!frame)
    return;
  unsigned elements = shape.getRowValues() / 8; // In a register.
  for (unsigned i = 0; i < 4; ++i) {
    const uint8_t *lanes =
        frame->slots + op.inst->operands[shape.registersD + i].offset;
    if (isShort(shape.a)) {
      const TensorCore &core = getTensorCore();
      (shape.a == Type::F16 ? core.convertHalves : core.convertBFloats)(
          lanes, &to.a[index * 16 + i % 2 * 8][size_t(i / 2) * 8], 32);
      continue;
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned e = 0; e < elements; ++e)
        to.a[index * 16 + i % 2 * 8 + lane / 4]
            [i / 2 * 4 * elements + lane % 4 * elements + e] =
            getElement(shape.a, lanes + size_t(lane) * 4, e);
  }
}

static void readB(Reader &reader, const WgmmaOp &op, WgmmaOperands &to) {
  const WgmmaShape &shape = op.getShape();
  Layout layout(op.parts[0].descriptorB, shape.isTransposedB);
  if (isShort(shape.b))
    return readShorts(reader, layout, shape.b, shape.n, /*isColumns=*/true,
                      to.b[0][0], size_t(32) * 8, 8, 8);
  uint8_t bytes[16];
  unsigned elements = shape.getRowValues() / 2;
  for (unsigned row = 0; row < shape.n; ++row)
    for (unsigned chunk = 0; chunk < 2; ++chunk) {
      reader.read(layout.getAddress(row, chunk), bytes);
      for (unsigned e = 0; e < elements; ++e)
        to.b[row / 8][chunk * elements + e][row % 8] =
            getElement(shape.b, bytes, e);
    }
}

void readOperands(WgmmaOp &op, WgmmaOperands &operands) {
  Reader reader(op);
  for (unsigned index = 0; index < 4; ++index)
    readA(reader, op, index, operands);
  readB(reader, op, operands);
}

} // namespace tcgemm::emu
