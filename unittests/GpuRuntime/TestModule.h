//===- TestModule.h - PTX for tests of launches -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_GPURUNTIME_TESTMODULE_H
#define TCGEMM_UNITTESTS_GPURUNTIME_TESTMODULE_H

#include "tcgemm/EmulatedDriver/EmulatedDriver.h"
#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include <string>

namespace tcgemm {

/// `add`: x[i] += table[i % 4] + y, a thread an element. `table` is a global
/// array with contents.
inline const std::string kTestModule = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 table[4] = {10, 20, 30, 40};
.visible .entry add(.param .u64 x, .param .u32 y) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [y];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mad.lo.u32 %r5, %r3, %r4, %r2;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  and.b32 %r6, %r5, 3;
  mul.wide.u32 %rd4, %r6, 4;
  mov.u64 %rd5, table;
  add.u64 %rd6, %rd5, %rd4;
  ld.global.u32 %r7, [%rd6];
  ld.global.u32 %r8, [%rd3];
  add.u32 %r7, %r7, %r8;
  add.u32 %r7, %r7, %r1;
  st.global.u32 [%rd3], %r7;
  ret;
}
)";

/// Gives the emulated driver to the runtime library, once a process.
inline void useEmulatedDriver() {
  [[maybe_unused]] static int32_t result =
      tcgemm_gpu_set_driver_functions(findEmulatedDriverFunction);
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_GPURUNTIME_TESTMODULE_H
