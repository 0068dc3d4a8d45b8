//===- StridedCopyTest.cpp - Tests of copies on the device ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/StridedCopy.h"
#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace tcgemm;

namespace {

/// The offsets in elements of all elements, in the order of the indices.
std::vector<int64_t> getOffsets(const StridedShape &shape) {
  std::vector<int64_t> offsets{0};
  for (auto [size, stride] : llvm::zip_equal(shape.sizes, shape.strides)) {
    std::vector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(offset + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

/// Copies on the emulator and compares the whole target.
void check(Device &device, const StridedShape &from, const StridedShape &to,
           int64_t bytes, const std::string &context) {
  std::vector<int64_t> read = getOffsets(from), written = getOffsets(to);
  auto getSize = [&](const std::vector<int64_t> &offsets) -> size_t {
    return offsets.empty()
               ? bytes
               : (*std::max_element(offsets.begin(), offsets.end()) + 1) *
                     bytes;
  };
  std::vector<uint8_t> source(getSize(read)), expected(getSize(written), 0xee);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<uint8_t>(i * 37 + i / 251);
  std::vector<uint8_t> target = expected;
  for (size_t i = 0; i < read.size(); ++i)
    std::copy_n(source.begin() + read[i] * bytes, bytes,
                expected.begin() + written[i] * bytes);
  Buffer left = llvm::cantFail(device.allocate(source.size()));
  Buffer right = llvm::cantFail(device.allocate(target.size()));
  llvm::cantFail(
      device.copyToDevice(left.getAddress(), source.data(), source.size()));
  llvm::cantFail(
      device.copyToDevice(right.getAddress(), target.data(), target.size()));
  CopyPlan plan = llvm::cantFail(planCopy(from, to, bytes));
  StridedCopier copier(device, /*executor=*/nullptr);
  llvm::cantFail(copier.prepare(plan));
  llvm::cantFail(copier.enqueue(plan, left.getAddress(), right.getAddress()));
  llvm::cantFail(
      device.copyFromDevice(target.data(), right.getAddress(), target.size()));
  EXPECT_EQ(target, expected) << context;
}

/// A dense shape whose dimensions lie in memory in the given order, outermost
/// first.
StridedShape makeShape(const std::vector<int64_t> &sizes,
                       const std::vector<size_t> &order) {
  StridedShape shape{sizes, std::vector<int64_t>(sizes.size(), 1)};
  int64_t stride = 1;
  for (size_t dim : llvm::reverse(order)) {
    shape.strides[dim] = stride;
    stride *= sizes[dim];
  }
  return shape;
}

TEST(StridedCopy, CopiesAnyOrder) {
  std::unique_ptr<Device> device = llvm::cantFail(openEmulator({}));
  for (int64_t bytes : {1, 2, 4, 8}) {
    check(*device, makeShape({70, 65}, {0, 1}), makeShape({70, 65}, {1, 0}),
          bytes, "transposed");
    check(*device, makeShape({3, 130}, {0, 1}), makeShape({3, 130}, {0, 1}),
          bytes, "as it is");
    check(*device, makeShape({80, 3, 144}, {0, 1, 2}),
          makeShape({80, 3, 144}, {2, 0, 1}), bytes, "vectors, transposed");
    check(*device, makeShape({80, 3, 144}, {0, 1, 2}),
          makeShape({80, 3, 144}, {1, 0, 2}), bytes, "vectors, other rows");
    check(*device, makeShape({1024}, {0}), makeShape({1024}, {0}), bytes,
          "a run");
    check(*device, makeShape({5, 1, 66, 3}, {0, 1, 2, 3}),
          makeShape({5, 1, 66, 3}, {3, 0, 1, 2}), bytes, "four dimensions");
  }
  check(*device, makeShape({7}, {0}), makeShape({7}, {0}), 2, "a vector");
  check(*device, StridedShape{{}, {}}, StridedShape{{}, {}}, 4, "a number");
  check(*device, StridedShape{{0, 4}, {4, 1}}, StridedShape{{0, 4}, {1, 1}}, 2,
        "nothing");
  check(*device, StridedShape{{9, 4}, {7, 1}}, StridedShape{{9, 4}, {2, 30}}, 2,
        "gaps");
}

TEST(StridedCopy, RandomCopies) {
  std::unique_ptr<Device> device = llvm::cantFail(openEmulator({}));
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> sizes(1 + random() % 5);
    std::vector<size_t> order(sizes.size()), other;
    for (size_t i = 0; i < sizes.size(); ++i) {
      order[i] = i;
      sizes[i] = 1 + random() % (i < 2 ? 80 : 4);
    }
    std::shuffle(order.begin(), order.end(), random);
    other = order;
    std::shuffle(other.begin(), other.end(), random);
    check(*device, makeShape(sizes, order), makeShape(sizes, other),
          int64_t(1) << random() % 4, "seed " + std::to_string(seed));
  }
}

/// The arguments of a launch from `source` to `target`.
std::vector<KernelArgument> bindArguments(const CopyLaunch &launch,
                                          uint64_t source, uint64_t target) {
  std::vector<KernelArgument> arguments;
  for (const Argument &argument : launch.arguments) {
    uint64_t value = argument.kind != ArgumentKind::Pointer
                         ? static_cast<uint64_t>(argument.value.getLiteral())
                     : argument.operand == kCopySource ? source
                                                       : target;
    KernelArgument &bytes = arguments.emplace_back(
        argument.kind == ArgumentKind::I32 ? 4 : sizeof(value));
    std::memcpy(bytes.data(), &value, bytes.size());
  }
  return arguments;
}

/// Copies `rows` rows of `size` pairs, from or to planes with a distance of
/// `plane` elements. The arrays begin at element `start`.
void checkPairs(Device &device, bool joins, int64_t bytes, int64_t rows,
                int64_t size, int64_t plane, int64_t start) {
  SCOPED_TRACE(testing::Message()
               << "joins " << joins << " bytes " << bytes << " rows " << rows
               << " size " << size << " plane " << plane << " start " << start);
  CopiedDim dims[] = {{rows, 2 * size, size}, {2, 1, plane}, {size, 2, 1}};
  if (joins)
    for (CopiedDim &dim : dims)
      std::swap(dim.from, dim.to);
  auto count = static_cast<unsigned>(bytes);
  std::optional<CopyLaunch> launch =
      joins ? planPairsLaunch(dims, /*read=*/2, /*write=*/1, count)
            : planPairsLaunch(dims, /*read=*/1, /*write=*/2, count);
  ASSERT_TRUE(launch);
  std::vector<uint8_t> source((start + plane + 2 * rows * size) * bytes);
  for (size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<uint8_t>(i * 37 + i / 251);
  std::vector<uint8_t> target(source.size(), 0xee), expected = target;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < size; ++i)
      for (int64_t p : {0, 1}) {
        int64_t inPairs = start + 2 * (row * size + i) + p,
                inPlanes = start + p * plane + row * size + i;
        std::copy_n(source.begin() + (joins ? inPlanes : inPairs) * bytes,
                    bytes,
                    expected.begin() + (joins ? inPairs : inPlanes) * bytes);
      }
  Buffer left = llvm::cantFail(device.allocate(source.size())),
         right = llvm::cantFail(device.allocate(target.size()));
  llvm::cantFail(
      device.copyToDevice(left.getAddress(), source.data(), source.size()));
  llvm::cantFail(
      device.copyToDevice(right.getAddress(), target.data(), target.size()));
  std::unique_ptr<Module> module = llvm::cantFail(
      device.loadModule({writeCopyPtx(count, /*withPairs=*/true), ""}));
  Kernel *kernel = llvm::cantFail(module->getKernel(getPairsKernelName(count)));
  LaunchConfig config;
  config.grid[0] = static_cast<uint32_t>(launch->grid.getLiteral());
  config.block[0] = kCopyThreads;
  uint64_t offset = start * bytes;
  llvm::cantFail(
      device.launch(*kernel, config,
                    bindArguments(*launch, left.getAddress() + offset,
                                  right.getAddress() + offset)));
  llvm::cantFail(
      device.copyFromDevice(target.data(), right.getAddress(), target.size()));
  EXPECT_EQ(target, expected);
}

TEST(StridedCopy, Pairs) {
  std::unique_ptr<Device> device = llvm::cantFail(openEmulator({}));
  for (bool joins : {false, true})
    for (int64_t bytes : {1, 2, 4, 8}) {
      checkPairs(*device, joins, bytes, 1, 4096, 4096, 0);
      checkPairs(*device, joins, bytes, 3, 2056, 3 * 2056, 0);
      // The last vectors of a row are not whole, nor are rows aligned.
      checkPairs(*device, joins, bytes, 1, 61, 64, 0);
      checkPairs(*device, joins, bytes, 5, 61, 5 * 61, 0);
      checkPairs(*device, joins, bytes, 2, 40, 81, 1);
    }
}

TEST(StridedCopy, OtherCopiesAreNoPairs) {
  // A pair is two neighbours, which are rows on the other side.
  CopiedDim pair{2, 1, 64}, along{64, 2, 1};
  EXPECT_TRUE(planPairsLaunch({pair, along}, 0, 1, 2));
  EXPECT_FALSE(planPairsLaunch({pair, along}, 1, 1, 2));
  EXPECT_FALSE(planPairsLaunch({CopiedDim{3, 1, 64}, {64, 3, 1}}, 0, 1, 2));
  EXPECT_FALSE(planPairsLaunch({pair, CopiedDim{64, 4, 1}}, 0, 1, 2));
}

TEST(StridedCopy, Limits) {
  std::vector<int64_t> sizes(7, 2);
  llvm::Expected<CopyPlan> plan =
      planCopy(makeShape(sizes, {0, 1, 2, 3, 4, 5, 6}),
               makeShape(sizes, {6, 5, 4, 3, 2, 1, 0}), 2);
  EXPECT_EQ(llvm::toString(plan.takeError()),
            "a copy has 7 dimensions that are not neighbours, but at most 6 "
            "are supported");
  plan = planCopy(makeShape({int64_t(1) << 20, int64_t(1) << 24}, {0, 1}),
                  makeShape({int64_t(1) << 20, int64_t(1) << 24}, {1, 0}), 2);
  EXPECT_EQ(llvm::toString(plan.takeError()),
            "a copy takes 4294967296 blocks, but a launch has at most 2^31 - "
            "1");
}

} // namespace
