/*===- tcgemm.h - Matrix products from C --------------------------*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library chooses a kernel for a product, compiles or loads it once, and
// launches it:
//
//   D = epilogue(alpha * op(A) * op(B) + beta * C)
//
// Matrices are row-major in device memory. op(A) is M x K, op(B) is K x N, and
// C and D are M x N. A leading dimension is the distance between rows, and a
// stride the distance between the matrices of a batch, both in elements.
//
// Every function except tcgemmGetLastErrorMessage and tcgemmGetStatusName
// returns TCGEMM_SUCCESS or an error, and then sets the calling thread's
// message. No function prints. All functions may be called by several threads
// at once, except that nothing may use an object while it is destroyed.
//
// docs/guide/library.md is an introduction.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_H
#define TCGEMM_H

#include <stddef.h>
#include <stdint.h>

#define TCGEMM_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of this enumeration and of the others never change. */
typedef enum tcgemmStatus {
  TCGEMM_SUCCESS = 0,
  /* A handle or plan is null or none, or was made before a fork. */
  TCGEMM_INVALID_HANDLE = 1,
  /* An argument or a field of a descriptor breaks a rule. */
  TCGEMM_INVALID_VALUE = 2,
  /* No kernel computes this product on this device. */
  TCGEMM_NOT_SUPPORTED = 3,
  /* An address is not a multiple of the descriptor's alignment. */
  TCGEMM_MISALIGNED = 4,
  /* The workspace is missing, too small or not aligned. */
  TCGEMM_WORKSPACE = 5,
  /* A kernel must be compiled, and the compiler is missing or has failed. */
  TCGEMM_COMPILER = 6,
  /* There is no driver or no device. */
  TCGEMM_NO_DEVICE = 7,
  /* The driver has failed. */
  TCGEMM_DRIVER = 8,
  /* A file cannot be read or written. */
  TCGEMM_FILE = 9,
  /* tcgemm-tune is missing, has failed, or has measured no time. */
  TCGEMM_TUNING = 10
} tcgemmStatus;

typedef enum tcgemmType {
  TCGEMM_NO_TYPE = 0, /* For fields that may have none. */
  TCGEMM_F16 = 1,
  TCGEMM_BF16 = 2,
  TCGEMM_F32 = 3,
  TCGEMM_F64 = 4,
  TCGEMM_E4M3 = 5,
  TCGEMM_E5M2 = 6,
  TCGEMM_S8 = 7,
  TCGEMM_U8 = 8,
  TCGEMM_S32 = 9,
  /* Integers of 4 bits, for A or B of tcgemmPlan, and of tcgemmPlanGrouped if
     the kind is not ALONG_K. A byte has two elements that are neighbours along
     k, the first one in its lower half. */
  TCGEMM_S4 = 10,
  TCGEMM_U4 = 11,
  /* S4 and U4 whose elements tcgemmInterleave has permuted within each 32 along
     k, of which k is a multiple. The other operand is of F16 or BF16, and the
     chip is sm_90a. Kernels convert them with fewer instructions. */
  TCGEMM_S4_INTERLEAVED = 12,
  TCGEMM_U4_INTERLEAVED = 13
} tcgemmType;

typedef enum tcgemmTranspose {
  TCGEMM_N = 0, /* op(X) = X */
  TCGEMM_T = 1  /* op(X) is the transpose of X. */
} tcgemmTranspose;

/* Which of alpha and beta a kernel multiplies by. */
typedef enum tcgemmScaling {
  TCGEMM_UNSCALED = 0,  /* alpha is 1, and beta is 0. */
  TCGEMM_ALPHA = 1,     /* beta is 0. */
  TCGEMM_ALPHA_BETA = 2 /* C is not read where beta is 0. */
} tcgemmScaling;

/* Where alpha and beta are. */
typedef enum tcgemmPointerMode {
  TCGEMM_POINTER_HOST = 0,  /* Each launch has their values. */
  TCGEMM_POINTER_DEVICE = 1 /* The kernel reads them from device memory. */
} tcgemmPointerMode;

