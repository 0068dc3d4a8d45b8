//===- PairsKernel.cpp - A kernel that splits and joins pairs -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One array has pairs of neighbours, the other one a row of all first elements
// and a row of all second ones. A thread accesses 16 bytes of pairs, and 8
// bytes of each row, so that a warp accesses whole lines of both arrays. All
// loads of a thread precede its first store. Addresses that are no multiples of
// such vectors, and the last places of a row, are accessed element by element.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::formatv;

/// Bytes of a vector of pairs, and of a vector of each row.
static constexpr unsigned kPairBytes = 16, kRowBytes = kPairBytes / 2;
static constexpr unsigned kWords = kPairBytes / 4;
/// The vectors of a thread.
static constexpr unsigned kSlots = 4;
/// Dimensions besides those of the pairs and along the rows.
static constexpr size_t kOtherDims = kMaxCopiedDims - 2;
/// The first parameter of the other dimensions.
static constexpr unsigned kFirstOther = 6;

std::string tcgemm::getPairsKernelName(unsigned bytes) {
  return "tcgemm_pairs_" + std::to_string(bytes);
}

/// Returns whether `pair` is the two elements of the pairs, and `along` goes
/// from pair to pair.
static bool isPairs(const CopiedDim &pair, const CopiedDim &along,
                    Expr CopiedDim::*ofPairs, Expr CopiedDim::*ofRows) {
  return pair.size.isConstant(2) && (pair.*ofPairs).isConstant(1) &&
         (along.*ofPairs).isConstant(2) && (along.*ofRows).isConstant(1);
}

std::optional<CopyLaunch>
tcgemm::planPairsLaunch(llvm::ArrayRef<CopiedDim> dims, size_t read,
                        size_t write, unsigned bytes) {
  bool joins =
           isPairs(dims[write], dims[read], &CopiedDim::to, &CopiedDim::from),
       splits =
           isPairs(dims[read], dims[write], &CopiedDim::from, &CopiedDim::to);
  if (read == write || (!joins && !splits))
    return std::nullopt;
  const CopiedDim &pair = joins ? dims[write] : dims[read],
                  &along = joins ? dims[read] : dims[write];
  Expr blocks =
      ceilDiv(along.size, int64_t(kRowBytes / bytes * kSlots * kCopyThreads));
  CopyLaunch launch;
  launch.grid = blocks;
  launch.arguments = {
      Argument::pointer(kCopySource),
      Argument::pointer(kCopyTarget),
      Argument::i32(joins),
      Argument::i32(blocks),
      Argument::i64(along.size),
      Argument::i64((joins ? pair.from : pair.to) * Expr(bytes))};
  size_t others = 0;
  auto add = [&](const CopiedDim &dim) {
    launch.arguments.push_back(Argument::i32(dim.size));
    launch.arguments.push_back(Argument::i64(dim.from * Expr(bytes)));
    launch.arguments.push_back(Argument::i64(dim.to * Expr(bytes)));
    ++others;
  };
  for (auto [i, dim] : llvm::enumerate(dims))
    if (i != read && i != write) {
      launch.grid = launch.grid * dim.size;
      add(dim);
    }
  while (others < kOtherDims)
    add({1, 0, 0});
  return launch;
}

namespace {

/// Writes one kernel. Registers:
///   %s, %t     the block's position in the source and in the target
///   %n         the number of pairs
///   %distance  bytes from one row to the other
///   %first     the first pair of the thread's first vector
///   %xe, %xc   bytes from one pair to the next in the source, and from the
///              first to the second element of a pair
///   %ye, %yc   the same in the target
///   %pairs     the address of that pair; %row0, %row1: those of its elements
///   %whole     by vector: all of its pairs are inside
///   %w         the words of the thread's vectors of pairs
///   %v         the words of its vectors of rows: two of each row
class PairsWriter {
public:
  explicit PairsWriter(unsigned bytes)
      : bytes(bytes), vector(kRowBytes / bytes) {}
  std::string write();

private:
  template <typename... Ts> void line(const char *format, Ts &&...values) {
    body += "  " + formatv(format, std::forward<Ts>(values)...).str() + "\n";
  }
  void writeHead();
  void loadParameters();
  void locate();
  void decideVectors();
  void accessPairs(bool stores, unsigned slot);
  void accessRows(bool stores, unsigned slot);
  void permute(bool joins, unsigned slot);
  void copyVectors(bool joins);
  void copyElements();

  unsigned bytes, vector;
  std::string body;
};

} // namespace

