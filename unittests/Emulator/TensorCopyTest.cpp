//===- TensorCopyTest.cpp - Tests of bulk and tensor copies ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor against an independent account of boxes, swizzles and
// bounds; reductions, multicast and st.async.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Emulator/Emulator.h"
#include "tcgemm/Target/EmulatedTensorMap.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include "gtest/gtest.h"

#include <array>
#include <cstring>

using namespace tcgemm;
using namespace tcgemm::emu;

namespace {

constexpr uint32_t kShared = 16384, kThreads = 128;

/// The kernel's parameters are the tensor map, a buffer of kShared bytes for
/// each block, and coordinates. It fills shared memory from the buffer,
/// executes `copy` and, if that is a load, copies shared memory to the buffer.
std::string makeKernel(unsigned rank, bool isLoad, const std::string &copy) {
  std::string text = R"(.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry test(.param .align 64 .b8 map[128], .param .u64 io)";
  for (unsigned i = 0; i != rank; ++i)
    text += llvm::formatv(", .param .u32 c{0}", i);
  text += R"() {
  .reg .pred %p<8>;
  .reg .b16 %h<2>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<16>;
  .shared .align 8 .b64 m;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  ld.param.u64 %rd2, [io];
)";
  for (unsigned i = 0; i != rank; ++i)
    text += llvm::formatv("  ld.param.u32 %r{0}, [c{1}];\n", 10 + i, i);
  text += R"(
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, s;
  mov.u32 %r3, m;
  mov.u32 %r5, %cluster_ctarank;
  mul.wide.u32 %rd3, %r5, 16384;
  add.u64 %rd2, %rd2, %rd3;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared.b64 [%r3], 1;
  @%p1 fence.mbarrier_init.release.cluster;
  mov.u32 %r4, %r1;
IN:
  mul.wide.u32 %rd4, %r4, 4;
  add.u64 %rd5, %rd2, %rd4;
  ld.global.u32 %r6, [%rd5];
  shl.b32 %r7, %r4, 2;
  add.u32 %r7, %r2, %r7;
  st.shared.u32 [%r7], %r6;
  add.u32 %r4, %r4, 128;
  setp.lt.u32 %p2, %r4, 4096;
  @%p2 bra IN;
  fence.proxy.async;
  bar.sync 0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)" + copy;
  if (isLoad)
    text += R"(
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;
  @!%p3 bra WAIT;
  mov.u32 %r4, %r1;
OUT:
  mul.wide.u32 %rd4, %r4, 4;
  add.u64 %rd5, %rd2, %rd4;
  shl.b32 %r7, %r4, 2;
  add.u32 %r7, %r2, %r7;
  ld.shared.u32 %r6, [%r7];
  st.global.u32 [%rd5], %r6;
  add.u32 %r4, %r4, 128;
  setp.lt.u32 %p2, %r4, 4096;
  @%p2 bra OUT;
  barrier.cluster.arrive;
  barrier.cluster.wait;
)";
  return text + "  ret;\n}\n";
}

std::string getCoordinates(unsigned rank) {
  std::string text;
  for (unsigned i = 0; i != rank; ++i)
    text += llvm::formatv("{0}%r{1}", i ? ", " : "", 10 + i);
  return text;
}

struct TensorCase {
  TensorMapDescription map; ///< Without its base.
  std::vector<int32_t> start;

  uint64_t getBytes() const {
    return map.strides.back() * uint64_t(map.dims.back());
  }
};

TensorCase makeCase(unsigned rank, unsigned swizzle, int32_t shift) {
  TensorCase test;
  static constexpr int64_t kDims[] = {50, 7, 5, 4, 3};
  static constexpr unsigned kBox[] = {16, 5, 3, 2, 2};
  int64_t stride = 112;
  for (unsigned i = 0; i != rank; ++i) {
    test.map.dims.push_back(kDims[i]);
    test.map.box.push_back(i == 0 && swizzle ? swizzle / 2 : kBox[i]);
    // Boxes with a swizzle start at a multiple of 16 bytes of their rows.
    bool isAligned = i == 0 && swizzle;
    test.start.push_back(shift * int32_t(isAligned ? 8 : i + 1));
    if (i == 0)
      continue;
    test.map.strides.push_back(stride);
    stride *= kDims[i];
  }
  test.map.type = ScalarType::F16;
  test.map.swizzle = swizzle;
  return test;
}

