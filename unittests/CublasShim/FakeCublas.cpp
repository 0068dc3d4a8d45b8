//===- FakeCublas.cpp - A cuBLAS that records calls -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCublas.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

/// Values by attribute, with the attributes and sizes of a new object.
struct Attributes {
  std::map<int, std::vector<char>> values;

  template <typename Value> void add(int attribute, Value value) {
    const char *bytes = reinterpret_cast<const char *>(&value);
    values[attribute].assign(bytes, bytes + sizeof value);
  }
  Status set(int attribute, const void *value, size_t bytes) {
    auto found = values.find(attribute);
    if (found == values.end() || found->second.size() != bytes)
      return StatusInvalidValue;
    std::memcpy(found->second.data(), value, bytes);
    return StatusSuccess;
  }
  Status get(int attribute, void *value, size_t bytes, size_t *written) const {
    auto found = values.find(attribute);
    if (found == values.end())
      return StatusInvalidValue;
    *written = found->second.size();
    if (bytes == 0)
      return StatusSuccess;
    if (bytes < found->second.size())
      return StatusInvalidValue;
    std::memcpy(value, found->second.data(), found->second.size());
    return StatusSuccess;
  }
};

namespace tcgemm::cublas {
struct HandleTag {
  Stream stream = nullptr;
  PointerMode pointerMode = PointerHost;
  MathMode mathMode = MathDefault;
  int smCount = 0;
};
struct LtHandleTag {};
struct MatmulDescTag : Attributes {};
struct MatrixLayoutTag : Attributes {};
struct PreferenceTag : Attributes {};
} // namespace tcgemm::cublas

namespace {

std::string call;
bool nests = false;
size_t heuristicWorkspace = 0;

Status record(const char *name) {
  call = name;
  if (nests && std::strcmp(name, "cublasLtMatmul") != 0) {
    // By the dynamic linker, as calls between NVIDIA's libraries are.
    cublasLtMatmul(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                   nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                   nullptr, nullptr, 0, nullptr);
    call = std::string(name) + " " + call;
  }
  return StatusSuccess;
}

} // namespace

const char *fakeCublasTakeCall() {
  static std::string taken;
  taken = call;
  call.clear();
  return taken.c_str();
}

void fakeCublasSetNested(int isNested) { nests = isNested != 0; }
void fakeCublasSetHeuristicWorkspace(size_t bytes) {
  heuristicWorkspace = bytes;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

Status cublasCreate_v2(Handle *handle) {
  *handle = new HandleTag;
  return StatusSuccess;
}
Status cublasDestroy_v2(Handle handle) {
  delete handle;
  return StatusSuccess;
}
Status cublasSetWorkspace_v2(Handle handle, void *, size_t) {
  return handle ? StatusSuccess : StatusNotInitialized;
}

// The setter and the getter of a handle's member.
#define TCGEMM_DEFINE_MEMBER(setter, getter, type, member)                     \
  Status setter(Handle handle, type value) {                                   \
    if (!handle)                                                               \
      return StatusNotInitialized;                                             \
    handle->member = value;                                                    \
    return StatusSuccess;                                                      \
  }                                                                            \
  Status getter(Handle handle, type *value) {                                  \
    if (!handle)                                                               \
      return StatusNotInitialized;                                             \
    *value = handle->member;                                                   \
    return StatusSuccess;                                                      \
  }
TCGEMM_DEFINE_MEMBER(cublasSetStream_v2, cublasGetStream_v2, Stream, stream)
TCGEMM_DEFINE_MEMBER(cublasSetPointerMode_v2, cublasGetPointerMode_v2,
                     PointerMode, pointerMode)
TCGEMM_DEFINE_MEMBER(cublasSetMathMode, cublasGetMathMode, MathMode, mathMode)
TCGEMM_DEFINE_MEMBER(cublasSetSmCountTarget, cublasGetSmCountTarget, int,
                     smCount)

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

#define TCGEMM_DEFINE(name, family, Int, type)                                 \
  Status name TCGEMM_##family##_PARAMETERS(Int) { return record(#name); }
#define TCGEMM_DEFINE_TABLE(name, family, Int)                                 \
  Status name TCGEMM_##family##_PARAMETERS(Int) { return record(#name); }
TCGEMM_CUBLAS_PRODUCTS(TCGEMM_DEFINE)
TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_DEFINE_TABLE)

