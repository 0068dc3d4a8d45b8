// Compares the declarations of lib/CublasShim and lib/GpuRuntime with NVIDIA's:
// numbers of enumerations, and the sizes of all parameters.

#include "CublasFunctions.h"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <type_traits>

using namespace tcgemm::cublas;

#define SAME(ours, theirs)                                                     \
  static_assert(int(ours) == int(theirs), #ours " is not " #theirs)
SAME(StatusNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED);
SAME(StatusInvalidValue, CUBLAS_STATUS_INVALID_VALUE);
SAME(StatusExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED);
SAME(StatusNotSupported, CUBLAS_STATUS_NOT_SUPPORTED);
SAME(OperationN, CUBLAS_OP_N);
SAME(OperationT, CUBLAS_OP_T);
SAME(OperationC, CUBLAS_OP_C);
SAME(PointerHost, CUBLAS_POINTER_MODE_HOST);
SAME(PointerDevice, CUBLAS_POINTER_MODE_DEVICE);
SAME(MathDefault, CUBLAS_DEFAULT_MATH);
SAME(MathTensorOp, CUBLAS_TENSOR_OP_MATH);
SAME(MathTF32, CUBLAS_TF32_TENSOR_OP_MATH);
SAME(MathDisallowReducedPrecisionReduction,
     CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
SAME(R32F, CUDA_R_32F);
SAME(R64F, CUDA_R_64F);
SAME(R16F, CUDA_R_16F);
SAME(R8I, CUDA_R_8I);
SAME(R32I, CUDA_R_32I);
SAME(R16BF, CUDA_R_16BF);
SAME(R8FE4M3, CUDA_R_8F_E4M3);
SAME(R8FE5M2, CUDA_R_8F_E5M2);
SAME(Compute16F, CUBLAS_COMPUTE_16F);
SAME(Compute32F, CUBLAS_COMPUTE_32F);
SAME(Compute64F, CUBLAS_COMPUTE_64F);
SAME(Compute32I, CUBLAS_COMPUTE_32I);
SAME(Compute32FFast16F, CUBLAS_COMPUTE_32F_FAST_16F);
SAME(Compute32FFast16BF, CUBLAS_COMPUTE_32F_FAST_16BF);
SAME(Compute32FFastTF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(AlgorithmDefault, CUBLAS_GEMM_DEFAULT);
SAME(AlgorithmDefaultTensorOp, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
SAME(MatmulComputeType, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
SAME(MatmulScaleType, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
SAME(MatmulPointerMode, CUBLASLT_MATMUL_DESC_POINTER_MODE);
SAME(MatmulTransA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(MatmulTransB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(MatmulEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(MatmulBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(MatmulScaleA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
SAME(MatmulScaleB, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
SAME(MatmulFastAccumulation, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
SAME(MatmulBiasDataType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
SAME(LayoutType, CUBLASLT_MATRIX_LAYOUT_TYPE);
SAME(LayoutOrder, CUBLASLT_MATRIX_LAYOUT_ORDER);
SAME(LayoutRows, CUBLASLT_MATRIX_LAYOUT_ROWS);
SAME(LayoutColumns, CUBLASLT_MATRIX_LAYOUT_COLS);
SAME(LayoutLeadingDimension, CUBLASLT_MATRIX_LAYOUT_LD);
SAME(LayoutBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(LayoutBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(PreferenceMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(PreferenceMinAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(OrderColumn, CUBLASLT_ORDER_COL);
SAME(OrderRow, CUBLASLT_ORDER_ROW);
SAME(EpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT);
SAME(EpilogueRelu, CUBLASLT_EPILOGUE_RELU);
SAME(EpilogueBias, CUBLASLT_EPILOGUE_BIAS);
SAME(EpilogueReluBias, CUBLASLT_EPILOGUE_RELU_BIAS);
SAME(EpilogueGelu, CUBLASLT_EPILOGUE_GELU);
SAME(EpilogueGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
SAME(sizeof(HeuristicResult), sizeof(cublasLtMatmulHeuristicResult_t));
SAME(offsetof(HeuristicResult, workspaceSize),
     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
SAME(offsetof(HeuristicResult, state),
     offsetof(cublasLtMatmulHeuristicResult_t, state));

// Parameters that are passed in the same way: integers of one size, or
// addresses.
template <typename Ours, typename Theirs>
constexpr bool isAlike = sizeof(Ours) == sizeof(Theirs) &&
                         std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
                         !std::is_floating_point_v<Theirs>;
template <typename Ours, typename Theirs> struct Alike : std::false_type {};
template <typename... Ours, typename... Theirs>
struct Alike<Status(Ours...), cublasStatus_t(Theirs...)>
    : std::bool_constant<sizeof...(Ours) == sizeof...(Theirs)> {
  static_assert((isAlike<Ours, Theirs> && ...));
};

#define ALIKE(name, parameters)                                                \
  static_assert(Alike<Status parameters, decltype(::name)>::value, #name);
#define CHECK_PLAIN ALIKE
#define CHECK_STRIDED ALIKE
#define CHECK_TYPED ALIKE
#define CHECK_TABLES ALIKE
// Of these there are overloads in C++, below.
#define CHECK_EX(name, parameters)
#define CHECK_STRIDED_EX(name, parameters)
#define CHECK_TABLES_EX(name, parameters)
#define PRODUCT(name, family, Int, type)                                       \
  CHECK_##family(name, TCGEMM_##family##_PARAMETERS(Int))
#define TABLE_PRODUCT(name, family, Int)                                       \
  CHECK_##family(name, TCGEMM_##family##_PARAMETERS(Int))
TCGEMM_CUBLAS_PRODUCTS(PRODUCT)
TCGEMM_CUBLAS_TABLE_PRODUCTS(TABLE_PRODUCT)
TCGEMM_CUBLASLT_FUNCTIONS(ALIKE)
TCGEMM_CUBLAS_SETTERS(ALIKE)
TCGEMM_CUBLAS_GETTERS(ALIKE)

// The overload of the same name as a function with sizes of 64 bits, apart from
// these.
template <typename Function> struct Narrow;
template <typename... Parameters> struct Narrow<cublasStatus_t(Parameters...)> {
  using type =
      cublasStatus_t(std::conditional_t<std::is_same_v<Parameters, int64_t>,
                                        int, Parameters>...);
};
#define OVERLOADED(name, family)                                               \
  ALIKE(name##_64, TCGEMM_##family##_PARAMETERS(int64_t))                      \
  using name##Type = Narrow<decltype(::name##_64)>::type;                      \
  static_assert(static_cast<name##Type *>(&::name) != nullptr);                \
  static_assert(                                                               \
      Alike<Status TCGEMM_##family##_PARAMETERS(int), name##Type>::value,      \
      #name);
OVERLOADED(cublasGemmEx, EX)
OVERLOADED(cublasGemmStridedBatchedEx, STRIDED_EX)
OVERLOADED(cublasGemmBatchedEx, TABLES_EX)
