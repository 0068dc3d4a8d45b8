//===- own_numbers.h - Numbers with constants of their own -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VARIANTS_OWN_NUMBERS_H
#define VARIANTS_OWN_NUMBERS_H

#include "tcgemm/Problem/NamedBilinear.h"

/// Split-complex numbers, with i² = 1.
inline constexpr tcgemm::StructureConstant splitConstants[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}};
inline constexpr tcgemm::BilinearInfo splitNumbers = {"split", 2,
                                                      splitConstants};

/// Eisenstein's numbers, with w² = -1 - w.
inline constexpr tcgemm::StructureConstant eisensteinConstants[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, -1}, {1, 1, 1, -1}};
inline constexpr tcgemm::BilinearInfo eisensteinNumbers = {"eisenstein", 2,
                                                           eisensteinConstants};

#endif // VARIANTS_OWN_NUMBERS_H