/* A leading dimension or stride of matrices without gaps. */
#define TCGEMM_DENSE (-1)

/* How a grouped product is divided into groups: see tcgemmGroupedDesc. */
typedef enum tcgemmGroupKind {
  TCGEMM_GROUPS_CONTIGUOUS = 0, /* The rows of A and D, group after group. */
  TCGEMM_GROUPS_PADDED = 1,     /* A matrix of A and D for each group, with rows
                                   left over. */
  TCGEMM_GROUPS_ALONG_K = 2     /* The terms of sums, group after group. */
} tcgemmGroupKind;

#define TCGEMM_MAX_EPILOGUE_OPERANDS 8
#define TCGEMM_MAX_REDUCTIONS 8

/* Describes a product. tcgemmMatmulDescInit sets every field to its default.
   The strings are read by tcgemmPlan only. */
typedef struct tcgemmMatmulDesc {
  size_t structSize; /* Set by tcgemmMatmulDescInit. */
  /* BF16 by default. C has the type of D. */
  tcgemmType typeA, typeB, typeD;
  tcgemmTranspose transA, transB;
  /* 0 by default; each 0 to 2^31 - 1. batch is 1 by default. */
  int64_t m, n, k, batch;
  /* TCGEMM_DENSE by default; at least the length of a row. Leading dimensions
     and strides of elements of 4 bits count bytes, and their k is even and
     innermost. */
  int64_t lda, ldb, ldc, ldd;
  /* TCGEMM_DENSE by default; 0 for A and B that all products share. */
  int64_t strideA, strideB, strideC, strideD;
  tcgemmScaling scaling;
  /* What tcgemmRun multiplies by: 1 and 0 by default. */
  double alpha, beta;
  /* How f32 operands are multiplied: "ieee" (default), "tf32", "tf32x3",
     "bf16x3" or "bf16x6". With "f16", instructions add products of f16
     operands in f16; vectors and factors stay f32. */
  const char *precision;
  /* "none" (default), or any of bias, rowbias, relu, gelu, gelutanh, silu,
     residual, gate, scale, rowscale, colscale, outbias and outrowbias, joined
     by "_"; with groups also groupbias, groupscale and groupcolscale. They
     apply in this order. See tcgemmOperands for what they read. */
  const char *epilogue;
  /* The number of bytes that divides every address: a power of two up to 256.
     16 by default. Smaller numbers can make kernels slower. The size of an
     element always divides the address. */
  uint32_t alignment;
  /* Parameters of the kernel that replace chosen ones, as in
     "schedule=simt stages=2"; none by default. */
  const char *config;
  /* TCGEMM_POINTER_HOST by default. With TCGEMM_POINTER_DEVICE, scaling is not
     TCGEMM_UNSCALED, and `alpha` and `beta` keep their defaults:
     tcgemmOperands has the addresses. C's memory must be valid for all values
     of beta, but its contents are not used where beta is 0. */
  tcgemmPointerMode pointerMode;
  /* MLIR text with operations of the dialects arith and math in the place of
     those of `epilogue`, which then names operands alone: "bias_residual"
     without relu and its like, or "none". They compute %result from %sum, which
     is alpha * A * B + beta * C, and from the operands' elements: %bias,
     %residual, and %bias1 for a second bias. All of these have the type of the
     sums, f32 for integers. Names of further values begin with a digit or "_".
     Null, which is the default, for none. Errors in the text are
     TCGEMM_COMPILER. */
  const char *epilogueBody;
  /* "none" (default), or the function of x = op(A) * op(B) and y = op(A) *
     op(B2) in the place of the product: "silu-mul" for silu(x) * y, "gelu-mul",
     "gelutanh-mul", "relu-mul", "mul" or "add". B2 has B's type, transposition,
     leading dimension and stride. One kernel computes both products, which
     chip sm_90a has (other chips: TCGEMM_NOT_SUPPORTED). Runs need
     tcgemmRunOperands, which has the address of B2. */
  const char *dual;
  /* 1: the kernels start while the preceding kernel of the stream ends, and
     wait for its end before they access memory, where the chip (sm_90 or later)
     and the schedule have such launches. 0 (default): as the configuration
     says. A generated library's kernels have the configuration alone. */
  int dependentLaunch;
  /* 1: A has an f32 scale for each 128 elements along k of a row, and B one for
     each block of 128 columns and 128 elements along k, which multiply the
     elements. A and B are of E4M3 or E5M2, and the chip is sm_90a. 0 by
     default. */
  int hasBlockScalesA, hasBlockScalesB;
  /* 32, 64, 128 or 256: each row of A, or column of B, has a scale for as many
     elements along k. The operand is the one of S4 or U4, interleaved or not;
     the other one is of F16, BF16, E4M3 or E5M2. k is a multiple, except for
     few rows. 0, which is the default, for none. */
  int64_t groupSize;
  /* The type of these scales: F32 (default), F16 or BF16. */
  tcgemmType groupScaleType;
  /* The type of a zero point for each of these scales, which is subtracted from
     the elements before they are scaled: TCGEMM_S8, or TCGEMM_U8 for elements
     of U4. TCGEMM_NO_TYPE, which is the default, for none. */
  tcgemmType zeroPointType;
  /* "none" (default), or further results: max, min, sum, sumsq (of squares),
     amax (of absolute values), argmax, sumexp (of exp(x - max)), mean, variance
     of D, or behind row- or column- of each of its rows or columns, joined by
     "_": "row-max_amax". They reduce values of the type of the sums, which a
     last `scale` and the conversion to D follow. D must have elements. */
  const char *reductions;
  /* "plus-times" (default), or the operations that reduce and combine elements
     in the place of addition and multiplication: any two of times, plus, max
     and min; for floats also maxnum and minnum; for integers also maxu, minu,
     and, or and xor. "max-plus" is the greatest sum. A and B have one type:
     F32, F64 or S32, or S8 and U8 for some.

     Or "complex", "split-complex", "dual" or "quaternion", also with -conj-a,
     -conj-b or -conj-ab behind it for the conjugates of elements of A, B or
     both: then all matrices have numbers of 2 (quaternion: 4) components that
     are neighbours in memory, such as C's double complex. Types are those of
     components: F16, BF16, F32 or F64. Sizes, leading dimensions and strides
     count numbers, and k is 1 at least. Alpha, beta and the epilogue, which has
     no vectors, apply to each component. Runs copy a transposed A, and the
     matrices of a batch of B if they are shared or have gaps between them. */
  const char *algebra;
} tcgemmMatmulDesc;

