//===- CopyKernel.cpp - A kernel that copies between strides --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block copies a tile whose sides are 128 bytes of elements. Its threads hold
// vectors of 16 bytes along the dimension that is read. To transpose, they
// store the vectors in shared memory and gather vectors along the dimension
// that is written. Addresses and extents that are no multiples of a vector are
// accessed element by element; shared memory is used in the same way.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using llvm::formatv;

/// Bytes of a vector, and of a row of the tile in shared memory.
static constexpr unsigned kVectorBytes = 16, kRowBytes = 128;
static constexpr unsigned kWords = kVectorBytes / 4;
static constexpr unsigned kVectors = kRowBytes / kVectorBytes;
/// Dimensions besides those of the tile.
static constexpr size_t kOtherDims = kMaxCopiedDims - 2;

std::string tcgemm::getCopyKernelName(unsigned bytes) {
  return "tcgemm_copy_" + std::to_string(bytes);
}

/// Returns whether `inner` follows `outer` in memory in both arrays.
static bool composes(const CopiedDim &outer, const CopiedDim &inner) {
  return outer.from.isSame(inner.from * inner.size) &&
         outer.to.isSame(inner.to * inner.size);
}

llvm::SmallVector<CopiedDim> tcgemm::joinDims(llvm::ArrayRef<CopiedDim> dims) {
  llvm::SmallVector<CopiedDim> joined;
  for (const CopiedDim &dim : dims) {
    if (dim.size.isConstant(1))
      continue;
    if (!joined.empty() && composes(joined.back(), dim))
      joined.back() = {joined.back().size * dim.size, dim.from, dim.to};
    else
      joined.push_back(dim);
  }
  return joined;
}

CopyLaunch tcgemm::planCopyLaunch(llvm::ArrayRef<CopiedDim> dims,
                                  std::optional<size_t> read,
                                  std::optional<size_t> write, unsigned bytes) {
  assert(dims.size() <= kMaxCopiedDims && "more dimensions than parameters");
  int64_t tile = kRowBytes / bytes;
  CopiedDim none{1, 0, 0};
  bool transposes = read != write;
  // Without transposition, the other side of the tile is any dimension.
  if (!transposes && dims.size() > 1)
    write = *read == 0 ? 1 : *read - 1;
  else if (!transposes)
    write.reset();
  CopiedDim along = read ? dims[*read] : none,
            across = write ? dims[*write] : none;
  // All rows of a tile have work if a single dimension becomes two.
  if (std::optional<int64_t> size = along.size.getConstant();
      !write && size && *size % tile == 0) {
    across = {*size / tile, along.from * tile, along.to * tile};
    along.size = tile;
  }
  CopyLaunch launch;
  Expr tilesAlong = ceilDiv(along.size, tile),
       tilesAcross = ceilDiv(across.size, tile);
  launch.grid = tilesAlong * tilesAcross;
  launch.arguments = {Argument::pointer(kCopySource),
                      Argument::pointer(kCopyTarget), Argument::i32(transposes),
                      Argument::i32(tilesAlong), Argument::i32(tilesAcross)};
  auto add = [&](const CopiedDim &dim) {
    launch.arguments.push_back(Argument::i32(dim.size));
    launch.arguments.push_back(Argument::i64(dim.from * Expr(bytes)));
    launch.arguments.push_back(Argument::i64(dim.to * Expr(bytes)));
  };
  add(along);
  add(across);
  size_t others = 0;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (i == read || i == write)
      continue;
    launch.grid = launch.grid * dim.size;
    add(dim);
    ++others;
  }
  for (; others < kOtherDims; ++others)
    add(none);
  return launch;
}

