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
  let summary = "One contraction and the elementwise operations fused with it";
  let description = [{
    Computes `acc = Σ_k A·B` for every (b, m, n), then evaluates `epilogue`. The
    first argument of the epilogue is `acc`. The others are the elements of the `input`
    and `scalar` operands, in operand order, at the coordinates given by their dims.
    `tcgemm.yield` has one value for each `output` operand. Outputs with a reduction
    follow those with all elements. They hold the combination of the values. The sum is f32; that of
    f64 is f64; that of integers is i32 and wraps around. Elements of A and B of type i8
    are signed; `ui8` says that the i8 elements of a buffer are unsigned, and `tf32` that
    its f32 elements are rounded to tf32. `!tcgemm.precision` names other precisions.

    A and B of FP8 may have scales of blocks, as operands `scale_a` and `scale_b` behind
    B, and behind `offsets` or `counts` if there are any. With these, the scales have
    the dimension b if their matrix has it. Each product A·B is multiplied by the scales
    of both elements' blocks. An operand of 4 bits whose partner is f16, bf16 or FP8 may
    have scales of groups, and zero points `zero_a` or `zero_b`, which are subtracted
    from its elements. Their places and their dimension b are those of scales of blocks.

    `transform_a` and `transform_b` compute, from an element of A or of B, the element
    that is multiplied. It has the type of the elements in memory: a float type of 16
    bits or more. The operations are scalar ones of arith and math. The arguments are the
    element and, as those of `epilogue`, the elements of all `input` and `scalar`
    operands. Such a region reads scalars, and inputs that have no other dimensions than
    its operand. An input with the dimension k is for these regions only.

    With an operand `offsets` behind B, the rows of A and of the outputs are divided into
    groups, one for each value of b: group i has the rows from `offsets[i - 1]` (0 for the
    first group) up to, but not including, `offsets[i]`, and is multiplied by B[i]. A and
    the outputs then lack the dimension b. Only the device reads the offsets. They must not
    decrease or exceed M. A group that breaks this rule has the rows that are left by
    those before it, up to M. Rows of no group are not stored. Inputs with the dimension b
    have values for each group.

    With `counts` in place of `offsets`, the groups are padded: A, B and the outputs have
    the dimension b, and `counts[i]` says how many rows of batch i there are, at most M.
    Rows behind them are not stored.

    If neither A nor B has the dimension b, but the outputs have it, `offsets` divide k:
    group i has the terms from `offsets[i - 1]` (0 for the first group) to `offsets[i]`,
    as far as both are from 0 to K. A group without terms has sums of zero.

    With `check_offsets`, which needs `offsets` or `counts`, each launch tests these rules
    first. If one is broken, an assertion ends the launch.

    With an operand `b2` directly behind B, the kernel computes two products that share
    A, and the second argument of the epilogue is `Σ_k A·B2`. Such a dual product has no
    scales, offsets, functions of elements or other algebra.

    If A has a `convolution`, M is the number of images times that of the pixels of an
    output, and K the number of the filter's elements. There is one product, without
    scales, offsets and a `transform_a`.

    A and B may have a `band`, and at most one of them the ones of a unit diagonal. Their
    elements must then not share bytes and not be split into parts, and there are no
    scales, offsets, element regions, `b2` or convolution.

    `symmetric` states that the result is: a kernel computes the tiles on and below the
    diagonal and stores each twice, as it is and transposed. M and N are then equal, and
    the epilogue reads nothing but scalars.

    `algebra` has other operations in place of multiplication and addition. A and B then
    have the same type, which has both operations: f32, f64, i32, i8 or ui8. They have no
    scales and functions of their elements.

    `sizes` are batch, M, N, K; `?` is a run-time size. Kernels of contractions have up
    to two more, those of the outer dimensions `c` and `d`: there is one product for each
    value of `b`, `c` and `d`. If A and B have the last of several outer dimensions, and
    no other operand has it, the kernel sums over it, too: k has two parts in memory.
    Such a kernel has no scales, second B, functions of elements, reductions and other
    algebra. `size_hint` has the expected batch, M, N and all of K, and the extent of a
    summed dimension. `provided` states that no parameter of `config` was set explicitly.
    `in_place` states that launches may pass the same buffer as an output and as an
    input with the same dims.

    ```mlir
    tcgemm.kernel @matmul <1x?x?x4096>
        [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
         #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, bf16, "mn">]
        epilogue {
    ^bb0(%acc: f32, %bias: f32):
      %0 = arith.addf %acc, %bias : f32
      %1 = arith.truncf %0 : f32 to bf16
      tcgemm.yield %1 : bf16
    } transform_a {
    ^bb0(%a: bf16, %bias: f32):
      %one = arith.constant 1.0 : bf16
      %0 = arith.addf %a, %one : bf16
      tcgemm.yield %0 : bf16
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
    UnitAttr:$in_place, OptionalAttr<AlgebraAttr>:$algebra, UnitAttr:$symmetric,
    UnitAttr:$check_offsets);
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
    /// The index of the operand with the scales of A (0) or B (1), if there is one.
    std::optional<unsigned> findScales(unsigned operand);
    /// The element region of A (0) or B (1); null if the elements are multiplied
    /// as they are.
    ::mlir::Region *findTransform(unsigned operand);
    /// The same for its zero points.
    std::optional<unsigned> findZeroPoints(unsigned operand);
    /// The operand with scales of groups: A (0) or B (1), if there is one.
    std::optional<unsigned> findGrouped();
    /// The index of the operand with the sizes of groups, `offsets` or `counts`, if
    /// there is one.
    std::optional<unsigned> findOffsets();
    /// How the groups divide the operands; none without groups.
    std::optional<::tcgemm::GroupKind> findGroupKind();
    /// The index of the second B, if the kernel computes a dual product.
    std::optional<unsigned> findSecond();
    /// Returns whether the operand is A, B or the second B.
    bool isMatrix(unsigned index) { return index < 2 || findSecond() == index; }
    /// The convolution whose images A is; null if there is none.
    ConvolutionAttr getConvolution() { return getOperandInfo(0).getConvolution(); }
    /// The band of A (0) or B (1); null if it has none.
    BandAttr getBand(unsigned operand) { return getOperandInfo(operand).getBand(); }
    /// The blocks that B's numbers become; null if its memory has B's elements.
    RepresentationAttr getRepresentation() {
      return getOperandInfo(1).getRepresentation();
    }
    /// How A and B are combined, and the results reduced.
    Algebra getProductAlgebra() {
      return getAlgebra() ? getAlgebra()->getValue() : Algebra();
    }
    int64_t getBatch() { return getSizes()[0]; }
    /// The letters of the outer dimensions: `b`, `bc` or `bcd`.
    ::llvm::StringRef getOuterDims() {
      return ::tcgemm::kOuterLetters.take_front(getSizes().size() - 3);
    }
    /// The outer dimension that is summed over, besides k, if there is one: the
    /// last of several, which A and B have and no output.
    std::optional<char> findSummedDim();
    /// The outer dimensions with a product for each of their values: all but the
    /// summed one.
    ::llvm::StringRef getProductDims() {
      return getOuterDims().drop_back(findSummedDim() ? 1 : 0);
    }
    /// The size along a dimension, by its letter.
    int64_t getSize(char dim);
    /// Returns whether there may be more than one product.
    bool isBatched() { return getProductDims().size() > 1 || getBatch() != 1; }
    int64_t getM() { return getSizes()[1]; }
    int64_t getN() { return getSizes()[2]; }
    int64_t getK() { return getSizes()[3]; }
    /// The type of the sums, which the types of A and B decide.
    ::mlir::Type getAccumulatorType();
    /// The type in which instructions add: f16 for the precision `f16`.
    ::mlir::Type getInstructionSumType();
    /// Operand names as the manifest gives them: A, B, B2, scaleA, scaleB, zeroA, zeroB,
    /// in<i>, out<i>.
    std::string getOperandName(unsigned index);
  }];
}

def YieldOp : TcgemmOp<"yield", [Pure, Terminator,
    ParentOneOf<["::tcgemm::KernelOp", "::tcgemm::EpilogueOp",
                 "::tcgemm::FragmentMapOp"]>]> {
  let summary = "Terminates a kernel's elementwise region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def IndexOp : TcgemmOp<"index", [Pure]> {
  let summary = "A coordinate of the epilogue's current element";
  let description = [{
    `dim` is `b`, `m` or `n`. The operation replaces `linalg.index`.
  }];
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

/// Memory of the caller for the intermediate results of a kernel's steps.
def WorkspaceMemRef : MemRefRankOf<[I8], [1]>;

def LaunchOp : TcgemmOp<"launch", [AttrSizedOperandSegments,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Applies a kernel to tensors or buffers, in destination style";
  let description = [{
    `ins` are the kernel's operands other than its outputs, in order; `outs` are its
    outputs. On tensors there is a result for each output, and the previous content of
    an output is not read.

    ```mlir
    %d = tcgemm.launch @matmul ins(%a, %b, %bias : tensor<?x4096xbf16>,
      tensor<?x4096xbf16>, tensor<?xf32>) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
    ```

    On buffers, `workspace` is device memory that replaces an allocation. It is aligned
    to 256 bytes and has at least `tcgemm.workspace_size` bytes. `stream` is the
    caller's handle of a stream. The work is added to that stream, and the launch does
    not wait for it.

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

def GroupedMatmulOp : TcgemmOp<"grouped_matmul", [
    DestinationStyleOpInterface, Pure]> {
  let summary = "Products of groups whose sizes are in memory";
  let description = [{
    There is one product for each of G groups. `offsets` are G values of i32. The ranks of
    the operands say how the groups divide them.

    *Contiguous groups of rows.* `a` is T x K: the rows of all groups, one group after the
    other. `b` has a matrix for each of the groups: G x K x N, or G x N x K with
    `transpose_b`. `offsets` are the ends of the groups: group i has the rows from
    `offsets[i - 1]` (0 for the first group) to `offsets[i]`. The result is T x N. Its
    rows of a group are the product of the group's rows of `a` and its matrix. Rows behind
    the last group are undefined. The offsets must not decrease or exceed T.

    *Padded groups of rows.* `a` is G x M x K, `b` as above and the result G x M x N.
    `offsets` are the numbers of rows of the groups, from 0 to M. Rows behind these are
    undefined.

    *Groups along k.* `a` is M x T, or T x M with `transpose_a`, `b` is T x N, or N x T
    with `transpose_b`, and the result G x M x N. `offsets` are the ends of the groups
    along T: matrix i of the result is the product of the columns of `a` and the rows of
    `b` from `offsets[i - 1]` to `offsets[i]`, and zero if there are none. The offsets
    must not decrease or exceed T.

    The sums are f32 and rounded once, or i32 of integers. Integers of `a` have a sign
    without `unsigned_a`, those of `b` without `unsigned_b`. Of bits, the sums count the
    terms that are 1 in both. The previous content of `outs` is not read. Groups may be
    empty.

    FP8 operands of groups of rows may have scales of blocks, and one operand of 4 bits
    may have scales and zero points of groups of terms. Elementwise operations then
    compute f32 operands: they convert the elements, subtract zero points, and multiply by
    scales that they read with `floordiv`. Kernels read the elements and the scales.

    With `check_offsets`, the kernel tests the rules for `offsets` on the device, and an
    assertion ends a launch that breaks one. Otherwise such offsets give wrong results.

    `tcgemm-raise` replaces the operation by a kernel with the operand `offsets` or
    `counts`. Elementwise operations that consume the result are fused, and those behind
    contiguous groups read values of groups by `tcgemm.group_broadcast`.

    ```mlir
    %d = tcgemm.grouped_matmul ins(%a, %b, %offsets : tensor<?x4096xbf16>,
      tensor<8x14336x4096xbf16>, tensor<8xi32>) outs(%e : tensor<?x14336xbf16>)
      transpose_b -> tensor<?x14336xbf16>
    %w = tcgemm.grouped_matmul ins(%x, %y, %offsets : tensor<?x4096xbf16>,
      tensor<?x14336xbf16>, tensor<8xi32>) outs(%f : tensor<8x4096x14336xf32>)
      transpose_a -> tensor<8x4096x14336xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat, I1, I<4>, I8]>:$a,
                       RankedTensorOf<[AnyFloat, I1, I<4>, I8]>:$b,
                       RankedTensorOf<[I32]>:$offsets,
                       RankedTensorOf<[AnyFloat, I32]>:$output, UnitAttr:$transpose_a,
                       UnitAttr:$transpose_b, UnitAttr:$unsigned_a,
                       UnitAttr:$unsigned_b, UnitAttr:$check_offsets);
  let results = (outs RankedTensorOf<[AnyFloat, I32]>:$result);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `,` $offsets `:` type($a) `,` type($b) `,` type($offsets) `)`
    `outs` `(` $output `:` type($output) `)` (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? (`unsigned_a` $unsigned_a^)?
    (`unsigned_b` $unsigned_b^)? (`check_offsets` $check_offsets^)? attr-dict
    `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
    /// How the groups divide the operands, by their ranks; none if no kind has them.
    std::optional<::tcgemm::GroupKind> findGroupKind();
    /// The letters of the dimensions of A (0), B (1) or the output (2), outermost first.
    std::string getDims(unsigned operand);
    /// The sizes along b, m, n and k: static if any operand says so.
    ::llvm::SmallVector<int64_t, 4> getProductSizes();
  }];
}

def GroupBroadcastOp : TcgemmOp<"group_broadcast", [DestinationStyleOpInterface, Pure]> {
  let summary = "The values of groups, repeated for the rows of each group";
  let description = [{
    `values` have an element or a row for each of G groups, and `offsets` are G ends of
    contiguous groups, as those of `tcgemm.grouped_matmul`. Row t of the result is that of
    the group that has row t. Rows behind the last group are undefined, and the previous
    content of `outs` is not read.

    `tcgemm-raise` fuses an elementwise operation that reads the result with the product
    that has the same offsets. The kernel reads `values`, and the rows are never stored.

    ```mlir
    %rows = tcgemm.group_broadcast ins(%bias, %offsets : tensor<8x14336xf32>, tensor<8xi32>)
      outs(%e : tensor<?x14336xf32>) -> tensor<?x14336xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyType]>:$values, RankedTensorOf<[I32]>:$offsets,
                       RankedTensorOf<[AnyType]>:$output);
  let results = (outs RankedTensorOf<[AnyType]>:$result);
  let assemblyFormat = [{
    `ins` `(` $values `,` $offsets `:` type($values) `,` type($offsets) `)`
    `outs` `(` $output `:` type($output) `)` attr-dict `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
  }];
}

def Im2colOp : TcgemmOp<"im2col", [Pure]> {
  let summary = "What the filter of a convolution sees of images";
  let description = [{
    `images` have the dimensions N, H, W and C. The result has the dimensions N, output
    rows, output columns and elements of the filter: its rows, its columns and the
    channels, in this order. Elements beyond an image are zero.

    `tcgemm-raise` writes the operation, and a kernel takes its images as A. Where no
    kernel does, the pass replaces it by `tensor.pad` and `linalg.generic`.

    ```mlir
    %a = tcgemm.im2col %images <image = [8, 8], channels = [64], filter = [3, 3]>
        : tensor<?x8x8x64xf16> -> tensor<?x6x6x576xf16>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyType]>:$images, ConvolutionAttr:$convolution);
  let results = (outs RankedTensorOf<[AnyType]>:$result);
  let assemblyFormat = [{
    $images $convolution attr-dict `:` type($images) `->` type($result)
  }];
  let hasVerifier = 1;
}