/* Addresses of a run. Those that the plan does not read are null. Results must
   not share memory with each other, with operands or with the workspace. `c`
   is read with TCGEMM_ALPHA_BETA only. It may be `d`, and so may a matrix of
   the epilogue, if both have the same leading dimension and stride. `epilogue`
   has an address for each part of the epilogue that reads memory, in their
   order:

     bias, colscale   N elements      rowbias, rowscale   M elements
     outbias          N elements      outrowbias          M elements
     scale            one element     residual, gate      a matrix as D

   With groups, each of which has its own:

     groupbias, groupcolscale   groups x n elements, dense
     groupscale                 groups elements

   Vectors and the scale are f64 for f64 operands, and f32 for all others, but
   those of outbias and outrowbias have D's type. A matrix has D's type, leading
   dimension and stride.

   Vectors of a product by index string are dense tensors. Those with N elements
   above have the letters of B and D that A does not have, in D's order, and
   those with M elements the letters of A and D that B does not have. */
typedef struct tcgemmOperands {
  size_t structSize; /* Set by tcgemmOperandsInit. */
  const void *a, *b, *c;
  void *d;
  const void *epilogue[TCGEMM_MAX_EPILOGUE_OPERANDS];
  double alpha, beta; /* 1 and 0 by default. */
  /* Device memory with alpha and beta, f64 for f64 operands and f32 for all
     others, if the plan's pointer mode is TCGEMM_POINTER_DEVICE. */
  const void *alphaPointer, *betaPointer;
  /* Device memory with a number for each group, s32, for plans of
     tcgemmPlanGrouped: the ends of the groups, or, with TCGEMM_GROUPS_PADDED,
     their numbers of rows. */
  const void *offsets;
  const void *b2; /* For plans whose descriptor has `dual`. */
  /* Scales and zero points, in dense matrices, one for each product of a batch;
     where the stride of A or B is 0, all products share them. With
     K = k / 128 or k / groupSize, rounded up:

       scaleA of blocks   K x m               scaleA of groups  K x m
       scaleB of blocks   (n / 128, up) x K   scaleB of groups  n x K

     Zero points are laid out as the scales of groups. */
  const void *scaleA, *scaleB, *zeroPoints;
  /* The results of the descriptor's `reductions`, in their order: one value, or
     for each product of a batch m (row-) or n (column-) of them. argmax of rows
     and columns is s32. argmax of D is s64, row * n + column, and has a value
     for each product. Others are f64 for f64 operands, s32 for a D of s32
     without factors and epilogue, and f32 otherwise. */
  void *reductions[TCGEMM_MAX_REDUCTIONS];
} tcgemmOperands;