namespace {

/// Writes one kernel. Registers:
///   %s, %t     the block's position in the source and in the target
///   %xa, %ya   bytes from one element to the next along the dimension that is
///              read, in the source and in the target
///   %xw, %yw   the same along the other side of the tile
///   %na, %nw   the rest of both extents, from the tile's first element on
///   %d         the words of the thread's vectors
class CopyWriter {
public:
  explicit CopyWriter(unsigned bytes)
      : bytes(bytes), tile(kRowBytes / bytes), vector(kVectorBytes / bytes),
        slots(tile * kVectors / kCopyThreads) {}
  std::string write();

private:
  template <typename... Ts> void line(const char *format, Ts &&...values) {
    body += "  " + formatv(format, std::forward<Ts>(values)...).str() + "\n";
  }
  void label(const char *name) { body += std::string(name) + ":\n"; }
  void writeHead();
  void loadParameters();
  void locate();
  void decideVectors();
  void copy(bool vectors);
  void loadVectors(bool vectors);
  void swizzle(unsigned slot);
  void storeShared();
  void gather();
  void storeVectors(bool vectors, bool transposed);
  void place(unsigned slot, const char *base, const char *along,
             const char *across);
  void access(bool stores, unsigned slot, const char *unit);
  std::string word(unsigned slot, unsigned index) const {
    return "%d" + std::to_string(slot * kWords + index);
  }
  /// The words of a vector as an operand.
  std::string words(unsigned slot) const {
    return formatv("{{{0}, {1}, {2}, {3}}", word(slot, 0), word(slot, 1),
                   word(slot, 2), word(slot, 3));
  }

  unsigned bytes, tile, vector, slots;
  std::string body;
};

} // namespace

void CopyWriter::writeHead() {
  std::string name = getCopyKernelName(bytes);
  body += ".visible .entry " + name + "(";
  std::vector<const char *> types{"u64", "u64", "u32", "u32", "u32"};
  for (size_t i = 0; i != kMaxCopiedDims; ++i)
    types.insert(types.end(), {"u32", "u64", "u64"});
  for (auto [i, type] : llvm::enumerate(types))
    body += formatv("{0}\n  .param .{1} p{2}", i ? "," : "", type, i).str();
  body += formatv("\n)\n.maxntid {0}, 1, 1\n{{\n", kCopyThreads).str();
  line(".reg .b32 %r<16>, %d<{0}>;", slots * kWords);
  line(".reg .b32 %na, %nw, %transposes, %lane, %row, %shared;");
  line(".reg .b64 %l<16>, %s, %t, %xa, %ya, %xw, %yw;");
  line(".reg .pred %p<8>, %fast, %turn;");
  line(".shared .align 16 .b8 tile[{0}];", tile * kRowBytes);
}

void CopyWriter::loadParameters() {
  line("ld.param.u64 %s, [p0];");
  line("ld.param.u64 %t, [p1];");
  line("ld.param.u32 %transposes, [p2];");
  line("ld.param.u32 %na, [p5];");
  line("ld.param.u64 %xa, [p6];");
  line("ld.param.u64 %ya, [p7];");
  line("ld.param.u32 %nw, [p8];");
  line("ld.param.u64 %xw, [p9];");
  line("ld.param.u64 %yw, [p10];");
  line("cvta.to.global.u64 %s, %s;");
  line("cvta.to.global.u64 %t, %t;");
  line("setp.ne.u32 %turn, %transposes, 0;");
}

/// Sets %fast: all accesses can be vectors. %l0 has the bits of all values that
/// must be multiples of a vector.
void CopyWriter::decideVectors() {
  line("or.b64 %l0, %s, %t;");
  line("or.b64 %l0, %l0, %xw;");
  line("selp.b64 %l1, %ya, %yw, %turn;");
  line("or.b64 %l0, %l0, %l1;");
  line("selp.b32 %r0, %nw, 0, %turn;");
  line("or.b32 %r0, %r0, %na;");
  line("mul.wide.u32 %l1, %r0, {0};", bytes);
  line("or.b64 %l0, %l0, %l1;");
  for (unsigned i = 0; i != kOtherDims; ++i)
    for (unsigned side : {1, 2}) {
      line("ld.param.u64 %l1, [p{0}];", 5 + 3 * (2 + i) + side);
      line("or.b64 %l0, %l0, %l1;");
    }
  line("and.b64 %l0, %l0, {0};", kVectorBytes - 1);
  line("setp.eq.u64 %fast, %l0, 0;");
  line("setp.eq.and.u64 %fast, %xa, {0}, %fast;", bytes);
  line("selp.b64 %l1, %yw, %ya, %turn;");
  line("setp.eq.and.u64 %fast, %l1, {0}, %fast;", bytes);
}

