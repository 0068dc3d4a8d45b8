//===- DeviceComparer.cpp - Comparing results on the device ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/DeviceComparer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <limits>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr uint32_t kThreads = 256, kMaxBlocks = 4096;

/// A block iterates over rows, its threads over their elements. An element is
/// far if |x - y| exceeds rowError * columnNorm + 2 ulp, or if that is NaN.
/// `$LOAD` converts x and y to f32, `$SCALE` is twice the ulp of 1.
constexpr StringLiteral kPtx = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry compare(
  .param .u64 compare_actual, .param .u64 compare_kept,
  .param .u64 compare_rows, .param .u64 compare_columns,
  .param .u64 compare_result, .param .u32 compare_num_rows,
  .param .u32 compare_m, .param .u32 compare_n)
{
  .reg .pred %p<3>;
  .reg .b16 %h<3>;
  .reg .b32 %r<12>;
  .reg .f32 %f<10>;
  .reg .b64 %rd<16>;

  ld.param.u64 %rd1, [compare_actual];
  ld.param.u64 %rd2, [compare_kept];
  ld.param.u64 %rd3, [compare_rows];
  ld.param.u64 %rd4, [compare_columns];
  ld.param.u64 %rd5, [compare_result];
  ld.param.u32 %r1, [compare_num_rows];
  ld.param.u32 %r2, [compare_m];
  ld.param.u32 %r3, [compare_n];
  mov.u32 %r4, %ctaid.x;
$ROW:
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra $END;
  mul.wide.u32 %rd6, %r4, 4;
  add.s64 %rd6, %rd3, %rd6;
  ld.global.f32 %f1, [%rd6];
  div.u32 %r5, %r4, %r2;
  mul.wide.u32 %rd7, %r5, %r3;
  shl.b64 %rd7, %rd7, 2;
  add.s64 %rd7, %rd4, %rd7;
  mul.wide.u32 %rd8, %r4, %r3;
  mov.u32 %r6, %tid.x;
$COLUMN:
  setp.ge.u32 %p1, %r6, %r3;
  @%p1 bra $NEXT;
  cvt.u64.u32 %rd9, %r6;
  add.s64 %rd10, %rd8, %rd9;
  shl.b64 %rd11, %rd10, $SHIFT;
  add.s64 %rd12, %rd1, %rd11;
  add.s64 %rd13, %rd2, %rd11;
$LOAD
  sub.f32 %f4, %f2, %f3;
  abs.f32 %f4, %f4;
  abs.f32 %f2, %f2;
  abs.f32 %f3, %f3;
  max.f32 %f5, %f2, %f3;
  mov.b32 %r7, %f5;
  and.b32 %r7, %r7, 0x7f800000;
  mov.b32 %f6, %r7;
  mul.f32 %f6, %f6, $SCALE;
  shl.b64 %rd14, %rd9, 2;
  add.s64 %rd14, %rd7, %rd14;
  ld.global.f32 %f7, [%rd14];
  fma.rn.f32 %f8, %f1, %f7, %f6;
  setp.gtu.f32 %p2, %f4, %f8;
  @%p2 atom.global.min.u64 %rd15, [%rd5], %rd10;
  mov.u32 %r8, %ntid.x;
  add.u32 %r6, %r6, %r8;
  bra $COLUMN;
$NEXT:
  mov.u32 %r9, %nctaid.x;
  add.u32 %r4, %r4, %r9;
  bra $ROW;
$END:
  ret;
}
)";

void replace(std::string &text, StringRef name, StringRef value) {
  text.replace(text.find(name), name.size(), value);
}

/// The kernel for one type of results; empty for others.
std::string getPtx(ScalarType type) {
  std::string text = kPtx.str();
  StringRef load, scale, shift = "1";
  switch (type) {
  case ScalarType::BF16:
    load = "  ld.global.b16 %h1, [%rd12];\n  ld.global.b16 %h2, [%rd13];\n"
           "  cvt.u32.u16 %r10, %h1;\n  cvt.u32.u16 %r11, %h2;\n"
           "  shl.b32 %r10, %r10, 16;\n  shl.b32 %r11, %r11, 16;\n"
           "  mov.b32 %f2, %r10;\n  mov.b32 %f3, %r11;";
    scale = "0f3c800000"; // 2^-6
    break;
  case ScalarType::F16:
    load = "  ld.global.b16 %h1, [%rd12];\n  ld.global.b16 %h2, [%rd13];\n"
           "  cvt.f32.f16 %f2, %h1;\n  cvt.f32.f16 %f3, %h2;";
    scale = "0f3b000000"; // 2^-9
    break;
  case ScalarType::F32:
    load = "  ld.global.f32 %f2, [%rd12];\n  ld.global.f32 %f3, [%rd13];";
    scale = "0f34800000"; // 2^-22
    shift = "2";
    break;
  default:
    return "";
  }
  replace(text, "$LOAD", load);
  replace(text, "$SCALE", scale);
  replace(text, "$SHIFT", shift);
  return text;
}

