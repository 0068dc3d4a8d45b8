//===- MmaTest.cpp - mma.sync against plain loops and recordings ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instructions/FloatFormats.h"
#include "RunPtx.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

#include <ctime>
#include <random>

using namespace tcgemm::emu;

namespace {

enum class Element : uint8_t { F16, BF16, TF32, E4M3, E5M2, F64, F32, Int };

/// A product, and the positions of its elements according to the ISA.
struct Product {
  const char *op;
  unsigned m, n, k;
  unsigned a, b, c; ///< Registers.
  Element typeA, typeB, typeC;
  unsigned bits; ///< Bits of an element of A or B.
  bool isSignedA = true, isSignedB = true;
};

unsigned getWords(const Product &p) { return p.typeC == Element::F64 ? 2 : 1; }

std::string makeKernel(const Product &p) {
  bool isDouble = p.typeC == Element::F64;
  bool isFloat = p.typeC == Element::F32;
  std::string factor = isDouble ? "f64" : "b32";
  std::string result = isDouble ? "f64" : isFloat ? "f32" : "b32";
  unsigned bytes = isDouble ? 8 : 4;
  std::string body = ".reg .u32 %t; .reg .u64 %x; mov.u32 %t, %tid.x;\n";
  auto declare = [&](const char *name, const std::string &type, unsigned n) {
    body += llvm::formatv(".reg .{0} %{1}<{2}>;\n", type, name, n).str();
  };
  declare("a", factor, p.a);
  declare("b", factor, p.b);
  declare("c", result, p.c);
  declare("d", result, p.c);
  auto move = [&](unsigned param, const char *name, const std::string &type,
                  unsigned n, bool isLoad) {
    body += llvm::formatv("ld.param.u64 %x, [p{0}]; mad.wide.u32 %x, %t, {1}, "
                          "%x;\n",
                          param, n * bytes)
                .str();
    for (unsigned i = 0; i != n; ++i)
      body += isLoad ? llvm::formatv("ld.global.{0} %{1}{2}, [%x+{3}];\n", type,
                                     name, i, i * bytes)
                           .str()
                     : llvm::formatv("st.global.{0} [%x+{3}], %{1}{2};\n", type,
                                     name, i, i * bytes)
                           .str();
  };
  auto list = [&](const char *name, unsigned n) {
    std::string text = "{";
    for (unsigned i = 0; i != n; ++i)
      text += (i ? ", %" : "%") + std::string(name) + std::to_string(i);
    return text + "}";
  };
  move(0, "a", factor, p.a, true);
  move(1, "b", factor, p.b, true);
  move(2, "c", result, p.c, true);
  body += llvm::formatv("mma.sync.aligned.{0} {1}, {2}, {3}, {4};\n", p.op,
                        list("d", p.c), list("a", p.a), list("b", p.b),
                        list("c", p.c))
              .str();
  move(3, "d", result, p.c, false);
  return makeEntry(4, body);
}

using Words = std::vector<uint32_t>; ///< Words of consecutive lanes.

//===----------------------------------------------------------------------===//
// Plain loops
//===----------------------------------------------------------------------===//

uint64_t encode(Element type, int value) {
  switch (type) {
  case Element::F16:
    return floatToHalf(float(value));
  case Element::BF16:
    return floatToBFloat(float(value));
  case Element::TF32:
  case Element::F32:
    return bitCast<uint32_t>(float(value));
  case Element::E4M3:
    return narrowFloat<E4M3, Rounding::NearestEven>(float(value));
  case Element::E5M2:
    return narrowFloat<E5M2, Rounding::NearestEven>(float(value));
  case Element::F64:
    return bitCast<uint64_t>(double(value));
  case Element::Int:
    return uint32_t(value);
  }
  return 0;
}

/// Row and column of element i of lane `lane` of A according to the ISA. Its
/// text uses `groupID`, `threadID_in_group` and cases of i, like this function.
std::pair<unsigned, unsigned> placeOfA(const Product &p, unsigned lane,
                                       unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  bool wide = p.m == 16;
  switch (p.bits) {
  case 64:
    if (!wide)
      return {group, thread};
    return {i % 2 == 0 ? group : group + 8, (i / 2) * 4 + thread};
  case 32:
    return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  case 16: // a0, a1 and a4, a5 are of the first rows.
    return {i < 2 || (i >= 4 && i < 6) ? group : group + 8,
            thread * 2 + (i & 1) + (i < 4 ? 0 : 8)};
  case 8:
    return {!wide || i < 4 || (i >= 8 && i < 12) ? group : group + 8,
            thread * 4 + (i & 3) + (i < 8 ? 0 : 16)};
  case 4:
    return {!wide || i < 8 || (i >= 16 && i < 24) ? group : group + 8,
            thread * 8 + (i & 7) + (i < 16 ? 0 : 32)};
  default:
    return {!wide || i < 32 || (i >= 64 && i < 96) ? group : group + 8,
            thread * 32 + (i & 31) + (i < 64 ? 0 : 128)};
  }
}

/// The same of B: row (k) and column.
std::pair<unsigned, unsigned> placeOfB(const Product &p, unsigned lane,
                                       unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  switch (p.bits) {
  case 64:
  case 32:
    return {thread + 4 * i, group};
  case 16:
    return {thread * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
  case 8:
    return {thread * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
  case 4:
    return {thread * 8 + (i & 7) + (i < 8 ? 0 : 32), group};
  default:
    return {thread * 32 + (i & 31) + (i < 32 ? 0 : 128), group};
  }
}

std::pair<unsigned, unsigned> placeOfC(unsigned lane, unsigned i) {
  unsigned group = lane >> 2, thread = lane % 4;
  return {i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

/// Sets element i of a lane that has `registers` of them.
void setElement(Words &words, unsigned lane, unsigned registers, unsigned bits,
                unsigned i, uint64_t value) {
  uint64_t bit = uint64_t(i) * bits;
  unsigned perLane = registers * (bits == 64 ? 2 : 1);
  uint32_t *to = &words[lane * perLane + bit / 32];
  if (bits == 64) {
    to[0] = uint32_t(value);
    to[1] = uint32_t(value >> 32);
    return;
  }
  uint64_t mask = (uint64_t(1) << bits) - 1;
  *to |= uint32_t((value & mask) << bit % 32);
}

int evaluate(const Product &p, int a, int b) {
  llvm::StringRef op = p.op;
  if (op.contains("and.popc"))
    return a & b;
  return op.contains("xor.popc") ? a ^ b : a * b;
}

void checkProduct(const Product &p) {
  SCOPED_TRACE(p.op);
  std::mt19937 random(7);
  auto draw = [&](bool isSigned) {
    int limit = p.bits == 1 ? 1 : p.bits == 4 ? 7 : 4;
    return std::uniform_int_distribution<int>(
        isSigned && p.bits != 1 ? -limit : 0, limit)(random);
  };
  std::vector<int> a(p.m * p.k), b(p.k * p.n), c(p.m * p.n);
  for (int &x : a)
    x = draw(p.isSignedA);
  for (int &x : b)
    x = draw(p.isSignedB);
  for (int &x : c)
    x = draw(true) * 9;
  unsigned words = getWords(p);
  Words wordsA(32 * p.a * words), wordsB(32 * p.b * words);
  Words wordsC(32 * p.c * words), expected(32 * p.c * words);
  unsigned bitsC = p.typeC == Element::F64   ? 64
                   : p.typeC == Element::F16 ? 16
                                             : 32;
  for (unsigned lane = 0; lane != 32; ++lane) {
    for (unsigned i = 0; i != p.m * p.k / 32; ++i) {
      auto [row, k] = placeOfA(p, lane, i);
      setElement(wordsA, lane, p.a, p.bits, i,
                 encode(p.typeA, a[row * p.k + k]));
    }
    for (unsigned i = 0; i != p.k * p.n / 32; ++i) {
      auto [k, column] = placeOfB(p, lane, i);
      setElement(wordsB, lane, p.b, p.bits, i,
                 encode(p.typeB, b[k * p.n + column]));
    }
    for (unsigned i = 0; i != p.m * p.n / 32; ++i) {
      auto [row, column] = placeOfC(lane, i);
      int sum = c[row * p.n + column];
      setElement(wordsC, lane, p.c, bitsC, i, encode(p.typeC, sum));
      for (unsigned k = 0; k != p.k; ++k)
        sum += evaluate(p, a[row * p.k + k], b[k * p.n + column]);
      setElement(expected, lane, p.c, bitsC, i, encode(p.typeC, sum));
    }
  }
  Words got(expected.size());
  runPtx(makeKernel(p), {&wordsA, &wordsB, &wordsC}, got);
  EXPECT_EQ(got, expected);
}

using E = Element;

TEST(MmaTest, Floats) {
  const Product products[] = {
      {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, 2, 1, 2, E::F16, E::F16,
       E::F16, 16},
      {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 2, 1, 4, E::F16, E::F16,
       E::F32, 16},
      {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 4, 2, 2, E::F16, E::F16,
       E::F16, 16},
      {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 4, 2, 4, E::F16, E::F16,
       E::F32, 16},
      {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, 2, 1, 4, E::BF16, E::BF16,
       E::F32, 16},
      {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 4, 2, 4, E::BF16,
       E::BF16, E::F32, 16},
      {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, 2, 1, 4, E::TF32, E::TF32,
       E::F32, 32},
      {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 4, 2, 4, E::TF32, E::TF32,
       E::F32, 32},
      {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 4, 2, 4, E::E4M3,
       E::E4M3, E::F32, 8},
      {"m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, 4, 2, 4, E::E4M3,
       E::E5M2, E::F32, 8},
      {"m16n8k32.row.col.f32.e5m2.e4m3.f32", 16, 8, 32, 4, 2, 4, E::E5M2,
       E::E4M3, E::F32, 8},
      {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, 4, 2, 4, E::E5M2,
       E::E5M2, E::F32, 8},
      {"m16n8k32.row.col.f16.e4m3.e5m2.f16", 16, 8, 32, 4, 2, 2, E::E4M3,
       E::E5M2, E::F16, 8},
      {"m16n8k16.row.col.f32.e4m3.e4m3.f32", 16, 8, 16, 2, 1, 4, E::E4M3,
       E::E4M3, E::F32, 8},
      {"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, 1, 1, 2, E::F64, E::F64,
       E::F64, 64},
      {"m16n8k4.row.col.f64.f64.f64.f64", 16, 8, 4, 2, 1, 4, E::F64, E::F64,
       E::F64, 64},
      {"m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, 4, 2, 4, E::F64, E::F64,
       E::F64, 64},
      {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, 8, 4, 4, E::F64, E::F64,
       E::F64, 64},
  };
  for (const Product &p : products)
    checkProduct(p);
}

/// The results of an H100 and an H200 for a · b + c. Lane 0 has a in two halves
/// of a register, and all lanes have b and c.
TEST(MmaTest, OverflowsAsHardware) {
  const Product product = {"m16n8k16.row.col.f32.bf16.bf16.f32",
                           16,
                           8,
                           16,
                           4,
                           2,
                           4,
                           E::BF16,
                           E::BF16,
                           E::F32,
                           16};
  const struct {
    uint32_t a, a2, b, c, d;
  } rows[] = {
      {0x7300, 0, 0x3f80, 0x7f7fffff, 0x7f7fffff},
      {0x7340, 0, 0x3f80, 0x7f7fffff, 0x7f7fffff},
      {0x7380, 0, 0x3f80, 0x7f7fffff, 0x7f800000},
      {0xf300, 0, 0x3f80, 0xff7fffff, 0xff7fffff},
      {0x7f00, 0xff00, 0x4000, 0, 0},
      {0x7f00, 0xfe00, 0x4000, 0, 0x7f400000},
  };
  for (auto [a, a2, b, c, d] : rows) {
    Words wordsA(32 * 4), wordsB(32 * 2, b), wordsC(32 * 4, c), got(32 * 4);
    wordsA[0] = wordsA[1] = a;
    wordsA[2] = wordsA[3] = a2;
    runPtx(makeKernel(product), {&wordsA, &wordsB, &wordsC}, got);
    EXPECT_EQ(got[0], d) << llvm::formatv("{0:x} {1:x} {2:x}", a, a2, c).str();
  }
}

TEST(MmaTest, Integers) {
  struct Shape {
    unsigned m, k, a, b, c, bits;
  };
  const Shape shapes[] = {{8, 16, 1, 1, 2, 8},  {16, 16, 2, 1, 4, 8},
                          {16, 32, 4, 2, 4, 8}, {8, 32, 1, 1, 2, 4},
                          {16, 32, 2, 1, 4, 4}, {16, 64, 4, 2, 4, 4}};
  for (const Shape &s : shapes)
    for (bool isSignedA : {false, true})
      for (bool isSignedB : {false, true})
        for (const char *satfinite : {"", ".satfinite"}) {
          std::string op = llvm::formatv(
              "m{0}n8k{1}.row.col{2}.s32.{3}{5}.{4}{5}.s32", s.m, s.k,
              satfinite, isSignedA ? 's' : 'u', isSignedB ? 's' : 'u', s.bits);
          checkProduct({op.c_str(), s.m, 8, s.k, s.a, s.b, s.c, E::Int, E::Int,
                        E::Int, s.bits, isSignedA, isSignedB});
        }
}

TEST(MmaTest, Bits) {
  struct Shape {
    unsigned m, k, a, b, c;
  };
  for (const Shape &s : {Shape{8, 128, 1, 1, 2}, Shape{16, 128, 2, 1, 4},
                         Shape{16, 256, 4, 2, 4}})
    for (const char *name : {"and", "xor"}) {
      std::string op = llvm::formatv(
          "m{0}n8k{1}.row.col.s32.b1.b1.s32.{2}.popc", s.m, s.k, name);
      checkProduct(
          {op.c_str(), s.m, 8, s.k, s.a, s.b, s.c, E::Int, E::Int, E::Int, 1});
    }
}

TEST(MmaTest, RefusesOthers) {
  for (const char *op :
       {"m16n8k16.row.row.f32.f16.f16.f32", "m16n8k16.row.col.f32.f16.bf16.f32",
        "m16n8k4.row.col.f32.f16.f16.f32"}) {
    Product p{op, 16, 8, 16, 4, 2, 4, E::F16, E::F16, E::F32, 16};
    EXPECT_NE(getSupportError(makeKernel(p)), "") << op;
  }
}

//===----------------------------------------------------------------------===//
// Results of an H200
//===----------------------------------------------------------------------===//

// Inputs/mma-h200.bin has five kinds of random operands for each of these: of
// one magnitude, of many, of several, of one sign, and extreme ones. For each
// of them it has A, B, C and D, lane after lane.
TEST(MmaTest, BitsOfH200) {
  const Product products[] = {
      {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 4, 2, 4, E::F16, E::F16,
       E::F32, 16},
      {"m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, 2, 1, 4, E::F16, E::F16,
       E::F32, 16},
      {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 4, 2, 2, E::F16, E::F16,
       E::F16, 16},
      {"m16n8k8.row.col.f16.f16.f16.f16", 16, 8, 8, 2, 1, 2, E::F16, E::F16,
       E::F16, 16},
      {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 4, 2, 4, E::BF16,
       E::BF16, E::F32, 16},
      {"m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 8, 2, 1, 4, E::BF16, E::BF16,
       E::F32, 16},
      {"m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, 2, 1, 4, E::TF32, E::TF32,
       E::F32, 32},
      {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 4, 2, 4, E::TF32, E::TF32,
       E::F32, 32},
      {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 4, 2, 4, E::E4M3,
       E::E4M3, E::F32, 8},
      {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 16, 8, 32, 4, 2, 4, E::E5M2,
       E::E5M2, E::F32, 8},
      {"m16n8k32.row.col.f16.e4m3.e4m3.f16", 16, 8, 32, 4, 2, 2, E::E4M3,
       E::E4M3, E::F16, 8},
      {"m16n8k32.row.col.f16.e5m2.e5m2.f16", 16, 8, 32, 4, 2, 2, E::E5M2,
       E::E5M2, E::F16, 8},
      {"m8n8k4.row.col.f32.f16.f16.f32", 8, 8, 4, 2, 2, 8, E::F16, E::F16,
       E::F32, 16},
      {"m8n8k4.row.col.f16.f16.f16.f16", 8, 8, 4, 2, 2, 4, E::F16, E::F16,
       E::F16, 16},
  };
  const char *path = std::getenv("TCGEMM_MMA_RECORDING");
  auto buffer = llvm::MemoryBuffer::getFile(
      path ? path : TCGEMM_SOURCE_DIR "/unittests/Emulator/Inputs/mma-h200.bin",
      /*IsText=*/false, /*RequiresNullTerminator=*/false);
  ASSERT_TRUE(bool(buffer));
  const char *next = (*buffer)->getBufferStart();
  size_t bytes = 0;
  for (const Product &p : products)
    bytes += 5 * 128 * (p.a + p.b + 2 * p.c);
  size_t warps = (*buffer)->getBufferSize() / bytes;
  ASSERT_EQ((*buffer)->getBufferSize(), warps * bytes);
  auto read = [&](unsigned registers) {
    Words words(32 * registers);
    std::memcpy(words.data(), next, words.size() * 4);
    next += words.size() * 4;
    return words;
  };
  for (const Product &p : products)
    for (unsigned kind = 0; kind != 5; ++kind) {
      unsigned wrong = 0;
      for (size_t warp = 0; warp != warps; ++warp) {
        Words a = read(p.a), b = read(p.b), c = read(p.c), d = read(p.c);
        Words got(d.size());
        runPtx(makeKernel(p), {&a, &b, &c}, got);
        for (size_t i = 0; i != d.size(); ++i)
          wrong += got[i] != d[i];
      }
      EXPECT_EQ(wrong, 0u) << p.op << ", operands of kind " << kind << ", of "
                           << warps * 32 * p.c;
    }
}

//===----------------------------------------------------------------------===//
// Speed: --gtest_also_run_disabled_tests --gtest_filter=*Speed
//===----------------------------------------------------------------------===//

TEST(MmaTest, DISABLED_Speed) {
  const Product products[] = {
      {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 4, 2, 4, E::BF16,
       E::BF16, E::F32, 16},
      {"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 4, 2, 4, E::F16, E::F16,
       E::F32, 16},
      {"m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, 4, 2, 2, E::F16, E::F16,
       E::F16, 16},
      {"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 4, 2, 4, E::TF32, E::TF32,
       E::F32, 32},
      {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 8, 32, 4, 2, 4, E::E4M3,
       E::E4M3, E::F32, 8},
      {"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 4, 2, 4, E::Int, E::Int,
       E::Int, 8},
      {"m16n8k16.row.col.f64.f64.f64.f64", 16, 8, 16, 8, 4, 4, E::F64, E::F64,
       E::F64, 64},
  };
  for (const Product &p : products) {
    std::string ptx = makeKernel(p);
    // 100 times 1000 products.
    size_t begin = ptx.find("mma.sync"), end = ptx.find('\n', begin) + 1;
    std::string line = ptx.substr(begin, end - begin), many;
    for (unsigned i = 0; i != 100; ++i)
      many += line;
    ptx.replace(
        begin, end - begin,
        ".reg .u32 %n; .reg .pred %p; mov.u32 %n, 0;\nL:\n" + many +
            "add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 1000; @%p bra L;\n");
    std::mt19937 random(1);
    unsigned words = getWords(p);
    Words a(32 * p.a * words), b(32 * p.b * words), c(32 * p.c * words), d = c;
    for (Words *operand : {&a, &b})
      for (unsigned lane = 0; lane != 32; ++lane)
        for (unsigned i = 0; i != operand->size() * 32 / p.bits / 32; ++i)
          setElement(*operand, lane, operand->size() / 32 / words, p.bits, i,
                     encode(p.typeA, int(random() % 9) - 4));
    // The processor may be shared; one block runs on one thread.
    clock_t start = clock();
    runPtx(ptx, {&a, &b, &c}, d);
    double seconds = double(clock() - start) / CLOCKS_PER_SEC;
    printf("%-40s %6.0f ns\n", p.op, seconds * 1e9 / 100000);
  }
}

} // namespace