/// Calls fn(offset in the tensor or -1, offset in shared memory) for each
/// element of 2 bytes. Stores continue to the end of a row's last 16 bytes.
template <class Fn>
void forEachElement(const TensorCase &test, bool isStored, Fn fn) {
  const TensorMapDescription &map = test.map;
  uint32_t count = getBoxBytes(map) / 2;
  for (uint32_t i = 0; i != count; ++i) {
    uint32_t rest = i;
    int64_t offset = 0;
    bool inBounds = true;
    for (size_t dim = 0; dim != map.dims.size(); ++dim) {
      int64_t at = test.start[dim] + int64_t(rest % map.box[dim]);
      rest /= map.box[dim];
      int64_t end = map.dims[dim];
      if (dim == 0 && isStored)
        end = llvm::alignTo(end, 8);
      inBounds &= at >= 0 && at < end;
      offset += at * (dim ? map.strides[dim - 1] : 2);
    }
    // A chunk's place in its line of 128 bytes is combined with the line's
    // number, as many bits of it as there are chunks in the swizzle's span.
    uint32_t chunk = i * 2 / 16, within = i * 2 % 16, line = chunk / 8;
    if (map.swizzle)
      chunk ^= line % (map.swizzle / 16);
    fn(inBounds ? offset : -1, chunk * 16 + within);
  }
}

struct Memory {
  std::vector<uint8_t> tensor, io;
};

/// Runs a kernel on `memory`, which it changes.
LaunchResult run(const std::string &ptx, TensorCase test, Memory &memory,
                 uint32_t blocks = 1) {
  Emulator emulator;
  auto module = emulator.load(ptx);
  if (!module) {
    ADD_FAILURE() << llvm::toString(module.takeError()) << ptx;
    return {};
  }
  auto place = [&](const std::vector<uint8_t> &bytes) {
    uint64_t address = llvm::cantFail(emulator.allocate(bytes.size()));
    llvm::cantFail(emulator.write(address, bytes.data(), bytes.size()));
    return address;
  };
  uint64_t io = place(memory.io);
  test.map.base = place(memory.tensor);
  TensorMapImage image = llvm::cantFail(encodeEmulatedTensorMap(test.map));
  Launch launch;
  launch.grid = launch.cluster = {blocks, 1, 1};
  launch.block = {kThreads, 1, 1};
  launch.sharedMemory = kShared;
  auto add = [&](const void *data, size_t bytes) {
    const auto *from = static_cast<const uint8_t *>(data);
    launch.arguments.emplace_back(from, from + bytes);
  };
  add(image.data(), image.size());
  add(&io, 8);
  for (int32_t start : test.start)
    add(&start, 4);
  auto result = emulator.launch(*(*module)->find("test"), launch, {});
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  llvm::cantFail(
      emulator.read(memory.tensor.data(), test.map.base, memory.tensor.size()));
  llvm::cantFail(emulator.read(memory.io.data(), io, memory.io.size()));
  return std::move(*result);
}

void expectClean(const LaunchResult &result) {
  EXPECT_EQ(result.failure, "");
  for (const Finding &finding : result.findings)
    ADD_FAILURE() << toString(finding);
}

Memory makeMemory(const TensorCase &test, uint32_t blocks = 1) {
  Memory memory;
  memory.tensor.resize(test.getBytes());
  for (size_t i = 0; i != memory.tensor.size(); ++i)
    memory.tensor[i] = uint8_t(i * 13 + i / 127);
  memory.io.resize(size_t(blocks) * kShared);
  for (size_t i = 0; i != memory.io.size(); ++i)
    memory.io[i] = uint8_t(i * 7 + i / 251);
  return memory;
}

using Param = std::tuple<unsigned, unsigned, int32_t>;
class TensorCopyTest : public testing::TestWithParam<Param> {
protected:
  TensorCase test = makeCase(std::get<0>(GetParam()), std::get<1>(GetParam()),
                             std::get<2>(GetParam()));
  unsigned rank = std::get<0>(GetParam());
};

