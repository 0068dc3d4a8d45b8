//===- video.cu - Reference kernels: vabsdiff
//-------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only video instruction that nvcc itself emits, through its packed integer
// intrinsics.
//
//===----------------------------------------------------------------------===//

#include "common.cuh"

KERNEL3(int_video, uint32_t, uint32_t) {
  ROWS;
  CPP(__vabs4(x));
  CPP(__vabsdiffu4(x, y));
  CPP(__vabsdiffs2(x, y));
  CPP(__vsads4(x, y));
  CPP(__vsadu4(x, y));
  CPP(__vabsdiffs4(x, y));
  CPP(__vabs2(x));
  CPP(__vsadu2(x, y) + z);
}
