//===- Shipped.h - Now in tcgemm/Store --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents have moved; this header keeps old includes working.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_SHIPPED_H
#define TCGEMM_TUNER_SHIPPED_H

#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Space.h"

#endif // TCGEMM_TUNER_SHIPPED_H