def BandOp : TcgemmOp<"band", [Pure, AllTypesMatch<["matrix", "result"]>]> {
  let summary = "A matrix without its elements outside a band";
  let description = [{
    The result has zeros where `matrix` is outside the band, and ones on the diagonal of a
    unit band. The last two dimensions have the rows and the columns.

    `tcgemm-raise` writes the operation for operands whose elements are selected by
    comparisons of `linalg.index`, and programs may write it. A kernel takes the matrix as
    an operand with a band. Where no kernel does, the pass replaces the operation by
    `linalg.generic`.

    ```mlir
    %l = tcgemm.band %a <"lower"> : tensor<?x?xbf16>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat, AnyInteger]>:$matrix, BandAttr:$band);
  let results = (outs RankedTensorOf<[AnyFloat, AnyInteger]>:$result);
  let assemblyFormat = "$matrix $band attr-dict `:` type($matrix)";
  let hasVerifier = 1;
}

def RepresentOp : TcgemmOp<"represent", [Pure]> {
  let summary = "The regular representation of numbers with components";
  let description = [{
    The last dimension of `numbers` has the components, and the two before it are rows and
    columns. In the result the second of them is behind each of these: it has a block of
    real elements for each number.

    `tcgemm-raise` writes the operation, and a kernel takes the numbers as B. Where no
    kernel does, the pass replaces it by the product with the structure constants.

    ```mlir
    %m = tcgemm.represent %b <[[1, 2], [-2, 1]]> : tensor<?x?x2xf64> -> tensor<?x2x?x2xf64>
    ```
  }];
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$numbers,
                       RepresentationAttr:$representation);
  let results = (outs RankedTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = [{
    $numbers $representation attr-dict `:` type($numbers) `->` type($result)
  }];
  let hasVerifier = 1;
}

def LaunchAsyncOp : TcgemmOp<"launch_async", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Applies a kernel to buffers, ordered by tokens";
  let description = [{
    The launch starts after the tokens in `after`. The resulting token is complete when
    the launch has ended; the operation itself does not wait. Use `gpu.wait` for that.
    The operands are those of `tcgemm.launch`.

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
  let summary = "The size in bytes of the workspace that a launch needs";
  let description = [{
    The sizes, strides and addresses of the operands determine the variant. The
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
