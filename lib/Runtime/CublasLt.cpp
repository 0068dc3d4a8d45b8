//===- CublasLt.cpp - cuBLASLt by dlopen ----------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt's matrices are column-major. A row-major D of m x n is therefore its
// D of n x m, and A and B are swapped.
//
//===----------------------------------------------------------------------===//

#include "CublasLt.h"

#include "../GpuRuntime/CublasTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <dlfcn.h>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {
using cublas::Algorithm;
using cublas::HeuristicResult;
using cublas::MatmulDesc;
using cublas::Preference;
using cublas::Status;
using Handle = cublas::LtHandle;
using Layout = cublas::MatrixLayout;

#define TCGEMM_CUBLASLT_FUNCTIONS(X)                                           \
  X(Status, cublasLtCreate, (Handle *))                                        \
  X(Status, cublasLtDestroy, (Handle))                                         \
  X(size_t, cublasLtGetVersion, ())                                            \
  X(Status, cublasLtMatmulDescCreate, (MatmulDesc *, int, int))                \
  X(Status, cublasLtMatmulDescDestroy, (MatmulDesc))                           \
  X(Status, cublasLtMatmulDescSetAttribute,                                    \
    (MatmulDesc, int, const void *, size_t))                                   \
  X(Status, cublasLtMatrixLayoutCreate,                                        \
    (Layout *, int, uint64_t, uint64_t, int64_t))                              \
  X(Status, cublasLtMatrixLayoutDestroy, (Layout))                             \
  X(Status, cublasLtMatrixLayoutSetAttribute,                                  \
    (Layout, int, const void *, size_t))                                       \
  X(Status, cublasLtMatmulPreferenceCreate, (Preference *))                    \
  X(Status, cublasLtMatmulPreferenceDestroy, (Preference))                     \
  X(Status, cublasLtMatmulPreferenceSetAttribute,                              \
    (Preference, int, const void *, size_t))                                   \
  X(Status, cublasLtMatmulAlgoGetHeuristic,                                    \
    (Handle, MatmulDesc, Layout, Layout, Layout, Layout, Preference, int,      \
     HeuristicResult *, int *))                                                \
  X(Status, cublasLtMatmul,                                                    \
    (Handle, MatmulDesc, const void *, const void *, Layout, const void *,     \
     Layout, const void *, const void *, Layout, void *, Layout,               \
     const Algorithm *, void *, size_t, void *))

struct Library {
#define TCGEMM_DECLARE(result, name, parameters)                               \
  result(*name) parameters = nullptr;
  TCGEMM_CUBLASLT_FUNCTIONS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
};

