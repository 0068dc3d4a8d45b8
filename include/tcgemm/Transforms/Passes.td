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
  let summary = "Refuse launches on the host's constants";
  let description = [{
    An operand that is a constant of the module (`memref.get_global`, or a view
    of it) lies in the host's memory, which a kernel cannot read. Such a launch
    is an error that names the constant.
  }];
}

def LowerEpilogueMath : Pass<"tcgemm-lower-epilogue-math"> {
  let summary = "Rewrite scalar math so that it needs no libdevice";
  let description = [{
    Functions become polynomials or expansions in arith and those math
    operations that the GPU has instructions for; arithmetic on f16 and bf16 is
    done in f32. docs/reference/math.md states the error bounds. What cannot be lowered
    (functions of f64, for instance) is an error.

    Runs on any operation: on a kernel it rewrites the epilogue; on a module or
    `gpu.module` the programs, but not kernels and host functions inside.

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
  let summary = "Write what computes tensors as linalg, and fuse it";
  let description = [{
    Elementwise operations, softmax, pads, concatenations and constants of equal
    elements become linalg operations. An elementwise operation is fused with
    each operation that reads its elements once, even if there are several. Each
    use of a fill gets a fill of its own. A read-only argument that slices are
    inserted into is copied first, so that they can be computed in their place.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ProtectArguments : Pass<"tcgemm-protect-arguments", "::mlir::func::FuncOp"> {
  let summary = "Declare the tensor arguments of public functions read-only";
  let description = [{
    Bufferization takes every argument for writable; this pass makes
    `bufferization.writable = false` the default, so that a result never
    clobbers an argument whose owner did not allow it.

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
    Every contraction of f16, bf16 or f32 tensors or buffers (`linalg.matmul`,
    `linalg.batch_matmul`, `linalg.matvec`, `linalg.contract` or an equal
    `linalg.generic`, in any layout) in a function of the module becomes a
    `tcgemm.launch` of a `tcgemm.kernel`. Equal products share one kernel. All
    other operations stay as they are.

    What the contraction accumulates onto becomes part of the epilogue: zero is
    dropped, any other fill is added as a constant or scalar, any other tensor
    is the operand C. Elementwise consumers (linalg, and arith and math on
    tensors) are fused, through permutations of the result; what they read
    besides becomes `input` and `scalar` operands; transpositions and broadcasts
    of operands are folded into their dims.
    Results that something else reads become outputs. The sum is kept in f32:
    a contraction into f16 or bf16 is rounded once, at its end. The product of
    a matrix and a vector has M = 1.

    On buffers (`memref`, of any strides and offset) only a fill of the output
    is fused, if nothing between it and the contraction may touch that memory;
    else the launch accumulates in place. An output that may overlap A or B in
    the same buffer is not taken; that different buffers do not overlap is
    assumed, with a remark where it cannot be proven.

    The launch stands at the last fused operation. What cannot be taken stays as
    it is, with a remark that says why; `remarks=false` leaves those to MLIR's
    remark engine (category `tcgemm-raise`).

    Attributes of a linalg operation: `tcgemm.config = #tcgemm.config<...>` is its
    kernel's configuration; `tcgemm.skip` leaves it; `tcgemm.take` marks it for
    `only-marked`.

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
      "Say of every linalg operation that stays why it does">,
    Option<"onlyMarked", "only-marked", "bool", "false",
      "Take only contractions that have tcgemm.take or tcgemm.config">];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels written">,
    Statistic<"numLaunches", "launches", "Contractions raised to launches">,
    Statistic<"numFused", "ops-fused", "Elementwise operations fused">,
    Statistic<"numLeft", "ops-left", "Operations left as they are">];
  let dependentDialects = ["::tcgemm::TcgemmDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"];
}

def ResultsToOutParams : Pass<"tcgemm-results-to-out-params", "::mlir::ModuleOp"> {
  let summary = "Give results through buffers that the caller provides";
  let description = [{
    Each memref result of a function becomes a trailing argument, marked
    `bufferize.result`. A buffer that the function allocated for it is the
    caller's instead; a writable argument that holds the result is no result any
    more; anything else is copied. Calls in the module allocate what they pass; a
    function whose callers cannot compute the size of a result keeps its results,
    with a remark.

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
    and a `plan` to the kernel: its guarded variants and their launches.
  }];
  let statistics = [Statistic<"numPrograms", "programs", "Programs written">,
                    Statistic<"numVariants", "variants", "Variants planned">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

#endif // TCGEMM_TRANSFORMS_PASSES_TD
