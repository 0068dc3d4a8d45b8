//===- ConfigProvider.h - Now in tcgemm/Config ------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents have moved; this header keeps old includes working.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMS_CONFIGPROVIDER_H
#define TCGEMM_TRANSFORMS_CONFIGPROVIDER_H

#include "tcgemm/Config/ConfigProvider.h"

#endif // TCGEMM_TRANSFORMS_CONFIGPROVIDER_H
