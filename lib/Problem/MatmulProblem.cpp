//===- MatmulProblem.cpp - Which matrix product is meant ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/MatmulProblem.h"

using namespace llvm;

namespace tcgemm {

std::string MatmulKind::getLayout() const {
  return {aKContiguous ? 't' : 'n', bKContiguous ? 'n' : 't'};
}

Error MatmulKind::setLayout(StringRef text) {
  if (text != "tn" && text != "nn" && text != "nt" && text != "tt")
    return createStringError("layout: '" + text +
                             "' is none of tn, nn, nt, tt");
  aKContiguous = text[0] == 't';
  bKContiguous = text[1] == 'n';
  return Error::success();
}

} // namespace tcgemm