Expected<Library> loadLibrary(StringRef path) {
  std::vector<std::string> names = {"libcublasLt.so.13", "libcublasLt.so.12",
                                    "libcublasLt.so",
                                    "/usr/local/cuda/lib64/libcublasLt.so"};
  if (!path.empty())
    names = {path.str()};
  void *handle = nullptr;
  std::string why;
  for (const std::string &name : names) {
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      break;
    why += (why.empty() ? "" : "; ") + std::string(dlerror());
  }
  if (!handle)
    return llvm::createStringError("cannot load cuBLASLt: " + why);
  Library library;
#define TCGEMM_LOAD(result, name, parameters)                                  \
  library.name = reinterpret_cast<result(*) parameters>(dlsym(handle, #name)); \
  if (!library.name)                                                           \
    return llvm::createStringError("cuBLASLt has no " #name);
  TCGEMM_CUBLASLT_FUNCTIONS(TCGEMM_LOAD)
#undef TCGEMM_LOAD
  return library;
}

Error check(Status status, StringRef call) {
  if (status == 0)
    return Error::success();
  constexpr std::pair<int, StringRef> names[] = {
      {1, "NOT_INITIALIZED"}, {3, "ALLOC_FAILED"},   {7, "INVALID_VALUE"},
      {8, "ARCH_MISMATCH"},   {11, "MAPPING_ERROR"}, {13, "EXECUTION_FAILED"},
      {14, "INTERNAL_ERROR"}, {15, "NOT_SUPPORTED"}};
  for (auto [code, name] : names)
    if (code == status)
      return llvm::createStringError(call + ": CUBLAS_STATUS_" + name);
  return llvm::createStringError(call + ": cuBLAS status " + Twine(status));
}

/// The library's numbers for operands of a type.
struct LibraryType {
  ScalarType type;
  int number;  ///< That of the elements.
  int compute; ///< That of the sums, for operands of A and B.
};
constexpr LibraryType kTypes[] = {
    {ScalarType::F16, cublas::R16F, cublas::Compute32F},
    {ScalarType::F16Acc16, cublas::R16F, cublas::Compute16F},
    {ScalarType::BF16, cublas::R16BF, cublas::Compute32F},
    {ScalarType::F32, cublas::R32F, cublas::Compute32F},
    {ScalarType::TF32, cublas::R32F, cublas::Compute32FFastTF32},
    {ScalarType::TF32X3, cublas::R32F, cublas::Compute32F},
    {ScalarType::BF16X3, cublas::R32F, cublas::Compute32F},
    {ScalarType::BF16X6, cublas::R32F, cublas::Compute32F},
    {ScalarType::F64, cublas::R64F, cublas::Compute64F},
    {ScalarType::I8, cublas::R8I, cublas::Compute32I},
    {ScalarType::I32, cublas::R32I, cublas::Compute32I},
    {ScalarType::E4M3, cublas::R8FE4M3, cublas::Compute32F},
    {ScalarType::E5M2, cublas::R8FE5M2, cublas::Compute32F}};

/// alpha or beta in the type that the product takes.
struct Factor {
  explicit Factor(double value)
      : asF32(static_cast<float>(value)), asF64(value) {
    storeElement(ScalarType::I32, value, &asI32);
    storeElement(ScalarType::F16, value, &asF16);
  }
  const void *get(int type) const {
    if (type == cublas::R64F)
      return &asF64;
    if (type == cublas::R16F)
      return &asF16;
    return type == cublas::R32I ? static_cast<const void *>(&asI32) : &asF32;
  }
  float asF32;
  double asF64;
  int32_t asI32;
  uint16_t asF16;
};

/// An operand of cuBLASLt: a column-major matrix, possibly transposed.
struct Matrix {
  const LibraryType *type = nullptr;
  int64_t rows = 0, columns = 0, leading = 0, batchStride = 0;
  int transpose = cublas::OperationN;
};

/// The operands of a product, and the alignments of A, B, C and D.
struct Matrices {
  Matrix a, b, c, d; ///< C is D if there is no C.
  uint32_t alignments[4] = {};

  /// The type of alpha and beta: s32 only for integers that are not scaled, and
  /// f16 for sums of f16.
  int getScaleType() const {
    if (a.type->compute == cublas::Compute16F)
      return cublas::R16F;
    int type = d.type->number;
    return type == cublas::R32I || type == cublas::R64F ? type : cublas::R32F;
  }
};

} // namespace

struct CublasLtMatmul::Implementation {
  Library library;
  Handle handle = nullptr;
  MatmulDesc desc = nullptr;
  Layout layoutA = nullptr, layoutB = nullptr, layoutC = nullptr,
         layoutD = nullptr;
  std::vector<HeuristicResult> algorithms;
  int scaleType = cublas::R32F;
  Factor alpha{1}, beta{0};

  ~Implementation() {
    if (layoutA)
      library.cublasLtMatrixLayoutDestroy(layoutA);
    if (layoutB)
      library.cublasLtMatrixLayoutDestroy(layoutB);
    if (layoutC)
      library.cublasLtMatrixLayoutDestroy(layoutC);
    if (layoutD)
      library.cublasLtMatrixLayoutDestroy(layoutD);
    if (desc)
      library.cublasLtMatmulDescDestroy(desc);
    if (handle)
      library.cublasLtDestroy(handle);
  }

  Error makeLayout(const Matrix &matrix, int64_t batch, Layout &layout);
  /// Describes the product to the library.
  Error makeProduct(const Matrices &matrices, int64_t batch,
                    const CublasLtOptions &options);
  template <typename T> Error setAttribute(int attribute, T value);
  Error findAlgorithms(llvm::ArrayRef<uint32_t> alignments, unsigned count);
};

CublasLtMatmul::CublasLtMatmul(std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
CublasLtMatmul::~CublasLtMatmul() = default;

unsigned CublasLtMatmul::getNumAlgorithms() const {
  return implementation->algorithms.size();
}

std::string CublasLtMatmul::getVersion() const {
  size_t version = implementation->library.cublasLtGetVersion();
  // 120805 is 12.8.5, 130002 is 13.0.2.
  return (Twine(version / 10000) + "." + Twine(version / 100 % 100) + "." +
          Twine(version % 100))
      .str();
}

/// Describes `buffer` as the matrix with rows along `down` and columns along
/// `across`: column-major if `down` is contiguous, transposed otherwise.
static Expected<Matrix> describe(const OperandInfo &info,
                                 const StridedShape &shape, Dim down,
                                 Dim across, const ProblemSizes &sizes) {
  if (shape.getRowStride() != 1)
    return llvm::createStringError("cuBLASLt: the elements of operand '" +
                                   info.name + "' are not contiguous");
  const auto *type = llvm::find_if(
      kTypes, [&](const LibraryType &row) { return row.type == info.type; });
  if (type == std::end(kTypes))
    return llvm::createStringError("cuBLASLt: no comparison for type " +
                                   getPtxTypeName(info.type));
  Matrix matrix;
  matrix.type = type;
  OperandView view;
  view.info = &info;
  view.shape = shape;
  if (llvm::any_of(info.dims,
                   [](Dim dim) { return unsigned(dim) >= kNumPlainDims; }))
    return llvm::createStringError("cuBLASLt: operand '" + info.name +
                                   "' has several outer dimensions");
  matrix.batchStride = view.getStride(Dim::Batch);
  bool isColumnMajor = info.dims.back() == down;
  if (!isColumnMajor && info.dims.back() != across)
    return llvm::createStringError("cuBLASLt: operand '" + info.name +
                                   "' has its batch innermost");
  Dim inner = isColumnMajor ? down : across;
  Dim outer = isColumnMajor ? across : down;
  matrix.transpose = isColumnMajor ? cublas::OperationN : cublas::OperationT;
  matrix.rows = sizes[unsigned(inner)];
  matrix.columns = sizes[unsigned(outer)];
  // With one column the stride is not used, but must be at least the rows.
  matrix.leading = std::max(view.getStride(outer), matrix.rows);
  return matrix;
}

Error CublasLtMatmul::Implementation::makeLayout(const Matrix &matrix,
                                                 int64_t batch,
                                                 Layout &layout) {
  if (Error error = check(library.cublasLtMatrixLayoutCreate(
                              &layout, matrix.type->number, matrix.rows,
                              matrix.columns, matrix.leading),
                          "cublasLtMatrixLayoutCreate"))
    return error;
  if (batch == 1)
    return Error::success();
  auto count = static_cast<int32_t>(batch);
  if (Error error =
          check(library.cublasLtMatrixLayoutSetAttribute(
                    layout, cublas::LayoutBatchCount, &count, sizeof(count)),
                "cublasLtMatrixLayoutSetAttribute"))
    return error;
  return check(library.cublasLtMatrixLayoutSetAttribute(
                   layout, cublas::LayoutBatchStride, &matrix.batchStride,
                   sizeof(matrix.batchStride)),
               "cublasLtMatrixLayoutSetAttribute");
}

template <typename T>
Error CublasLtMatmul::Implementation::setAttribute(int attribute, T value) {
  return check(library.cublasLtMatmulDescSetAttribute(desc, attribute, &value,
                                                      sizeof(value)),
               "cublasLtMatmulDescSetAttribute");
}

Error CublasLtMatmul::Implementation::findAlgorithms(
    llvm::ArrayRef<uint32_t> alignments, unsigned count) {
  Preference preference = nullptr;
  if (Error error = check(library.cublasLtMatmulPreferenceCreate(&preference),
                          "cublasLtMatmulPreferenceCreate"))
    return error;
  uint64_t workspace = kWorkspaceBytes;
  Status status = library.cublasLtMatmulPreferenceSetAttribute(
      preference, cublas::PreferenceMaxWorkspaceBytes, &workspace,
      sizeof(workspace));
  for (auto [i, alignment] : llvm::enumerate(alignments))
    if (status == 0)
      status = library.cublasLtMatmulPreferenceSetAttribute(
          preference, cublas::PreferenceMinAlignmentA + static_cast<int>(i),
          &alignment, sizeof(alignment));
  algorithms.resize(count);
  int found = 0;
  if (status == 0)
    status = library.cublasLtMatmulAlgoGetHeuristic(
        handle, desc, layoutA, layoutB, layoutC, layoutD, preference,
        static_cast<int>(count), algorithms.data(), &found);
  library.cublasLtMatmulPreferenceDestroy(preference);
  algorithms.resize(std::max(found, 0));
  llvm::erase_if(algorithms,
                 [](const HeuristicResult &r) { return r.state != 0; });
  if (Error error = check(status, "cublasLtMatmulAlgoGetHeuristic"))
    return error;
  if (algorithms.empty())
    return llvm::createStringError("cuBLASLt offers no algorithm");
  return Error::success();
}

/// The operands as cuBLASLt sees them: its A is our B, as n x k; its B is our
/// A, as k x m.
static Expected<Matrices> describeOperands(const Problem &problem,
                                           const ProblemSizes &sizes,
                                           std::optional<unsigned> addend) {
  const ProblemLaunch &launch = problem.launches.front();
  const KernelInfo &kernel = *launch.kernel;
  if (std::string refused = findRefused(kernel); !refused.empty())
    return llvm::createStringError("cuBLASLt: no comparison with " + refused);
  Matrices all;
  for (auto [info, part] : llvm::zip(kernel.operands, launch.operands)) {
    int64_t offset = problem.buffers[part.buffer].offset + part.offset;
    auto alignment = static_cast<uint32_t>(llvm::MinAlign(
        256, static_cast<uint64_t>(offset) * getByteSize(info.type)));
    if (info.getScales())
      return llvm::createStringError(
          "cuBLASLt: no comparison with scales of blocks (operand '" +
          info.name + "')");
    Matrix *target = nullptr;
    Expected<Matrix> matrix = Matrix();
    if (info.role == OperandUse::B) {
      matrix = describe(info, part.shape, Dim::N, Dim::K, sizes);
      target = &all.a;
      all.alignments[0] = alignment;
    } else if (info.role == OperandUse::A) {
      matrix = describe(info, part.shape, Dim::K, Dim::M, sizes);
      target = &all.b;
      all.alignments[1] = alignment;
    } else if (info.role == OperandUse::Output && all.d.rows == 0) {
      matrix = describe(info, part.shape, Dim::N, Dim::M, sizes);
      target = &all.d;
      all.alignments[3] = alignment;
    } else if (addend == &info - launch.kernel->operands.data()) {
      matrix = describe(info, part.shape, Dim::N, Dim::M, sizes);
      target = &all.c;
      all.alignments[2] = alignment;
    }
    if (!matrix)
      return matrix.takeError();
    if (target)
      *target = *matrix;
  }
  if (!addend) {
    all.c = all.d;
    all.alignments[2] = all.alignments[3];
  }
  if (all.d.transpose != cublas::OperationN ||
      all.c.transpose != cublas::OperationN)
    return llvm::createStringError("cuBLASLt: C and D must be row-major");
  return all;
}

Error CublasLtMatmul::Implementation::makeProduct(
    const Matrices &matrices, int64_t batch, const CublasLtOptions &options) {
  if (Error error = check(library.cublasLtCreate(&handle), "cublasLtCreate"))
    return error;
  scaleType = matrices.getScaleType();
  if (Error error = check(library.cublasLtMatmulDescCreate(
                              &desc, matrices.a.type->compute, scaleType),
                          "cublasLtMatmulDescCreate"))
    return error;
  for (auto [attribute, value] :
       {std::pair<int, int32_t>(cublas::MatmulTransA, matrices.a.transpose),
        std::pair<int, int32_t>(cublas::MatmulTransB, matrices.b.transpose)})
    if (Error error = setAttribute(attribute, value))
      return error;
  if (options.bias) {
    if (Error error = setAttribute<uint32_t>(cublas::MatmulEpilogue,
                                             cublas::EpilogueBias))
      return error;
    if (Error error = setAttribute(cublas::MatmulBiasPointer, options.bias))
      return error;
  }
  // The library's A is our B.
  for (auto [attribute, address] :
       {std::pair<int, uint64_t>(cublas::MatmulScaleA, options.scaleB),
        std::pair<int, uint64_t>(cublas::MatmulScaleB, options.scaleA)})
    if (address)
      if (Error error = setAttribute(attribute, address))
        return error;
  if (isFP8(matrices.a.type->type))
    if (Error error = setAttribute<int8_t>(cublas::MatmulFastAccumulation,
                                           options.fastAccumulation))
      return error;
  if (Error error = makeLayout(matrices.a, batch, layoutA))
    return error;
  if (Error error = makeLayout(matrices.b, batch, layoutB))
    return error;
  if (Error error = makeLayout(matrices.c, batch, layoutC))
    return error;
  return makeLayout(matrices.d, batch, layoutD);
}

Expected<std::unique_ptr<CublasLtMatmul>>
CublasLtMatmul::create(const Problem &problem, const CublasLtOptions &options) {
  ProblemSizes sizes = problem.getSizes(0);
  if (llvm::is_contained(sizes, 0))
    return llvm::createStringError("cuBLASLt: a size is 0");
  Expected<Matrices> matrices =
      describeOperands(problem, sizes, options.addend);
  if (!matrices)
    return matrices.takeError();
  Expected<Library> library = loadLibrary(options.path);
  if (!library)
    return library.takeError();
  auto made = std::make_unique<Implementation>();
  made->library = *library;
  made->alpha = Factor(options.alpha);
  made->beta = Factor(options.beta);
  if (Error error =
          made->makeProduct(*matrices, sizes[unsigned(Dim::Batch)], options))
    return std::move(error);
  if (Error error =
          made->findAlgorithms(matrices->alignments, options.maxAlgorithms))
    return std::move(error);
  return std::unique_ptr<CublasLtMatmul>(new CublasLtMatmul(std::move(made)));
}

Error CublasLtMatmul::enqueue(unsigned index, uint64_t a, uint64_t b,
                              uint64_t c, uint64_t d, uint64_t workspace,
                              void *stream) const {
  const Implementation &impl = *implementation;
  const void *alpha = impl.alpha.get(impl.scaleType);
  const void *beta = impl.beta.get(impl.scaleType);
  auto pointer = [](uint64_t address) {
    return reinterpret_cast<void *>(address);
  };
  return check(impl.library.cublasLtMatmul(
                   impl.handle, impl.desc, alpha, pointer(b), impl.layoutA,
                   pointer(a), impl.layoutB, beta, pointer(c), impl.layoutC,
                   pointer(d), impl.layoutD, &impl.algorithms[index].algorithm,
                   pointer(workspace), kWorkspaceBytes, stream),
               "cublasLtMatmul");
}
