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
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs,
                       Variadic<AnyShaped>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

#endif // TCGEMM_DIALECT_TCGEMMKERNELOPS_TD