TEST_P(TensorCopyTest, Load) {
  std::string copy = llvm::formatv(
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {0};\n"
      "  @%p1 cp.async.bulk.tensor.{1}d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%r2], [%rd1, {{{2}}], [%r3];\n",
      getBoxBytes(test.map), rank, getCoordinates(rank));
  Memory memory = makeMemory(test), expected = memory;
  forEachElement(test, /*isStored=*/false, [&](int64_t from, uint32_t to) {
    uint8_t zeros[2] = {0, 0};
    memcpy(&expected.io[to], from < 0 ? zeros : &memory.tensor[from], 2);
  });
  expectClean(run(makeKernel(rank, /*isLoad=*/true, copy), test, memory));
  EXPECT_TRUE(memory.io == expected.io);
}

TEST(TensorCopy, BoxesWithSwizzleStartAtMultiplesOf16Bytes) {
  TensorCase test = makeCase(2, 128, 0);
  test.start[0] = 3;
  std::string copy =
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 640;\n"
      "  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%r2], [%rd1, {%r10, %r11}], [%r3];\n";
  Memory memory = makeMemory(test);
  std::string failure =
      run(makeKernel(2, /*isLoad=*/true, copy), test, memory).failure;
  EXPECT_TRUE(llvm::StringRef(failure).contains(
      "the box starts at byte 6 of its rows, but with a swizzle it must be a "
      "multiple of 16"))
      << failure;
}

TEST_P(TensorCopyTest, Store) {
  std::string copy = llvm::formatv(
      "  @%p1 cp.async.bulk.tensor.{0}d.global.shared::cta.tile.bulk_group "
      "[%rd1, {{{1}}], [%r2];\n"
      "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\n",
      rank, getCoordinates(rank));
  Memory memory = makeMemory(test), expected = memory;
  forEachElement(test, /*isStored=*/true, [&](int64_t to, uint32_t from) {
    if (to >= 0)
      memcpy(&expected.tensor[to], &memory.io[from], 2);
  });
  expectClean(run(makeKernel(rank, /*isLoad=*/false, copy), test, memory));
  EXPECT_TRUE(memory.tensor == expected.tensor);
}

INSTANTIATE_TEST_SUITE_P(All, TensorCopyTest,
                         testing::Combine(testing::Values(2u, 3u, 4u, 5u),
                                          testing::Values(0u, 32u, 64u, 128u),
                                          testing::Values(0, -2, 3)));

/// A convolution's windows, the copied pixels and element of the filter.
struct WindowCase {
  int32_t filter, stride, dilation, padding, first, channel, tapX, tapY;
};
class WindowCopyTest : public testing::TestWithParam<WindowCase> {};

/// The pixels of a box are those that the element of the filter sees from
/// pixel `first` of the outputs on.
TEST_P(WindowCopyTest, CopiesWhatAFilterSees) {
  const WindowCase &c = GetParam();
  constexpr int32_t width = 9, height = 6, images = 2, channels = 24,
                    pixels = 40;
  TensorCase test;
  TensorMapDescription &map = test.map;
  map.type = ScalarType::F16;
  map.dims = {channels, width, height, images};
  map.strides = {64, 64 * width, 64 * width * height};
  map.box = {16, pixels};
  map.swizzle = 32;
  int32_t upper = c.padding - c.dilation * (c.filter - 1);
  auto step = static_cast<unsigned>(c.stride);
  map.window =
      TensorMapWindow{{-c.padding, -c.padding}, {upper, upper}, {step, step}};
  auto count = [&](int32_t size) {
    return (size + upper + c.padding - 1) / c.stride + 1;
  };
  int32_t columns = count(width), rows = count(height);
  auto locate = [&](int32_t pixel) {
    return std::array<int32_t, 3>{pixel % columns * c.stride - c.padding,
                                  pixel / columns % rows * c.stride - c.padding,
                                  pixel / columns / rows};
  };
  auto [x, y, image] = locate(c.first);
  test.start = {c.channel, x, y, image};
  std::string copy = llvm::formatv(
      "  mov.b16 %h0, {0};\n  mov.b16 %h1, {1};\n"
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {2};\n"
      "  @%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
      ".mbarrier::complete_tx::bytes [%r2], [%rd1, {{{3}}], [%r3], "
      "{{%h0, %h1};\n",
      c.tapX * c.dilation, c.tapY * c.dilation, getBoxBytes(map),
      getCoordinates(4));
  Memory memory = makeMemory(test), expected = memory;
  for (int32_t pixel = 0; pixel != pixels; ++pixel) {
    auto [column, row, number] = locate(c.first + pixel);
    column += c.tapX * c.dilation;
    row += c.tapY * c.dilation;
    bool inside = column >= 0 && column < width && row >= 0 && row < height &&
                  number < images;
    for (int32_t i = 0; i != 16; ++i) {
      uint32_t to = pixel * 32 + i * 2;
      to ^= to / 128 % 2 * 16; // The swizzle of 32 bytes.
      int64_t from = ((int64_t(number) * height + row) * width + column) * 64 +
                     int64_t(c.channel + i) * 2;
      uint8_t zeros[2] = {0, 0};
      memcpy(&expected.io[to],
             inside && c.channel + i < channels ? &memory.tensor[from] : zeros,
             2);
    }
  }
  expectClean(run(makeKernel(4, /*isLoad=*/true, copy), test, memory));
  EXPECT_TRUE(memory.io == expected.io);
}

