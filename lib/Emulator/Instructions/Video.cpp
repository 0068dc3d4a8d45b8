//===- Video.cpp - SIMD video instructions --------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two halves or four bytes of a 32-bit register at a time, each selected from
// both sources. The results go into the parts of d that a mask names, or are
// added.
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"
#include "Machine/Warp.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tcgemm::emu {

using ptx::Type;

namespace {

enum class VideoOp : uint8_t { Add, Sub, Avrg, AbsDiff, Min, Max, Set };
enum class VideoCompare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };

struct VideoExtra : Extra {
  VideoOp op = VideoOp::Add;
  VideoCompare compare = VideoCompare::Eq;
  unsigned parts = 4; ///< Parts of a register: 2 or 4.
  bool isSignedA = false, isSignedB = false, isSignedD = false;
  bool saturates = false, accumulates = false;
  uint8_t mask = 15;           ///< Parts of the result that are written.
  uint8_t a[4] = {0, 1, 2, 3}; ///< By part: which of a's, then b's, parts.
  uint8_t b[4] = {4, 5, 6, 7};
};

} // namespace

static int64_t getPart(uint64_t sources, unsigned index, unsigned bits,
                       bool isSigned) {
  uint64_t value = sources >> (index * bits) & ((1u << bits) - 1);
  bool isNegative = isSigned && value >> (bits - 1);
  return static_cast<int64_t>(value) - (isNegative ? int64_t(1) << bits : 0);
}

static bool compare(VideoCompare comparison, int64_t a, int64_t b) {
  switch (comparison) {
  case VideoCompare::Eq:
    return a == b;
  case VideoCompare::Ne:
    return a != b;
  case VideoCompare::Lt:
    return a < b;
  case VideoCompare::Le:
    return a <= b;
  case VideoCompare::Gt:
    return a > b;
  case VideoCompare::Ge:
    return a >= b;
  }
  return false;
}

static int64_t compute(const VideoExtra &extra, int64_t a, int64_t b) {
  switch (extra.op) {
  case VideoOp::Add:
    return a + b;
  case VideoOp::Sub:
    return a - b;
  case VideoOp::Avrg:
    // Halves are rounded away from zero.
    return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  case VideoOp::AbsDiff:
    return a > b ? a - b : b - a;
  case VideoOp::Min:
    return std::min(a, b);
  case VideoOp::Max:
    return std::max(a, b);
  case VideoOp::Set:
    return compare(extra.compare, a, b);
  }
  return 0;
}

static uint32_t computeLane(const VideoExtra &extra, uint32_t a, uint32_t b,
                            uint32_t c) {
  unsigned bits = 32 / extra.parts;
  uint64_t sources = uint64_t(b) << 32 | a;
  uint32_t partMask = (1u << bits) - 1;
  int64_t least = extra.isSignedD ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t most = least + partMask;
  uint32_t result = c;
  for (unsigned i = 0; i != extra.parts; ++i) {
    if (!(extra.mask >> i & 1))
      continue;
    int64_t value =
        compute(extra, getPart(sources, extra.a[i], bits, extra.isSignedA),
                getPart(sources, extra.b[i], bits, extra.isSignedB));
    if (extra.accumulates) {
      result += static_cast<uint32_t>(value);
      continue;
    }
    if (extra.saturates)
      value = std::clamp(value, least, most);
    uint32_t part = static_cast<uint32_t>(value) & partMask;
    result = (result & ~(partMask << (i * bits))) | part << (i * bits);
  }
  return result;
}

