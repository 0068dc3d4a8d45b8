//===- TransformOps.td - Operations of transform scripts ---*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TRANSFORMOPS_TRANSFORMOPS_TD
#define TCGEMM_TRANSFORMOPS_TRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tcgemm/Dialect/TcgemmAttributes.td"

class TcgemmTransformOp<string mnemonic, list<Trait> traits>
    : Op<Transform_Dialect, "tcgemm." # mnemonic, traits> {
  let cppNamespace = "::tcgemm";
  let hasVerifier = 1;
}

def ConfigureOp : TcgemmTransformOp<"configure_op",
    [DeclareOpInterfaceMethods<TransformOpInterface>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Set the configuration of a product";
  let description = [{
    Sets the configuration of each target, which is a `tcgemm.kernel`, or an operation
    that `tcgemm-raise` makes a kernel: one of linalg, or `tcgemm.grouped_matmul`. The
    configuration is an attribute or a parameter. `tcgemm-configure` checks it later.

    It is a silenceable failure if a target is another operation, if it has a
    configuration already, or if it has `tcgemm.skip`.

    ```mlir
    transform.tcgemm.configure_op %product
      config = <cta = [128, 256, 64], stages = 4> : !transform.any_op
    transform.tcgemm.configure_op %kernel with %config : !transform.any_op, !transform.any_param
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       Optional<TransformParamTypeInterface>:$param,
                       OptionalAttr<ConfigAttr>:$config);
  let assemblyFormat = [{
    $target (`with` $param^)? (`config` `=` $config^)? attr-dict
    `:` type($target) (`,` type($param)^)?
  }];
}

def MatchProductOp : TcgemmTransformOp<"match_product",
    [MatchOpInterface, SingleOpMatcher, MemoryEffectsOpInterface]> {
  let summary = "Match the kernel of a product";
  let description = [{
    Succeeds for a `tcgemm.kernel` without a configuration that computes the given
    product: with the same operands, sizes and kind of epilogue. These are the kernels
    that get a tuned record by `records=`. The text is the name of a product in records
    and lists. The sizes are the batch, M, N and K; a kernel with dynamic sizes has those
    of its `size_hint`.

    ```mlir
    transform.tcgemm.match_product %kernel "bf16 tn bf16 none" sizes [1, 4096, 4096, 1024]
      : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$operand_handle,
                       StrAttr:$kernel, DenseI64ArrayAttr:$sizes);
  let assemblyFormat = [{
    $operand_handle $kernel `sizes` $sizes attr-dict `:` type($operand_handle)
  }];
  let extraClassDeclaration = SingleOpMatcher.extraDeclaration;
}

def ConfigureProductsOp : TcgemmTransformOp<"configure_products",
    [TransformOpInterface, TransformEachOpTrait,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Set the configurations of kernels by a table";
  let description = [{
    Sets the configuration of each kernel in the target that an entry of the table
    describes, as `match_product` and `configure_op` do. The first such entry counts.
    Kernels without an entry are not changed.

    ```mlir
    transform.tcgemm.configure_products %module from [
      {kernel = "bf16 tn bf16 none", sizes = array<i64: 1, 512, 512, 512>,
       config = #tcgemm.config<cta = [32, 64, 128], swap_ab = true>}
    ] : !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, ArrayAttr:$table);
  let assemblyFormat = "$target `from` $table attr-dict `:` type($target)";
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure applyToOne(
        ::mlir::transform::TransformRewriter &rewriter, ::mlir::Operation *target,
        ::mlir::transform::ApplyToEachResultList &results,
        ::mlir::transform::TransformState &state);
  }];
}

#endif // TCGEMM_TRANSFORMOPS_TRANSFORMOPS_TD