// The filter, its stride, dilation and padding; the first pixel and channel;
// the element of the filter.
INSTANTIATE_TEST_SUITE_P(All, WindowCopyTest,
                         testing::Values(WindowCase{3, 1, 1, 1, 0, 0, 0, 0},
                                         WindowCase{3, 1, 1, 1, 13, 0, 2, 1},
                                         WindowCase{3, 2, 1, 1, 4, 0, 2, 2},
                                         WindowCase{3, 1, 2, 2, 50, 8, 2, 0},
                                         WindowCase{5, 3, 1, 2, 1, 16, 4, 4},
                                         WindowCase{1, 2, 1, 0, 0, 0, 0, 0},
                                         WindowCase{2, 1, 1, 0, 70, 0, 1, 0}));

TEST(TensorCopy, WindowsNeedTheirMode) {
  TensorCase test = makeCase(4, 0, 0);
  std::string copy = llvm::formatv(
      "  @%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col"
      ".mbarrier::complete_tx::bytes [%r2], [%rd1, {{{0}}], [%r3], "
      "{{%h0, %h1};\n",
      getCoordinates(4));
  Memory memory = makeMemory(test);
  LaunchResult result = run(makeKernel(4, /*isLoad=*/true, copy), test, memory);
  EXPECT_NE(result.failure.find(".im2col needs a tensor map with a window"),
            std::string::npos)
      << result.failure;
}

TEST(TensorCopy, Reduces) {
  TensorCase test = makeCase(2, 0, 1);
  test.map.type = ScalarType::I32;
  test.map.dims[0] = 25;
  std::string copy = "  @%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta"
                     ".add.tile.bulk_group [%rd1, {%r10, %r11}], [%r2];\n"
                     "  cp.async.bulk.commit_group;\n"
                     "  cp.async.bulk.wait_group 0;\n";
  Memory memory = makeMemory(test), expected = memory;
  for (unsigned y = 0; y != 5; ++y)
    for (unsigned x = 0; x != 16; ++x) {
      uint8_t *to = &expected.tensor[(y + 2) * 112 + (x + 1) * 4];
      uint32_t sum, value;
      memcpy(&sum, to, 4);
      memcpy(&value, &memory.io[size_t(y * 16 + x) * 4], 4);
      sum += value;
      memcpy(to, &sum, 4);
    }
  expectClean(run(makeKernel(2, /*isLoad=*/false, copy), test, memory));
  EXPECT_TRUE(memory.tensor == expected.tensor);
}

