//===- StridedCopy.cpp - Copies between strided arrays --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/StridedCopy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {

/// Elements of a tile along both of its sides, and the block's threads, which
/// are a row of the tile each.
constexpr int64_t kTile = 64, kThreads = 256;
constexpr int64_t kRowsAtATime = kThreads / kTile;
/// The dimensions besides those of the tile.
constexpr size_t kMostOthers = 4;

struct CopiedDim {
  int64_t size, from, to; ///< With the strides on both sides.
};

} // namespace

/// The dimensions without those of size 1, neighbours joined.
static std::vector<CopiedDim> joinDims(const StridedShape &from,
                                       const StridedShape &to) {
  std::vector<CopiedDim> dims;
  for (size_t i = 0; i != from.sizes.size(); ++i)
    if (from.sizes[i] != 1)
      dims.push_back({from.sizes[i], from.strides[i], to.strides[i]});
  // From the outside in; the source's order lets most neighbours join.
  llvm::stable_sort(dims, [](const CopiedDim &a, const CopiedDim &b) {
    return a.from > b.from;
  });
  std::vector<CopiedDim> joined;
  for (const CopiedDim &dim : dims) {
    if (!joined.empty() && joined.back().from == dim.from * dim.size &&
        joined.back().to == dim.to * dim.size) {
      joined.back() = {joined.back().size * dim.size, dim.from, dim.to};
      continue;
    }
    joined.push_back(dim);
  }
  return joined;
}

template <typename T> static void add(CopyPlan &plan, T value) {
  KernelArgument bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  plan.arguments.push_back(std::move(bytes));
}

/// Takes the dimension with the smallest stride out of the list.
static CopiedDim takeInnermost(std::vector<CopiedDim> &dims,
                               int64_t CopiedDim::*stride) {
  if (dims.empty())
    return {1, 0, 0};
  auto found = llvm::min_element(dims, [&](const auto &a, const auto &b) {
    return a.*stride < b.*stride;
  });
  CopiedDim dim = *found;
  dims.erase(found);
  return dim;
}