#define TCGEMM_MAX_INDICES 16

/* Describes a product by an index string, such as "bqhd,bkhd->bhqk": the
   letters of A, B and D, each outermost first. An element of D is the sum of
   A's elements times B's over all letters that D does not have. Each letter is
   in two of the operands at least, and once in an operand.

   Operands are tensors with any strides. Those that kernels do not take as they
   are, are copied in each run, to or from the workspace.
   tcgemmContractionDescInit sets every field to its default. The strings are
   read by tcgemmPlanContraction only. */
typedef struct tcgemmContractionDesc {
  size_t structSize; /* Set by tcgemmContractionDescInit. */
  /* BF16 by default. C has the type of D. */
  tcgemmType typeA, typeB, typeD;
  /* Null by default, which is an error. */
  const char *indices;
  /* Elements along the letters of A and of B, in their order; each 0 to
     2^31 - 1, 0 by default. Entries behind an operand's letters are not read.
   */
  int64_t sizesA[TCGEMM_MAX_INDICES], sizesB[TCGEMM_MAX_INDICES];
  /* Elements between neighbours along each letter of the operand; C has D's
     letters. 0 to 2^56: 0 in A and B for an element that is used for all values
     of the letter. TCGEMM_DENSE, which is the default, is the size times the
     stride of the next letter, and 1 for the last one. */
  int64_t stridesA[TCGEMM_MAX_INDICES], stridesB[TCGEMM_MAX_INDICES];
  int64_t stridesC[TCGEMM_MAX_INDICES], stridesD[TCGEMM_MAX_INDICES];
  /* As in tcgemmMatmulDesc. Matrices of the epilogue have D's letters and
     strides; vectors have letters, too: see tcgemmOperands. C's memory must be
     valid for all values of beta if D is copied. */
  tcgemmScaling scaling;
  double alpha, beta;
  const char *precision;
  const char *epilogue;
  uint32_t alignment;
  const char *config;
  tcgemmPointerMode pointerMode;
  const char *epilogueBody;
  /* As in tcgemmMatmulDesc, without numbers of several components. */
  const char *algebra;
} tcgemmContractionDesc;

/* Describes one product for each of several groups, whose sizes are in device
   memory: see `offsets` of tcgemmOperands. Only the kernel reads them. `kind`
   says what they divide:

     kind         op(A)            op(B)            C and D          offsets[i]
     CONTIGUOUS   m x k            groups x k x n   m x n            end, of m
     PADDED       groups x m x k   groups x k x n   groups x m x n   rows, of m
     ALONG_K      m x k            k x n            groups x m x n   end, of k

   CONTIGUOUS, such as the rows of experts: group i has the rows of A and D from
   offsets[i - 1], or 0 for the first group, up to offsets[i]. They are
   multiplied by the i-th matrix of B. Rows of no group are not written.

   PADDED: the first offsets[i] rows of the i-th matrix of A are multiplied by
   the i-th matrix of B. The rows behind them are not written.

   ALONG_K, such as the gradients of experts' matrices: the i-th matrix of D is
   the product of the columns of A and the rows of B from offsets[i - 1], or 0
   for the first group, up to offsets[i]. All of D is written: a group without
   terms is 0 ahead of beta * C and the epilogue.

   Ends must not decrease or exceed m or k, and numbers of rows must be 0 to m:
   wrong ones give wrong results, but no access outside of the matrices, or an
   error with `checkOffsets`. Where k is 0, the products are 0, and A and B may
   be null.
   tcgemmGroupedDescInit sets every field to its default. */
