//===- KernelConfig.h - Now in tcgemm/Config --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents have moved; this header keeps old includes working.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_KERNELCONFIG_H
#define TCGEMM_TARGET_KERNELCONFIG_H

#include "tcgemm/Config/KernelConfig.h"

#endif // TCGEMM_TARGET_KERNELCONFIG_H
