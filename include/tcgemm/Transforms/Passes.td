//===- Passes.td - Passes 1 and 3: raise, schedule -*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMS_PASSES_TD
#define TCGEMM_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckOperands : Pass<"tcgemm-check-operands", "::mlir::ModuleOp"> {
  let summary = "Reject launches on constants in host memory";
  let description = [{
    An operand that is a constant of the module (`memref.get_global`, or a view
    of it) is in host memory, which a kernel cannot read. Such a launch is an error
    that names the constant.
  }];
}

def ComplexToReal : Pass<"tcgemm-complex-to-real", "::mlir::ModuleOp"> {
  let summary = "Make products of complex tensors products of real ones";
  let description = [{
    Runs ahead of `tcgemm-raise`, which takes real tensors. In functions with products
    of tensors of `complex<f16>`, `complex<bf16>`, `complex<f32>` or `complex<f64>`, all
    such tensors become real ones whose innermost dimension has both components. The
    bytes in memory stay the same. The types of the function's arguments and results
    change, too: `tensor<?x?xcomplex<f32>>` becomes `tensor<?x?x2xf32>`.

    A product becomes one by structure constants: docs/guide/algebras.md. Its body may be
    written with `complex.mul`, `complex.conj`, `complex.add` and `complex.sub`, or with
    real operations on the parts. A product of a real and a complex tensor becomes a real
    product. An elementwise operation that treats both components alike, such as a sum or
    a real scale, stays one operation for each component, which raise can fuse. Any other
    elementwise operation is computed for each component of the result from both
    components of its operands, and is not fused.

    A function keeps its complex tensors if it has an operation on them that has no real
    form, or exchanges them with such a function. A remark names the operation and the
    reason.

    ```mlir
    func.func @f(%a: tensor<?x?xcomplex<f32>>, ...) -> tensor<?x?xcomplex<f32>> {
      %d = linalg.matmul ins(%a, %b : ...) outs(%c : tensor<?x?xcomplex<f32>>) -> ...
    // becomes
    func.func @f(%a: tensor<?x?x2xf32>, ...) -> tensor<?x?x2xf32> {
      %t = arith.constant dense<...> : tensor<2x2x2xf32>
      %d = linalg.generic {...} ins(%a, %b, %t : ...) outs(%c : tensor<?x?x2xf32>) ...
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "true",
      "Report why a function keeps its complex tensors">,
    Option<"onlyMarked", "only-marked", "bool", "false",
      "Only for products that have tcgemm.take or tcgemm.config">];
  let statistics = [
    Statistic<"numFunctions", "functions", "Functions whose complex tensors became real">,
    Statistic<"numProducts", "products", "Complex products that became real">,
    Statistic<"numLeft", "obstacles", "Functions that keep their complex tensors">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerEpilogueMath : Pass<"tcgemm-lower-epilogue-math"> {
  let summary = "Rewrite scalar math so that it needs no libdevice";
  let description = [{
    Functions become polynomials or expansions in arith and in those math operations
    for which the GPU has instructions. Arithmetic on f16 and bf16 is done in f32.
    docs/reference/math.md states the error bounds. An operation that cannot be lowered,
    for instance a function of f64, is an error. Conversions from and to FP8 become
    instructions of compute capability 89.

    Runs on any operation. On a kernel it rewrites the epilogue. On a module or
    `gpu.module` it rewrites the programs, but not the kernels and host functions.

    ```mlir
    %1 = math.rsqrt %0 : f32
    // becomes
    %2 = math.sqrt %0 : f32
    %1 = arith.divf %one, %2 : f32
    // or, with approx
    %1 = llvm.inline_asm "rsqrt.approx.f32 $0, $1;", "=f,f" %0 : (f32) -> f32
    ```
  }];
  let options = [Option<"approx", "approx", "bool", "false",
    "Use the GPU's approximate instructions (ex2, tanh, lg2, sin, cos, rsqrt, div.full)">];
  let statistics = [Statistic<"numLowered", "ops-lowered", "Math operations rewritten">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def PrepareDevice : Pass<"tcgemm-prepare-device", "::mlir::ModuleOp"> {
  let summary = "Rewrite computations on tensors as linalg operations and fuse them";
  let description = [{
    Elementwise operations, softmax, pads, concatenations and constants of equal
    elements become linalg operations. An elementwise operation is fused with each
    operation that reads its elements once, even if there are several. Each use of a
    fill gets a separate fill. A read-only argument into which slices are inserted is
    copied first, so that the slices can be computed in place.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ProtectArguments : Pass<"tcgemm-protect-arguments", "::mlir::func::FuncOp"> {
  let summary = "Declare the tensor arguments of public functions read-only";
  let description = [{
    Bufferization assumes that every argument is writable. This pass sets
    `bufferization.writable = false` where the attribute is missing, so that a result
    does not overwrite an argument without permission.

    ```mlir
    func.func @f(%a: tensor<?xf32>, %d: tensor<?xf32> {bufferization.writable = true})
    // becomes
    func.func @f(%a: tensor<?xf32> {bufferization.writable = false},
                 %d: tensor<?xf32> {bufferization.writable = true})
    ```
  }];
  let statistics = [
    Statistic<"numProtected", "arguments-protected", "Arguments declared read-only">];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def Raise : Pass<"tcgemm-raise", "::mlir::ModuleOp"> {
  let summary = "Turn contractions and their elementwise consumers into kernels";
  let description = [{
    Every contraction (`linalg.matmul`, `linalg.batch_matmul`, `linalg.matvec`,
    `linalg.contract` or an equal `linalg.generic`, in any layout) in a function of
    the module becomes a `tcgemm.launch` of a `tcgemm.kernel`. Its operands are
    tensors or buffers of the types in docs/guide/types.md. Equal products share one
    kernel. All other operations stay as they are.

    A contraction may have several dimensions of one kind (batch, m, n or k). Neighbours
    that are one dimension in each operand are joined. A kernel tiles one m, one n and
    one k. The others are outer dimensions, of which there may be four. With
    `transpose-operands`, tensors that no kernel takes as they are are transposed by
    `linalg.transpose`: docs/guide/contractions.md.

    `linalg.quantized_matmul` and `linalg.quantized_batch_matmul` of tensors become a
    contraction and the terms of their zero points. These are a vector along m and one
    along n, which the epilogue adds. The sums over k that they need stay linalg
    operations.

    Two contractions that multiply the same A, and whose results meet in an elementwise
    operation, become one kernel with the operand `b2`: a dual product, for which only
    schedule `wgmma` has programs. `dual=false` keeps them apart. A remark gives the
    reason for a pair that becomes two kernels.

    `tcgemm.band`, and operands that the body selects by comparing `linalg.index` of their
    row and column, become operands with a band, if schedule `wgmma` has programs for them
    (`structured`). A contraction with `tcgemm.symmetric` whose operands are one matrix and
    its transpose becomes a symmetric kernel.

    A `linalg.generic` on tensors that adds up products with
    `select(i == k, d, 0)`, where i and k are `linalg.index` of a parallel loop and of
    the only summed one, becomes elementwise: products with a diagonal matrix or the
    identity. The extents of both loops must be static and equal. The other terms, which
    are zero for finite elements, are not computed.

    The contraction's initial value becomes part of the epilogue: zero is dropped, any
    other fill is added as a constant or scalar, and any other tensor becomes the
    operand C. A body may subtract the product: the sum is then subtracted from C, or from
    zero. Elementwise consumers (linalg, and arith and math on
    tensors) are fused, also through permutations of the result. Their other operands
    become `input` and `scalar` operands. Transpositions and broadcasts of operands are
    folded into their dims. Results with other users become outputs. The sum is kept in
    f32 (of f64: in f64): a contraction into f16 or bf16 is rounded once, at its end. The
    product of a matrix and a vector has M = 1.

    On buffers (`memref` with any strides and offset) only a fill of the output is
    fused, and only if no operation between the fill and the contraction may access that
    memory. Otherwise the launch accumulates in place. A contraction whose output may
    overlap A or B in the same buffer is not taken. The pass assumes that different
    buffers do not overlap; a remark reports where this cannot be proven.

    The launch replaces the last fused operation. An operation that cannot be taken is
    not changed, and a remark gives the reason. With `remarks=false` such remarks go to
    MLIR's remark engine only (category `tcgemm-raise`).

    Attributes of a linalg operation: `tcgemm.config = #tcgemm.config<...>` sets the
    kernel's configuration; `tcgemm.skip` excludes the operation; `tcgemm.take` selects
    it for `only-marked`; `tcgemm.precision = "tf32"` says how products are computed and
    overrides the option `precision`. With `tf32`, operands that are f32 in memory are
    rounded to tf32, and the kernel has them as `tf32`. With `f16`, instructions add
    products of f16 in f16. The option is for all products whose operands may have the
    precision.

    ```mlir
    %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>)
                       outs(%zero : tensor<?x?xf32>) -> tensor<?x?xf32>
    %1 = linalg.exp ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    // becomes
    tcgemm.kernel @f_0 <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">,
        #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
    ^bb0(%acc: f32):
      %2 = math.exp %acc : f32
      tcgemm.yield %2 : f32
    }
    ...
    %1 = tcgemm.launch @f_0 ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>)
                            outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    ```
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "true",
      "Report why a linalg operation is not taken">,
    Option<"onlyMarked", "only-marked", "bool", "false",
      "Take only contractions that have tcgemm.take or tcgemm.config">,
    Option<"transposes", "transpose-operands", "bool", "false",
      "Transpose operands of contractions that no kernel takes as they are">,
    Option<"dual", "dual", "bool", "true",
      "Take two products that share A into one kernel">,
    Option<"summedDims", "summed-dims", "bool", "false",
      "Let kernels sum over a second k, which is apart from the first in memory">,
    Option<"structured", "structured", "bool", "true",
      "Take operands with bands and symmetric results">,
    Option<"representations", "representations", "bool", "true",
      "Let kernels read numbers with components as blocks of real elements">,
    Option<"separateComponents", "separate-components", "bool", "false",
      "Copy numbers with interleaved components to separate ones, and back, "
      "where fewer products then save time">,
    Option<"precision", "precision", "std::string", "\"ieee\"",
      "How products are computed: ieee; of f32 also tf32, tf32x3, bf16x3 or "
      "bf16x6; of f16 also f16">];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels written">,
    Statistic<"numDiagonals", "diagonals", "Products that became elementwise">,
    Statistic<"numLaunches", "launches", "Contractions raised to launches">,
    Statistic<"numFused", "ops-fused", "Elementwise operations fused">,
    Statistic<"numLeft", "ops-left", "Operations that are not taken">];
  let dependentDialects = ["::tcgemm::TcgemmDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"];
}