typedef struct tcgemmGroupedDesc {
  size_t structSize; /* Set by tcgemmGroupedDescInit. */
  /* BF16 by default; types of A and B that wgmma multiplies: floats of 8 and 16
     bits, s8, u8, one of them beside f16 or bf16, and f32 with a precision. C
     has the type of D. */
  tcgemmType typeA, typeB, typeD;
  /* Of each matrix of B. */
  tcgemmTranspose transB;
  /* 0 by default; each 0 to 2^31 - 1. m counts the rows of all groups with
     CONTIGUOUS, and those of each matrix with the others. k counts the terms of
     all groups with ALONG_K. */
  int64_t m, n, k, groups;
  /* TCGEMM_DENSE by default. strideB has no other value with ALONG_K. */
  int64_t lda, ldb, ldd, strideB;
  /* As in tcgemmMatmulDesc. */
  uint32_t alignment;
  const char *config;
  /* As in tcgemmMatmulDesc. C and matrices of the epilogue are as D. All groups
     share the vectors bias, colscale and outbias, of n elements, and rowbias,
     rowscale and outrowbias, of m elements: with CONTIGUOUS these have an
     element for each row of all groups. Each group has its own groupbias,
     groupscale and groupcolscale. */
  int64_t ldc;
  tcgemmScaling scaling;
  double alpha, beta;
  const char *precision;
  const char *epilogue;
  tcgemmPointerMode pointerMode;
  const char *epilogueBody;
  /* TCGEMM_GROUPS_CONTIGUOUS by default. */
  tcgemmGroupKind kind;
  /* TCGEMM_N by default; TCGEMM_T with ALONG_K only. */
  tcgemmTranspose transA;
  /* Elements between the matrices of neighbouring groups, TCGEMM_DENSE by
     default: strideA with PADDED, strideC and strideD with PADDED and ALONG_K.
     Otherwise they have no other value, as there is one matrix. strideA may be
     0, for rows that all groups share, and strideB, too. */
  int64_t strideA, strideC, strideD;
  /* 0 (default) or 1. With 1, each run checks the ends or numbers of rows on
     the device first. If one is wrong, an assertion fails: the driver reports
     CUDA_ERROR_ASSERT when the stream is synchronised, and the process cannot
     use its context any more. Runs without elements of D check nothing. */
  int checkOffsets;
  /* 0 (default) or 1; not with ALONG_K. As in tcgemmMatmulDesc: A's scales have
     a value for each of A's rows, and B's have a matrix for each group, with
     CONTIGUOUS. With PADDED each group has a matrix of both. */
  int hasBlockScalesA, hasBlockScalesB;
  /* As in tcgemmMatmulDesc, for an operand of S4 or U4; not with ALONG_K. An
     operand that has a matrix for each group has scales and zero points for
     each. */
  int64_t groupSize;
  tcgemmType groupScaleType; /* F32 by default. */
  tcgemmType zeroPointType;
} tcgemmGroupedDesc;

typedef struct tcgemmHandleObject *tcgemmHandle_t;
typedef struct tcgemmPlanObject *tcgemmPlan_t;
struct CUstream_st; /* The stream of the CUDA driver and runtime. */

/* The version as 10000 * major + 100 * minor + patch. */
TCGEMM_API int tcgemmGetVersion(void);
/* The name of a status: "TCGEMM_SUCCESS"; "unknown status" for other values. */
TCGEMM_API const char *tcgemmGetStatusName(tcgemmStatus status);
/* What the last error of the calling thread was, until its next error. Empty if
   there was none. */