void PairsWriter::writeHead() {
  body += ".visible .entry " + getPairsKernelName(bytes) + "(";
  std::vector<const char *> types{"u64", "u64", "u32", "u32", "u64", "u64"};
  for (size_t i = 0; i != kOtherDims; ++i)
    types.insert(types.end(), {"u32", "u64", "u64"});
  for (auto [i, type] : llvm::enumerate(types))
    body += formatv("{0}\n  .param .{1} p{2}", i ? "," : "", type, i).str();
  body += formatv("\n)\n.maxntid {0}, 1, 1\n{{\n", kCopyThreads).str();
  line(".reg .b32 %r<8>, %w<{0}>, %v<{0}>;", kSlots * kWords);
  line(".reg .b64 %l<4>, %e<{0}>, %s, %t, %n, %distance, %first;", 2 * vector);
  line(".reg .b64 %xe, %xc, %ye, %yc, %pairs, %row<2>;");
  line(".reg .pred %whole<{0}>, %inside<{1}>, %joins, %fast;", kSlots, vector);
}

void PairsWriter::loadParameters() {
  line("ld.param.u64 %s, [p0];");
  line("ld.param.u64 %t, [p1];");
  line("cvta.to.global.u64 %s, %s;");
  line("cvta.to.global.u64 %t, %t;");
  line("ld.param.u32 %r0, [p2];");
  line("setp.ne.u32 %joins, %r0, 0;");
  line("ld.param.u64 %n, [p4];");
  line("ld.param.u64 %distance, [p5];");
  line("selp.b64 %xe, {0}, {1}, %joins;", bytes, 2 * bytes);
  line("selp.b64 %ye, {1}, {0}, %joins;", bytes, 2 * bytes);
  line("selp.b64 %xc, %distance, {0}, %joins;", bytes);
  line("selp.b64 %yc, {0}, %distance, %joins;", bytes);
}

/// Moves %s and %t along the other dimensions, and sets %first, the first pair
/// of the thread.
void PairsWriter::locate() {
  line("mov.u32 %r1, %ctaid.x;");
  auto take = [&](unsigned parameter) {
    line("ld.param.u32 %r2, [p{0}];", parameter);
    line("div.u32 %r5, %r1, %r2;");
    line("mul.lo.u32 %r3, %r5, %r2;");
    line("sub.u32 %r3, %r1, %r3;");
    line("mov.b32 %r1, %r5;");
  };
  take(3);
  line("mov.u32 %r4, %tid.x;");
  line("mul.wide.u32 %first, %r3, {0};", vector * kSlots * kCopyThreads);
  line("mul.wide.u32 %l0, %r4, {0};", vector);
  line("add.u64 %first, %first, %l0;");
  for (unsigned i = 0; i != kOtherDims; ++i) {
    unsigned parameter = kFirstOther + 3 * i;
    // The block has the first place along all dimensions that are left.
    line("setp.eq.u32 %inside0, %r1, 0;");
    line("@%inside0 bra located;");
    take(parameter);
    line("cvt.u64.u32 %l0, %r3;");
    line("ld.param.u64 %l1, [p{0}];", parameter + 1);
    line("mad.lo.u64 %s, %l0, %l1, %s;");
    line("ld.param.u64 %l1, [p{0}];", parameter + 2);
    line("mad.lo.u64 %t, %l0, %l1, %t;");
  }
  body += "located:\n";
}

/// Sets %fast: the block's vectors are aligned. All threads of a block agree.
void PairsWriter::decideVectors() {
  line("selp.b64 %l0, %t, %s, %joins;");
  line("selp.b64 %l1, %s, %t, %joins;");
  line("or.b64 %l1, %l1, %distance;");
  line("and.b64 %l0, %l0, {0};", kPairBytes - 1);
  line("and.b64 %l1, %l1, {0};", kRowBytes - 1);
  line("or.b64 %l0, %l0, %l1;");
  line("setp.eq.u64 %fast, %l0, 0;");
}

/// Accesses 16 bytes of pairs.
void PairsWriter::accessPairs(bool stores, unsigned slot) {
  unsigned w = slot * kWords;
  std::string words = formatv("{{%w{0}, %w{1}, %w{2}, %w{3}}", w, w + 1, w + 2,
                              w + 3),
              address =
                  formatv("[%pairs+{0}]", slot * kPairBytes * kCopyThreads);
  if (stores)
    line("@%whole{0} st.global.v4.u32 {1}, {2};", slot, address, words);
  else
    line("@%whole{0} ld.global.v4.u32 {1}, {2};", slot, words, address);
}

/// Accesses 8 bytes of each row.
void PairsWriter::accessRows(bool stores, unsigned slot) {
  for (unsigned row : {0, 1}) {
    unsigned v = slot * kWords + 2 * row;
    std::string words = formatv("{{%v{0}, %v{1}}", v, v + 1),
                address = formatv("[%row{0}+{1}]", row,
                                  slot * kRowBytes * kCopyThreads);
    if (stores)
      line("@%whole{0} st.global.v2.u32 {1}, {2};", slot, address, words);
    else
      line("@%whole{0} ld.global.v2.u32 {1}, {2};", slot, words, address);
  }
}

