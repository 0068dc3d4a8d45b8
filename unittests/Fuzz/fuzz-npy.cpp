//===- fuzz-npy.cpp - Fuzzes .npy files -----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte selects the element type.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "tcgemm/Runtime/Npy.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  constexpr ScalarType types[] = {
      ScalarType::F16, ScalarType::BF16, ScalarType::F32,
      ScalarType::F64, ScalarType::I1,   ScalarType::I8,
      ScalarType::I16, ScalarType::I32,  ScalarType::I64};
  ScalarType type = types[data[0] % std::size(types)];
  std::optional<HostTensor> tensor =
      accept(parseNpy(getText(data + 1, size - 1), type));
  if (!tensor)
    return 0;
  std::string written = formatNpy(*tensor);
  HostTensor again = acceptAgain(parseNpy(written, type), "a written file");
  require(again.shape.sizes == tensor->shape.sizes, "a shape changes");
  require(again.bytes == tensor->bytes, "elements change");
  return 0;
}