/// A load through a map of tf32 rounds to nearest, ties to even. Infinities and
/// NaNs stay as they are.
TEST(TensorCopy, RoundsToTFloat) {
  TensorCase test = makeCase(2, 0, 0);
  test.map.type = ScalarType::TF32;
  test.map.dims[0] = 28;
  Memory memory = makeMemory(test);
  constexpr std::pair<uint32_t, uint32_t> values[] = {
      {0x3F800000, 0x3F800000}, {0x3F800FFF, 0x3F800000},
      {0x3F801000, 0x3F800000}, {0x3F801001, 0x3F802000},
      {0x3F803000, 0x3F804000}, {0xBF803000, 0xBF804000},
      {0x3FFFF000, 0x40000000}, {0x00001001, 0x00002000},
      {0x7F7FFFFF, 0x7F800000}, {0xFF800000, 0xFF800000},
      {0x7FFFFFFF, 0x7FFFFFFF}, {0x7F800001, 0x7F800001}};
  for (size_t i = 0; i != std::size(values); ++i)
    memcpy(&memory.tensor[4 * i], &values[i].first, 4);
  std::string copy = llvm::formatv(
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {0};\n"
      "  @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%r2], [%rd1, {{%r10, %r11}], [%r3];\n",
      getBoxBytes(test.map));
  expectClean(run(makeKernel(2, /*isLoad=*/true, copy), test, memory));
  for (size_t i = 0; i != std::size(values); ++i) {
    uint32_t copied = 0;
    memcpy(&copied, &memory.io[4 * i], 4);
    EXPECT_EQ(copied, values[i].second) << i;
  }
}

TEST(TensorCopy, Multicasts) {
  TensorCase test = makeCase(2, 128, 0);
  std::string copy = llvm::formatv(
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], {0};\n"
      "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n"
      "  mov.b16 %h1, 3;\n"
      "  setp.eq.and.u32 %p4, %r5, 1, %p1;\n"
      "  @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes.multicast::cluster [%r2], "
      "[%rd1, {{%r10, %r11}], [%r3], %h1;\n",
      getBoxBytes(test.map));
  Memory memory = makeMemory(test, 2), expected = memory;
  forEachElement(test, /*isStored=*/false, [&](int64_t from, uint32_t to) {
    uint8_t zeros[2] = {0, 0};
    for (uint32_t block : {0, 1})
      memcpy(&expected.io[block * kShared + to],
             from < 0 ? zeros : &memory.tensor[from], 2);
  });
  expectClean(run(makeKernel(2, /*isLoad=*/true, copy), test, memory, 2));
  EXPECT_TRUE(memory.io == expected.io);
}

/// Each block stores a word into the other one.
TEST(TensorCopy, StoresAsynchronously) {
  TensorCase test = makeCase(2, 0, 0);
  std::string copy =
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 4;\n"
      "  xor.b32 %r20, %r5, 1;\n"
      "  mapa.shared::cluster.u32 %r21, %r2, %r20;\n"
      "  mapa.shared::cluster.u32 %r22, %r3, %r20;\n"
      "  add.u32 %r23, %r5, 77;\n"
      "  @%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 "
      "[%r21+8], %r23, [%r22];\n";
  Memory memory = makeMemory(test, 2), expected = memory;
  for (uint32_t block : {0, 1}) {
    uint32_t value = 77 + (block ^ 1);
    memcpy(&expected.io[block * kShared + 8], &value, 4);
  }
  expectClean(run(makeKernel(2, /*isLoad=*/true, copy), test, memory, 2));
  EXPECT_TRUE(memory.io == expected.io);
}

std::string getFailure(const std::string &copy, const TensorCase &test) {
  Memory memory = makeMemory(test);
  return run(makeKernel(2, /*isLoad=*/false, copy), test, memory).failure;
}

TEST(TensorCopy, WhatIsNoTensorMap) {
  TensorCase test = makeCase(2, 0, 0);
  std::string store = ".global.shared::cta.tile.bulk_group ";
  std::string failure = getFailure("  @%p1 cp.async.bulk.tensor.2d" + store +
                                       "[%rd2, {%r10, %r11}], [%r2];\n",
                                   test);
  EXPECT_TRUE(llvm::StringRef(failure).contains("not a tensor map")) << failure;
  failure = getFailure("  @%p1 cp.async.bulk.tensor.3d" + store +
                           "[%rd1, {%r10, %r11, %r11}], [%r2];\n",
                       test);
  EXPECT_TRUE(llvm::StringRef(failure).contains(
      "3 coordinates for a tensor map of rank 2"))
      << failure;
}

} // namespace