/// Moves %s and %t to the tile and reduces the extents to what is left.
void CopyWriter::locate() {
  auto advance = [&](const char *index, const char *from, const char *to) {
    line("cvt.u64.u32 %l2, {0};", index);
    line("mad.lo.u64 %s, %l2, {0}, %s;", from);
    line("mad.lo.u64 %t, %l2, {0}, %t;", to);
  };
  line("mov.u32 %r1, %ctaid.x;");
  auto take = [&](unsigned parameter, const char *index) {
    line("ld.param.u32 %r2, [p{0}];", parameter);
    line("rem.u32 {0}, %r1, %r2;", index);
    line("div.u32 %r1, %r1, %r2;");
  };
  take(3, "%r3");
  take(4, "%r4");
  for (unsigned i = 0; i != kOtherDims; ++i) {
    unsigned parameter = 5 + 3 * (2 + i);
    take(parameter, "%r5");
    line("ld.param.u64 %l3, [p{0}];", parameter + 1);
    line("ld.param.u64 %l4, [p{0}];", parameter + 2);
    advance("%r5", "%l3", "%l4");
  }
  line("mul.lo.u32 %r3, %r3, {0};", tile);
  line("mul.lo.u32 %r4, %r4, {0};", tile);
  advance("%r3", "%xa", "%ya");
  advance("%r4", "%xw", "%yw");
  line("sub.u32 %na, %na, %r3;");
  line("sub.u32 %nw, %nw, %r4;");
  line("mov.u32 %r6, %tid.x;");
  line("and.b32 %lane, %r6, {0};", kVectors - 1);
  line("shr.u32 %row, %r6, {0};", llvm::Log2_32(kVectors));
  line("mov.u32 %shared, tile;");
}

/// Sets %r7, the position along the vector's dimension, %r8, that along the
/// other one, and %l5, the address of the vector's first element. `along` and
/// `across` are the strides of both.
void CopyWriter::place(unsigned slot, const char *base, const char *along,
                       const char *across) {
  line("mul.lo.u32 %r7, %lane, {0};", vector);
  line("add.u32 %r8, %row, {0};", slot * (kCopyThreads / kVectors));
  line("cvt.u64.u32 %l6, %r7;");
  line("cvt.u64.u32 %l7, %r8;");
  line("mad.lo.u64 %l5, %l6, {0}, {1};", along, base);
  line("mad.lo.u64 %l5, %l7, {0}, %l5;", across);
}

/// Accesses the elements of a vector one by one, as far as %r9 are inside;
/// `unit` is the distance of two.
void CopyWriter::access(bool stores, unsigned slot, const char *unit) {
  unsigned perWord = std::max(4 / bytes, 1u);
  for (unsigned e = 0; e != vector; ++e) {
    std::string part = word(slot, e * bytes / 4);
    unsigned shift = e % perWord * bytes * 8;
    line("setp.gt.u32 %p1, %r9, {0};", e);
    if (bytes == 8) {
      std::string pair =
          formatv("{{{0}, {1}}", part, word(slot, e * bytes / 4 + 1));
      if (stores)
        line("@%p1 st.global.v2.u32 [%l5], {0};", pair);
      else
        line("@%p1 ld.global.v2.u32 {0}, [%l5];", pair);
    } else if (stores) {
      line("shr.u32 %r10, {0}, {1};", part, shift);
      line("@%p1 st.global.u{0} [%l5], %r10;", bytes * 8);
    } else {
      line("@%p1 ld.global.u{0} %r10, [%l5];", bytes * 8);
      line("@%p1 shl.b32 %r10, %r10, {0};", shift);
      line("@%p1 or.b32 {0}, {0}, %r10;", part);
    }
    line("add.u64 %l5, %l5, {0};", unit);
  }
}

/// Sets %r9 to the elements of the vector that are inside, of which %r7 is the
/// first and %r8 the row: 0 if the row is outside.
static const char *const kCountInside = "setp.lt.u32 %p2, %r8, {1};\n"
                                        "  setp.lt.and.u32 %p2, %r7, {0}, "
                                        "%p2;\n"
                                        "  sub.u32 %r9, {0}, %r7;\n"
                                        "  selp.b32 %r9, %r9, 0, %p2;";

