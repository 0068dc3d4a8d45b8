//===- Product.cpp - A product that a program asks for --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>

using namespace tcgemm::shim;
namespace cublas = tcgemm::cublas;

namespace {

/// A product that is served. FAST compute types of f32 allow operands of less
/// precision: tf32 has at least that of f16 and bf16. Sums of f16 are computed
/// in f32, which is as fast on data centers' GPUs and does not overflow.
struct ServedTypes {
  cublas::ComputeType compute;
  cublas::DataType operands, result, scale;
  const char *precision;
};

constexpr ServedTypes kServed[] = {
    {cublas::Compute32F, cublas::R16BF, cublas::R16BF, cublas::R32F, "ieee"},
    {cublas::Compute32F, cublas::R16BF, cublas::R32F, cublas::R32F, "ieee"},
    {cublas::Compute32F, cublas::R16F, cublas::R16F, cublas::R32F, "ieee"},
    {cublas::Compute32F, cublas::R16F, cublas::R32F, cublas::R32F, "ieee"},
    {cublas::Compute32F, cublas::R32F, cublas::R32F, cublas::R32F, "ieee"},
    {cublas::Compute32FFastTF32, cublas::R32F, cublas::R32F, cublas::R32F,
     "tf32"},
    {cublas::Compute32FFast16F, cublas::R32F, cublas::R32F, cublas::R32F,
     "tf32"},
    {cublas::Compute32FFast16BF, cublas::R32F, cublas::R32F, cublas::R32F,
     "tf32"},
    {cublas::Compute16F, cublas::R16F, cublas::R16F, cublas::R16F, "ieee"},
    {cublas::Compute64F, cublas::R64F, cublas::R64F, cublas::R64F, "ieee"},
    {cublas::Compute32I, cublas::R8I, cublas::R32I, cublas::R32I, "ieee"},
};

/// An element type of both libraries.
struct TypeName {
  cublas::DataType theirs;
  tcgemmType ours;
  const char *name;
};

constexpr TypeName kTypes[] = {
    {cublas::R16F, TCGEMM_F16, "f16"}, {cublas::R16BF, TCGEMM_BF16, "bf16"},
    {cublas::R32F, TCGEMM_F32, "f32"}, {cublas::R64F, TCGEMM_F64, "f64"},
    {cublas::R8I, TCGEMM_S8, "s8"},    {cublas::R32I, TCGEMM_S32, "s32"},
};

/// The type of a bias: that of the sums, or that of D.
enum class BiasType { None, Sums, Result };

/// An epilogue, with the bias along D's rows or columns as tcgemm stores D.
struct ServedEpilogue {
  int epilogue;
  BiasType bias;
  const char *alongColumns, *alongRows;
};

constexpr ServedEpilogue kEpilogues[] = {
    {cublas::EpilogueDefault, BiasType::None, "none", "none"},
    {cublas::EpilogueRelu, BiasType::None, "relu", "relu"},
    {cublas::EpilogueGelu, BiasType::None, "gelutanh", "gelutanh"},
    {cublas::EpilogueBias, BiasType::Sums, "bias", "rowbias"},
    {cublas::EpilogueBias, BiasType::Result, "outbias", "outrowbias"},
    {cublas::EpilogueReluBias, BiasType::Sums, "bias_relu", "rowbias_relu"},
    {cublas::EpilogueReluBias, BiasType::Result, "outbias_relu",
     "outrowbias_relu"},
    {cublas::EpilogueGeluBias, BiasType::Sums, "bias_gelutanh",
     "rowbias_gelutanh"},
    {cublas::EpilogueGeluBias, BiasType::Result, "outbias_gelutanh",
     "outrowbias_gelutanh"},
};

const ServedTypes *findTypes(const Product &product) {
  for (const ServedTypes &each : kServed)
    if (each.compute == product.compute && each.operands == product.a.type &&
        each.operands == product.b.type && each.result == product.c.type &&
        each.result == product.d.type)
      return &each;
  return nullptr;
}

tcgemmType getType(cublas::DataType type) {
  for (const TypeName &each : kTypes)
    if (each.theirs == type)
      return each.ours;
  return TCGEMM_F32; // Not reached: kServed has the types of kTypes.
}

/// NVIDIA_TF32_OVERRIDE=0 forbids tf32 in all of NVIDIA's libraries.
bool forbidsTF32() {
  const char *variable = std::getenv("NVIDIA_TF32_OVERRIDE");
  return variable && std::strcmp(variable, "0") == 0;
}

double loadHalf(const void *address) {
  uint16_t bits = 0;
  std::memcpy(&bits, address, sizeof bits);
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 31
                     ? (mantissa ? std::nan("") : HUGE_VAL)
                     : std::ldexp(exponent ? 1024 + mantissa : mantissa,
                                  (exponent ? exponent : 1) - 25);
  return bits >> 15 ? -value : value;
}

template <typename Number> double loadNumber(const void *address) {
  Number value = 0;
  std::memcpy(&value, address, sizeof value);
  return static_cast<double>(value);
}

double loadScalar(cublas::DataType type, const void *address) {
  switch (type) {
  case cublas::R16F:
    return loadHalf(address);
  case cublas::R64F:
    return loadNumber<double>(address);
  case cublas::R32I:
    return loadNumber<int32_t>(address);
  default:
    return loadNumber<float>(address);
  }
}

/// Translates one product.
class Translator {
public:
  Translator(const Product &product, Request &request)
      : product(product), desc(request.desc), operands(request.operands) {}
  Reason translate();

private:
  Reason setTypes();
  Reason setScalars();
  bool hasBias(BiasType type) const;
  Reason setEpilogue();
  void setMatrices();
  void setAlignment();
  static bool isTransposed(cublas::Operation operation, bool isRowMajor,
                           bool isFlipped);