TCGEMM_API const char *tcgemmGetLastErrorMessage(void);

/* Permutes rows of k elements of 4 bits in host memory, from the order of
   TCGEMM_S4 and TCGEMM_U4 to that of TCGEMM_S4_INTERLEAVED and
   TCGEMM_U4_INTERLEAVED: element 8 * p + 2 * l + h of each 32 (p, l < 4, h < 2)
   goes to place 8 * l + 4 * h + p. Rows start ldFrom and ldTo bytes apart, or
   are dense (TCGEMM_DENSE). `to` may be `from` if both distances are equal;
   otherwise they must not overlap. Errors: TCGEMM_INVALID_VALUE, where k is no
   multiple of 32, a distance is too small, or an address is null. */
TCGEMM_API tcgemmStatus tcgemmInterleave(int64_t rows, int64_t k,
                                         const void *from, int64_t ldFrom,
                                         void *to, int64_t ldTo);

#define TCGEMM_CURRENT_CONTEXT (-1)

/* Opens a device by its number, or TCGEMM_CURRENT_CONTEXT: the calling thread's
   context. A number stands for the device's primary context, which programs of
   the CUDA runtime use. Errors: TCGEMM_NO_DEVICE, TCGEMM_DRIVER. */
TCGEMM_API tcgemmStatus tcgemmCreate(tcgemmHandle_t *handle, int device);
/* Plans stay valid. Null is allowed. */
TCGEMM_API tcgemmStatus tcgemmDestroy(tcgemmHandle_t handle);

/* Use the macros below. */
TCGEMM_API tcgemmStatus tcgemmMatmulDescInitSized(tcgemmMatmulDesc *desc,
                                                  size_t size);
TCGEMM_API tcgemmStatus tcgemmOperandsInitSized(tcgemmOperands *operands,
                                                size_t size);
TCGEMM_API tcgemmStatus
tcgemmContractionDescInitSized(tcgemmContractionDesc *desc, size_t size);
TCGEMM_API tcgemmStatus tcgemmGroupedDescInitSized(tcgemmGroupedDesc *desc,
                                                   size_t size);
#define tcgemmMatmulDescInit(desc)                                             \
  tcgemmMatmulDescInitSized((desc), sizeof *(desc))
#define tcgemmContractionDescInit(desc)                                        \
  tcgemmContractionDescInitSized((desc), sizeof *(desc))
#define tcgemmGroupedDescInit(desc)                                            \
  tcgemmGroupedDescInitSized((desc), sizeof *(desc))
#define tcgemmOperandsInit(operands)                                           \
  tcgemmOperandsInitSized((operands), sizeof *(operands))

/* Chooses a kernel, by tuned records and models, and loads it. It is compiled
   if neither the handle nor the cache on disk has it. Errors: a field breaks a
   rule (TCGEMM_INVALID_VALUE); TCGEMM_NOT_SUPPORTED, TCGEMM_COMPILER,
   TCGEMM_DRIVER, TCGEMM_FILE. */
TCGEMM_API tcgemmStatus tcgemmPlan(tcgemmHandle_t handle,
                                   const tcgemmMatmulDesc *desc,
                                   tcgemmPlan_t *plan);
/* The same for a product by index string. Further errors: a string that is
   no index string, letters whose sizes disagree (TCGEMM_INVALID_VALUE). A
   generated library has no such products (TCGEMM_NOT_SUPPORTED). */
TCGEMM_API tcgemmStatus tcgemmPlanContraction(tcgemmHandle_t handle,
                                              const tcgemmContractionDesc *desc,
                                              tcgemmPlan_t *plan);
/* The same for a grouped product, which chip sm_90a has (other chips:
   TCGEMM_NOT_SUPPORTED). Further errors: a transA, or a stride between
   matrices, that the kind of groups does not have (TCGEMM_INVALID_VALUE). Runs
   need tcgemmRunOperands, which has the address of the offsets. A generated
   library has no such products. */
