//===- FakeCublasLt.cpp - cuBLASLt that computes on the host --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of bf16 matrices in memory of the host, with factors, C, and a bias
// if the epilogue requests one. The attributes and layouts follow the library's
// documentation, not the declarations of the caller.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstring>

namespace {

struct MatmulDesc {
  int32_t transA = 0, transB = 0;
  uint32_t epilogue = 1; // CUBLASLT_EPILOGUE_DEFAULT
  const void *bias = nullptr;
};

struct MatrixLayout {
  uint64_t rows, columns;
  int64_t leading;
};

struct HeuristicResult {
  uint64_t algorithm[8];
  size_t workspaceSize;
  int32_t state;
  float wavesCount;
  int32_t reserved[4];
};

constexpr int kInvalidValue = 7;
int library;

float load(const void *data, int64_t index) {
  uint32_t bits = uint32_t(static_cast<const uint16_t *>(data)[index]) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Rounded to the nearest, ties to even.
void store(void *data, int64_t index, float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7fff + (bits >> 16 & 1);
  static_cast<uint16_t *>(data)[index] = static_cast<uint16_t>(bits >> 16);
}

} // namespace

extern "C" {

int cublasLtCreate(void **handle) {
  *handle = &library;
  return 0;
}
int cublasLtDestroy(void *) { return 0; }
size_t cublasLtGetVersion() { return 120805; }

int cublasLtMatmulDescCreate(MatmulDesc **desc, int, int) {
  *desc = new MatmulDesc;
  return 0;
}
int cublasLtMatmulDescDestroy(MatmulDesc *desc) {
  delete desc;
  return 0;
}
int cublasLtMatmulDescSetAttribute(MatmulDesc *desc, int attribute,
                                   const void *value, size_t bytes) {
  void *target = attribute == 3   ? static_cast<void *>(&desc->transA)
                 : attribute == 4 ? static_cast<void *>(&desc->transB)
                 : attribute == 7 ? static_cast<void *>(&desc->epilogue)
                 : attribute == 8 ? static_cast<void *>(&desc->bias)
                                  : nullptr;
  if (!target || bytes != (attribute == 8 ? sizeof(void *) : sizeof(int32_t)))
    return kInvalidValue;
  std::memcpy(target, value, bytes);
  return 0;
}

int cublasLtMatrixLayoutCreate(MatrixLayout **layout, int type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  if (type != 14) // CUDA_R_16BF
    return kInvalidValue;
  *layout = new MatrixLayout{rows, columns, leading};
  return 0;
}
int cublasLtMatrixLayoutDestroy(MatrixLayout *layout) {
  delete layout;
  return 0;
}
int cublasLtMatrixLayoutSetAttribute(MatrixLayout *, int, const void *,
                                     size_t) {
  return kInvalidValue; // No batches.
}

int cublasLtMatmulPreferenceCreate(void **preference) {
  *preference = &library;
  return 0;
}
int cublasLtMatmulPreferenceDestroy(void *) { return 0; }
int cublasLtMatmulPreferenceSetAttribute(void *, int, const void *, size_t) {
  return 0;
}

/// Two answers.
int cublasLtMatmulAlgoGetHeuristic(void *, MatmulDesc *, MatrixLayout *,
                                   MatrixLayout *, MatrixLayout *,
                                   MatrixLayout *, void *, int wanted,
                                   HeuristicResult *results, int *found) {
  *found = wanted < 2 ? wanted : 2;
  std::memset(results, 0, *found * sizeof(HeuristicResult));
  return 0;
}

int cublasLtMatmul(void *, MatmulDesc *desc, const float *alpha, const void *a,
                   MatrixLayout *layoutA, const void *b, MatrixLayout *layoutB,
                   const float *beta, const void *c, MatrixLayout *layoutC,
                   void *d, MatrixLayout *layoutD, const void *, void *, size_t,
                   void *) {
  auto depth =
      static_cast<int64_t>(desc->transA ? layoutA->rows : layoutA->columns);
  for (int64_t j = 0; j != static_cast<int64_t>(layoutD->columns); ++j)
    for (int64_t i = 0; i != static_cast<int64_t>(layoutD->rows); ++i) {
      float sum = 0;
      for (int64_t k = 0; k != depth; ++k)
        sum += load(a, desc->transA ? k + i * layoutA->leading
                                    : i + k * layoutA->leading) *
               load(b, desc->transB ? j + k * layoutB->leading
                                    : k + j * layoutB->leading);
      sum *= *alpha;
      if (*beta != 0)
        sum += *beta * load(c, i + j * layoutC->leading);
      // CUBLASLT_EPILOGUE_BIAS
      if (desc->epilogue == 4)
        sum += load(desc->bias, i);
      store(d, i + j * layoutD->leading, sum);
    }
  return 0;
}
}