def ResultsToOutParams : Pass<"tcgemm-results-to-out-params", "::mlir::ModuleOp"> {
  let summary = "Return results in buffers of the caller";
  let description = [{
    Each memref result of a function becomes a trailing argument with the attribute
    `bufferize.result`. If the function allocated a buffer for the result, the argument
    replaces that buffer. If the result is a writable argument, the result is dropped.
    Any other result is copied to the argument. Calls in the module allocate the
    buffers that they pass. A function keeps its results if its callers cannot compute
    the size of one; a remark reports this.

    ```mlir
    func.func @f(%a: memref<?xf32>) -> memref<?xf32> {
      %0 = memref.alloc(%n) : memref<?xf32>
      ...
      return %0 : memref<?xf32>
    }
    // becomes
    func.func @f(%a: memref<?xf32>, %0: memref<?xf32> {bufferize.result}) {
      ...
      return
    }
    ```
  }];
  let statistics = [
    Statistic<"numOutParams", "out-params", "Results that became arguments">,
    Statistic<"numDropped", "results-dropped", "Results that were arguments already">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def Schedule : Pass<"tcgemm-schedule", "::mlir::ModuleOp"> {
  let summary = "Write each configured kernel as tile-level programs";
  let description = [{
    Adds a `gpu.module` with the programs of each kernel (main, pack, reduction)
    and a `plan` to the kernel: its guarded variants and their launches. The launches of a
    kernel with `check_offsets` begin with a program that tests the sizes of groups.
  }];
  let statistics = [Statistic<"numPrograms", "programs", "Programs written">,
                    Statistic<"numVariants", "variants", "Variants planned">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"];
}

def TracePrograms : Pass<"tcgemm-trace-programs", "::mlir::ModuleOp"> {
  let summary = "Let the roles of programs write events to a trace";
  let description = [{
    Runs after `tcgemm-schedule`. Every program with roles gets a
    `tcgemm.trace.buffer`, and its roles get a `tcgemm.trace.event` before and after
    what they wait for and what they complete: stages of rings between roles, turns, the
    sum over a cluster, and epilogues. Such a program may spill registers, because the
    trace needs some. Other programs of the kernels, such as those that
    pack operands, are not changed. A kernel whose schedule has no programs with roles
    is an error. docs/guide/tracing.md describes the result.

    ```mlir
    %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
    // becomes
    tcgemm.trace.event acquire_begin
    %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
    tcgemm.trace.event acquire_end
    ```
  }];
  let options = [
    ListOption<"ctas", "ctas", "int64_t",
      "Numbers of the CTAs that write events, by default 0,-1; negative ones count from "
      "the end of the grid">,
    Option<"events", "events", "int64_t", "4096",
      "Events of a role for which there is room">];
  let statistics = [
    Statistic<"numPrograms", "programs", "Programs that write a trace">,
    Statistic<"numEvents", "events", "Events added to programs">];
}

#endif // TCGEMM_TRANSFORMS_PASSES_TD
