//===- Legality.h - Now in tcgemm/Config ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents have moved; this header keeps old includes working.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_LEGALITY_H
#define TCGEMM_TARGET_LEGALITY_H

#include "tcgemm/Config/Gemv.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Simt.h"
#include "tcgemm/Config/Sizes.h"
#include "tcgemm/Config/Wgmma.h"
#include "tcgemm/Config/Wmma.h"

#endif // TCGEMM_TARGET_LEGALITY_H