/// Moves the elements of vector `slot` from the rows' words to those of the
/// pairs, or back.
void PairsWriter::permute(bool joins, unsigned slot) {
  unsigned base = slot * kWords;
  if (bytes >= 4) {
    // The word of a row that is a word of the pairs.
    constexpr unsigned ofWords[] = {0, 2, 1, 3}, ofDoubles[] = {0, 1, 2, 3};
    for (unsigned i = 0; i != kWords; ++i) {
      unsigned other = bytes == 4 ? ofWords[i] : ofDoubles[i];
      line(joins ? "@%whole{2} mov.b32 %w{0}, %v{1};"
                 : "@%whole{2} mov.b32 %v{1}, %w{0};",
           base + i, base + other, slot);
    }
    return;
  }
  // Bytes of a result, from the bytes of two words. Words i and i + 2 of the
  // rows are words 2i and 2i + 1 of the pairs.
  const char *selectors[2][2] = {{"0x6420", "0x7531"}, {"0x5140", "0x7362"}};
  const char *halves[2] = {"0x5410", "0x7632"};
  for (unsigned i = 0; i != 2; ++i)
    for (unsigned part = 0; part != 2; ++part) {
      const char *selector = bytes == 2 ? halves[part] : selectors[joins][part];
      unsigned w = base + 2 * i, v = base + i;
      if (joins)
        line("@%whole{4} prmt.b32 %w{0}, %v{1}, %v{2}, {3};", w + part, v,
             v + 2, selector, slot);
      else
        line("@%whole{4} prmt.b32 %v{0}, %w{1}, %w{2}, {3};", v + 2 * part, w,
             w + 1, selector, slot);
    }
}

void PairsWriter::copyVectors(bool joins) {
  line("mad.lo.u64 %pairs, %first, {0}, {1};", 2 * bytes, joins ? "%t" : "%s");
  line("mad.lo.u64 %row0, %first, {0}, {1};", bytes, joins ? "%s" : "%t");
  line("add.u64 %row1, %row0, %distance;");
  for (unsigned slot = 0; slot != kSlots; ++slot) {
    line("add.u64 %l0, %first, {0};", slot * vector * kCopyThreads + vector);
    line("setp.le.u64 %whole{0}, %l0, %n;", slot);
  }
  for (bool stores : {false, true})
    for (unsigned slot = 0; slot != kSlots; ++slot) {
      if (stores)
        permute(joins, slot);
      if (stores == joins)
        accessPairs(stores, slot);
      else
        accessRows(stores, slot);
    }
}

/// Copies the elements of the vectors that are not whole, or of all vectors
/// without %fast.
void PairsWriter::copyElements() {
  for (unsigned slot = 0; slot != kSlots; ++slot) {
    line("add.u64 %l0, %first, {0};", slot * vector * kCopyThreads);
    line("add.u64 %l1, %l0, {0};", vector);
    line("setp.le.and.u64 %whole0, %l1, %n, %fast;");
    line("not.pred %whole0, %whole0;");
    for (unsigned e = 0; e != vector; ++e) {
      line("add.u64 %l1, %l0, {0};", e);
      line("setp.lt.and.u64 %inside{0}, %l1, %n, %whole0;", e);
    }
    for (bool stores : {false, true}) {
      line("mad.lo.u64 %l1, %l0, {0}, {1};", stores ? "%ye" : "%xe",
           stores ? "%t" : "%s");
      for (unsigned e = 0; e != vector; ++e) {
        line("add.u64 %l2, %l1, {0};", stores ? "%yc" : "%xc");
        for (unsigned component : {0, 1}) {
          unsigned element = 2 * e + component, address = component + 1;
          if (stores)
            line("@%inside{0} st.global.u{1} [%l{2}], %e{3};", e, bytes * 8,
                 address, element);
          else
            line("@%inside{0} ld.global.u{1} %e{3}, [%l{2}];", e, bytes * 8,
                 address, element);
        }
        line("add.u64 %l1, %l1, {0};", stores ? "%ye" : "%xe");
      }
    }
  }
}

std::string PairsWriter::write() {
  writeHead();
  loadParameters();
  locate();
  decideVectors();
  line("@!%fast bra elements;");
  line("@!%joins bra split;");
  copyVectors(/*joins=*/true);
  line("bra rest;");
  body += "split:\n";
  copyVectors(/*joins=*/false);
  body += "rest:\n";
  line("and.b64 %l0, %n, {0};", vector - 1);
  line("setp.eq.u64 %whole0, %l0, 0;");
  line("@%whole0 ret;");
  body += "elements:\n";
  copyElements();
  line("ret;");
  return body + "}\n";
}

std::string tcgemm::writePairsKernel(unsigned bytes) {
  return PairsWriter(bytes).write();
}