/// Operands: d, a, b, c.
static Outcome runVideo(Warp &warp, const Instruction &inst) {
  const auto &extra = static_cast<const VideoExtra &>(*inst.extra);
  uint32_t *d = warp.lanes<uint32_t>(inst.operands[0]);
  const uint32_t *a = warp.lanes<uint32_t>(inst.operands[1]);
  const uint32_t *b = warp.lanes<uint32_t>(inst.operands[2]);
  const uint32_t *c = warp.lanes<uint32_t>(inst.operands[3]);
  forEachLane(warp.exec, [&](unsigned lane) {
    d[lane] = computeLane(extra, a[lane], b[lane], c[lane]);
  });
  return Outcome::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// The digits of `b3210`, the last one first; none if there is another letter,
/// or a digit of `limit` or more.
static std::optional<llvm::SmallVector<uint8_t, 4>>
readSelector(llvm::StringRef text, unsigned parts, unsigned limit) {
  llvm::SmallVector<uint8_t, 4> digits;
  if (!text.consume_front(parts == 4 ? "b" : "h") || text.size() > parts)
    return std::nullopt;
  for (char digit : llvm::reverse(text)) {
    if (digit < '0' || digit >= char('0' + limit))
      return std::nullopt;
    digits.push_back(digit - '0');
  }
  return digits;
}

/// Replaces which parts a source's selector names.
static void takeSelector(Decoder &d, const ptx::Operand &operand,
                         unsigned parts, uint8_t *chosen) {
  if (operand.selector.empty())
    return;
  auto digits = readSelector(operand.selector, parts, 2 * parts);
  if (!digits || digits->size() != parts)
    return d.fail("'." + operand.selector + "' selects no parts of a source");
  llvm::copy(*digits, chosen);
}

static void takeMask(Decoder &d, const ptx::Operand &operand,
                     VideoExtra &extra) {
  if (operand.selector.empty())
    return;
  auto digits = readSelector(operand.selector, extra.parts, extra.parts);
  if (!digits || digits->empty() ||
      !std::is_sorted(digits->begin(), digits->end(), std::less_equal<>()))
    return d.fail("'." + operand.selector + "' is no mask of a result");
  extra.mask = 0;
  for (uint8_t digit : *digits)
    extra.mask |= 1u << digit;
}

static void decodeOperands(Decoder &d, VideoExtra &extra) {
  ptx::Operand operands[4];
  for (unsigned i = 0; i != 4; ++i)
    operands[i] = d.operand(i);
  takeMask(d, operands[0], extra);
  takeSelector(d, operands[1], extra.parts, extra.a);
  takeSelector(d, operands[2], extra.parts, extra.b);
  for (unsigned i = 0; i != 3; ++i)
    operands[i].selector = {};
  d.dst(operands[0], Type::U32);
  for (unsigned i = 1; i != 4; ++i)
    d.src(operands[i], Type::U32);
}

template <VideoOp op, unsigned parts>
static void decodeVideo(Decoder &d, Modifiers &mods) {
  auto extra = std::make_unique<VideoExtra>();
  extra->op = op;
  extra->parts = parts;
  if (parts == 2) {
    extra->b[0] = 2;
    extra->b[1] = 3;
  }
  bool *types[] = {&extra->isSignedD, &extra->isSignedA, &extra->isSignedB};
  for (bool *isSigned : llvm::ArrayRef(types).drop_front(op == VideoOp::Set)) {
    std::optional<Type> type = mods.takeType();
    if (type != Type::U32 && type != Type::S32)
      return d.fail("video instructions need types .u32 or .s32");
    *isSigned = type == Type::S32;
  }
  if (op == VideoOp::Set) {
    auto compare = mods.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
    if (!compare)
      return d.fail("the comparison is missing");
    extra->compare = VideoCompare(*compare);
  } else {
    extra->saturates = mods.take("sat");
  }
  extra->accumulates = mods.take("add");
  if (extra->saturates && extra->accumulates)
    return d.fail("'.sat' does not go with '.add'");
  if (!d.expectOperands(4))
    return;
  decodeOperands(d, *extra);
  d.code->extra = std::move(extra);
  d.code->run = runVideo;
}

llvm::ArrayRef<FamilyEntry> getVideoFamily() {
  static constexpr FamilyEntry kFamily[] = {
      {"vadd2", decodeVideo<VideoOp::Add, 2>},
      {"vadd4", decodeVideo<VideoOp::Add, 4>},
      {"vsub2", decodeVideo<VideoOp::Sub, 2>},
      {"vsub4", decodeVideo<VideoOp::Sub, 4>},
      {"vavrg2", decodeVideo<VideoOp::Avrg, 2>},
      {"vavrg4", decodeVideo<VideoOp::Avrg, 4>},
      {"vabsdiff2", decodeVideo<VideoOp::AbsDiff, 2>},
      {"vabsdiff4", decodeVideo<VideoOp::AbsDiff, 4>},
      {"vmin2", decodeVideo<VideoOp::Min, 2>},
      {"vmin4", decodeVideo<VideoOp::Min, 4>},
      {"vmax2", decodeVideo<VideoOp::Max, 2>},
      {"vmax4", decodeVideo<VideoOp::Max, 4>},
      {"vset2", decodeVideo<VideoOp::Set, 2>},
      {"vset4", decodeVideo<VideoOp::Set, 4>}};
  return kFamily;
}

} // namespace tcgemm::emu