Expected<CopyPlan> tcgemm::planCopy(uint64_t source, const StridedShape &from,
                                    uint64_t target, const StridedShape &to,
                                    int64_t bytes) {
  CopyPlan plan;
  plan.runs = !llvm::is_contained(from.sizes, 0);
  if (!plan.runs)
    return plan;
  std::vector<CopiedDim> dims = joinDims(from, to);
  // A tile is `read` x `write`: runs are read along the first, and written
  // along the second or, if that is the same dimension, along the first.
  CopiedDim read = takeInnermost(dims, &CopiedDim::from);
  bool transposes = llvm::any_of(
      dims, [&](const CopiedDim &dim) { return dim.to < read.to; });
  CopiedDim write = takeInnermost(dims, &CopiedDim::to);
  if (dims.size() > kMostOthers)
    return llvm::createStringError(
        "a copy has " + Twine(dims.size() + 2) +
        " dimensions that are not neighbours, but at most " +
        Twine(kMostOthers + 2) + " are supported");
  int64_t tilesRead = llvm::divideCeil(read.size, kTile);
  int64_t tilesWrite = llvm::divideCeil(write.size, kTile);
  int64_t blocks = tilesRead * tilesWrite;
  for (const CopiedDim &dim : dims)
    blocks *= dim.size;
  if (blocks > std::numeric_limits<int32_t>::max())
    return llvm::createStringError("a copy takes " + Twine(blocks) +
                                   " blocks, but a launch has at most 2^31 - "
                                   "1");
  dims.resize(kMostOthers, CopiedDim{1, 0, 0});
  plan.config.grid[0] = static_cast<uint32_t>(blocks);
  plan.config.block[0] = kThreads;
  add<uint64_t>(plan, source);
  add<uint64_t>(plan, target);
  add<uint32_t>(plan, transposes);
  add<uint32_t>(plan, tilesRead);
  add<uint32_t>(plan, tilesWrite);
  auto addDim = [&](const CopiedDim &dim) {
    add<uint32_t>(plan, dim.size);
    add<uint64_t>(plan, dim.from * bytes);
    add<uint64_t>(plan, dim.to * bytes);
  };
  addDim(read);
  addDim(write);
  for (const CopiedDim &dim : dims)
    addDim(dim);
  return plan;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

namespace {

/// Writes the PTX. Registers: %r are 32 bits, %l 64 bits, %p predicates.
class CopyWriter {
public:
  explicit CopyWriter(int64_t bytes)
      : bytes(bytes), bits(std::to_string(8 * bytes)),
        value(bytes == 8 ? "%l20" : "%r20") {}
  std::string write();

private:
  void line(const Twine &text) { body += "  " + text.str() + "\n"; }
  void load(const char *target, const char *type, unsigned parameter) {
    line(Twine("ld.param.") + type + " " + target + ", [" + kCopyKernel +
         "_param_" + Twine(parameter) + "];");
  }
  void writeParameters();
  void locate();
  void locateOther(unsigned number);
  void copyDirectly();
  void readTile();
  void writeTile();
  void forEachRow(const char *label, llvm::function_ref<void()> row);

  int64_t bytes;
  std::string bits, value, body;
};

} // namespace

/// The parameters' types, in the order of planCopy.
static std::vector<const char *> getParameterTypes() {
  std::vector<const char *> types{"u64", "u64", "u32", "u32", "u32"};
  for (size_t i = 0; i != kMostOthers + 2; ++i)
    types.insert(types.end(), {"u32", "u64", "u64"});
  return types;
}

void CopyWriter::writeParameters() {
  std::vector<const char *> types = getParameterTypes();
  for (auto [i, type] : llvm::enumerate(types))
    body += (Twine(i ? ",\n" : "\n") + "  .param ." + type + " " + kCopyKernel +
             "_param_" + Twine(i))
                .str();
}

/// Moves %l0 and %l1 by the block's coordinate along another dimension; %r1 is
/// the rest of the block's number.
void CopyWriter::locateOther(unsigned number) {
  unsigned first = 5 + 3 * (2 + number);
  load("%r2", "u32", first);
  load("%l2", "u64", first + 1);
  load("%l3", "u64", first + 2);
  line("rem.u32 %r3, %r1, %r2;");
  line("div.u32 %r1, %r1, %r2;");
  line("cvt.u64.u32 %l4, %r3;");
  line("mad.lo.u64 %l0, %l4, %l2, %l0;");
  line("mad.lo.u64 %l1, %l4, %l3, %l1;");
}

/// Sets the source %l0, the target %l1, the tile's first elements %r4 (along
/// the dimension that is read) and %r5 (along the other one), the sizes %r6 and
/// %r7, the strides %l5, %l6 (of the first) and %l7, %l8, the thread's column
/// %r8 and its first row %r9.
void CopyWriter::locate() {
  load("%l0", "u64", 0);
  load("%l1", "u64", 1);
  load("%r10", "u32", 3);
  load("%r11", "u32", 4);
  load("%r6", "u32", 5);
  load("%l5", "u64", 6);
  load("%l6", "u64", 7);
  load("%r7", "u32", 8);
  load("%l7", "u64", 9);
  load("%l8", "u64", 10);
  line("cvta.to.global.u64 %l0, %l0;");
  line("cvta.to.global.u64 %l1, %l1;");
  line("mov.u32 %r1, %ctaid.x;");
  line("rem.u32 %r4, %r1, %r10;");
  line("div.u32 %r1, %r1, %r10;");
  line("rem.u32 %r5, %r1, %r11;");
  line("div.u32 %r1, %r1, %r11;");
  line("mul.lo.u32 %r4, %r4, " + Twine(kTile) + ";");
  line("mul.lo.u32 %r5, %r5, " + Twine(kTile) + ";");
  for (unsigned i = 0; i != kMostOthers; ++i)
    locateOther(i);
  line("mov.u32 %r12, %tid.x;");
  line("and.b32 %r8, %r12, " + Twine(kTile - 1) + ";");
  line("shr.u32 %r9, %r12, " + Twine(llvm::Log2_64(kTile)) + ";");
}

/// Runs `row` for each row of the tile that the thread has; %r13 is the row.
void CopyWriter::forEachRow(const char *label, llvm::function_ref<void()> row) {
  line("mov.u32 %r13, %r9;");
  body += std::string(label) + ":\n";
  row();
  line("add.u32 %r13, %r13, " + Twine(kRowsAtATime) + ";");
  line("setp.lt.u32 %p3, %r13, " + Twine(kTile) + ";");
  line(Twine("@%p3 bra ") + label + ";");
}

/// The element (%r14, %r15) of both sides, if it is inside: %p2.
static const char *const kElement = "  setp.lt.u32 %p1, %r14, %r6;\n"
                                    "  setp.lt.and.u32 %p2, %r15, %r7, %p1;\n"
                                    "  cvt.u64.u32 %l9, %r14;\n"
                                    "  cvt.u64.u32 %l10, %r15;\n"
                                    "  mad.lo.u64 %l11, %l9, %l5, %l0;\n"
                                    "  mad.lo.u64 %l11, %l10, %l7, %l11;\n"
                                    "  mad.lo.u64 %l12, %l9, %l6, %l1;\n"
                                    "  mad.lo.u64 %l12, %l10, %l8, %l12;\n";

void CopyWriter::copyDirectly() {
  forEachRow("direct", [&] {
    line("add.u32 %r14, %r4, %r8;");
    line("add.u32 %r15, %r5, %r13;");
    body += kElement;
    line("@%p2 ld.global.u" + Twine(bits) + " " + value + ", [%l11];");
    line("@%p2 st.global.u" + Twine(bits) + " [%l12], " + value + ";");
  });
}

/// A row of the tile in shared memory has one more element, against bank
/// conflicts.
void CopyWriter::readTile() {
  forEachRow("read", [&] {
    line("add.u32 %r14, %r4, %r8;");
    line("add.u32 %r15, %r5, %r13;");
    body += kElement;
    line("mad.lo.u32 %r16, %r13, " + Twine(kTile + 1) + ", %r8;");
    line("mad.lo.u32 %r16, %r16, " + Twine(bytes) + ", %r17;");
    line("@%p2 ld.global.u" + Twine(bits) + " " + value + ", [%l11];");
    line("@%p2 st.shared.u" + Twine(bits) + " [%r16], " + value + ";");
  });
}

void CopyWriter::writeTile() {
  forEachRow("write", [&] {
    line("add.u32 %r14, %r4, %r13;");
    line("add.u32 %r15, %r5, %r8;");
    body += kElement;
    line("mad.lo.u32 %r16, %r8, " + Twine(kTile + 1) + ", %r13;");
    line("mad.lo.u32 %r16, %r16, " + Twine(bytes) + ", %r17;");
    line("@%p2 ld.shared.u" + Twine(bits) + " " + value + ", [%r16];");
    line("@%p2 st.global.u" + Twine(bits) + " [%l12], " + value + ";");
  });
}

std::string CopyWriter::write() {
  body = std::string(".version 7.0\n.target sm_80\n.address_size 64\n\n") +
         ".visible .entry " + kCopyKernel + "(";
  writeParameters();
  body += "\n)\n{\n  .reg .b32 %r<32>;\n  .reg .b64 %l<32>;\n"
          "  .reg .pred %p<8>;\n  .shared .align 16 .b8 tile[" +
          std::to_string(kTile * (kTile + 1) * bytes) + "];\n";
  locate();
  load("%r18", "u32", 2);
  line("setp.ne.u32 %p0, %r18, 0;");
  line("@%p0 bra transpose;");
  copyDirectly();
  line("ret;");
  body += "transpose:\n";
  line("mov.u32 %r17, tile;");
  readTile();
  line("bar.sync 0;");
  writeTile();
  line("ret;");
  return body + "}\n";
}

std::string tcgemm::writeCopyPtx(int64_t bytes) {
  return CopyWriter(bytes).write();
}

Error StridedCopier::prepare(int64_t bytes) {
  Loaded &loaded = kernels[bytes];
  if (loaded.kernel)
    return Error::success();
  Expected<std::unique_ptr<Module>> module =
      device.loadModule({writeCopyPtx(bytes), ""});
  if (!module)
    return module.takeError();
  loaded.module = std::move(*module);
  Expected<Kernel *> kernel = loaded.module->getKernel(kCopyKernel);
  if (!kernel)
    return kernel.takeError();
  loaded.kernel = *kernel;
  return Error::success();
}

Error StridedCopier::enqueue(const CopyPlan &plan, int64_t bytes) {
  if (!plan.runs)
    return Error::success();
  return device.launch(*kernels[bytes].kernel, plan.config, plan.arguments);
}