//===----------------------------------------------------------------------===//
// cuBLASLt
//===----------------------------------------------------------------------===//

Status cublasLtCreate(LtHandle *handle) {
  *handle = new LtHandleTag;
  return StatusSuccess;
}
Status cublasLtDestroy(LtHandle handle) {
  delete handle;
  return StatusSuccess;
}

Status cublasLtMatmulDescCreate(MatmulDesc *desc, ComputeType compute,
                                DataType scaleType) {
  *desc = new MatmulDescTag;
  (*desc)->add<int32_t>(0, compute);
  (*desc)->add<int32_t>(1, scaleType);
  for (int attribute : {2, 3, 4, 5, 15, 16, 31, 32, 33, 34, 35, 37})
    (*desc)->add<int32_t>(attribute, 0);
  (*desc)->add<int32_t>(6, 2);
  (*desc)->add<uint32_t>(7, 1);
  for (int attribute :
       {8, 10, 11, 12, 13, 14, 17, 18, 19, 20, 21, 23, 24, 36, 38})
    (*desc)->add<uint64_t>(attribute, 0);
  for (int attribute : {22, 26})
    (*desc)->add<int32_t>(attribute, -1);
  (*desc)->add<int8_t>(25, 0);
  return StatusSuccess;
}

Status cublasLtMatrixLayoutCreate(MatrixLayout *layout, DataType type,
                                  uint64_t rows, uint64_t columns,
                                  int64_t leading) {
  *layout = new MatrixLayoutTag;
  (*layout)->add<int32_t>(0, type);
  (*layout)->add<int32_t>(1, 0);
  (*layout)->add<uint64_t>(2, rows);
  (*layout)->add<uint64_t>(3, columns);
  (*layout)->add<int64_t>(4, leading);
  (*layout)->add<int32_t>(5, 1);
  (*layout)->add<int64_t>(6, 0);
  (*layout)->add<int64_t>(7, 0);
  (*layout)->add<int32_t>(8, 0);
  return StatusSuccess;
}

Status cublasLtMatmulPreferenceCreate(Preference *preference) {
  *preference = new PreferenceTag;
  (*preference)->add<uint64_t>(1, 0);
  return StatusSuccess;
}

// The functions of an object with attributes.
#define TCGEMM_DEFINE_OBJECT(Object, destroy, setter, getter)                  \
  Status destroy(Object object) {                                              \
    delete object;                                                             \
    return StatusSuccess;                                                      \
  }                                                                            \
  Status setter(Object object, int attribute, const void *value,               \
                size_t bytes) {                                                \
    return object->set(attribute, value, bytes);                               \
  }                                                                            \
  Status getter(Object object, int attribute, void *value, size_t bytes,       \
                size_t *written) {                                             \
    return object->get(attribute, value, bytes, written);                      \
  }
TCGEMM_DEFINE_OBJECT(MatmulDesc, cublasLtMatmulDescDestroy,
                     cublasLtMatmulDescSetAttribute,
                     cublasLtMatmulDescGetAttribute)
TCGEMM_DEFINE_OBJECT(MatrixLayout, cublasLtMatrixLayoutDestroy,
                     cublasLtMatrixLayoutSetAttribute,
                     cublasLtMatrixLayoutGetAttribute)
TCGEMM_DEFINE_OBJECT(Preference, cublasLtMatmulPreferenceDestroy,
                     cublasLtMatmulPreferenceSetAttribute,
                     cublasLtMatmulPreferenceGetAttribute)

Status cublasLtMatmul(LtHandle, MatmulDesc, const void *, const void *,
                      MatrixLayout, const void *, MatrixLayout, const void *,
                      const void *, MatrixLayout, void *, MatrixLayout,
                      const Algorithm *, void *, size_t, Stream) {
  return record("cublasLtMatmul");
}

Status cublasLtMatmulAlgoGetHeuristic(LtHandle, MatmulDesc, MatrixLayout,
                                      MatrixLayout, MatrixLayout, MatrixLayout,
                                      Preference, int requested,
                                      HeuristicResult *results, int *found) {
  *found = requested < 2 ? requested : 2;
  for (int i = 0; i != *found; ++i)
    results[i] = {{}, heuristicWorkspace, StatusSuccess, 1, {}};
  return record("cublasLtMatmulAlgoGetHeuristic");
}