TCGEMM_API tcgemmStatus tcgemmPlanGrouped(tcgemmHandle_t handle,
                                          const tcgemmGroupedDesc *desc,
                                          tcgemmPlan_t *plan);
/* No run of the plan may be in a stream. Null is allowed. */
TCGEMM_API tcgemmStatus tcgemmPlanDestroy(tcgemmPlan_t plan);
/* Bytes of device memory that each run needs; runs at the same time need one
   each. */
TCGEMM_API tcgemmStatus tcgemmPlanWorkspaceSize(tcgemmPlan_t plan,
                                                size_t *bytes);
/* The kernel's configuration as text, valid as long as the plan. Empty for a
   product without elements. */
TCGEMM_API tcgemmStatus tcgemmPlanConfig(tcgemmPlan_t plan, const char **text);
/* Lines of text for readers: the product, the kernel's configuration and what
   chose it, the launches and the bytes of the workspace. Valid as long as the
   plan. A generated library has the configuration alone. */
TCGEMM_API tcgemmStatus tcgemmPlanExplain(tcgemmPlan_t plan, const char **text);
/* Tunes the plan's product by tcgemm-tune, as in the mode `tune`, but waits for
   it, and gives the plan the tuned kernel, unless that needs a larger
   workspace: new plans get it then. Does nothing if the database has the
   product. `handle` is the plan's or another one of its context. Errors: a
   config in the descriptor (TCGEMM_INVALID_VALUE); no elements, k = 0, and
   generated libraries (TCGEMM_NOT_SUPPORTED); no database (TCGEMM_FILE);
   TCGEMM_TUNING. */
TCGEMM_API tcgemmStatus tcgemmTunePlan(tcgemmHandle_t handle,
                                       tcgemmPlan_t plan);

/* Launches the product. It allocates nothing and waits for nothing, so that the
   stream may be captured. The addresses may be others each time. `workspace` is
   a multiple of 256 with tcgemmPlanWorkspaceSize bytes, or null if these are 0.
   `stream` may be null. alpha and beta are the descriptor's, so that plans with
   TCGEMM_POINTER_DEVICE need tcgemmRunOperands. Errors:
   TCGEMM_INVALID_VALUE for an address that is null, TCGEMM_MISALIGNED,
   TCGEMM_WORKSPACE, TCGEMM_DRIVER. */
TCGEMM_API tcgemmStatus tcgemmRun(tcgemmPlan_t plan, const void *a,
                                  const void *b, const void *c, void *d,
                                  void *workspace, struct CUstream_st *stream);
/* The same with operands of the epilogue, and alpha and beta of this run.
   `workspaceSize` is in bytes. */
TCGEMM_API tcgemmStatus tcgemmRunOperands(tcgemmPlan_t plan,
                                          const tcgemmOperands *operands,
                                          void *workspace, size_t workspaceSize,
                                          struct CUstream_st *stream);

/* Where tcgemmGemmEx finds alpha and beta: in host memory by default. Kernels
   for TCGEMM_POINTER_DEVICE read C for all values of beta. */
TCGEMM_API tcgemmStatus tcgemmSetPointerMode(tcgemmHandle_t handle,
                                             tcgemmPointerMode mode);

/* The product of column-major matrices, as cublasGemmEx computes it:

     C = alpha * op(A) * op(B) + beta * C

   op(A) is m x k, op(B) is k x n, and C is m x n. A leading dimension is the
   distance between columns. `alpha` and `beta` are of type f64 if C is, and f32
   otherwise, in the memory that tcgemmSetPointerMode names. The first call with
   a size plans it; later calls find the plan. A plan that needs a workspace
   gets it from the stream's memory pool in each call. */
TCGEMM_API tcgemmStatus tcgemmGemmEx(
    tcgemmHandle_t handle, tcgemmTranspose transA, tcgemmTranspose transB,
    int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
    tcgemmType typeA, int64_t lda, const void *b, tcgemmType typeB, int64_t ldb,
    const void *beta, void *c, tcgemmType typeC, int64_t ldc,
    struct CUstream_st *stream);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TCGEMM_H */