void CopyWriter::loadVectors(bool vectors) {
  for (unsigned slot = 0; slot != slots; ++slot) {
    place(slot, "%s", "%xa", "%xw");
    line(kCountInside, "%na", "%nw");
    for (unsigned i = 0; i != kWords; ++i)
      line("mov.b32 {0}, 0;", word(slot, i));
    if (vectors)
      line("@%p2 ld.global.v4.u32 {0}, [%l5];", words(slot));
    else
      access(/*stores=*/false, slot, "%xa");
  }
}

/// Sets %r8, the thread's row, and %r11, where its lane's vector is in a row.
/// Row r of the tile has vector v at place v xor (r / vector), so that the
/// gathered elements of eight neighbouring threads are in different banks.
void CopyWriter::swizzle(unsigned slot) {
  line("add.u32 %r8, %row, {0};", slot * (kCopyThreads / kVectors));
  line("shr.u32 %r11, %r8, {0};", llvm::Log2_32(vector));
  line("xor.b32 %r11, %r11, %lane;");
  line("shl.b32 %r11, %r11, {0};", llvm::Log2_32(kVectorBytes));
}

void CopyWriter::storeShared() {
  for (unsigned slot = 0; slot != slots; ++slot) {
    swizzle(slot);
    line("mad.lo.u32 %r11, %r8, {0}, %r11;", kRowBytes);
    line("add.u32 %r11, %r11, %shared;");
    line("st.shared.v4.u32 [%r11], {0};", words(slot));
  }
  line("bar.sync 0;");
}

/// Thread (row, lane) gathers element `row` of `vector` rows, from row
/// lane * vector on.
void CopyWriter::gather() {
  unsigned perWord = std::max(4 / bytes, 1u);
  for (unsigned slot = 0; slot != slots; ++slot) {
    swizzle(slot);
    line("and.b32 %r12, %r8, {0};", vector - 1);
    line("mad.lo.u32 %r11, %r12, {0}, %r11;", bytes);
    line("mad.lo.u32 %r11, %lane, {0}, %r11;", vector * kRowBytes);
    line("add.u32 %r11, %r11, %shared;");
    for (unsigned e = 0; e != vector; ++e) {
      std::string part = word(slot, e * bytes / 4);
      std::string address = formatv("[%r11+{0}]", e * kRowBytes);
      if (bytes == 8) {
        line("ld.shared.v2.u32 {{{0}, {1}}, {2};", part,
             word(slot, e * bytes / 4 + 1), address);
      } else if (e % perWord == 0) {
        line("ld.shared.u{0} {1}, {2};", bytes * 8, part, address);
      } else {
        line("ld.shared.u{0} %r10, {1};", bytes * 8, address);
        line("shl.b32 %r10, %r10, {0};", e % perWord * bytes * 8);
        line("or.b32 {0}, {0}, %r10;", part);
      }
    }
  }
}

void CopyWriter::storeVectors(bool vectors, bool transposed) {
  const char *along = transposed ? "%yw" : "%ya",
             *across = transposed ? "%ya" : "%yw";
  for (unsigned slot = 0; slot != slots; ++slot) {
    place(slot, "%t", along, across);
    line(kCountInside, transposed ? "%nw" : "%na", transposed ? "%na" : "%nw");
    if (vectors)
      line("@%p2 st.global.v4.u32 [%l5], {0};", words(slot));
    else
      access(/*stores=*/true, slot, along);
  }
}

void CopyWriter::copy(bool vectors) {
  const char *direct = vectors ? "direct_vectors" : "direct_elements";
  loadVectors(vectors);
  line("@!%turn bra {0};", direct);
  storeShared();
  gather();
  storeVectors(vectors, /*transposed=*/true);
  line("ret;");
  label(direct);
  storeVectors(vectors, /*transposed=*/false);
  line("ret;");
}

std::string CopyWriter::write() {
  writeHead();
  loadParameters();
  decideVectors();
  locate();
  line("@%fast bra vectors;");
  copy(/*vectors=*/false);
  label("vectors");
  copy(/*vectors=*/true);
  return body + "}\n";
}

std::string tcgemm::writeCopyPtx(llvm::ArrayRef<unsigned> bytes,
                                 bool withPairs) {
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n";
  for (unsigned size : bytes) {
    text += "\n" + CopyWriter(size).write();
    if (withPairs)
      text += "\n" + writePairsKernel(size);
  }
  return text;
}
