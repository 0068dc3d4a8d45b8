//===- TcgemmKernelOps.td - The kernel level ---------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMKERNELOPS_TD
#define TCGEMM_DIALECT_TCGEMMKERNELOPS_TD

include "tcgemm/Dialect/TcgemmTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def KernelOp : TcgemmOp<"kernel", [Symbol, IsolatedFromAbove, NoTerminator]> {
  let summary = "One contraction and the elementwise work fused with it";
  let description = [{
    Computes, for every (b, m, n), `acc = Σ_k A·B` in f32 and then the
    `epilogue`: its first argument is `acc`, the others are the elements of the
    `input` and `scalar` operands, in operand order, at the coordinates that
    their dims name; `tcgemm.yield` gives one value per `output` operand.

    `sizes` are batch, M, N, K; `?` is a run-time size. `transform_a` and
    `transform_b`, where present, would be applied to each element of A or B;
    only the identity is accepted so far. `provided` says that nobody fixed a
    parameter of `config`, `in_place` that launches may pass an output as an input
    with the same dims, too.

    ```mlir
    tcgemm.kernel @matmul <1x?x?x4096>
        [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
         #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, bf16, "mn">]
        epilogue {
    ^bb0(%acc: f32, %bias: f32):
      %0 = arith.addf %acc, %bias : f32
      %1 = arith.truncf %0 : f32 to bf16
      tcgemm.yield %1 : bf16
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    DenseI64ArrayAttr:$sizes,
    TypedArrayAttrBase<AnyAttr, "array of #tcgemm.operand">:$operands,
    OptionalAttr<DenseI64ArrayAttr>:$size_hint,
    OptionalAttr<StrAttr>:$chip,
    OptionalAttr<AnyAttr>:$config, UnitAttr:$provided,
    OptionalAttr<TypedArrayAttrBase<AnyAttr, "array of #tcgemm.variant">>:$plan,
    UnitAttr:$in_place);
  let regions = (region SizedRegion<1>:$epilogue, AnyRegion:$transform_a,
                        AnyRegion:$transform_b);
  let assemblyFormat = [{
    $sym_name custom<Sizes>($sizes) $operands
    `epilogue` $epilogue
    (`transform_a` $transform_a^)? (`transform_b` $transform_b^)?
    attr-dict-with-keyword
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    OperandAttr getOperandInfo(unsigned index) {
      return ::llvm::cast<OperandAttr>(getOperandsAttr()[index]);
    }
    unsigned getNumOperandInfos() { return getOperandsAttr().size(); }
    int64_t getBatch() { return getSizes()[0]; }
    int64_t getM() { return getSizes()[1]; }
    int64_t getN() { return getSizes()[2]; }
    int64_t getK() { return getSizes()[3]; }
    /// Operand names as the manifest gives them: A, B, in<i>, out<i>.
    std::string getOperandName(unsigned index);
  }];
}

def YieldOp : TcgemmOp<"yield", [Pure, Terminator,
    ParentOneOf<["::tcgemm::KernelOp", "::tcgemm::EpilogueOp"]>]> {
  let summary = "Ends a kernel's elementwise region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def IndexOp : TcgemmOp<"index", [Pure]> {
  let summary = "The coordinate of the element that an epilogue works on";
  let description = [{ `dim` is `b`, `m` or `n`: what `linalg.index` becomes. }];
  let arguments = (ins StrAttr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict";
  let hasVerifier = 1;
}

// GPU's own TableGen file would generate its enumerations here again.
def GpuToken : Type<
    CPred<"::llvm::isa<::mlir::gpu::AsyncTokenType>($_self)">, "token of gpu",
    "::mlir::gpu::AsyncTokenType">,
  BuildableType<"::mlir::gpu::AsyncTokenType::get($_builder.getContext())">;

/// A caller's memory for what a kernel stores between its steps.
def WorkspaceMemRef : MemRefRankOf<[I8], [1]>;

def LaunchOp : TcgemmOp<"launch", [AttrSizedOperandSegments,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Applies a kernel to tensors or buffers, in destination style";
  let description = [{
    `ins` are the kernel's operands other than its outputs, in order, `outs` its
    outputs. On tensors each output gives a result; its previous content is
    not read.

    ```mlir
    %d = tcgemm.launch @matmul ins(%a, %b, %bias : tensor<?x4096xbf16>,
      tensor<?x4096xbf16>, tensor<?xf32>) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
    ```

    On buffers, `workspace` is memory of the device to use instead of an
    allocation, aligned to 256 bytes and of at least
    `tcgemm.workspace_size` bytes. `stream` is a handle that the caller has, to
    which the work is added; nothing waits for it then.

    ```mlir
    tcgemm.launch @matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>)
      outs(%d : memref<64x64xf32>) workspace(%w : memref<?xi8>) stream(%s : !llvm.ptr)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs,
                       Variadic<AnyShaped>:$outputs,
                       Optional<WorkspaceMemRef>:$workspace,
                       Optional<AnyType>:$stream);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)?
    (`stream` `(` $stream^ `:` type($stream) `)`)?
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results,
                   "::mlir::FlatSymbolRefAttr":$kernel,
                   "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs),
              [{ build($_builder, $_state, results, kernel, inputs, outputs,
                       ::mlir::Value(), ::mlir::Value()); }]>,
    OpBuilder<(ins "::mlir::TypeRange":$results, "::llvm::StringRef":$kernel,
                   "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs),
              [{ build($_builder, $_state, results,
                       ::mlir::FlatSymbolRefAttr::get($_builder.getContext(),
                                                      kernel),
                       inputs, outputs); }]>];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

def LaunchAsyncOp : TcgemmOp<"launch_async", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Applies a kernel to buffers, ordered by tokens";
  let description = [{
    The launch starts after `after`, and the token is done when it has ended.
    Nothing waits for it: `gpu.wait` does. The operands are those of
    `tcgemm.launch`.

    ```mlir
    %done = tcgemm.launch_async @matmul after[%copied] ins(%a, %b : memref<64x64xbf16>,
      memref<64x64xbf16>) outs(%d : memref<64x64xf32>) workspace(%w : memref<?xi8>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel,
                       Variadic<GpuToken>:$dependencies,
                       Variadic<AnyType>:$inputs, Variadic<AnyMemRef>:$outputs,
                       Optional<WorkspaceMemRef>:$workspace);
  let results = (outs GpuToken:$token);
  let assemblyFormat = [{
    $kernel (`after` `[` $dependencies^ `]`)?
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    (`workspace` `(` $workspace^ `:` type($workspace) `)`)? attr-dict
  }];
}

def WorkspaceSizeOp : TcgemmOp<"workspace_size", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The bytes of workspace that a launch needs";
  let description = [{
    The sizes, strides and addresses of the operands choose the variant. The
    result is 0 if the variant needs no workspace.

    ```mlir
    %bytes = tcgemm.workspace_size @matmul ins(%a, %b : memref<64x64xbf16>,
      memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs,
                       Variadic<AnyMemRef>:$outputs);
  let results = (outs Index:$bytes);
  let assemblyFormat = [{
    $kernel `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
  }];
}

#endif // TCGEMM_DIALECT_TCGEMMKERNELOPS_TD