template <typename T> KernelArgument makeArgument(T value) {
  KernelArgument argument(sizeof value);
  support::endian::write<T>(argument.data(), value, endianness::little);
  return argument;
}

Expected<Buffer> upload(Device &device, ArrayRef<float> values) {
  Expected<Buffer> buffer = device.allocate(values.size() * sizeof(float));
  if (buffer)
    if (Error error = device.copyToDevice(buffer->getAddress(), values.data(),
                                          values.size() * sizeof(float)))
      return std::move(error);
  return buffer;
}

} // namespace

Expected<std::unique_ptr<DeviceComparer>>
DeviceComparer::create(Device &device, const ResultChecker::Scale &scale,
                       ScalarType type, uint64_t address) {
  ModuleImage image{getPtx(type), ""};
  auto count = static_cast<int64_t>(scale.rows.size()) * scale.n;
  if (image.ptx.empty() || static_cast<int64_t>(scale.rows.size()) >
                               std::numeric_limits<int32_t>::max())
    return nullptr;
  std::unique_ptr<DeviceComparer> comparer(new DeviceComparer(device, scale));
  Expected<std::unique_ptr<Module>> module = device.loadModule(image);
  Expected<Buffer> kept = device.allocate(count * getByteSize(type));
  Expected<Buffer> result = device.allocate(sizeof(uint64_t));
  if (!module || !kept || !result) {
    // Optional: the driver may lack a compiler of PTX, or memory may be
    // exhausted.
    consumeError(joinErrors(module.takeError(),
                            joinErrors(kept.takeError(), result.takeError())));
    return nullptr;
  }
  comparer->module = std::move(*module);
  comparer->kept = std::move(*kept);
  comparer->result = std::move(*result);
  Expected<Kernel *> kernel = comparer->module->getKernel("compare");
  if (!kernel)
    return kernel.takeError();
  comparer->kernel = *kernel;
  if (Error error = device.copyOnDevice(comparer->kept.getAddress(), address,
                                        count * getByteSize(type)))
    return std::move(error);
  // Twice the tolerance of 2 · e, like ResultChecker.
  std::vector<float> rows, columns;
  for (double norm : scale.rows)
    rows.push_back(static_cast<float>(4 * scale.errorFactor * norm));
  for (double norm : scale.columns)
    columns.push_back(static_cast<float>(norm));
  Expected<Buffer> rowErrors = upload(device, rows);
  if (!rowErrors)
    return rowErrors.takeError();
  comparer->rowErrors = std::move(*rowErrors);
  Expected<Buffer> columnNorms = upload(device, columns);
  if (!columnNorms)
    return columnNorms.takeError();
  comparer->columnNorms = std::move(*columnNorms);
  return std::move(comparer);
}

Expected<bool> DeviceComparer::isNear(uint64_t address) {
  constexpr uint64_t none = ~uint64_t(0);
  if (Error error = device.fill32(result.getAddress(), ~uint32_t(0), 2))
    return std::move(error);
  LaunchConfig config;
  config.grid[0] =
      static_cast<uint32_t>(std::clamp<int64_t>(rows, 1, kMaxBlocks));
  config.block[0] = kThreads;
  std::array<KernelArgument, 8> arguments = {
      makeArgument(address),
      makeArgument(kept.getAddress()),
      makeArgument(rowErrors.getAddress()),
      makeArgument(columnNorms.getAddress()),
      makeArgument(result.getAddress()),
      makeArgument(static_cast<uint32_t>(rows)),
      makeArgument(static_cast<uint32_t>(m)),
      makeArgument(static_cast<uint32_t>(n))};
  if (Error error = device.launch(*kernel, config, arguments))
    return std::move(error);
  uint64_t far = none;
  if (Error error =
          device.copyFromDevice(&far, result.getAddress(), sizeof far))
    return std::move(error);
  return far == none;
}

} // namespace tcgemm