  const Product &product;
  tcgemmMatmulDesc &desc;
  tcgemmOperands &operands;
};

} // namespace

std::string tcgemm::shim::getTypeName(cublas::DataType type) {
  for (const TypeName &each : kTypes)
    if (each.theirs == type)
      return each.name;
  return std::to_string(type);
}

cublas::DataType tcgemm::shim::getScaleType(cublas::ComputeType compute) {
  switch (compute) {
  case cublas::Compute16F:
    return cublas::R16F;
  case cublas::Compute64F:
    return cublas::R64F;
  case cublas::Compute32I:
    return cublas::R32I;
  default:
    return cublas::R32F;
  }
}

Reason Translator::setTypes() {
  const ServedTypes *types = findTypes(product);
  if (!types)
    return Reason::Types;
  if (product.scaleType != types->scale)
    return Reason::ScaleType;
  desc.typeA = desc.typeB = getType(types->operands);
  desc.typeD = getType(types->result);
  desc.precision = types->precision;
  if (std::strcmp(types->precision, "tf32") == 0 && forbidsTF32())
    desc.precision = "ieee";
  return Reason::None;
}

Reason Translator::setScalars() {
  if (!product.alpha || !product.beta)
    return Reason::Address;
  bool isInteger = product.scaleType == cublas::R32I;
  if (product.pointerMode == cublas::PointerDevice) {
    // Kernels read the type of the sums.
    if (product.scaleType != cublas::R32F && product.scaleType != cublas::R64F)
      return Reason::PointerMode;
    desc.pointerMode = TCGEMM_POINTER_DEVICE;
    desc.scaling = TCGEMM_ALPHA_BETA;
    operands.alphaPointer = product.alpha;
    operands.betaPointer = product.beta;
    return Reason::None;
  }
  if (product.pointerMode != cublas::PointerHost)
    return Reason::PointerMode;
  operands.alpha = loadScalar(product.scaleType, product.alpha);
  operands.beta = loadScalar(product.scaleType, product.beta);
  // A and B are not read where alpha is 0, whatever is in them. Sums of
  // integers have no factors.
  if (operands.alpha == 0 ||
      (isInteger && (operands.alpha != 1 || operands.beta != 0)))
    return Reason::Scalars;
  desc.scaling = operands.beta != 0    ? TCGEMM_ALPHA_BETA
                 : operands.alpha != 1 ? TCGEMM_ALPHA
                                       : TCGEMM_UNSCALED;
  return Reason::None;
}

/// Returns whether the bias has this type. Sums have the type of alpha and
/// beta, apart from those of f16.
bool Translator::hasBias(BiasType type) const {
  if (type == BiasType::Result)
    return product.biasType == product.d.type;
  return product.biasType == product.scaleType &&
         product.scaleType != cublas::R16F;
}

/// The bias has an element for each row of D. That is each column where D is
/// column-major, because tcgemm computes its transpose.
Reason Translator::setEpilogue() {
  // Sums of integers are stored as they are.
  if (product.scaleType == cublas::R32I &&
      product.epilogue != cublas::EpilogueDefault)
    return Reason::Epilogue;
  Reason reason = Reason::Epilogue;
  for (const ServedEpilogue &each : kEpilogues) {
    if (each.epilogue != product.epilogue)
      continue;
    reason = Reason::Bias;
    if (each.bias != BiasType::None && (!product.bias || !hasBias(each.bias)))
      continue;
    desc.epilogue = product.d.isRowMajor ? each.alongRows : each.alongColumns;
    if (each.bias != BiasType::None)
      operands.epilogue[0] = product.bias;
    return Reason::None;
  }
  return reason;
}

/// Returns whether tcgemm's row-major operand is transposed. `isFlipped` states
/// that it multiplies by the transpose of op(X).
bool Translator::isTransposed(cublas::Operation operation, bool isRowMajor,
                              bool isFlipped) {
  // Column-major memory is the row-major transpose.
  bool isColumnMajor = !isRowMajor;
  return ((operation != cublas::OperationN) != isColumnMajor) != isFlipped;
}

/// A row-major D is op(A)·op(B). Column-major memory of D is the row-major
/// transpose, which is op(B)'·op(A)'.
void Translator::setMatrices() {
  bool isFlipped = !product.d.isRowMajor;
  const Matrix &first = isFlipped ? product.b : product.a;
  const Matrix &second = isFlipped ? product.a : product.b;
  desc.m = isFlipped ? product.n : product.m;
  desc.n = isFlipped ? product.m : product.n;
  desc.k = product.k;
  desc.batch = product.batch;
  auto getTranspose = [&](cublas::Operation operation, const Matrix &matrix) {
    return isTransposed(operation, matrix.isRowMajor, isFlipped) ? TCGEMM_T
                                                                 : TCGEMM_N;
  };
  desc.transA =
      getTranspose(isFlipped ? product.transB : product.transA, first);
  desc.transB =
      getTranspose(isFlipped ? product.transA : product.transB, second);
  desc.lda = first.ld;
  desc.ldb = second.ld;
  desc.ldc = product.c.ld;
  desc.ldd = product.d.ld;
  if (product.batch != 1) {
    desc.strideA = first.stride;
    desc.strideB = second.stride;
    desc.strideC = product.c.stride;
    desc.strideD = product.d.stride;
  }
  operands.a = first.address;
  operands.b = second.address;
  operands.c = product.c.address;
  operands.d = const_cast<void *>(product.d.address);
}

/// The power of two that divides all addresses, as far as kernels use it.
void Translator::setAlignment() {
  uintptr_t bits = 16;
  for (const void *address :
       {operands.a, operands.b, operands.c,
        static_cast<const void *>(operands.d), operands.epilogue[0]})
    bits |= reinterpret_cast<uintptr_t>(address);
  desc.alignment = static_cast<uint32_t>(bits & (~bits + 1));
}

Reason Translator::translate() {
  for (cublas::Operation operation : {product.transA, product.transB})
    if (operation < cublas::OperationN || operation > cublas::OperationC)
      return Reason::Operation;
  if (product.m <= 0 || product.n <= 0 || product.k <= 0 || product.batch <= 0)
    return Reason::Empty;
  for (const Matrix *matrix : {&product.a, &product.b, &product.c, &product.d})
    if (matrix->ld < 1 || (product.batch != 1 && matrix->stride < 0))
      return Reason::Distances;
  if (Reason reason = setTypes(); reason != Reason::None)
    return reason;
  if (Reason reason = setScalars(); reason != Reason::None)
    return reason;
  if (product.c.isRowMajor != product.d.isRowMajor)
    return Reason::Order;
  if (Reason reason = setEpilogue(); reason != Reason::None)
    return reason;
  setMatrices();
  if (desc.scaling != TCGEMM_ALPHA_BETA)
    operands.c = nullptr;
  if (!operands.a || !operands.b || !operands.d ||
      (desc.scaling == TCGEMM_ALPHA_BETA && !operands.c))
    return Reason::Address;
  setAlignment();
  return Reason::None;
}

Reason tcgemm::shim::translate(const Product &product, Request &request) {
  return Translator(product, request).translate();
}
