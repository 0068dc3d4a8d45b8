//===- TcgemmProductOps.td - Products and epilogues --------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMPRODUCTOPS_TD
#define TCGEMM_DIALECT_TCGEMMPRODUCTOPS_TD

include "tcgemm/Dialect/TcgemmTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def AccZeroOp : TcgemmOp<"acc.zero", [Pure]> {
  let summary = "An accumulator of zeros";
  let results = (outs AccType:$acc);
  let assemblyFormat = "attr-dict `:` type($acc)";
  let hasVerifier = 1;
}

def AccAddOp : TcgemmOp<"acc.add", [Pure, AllTypesMatch<["lhs", "rhs", "result"]>]> {
  let summary = "Adds the elements of two accumulators";
  let description = [{
    Each thread adds the elements that it holds, as f32 or i32. Tensor cores may add
    with fewer bits than f32 has: a program that adds partial sums itself loses less.

    Elements of the second accumulator are multiplied by the `scaled` operands: those of
    their row, of their block of columns, or of both.

    ```mlir
    %sum = tcgemm.acc.add %total, %part : <64 x 128 of f32, wgmma>
    %sum2 = tcgemm.acc.add %total, %part scaled(%rows, %columns : !tcgemm.scales<a, 64>,
      !tcgemm.scales<b, 128>) : <64 x 128, wgmma>
    ```
  }];
  let arguments = (ins AccType:$lhs, AccType:$rhs, Variadic<ScalesType>:$scales);
  let results = (outs AccType:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                                 CArg<"::mlir::ValueRange", "{}">:$scales),
    [{ build($_builder, $_state, lhs.getType(), lhs, rhs, scales); }]>];
  let assemblyFormat = [{
    $lhs `,` $rhs (`scaled` `(` $scales^ `:` type($scales) `)`)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def AccExtendOp : TcgemmOp<"acc.extend", [Pure]> {
  let summary = "Converts the elements of an accumulator from f16 to f32";
  let description = [{
    No value changes. Instructions may add in f16; all other sums of a kernel are f32.

    ```mlir
    %wide = tcgemm.acc.extend %sum : <64 x 128 of f16, wgmma> -> <64 x 128, wgmma>
    ```
  }];
  let arguments = (ins AccType:$acc);
  let results = (outs AccType:$result);
  let assemblyFormat = "$acc attr-dict `:` type($acc) `->` type($result)";
  let hasVerifier = 1;
}

def AccScaleOp : TcgemmOp<"acc.scale", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "Multiplies an accumulator of f32 by 2 to the power of `exponent`";
  let description = [{
    Undoes the scale of integers that were converted to bf16 (`fragment.convert`).

    ```mlir
    %sum = tcgemm.acc.scale %scaled by 6 : <64 x 128, wgmma>
    ```
  }];
  let arguments = (ins AccType:$acc, I64Attr:$exponent);
  let results = (outs AccType:$result);
  let assemblyFormat = "$acc `by` $exponent attr-dict `:` type($acc)";
  let hasVerifier = 1;
}

def AccSplitOp : TcgemmOp<"acc.split", [Pure, AllTypesMatch<["left", "right"]>]> {
  let summary = "Divides an accumulator into its left and its right columns";
  let description = [{
    No value moves: a thread that holds column j of `right` holds column j of `left`, too.
    The accumulator is of `wgmma` and has an even number of groups of 8 columns.

    ```mlir
    %gate, %up = tcgemm.acc.split %sum : <64 x 256, wgmma> -> <64 x 128, wgmma>
    ```
  }];
  let arguments = (ins AccType:$acc);
  let results = (outs AccType:$left, AccType:$right);
  let assemblyFormat = "$acc attr-dict `:` type($acc) `->` type($left)";
  let hasVerifier = 1;
}

def ScalesLoadOp : TcgemmOp<"scales.load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads the scales of an accumulator's rows or columns";
  let description = [{
    Scale i is at `offset + i * stride`, in elements. The first is number `first`. In
    place of numbers from `end` on, the last before it is loaded: the accumulator's
    elements there are outside the result.

    Scales of columns of `wgmma` are for groups of g columns (see the type). `first` is the
    number of the first group, and a group's scale is number group * g / 128.

    ```mlir
    %rows = tcgemm.scales.load %base[%offset] by %stride from %m below %M
      : memref<?xf32, #gpu.address_space<global>> -> <a, 64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[F32, F16, BF16], [1]>:$base, I64:$offset, I64:$stride,
                       I32:$first, I32:$end);
  let results = (outs ScalesType:$scales);
  let assemblyFormat = [{
    $base `[` $offset `]` `by` $stride `from` $first `below` $end attr-dict
    `:` type($base) `->` type($scales)
  }];
}

def ScalesCreateOp : TcgemmOp<"scales.create"> {
  let summary = "Reserves shared memory for scales in a role";
  let results = (outs ScalesBufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of shared memory: the slots of all warps of the role.
    int64_t getBytes();
  }];
}

def ScalesFetchOp : TcgemmOp<"scales.fetch"> {
  let summary = "Copies scales to shared memory asynchronously";
  let description = [{
    Each warp copies the scales of its rows, or of all columns, to slot `block` mod
    `slots`. `base`, `offset`, `stride`, `first` and `end` are those of
    `tcgemm.scales.load`.

    ```mlir
    tcgemm.scales.fetch %base[%offset] by %stride from %m below %M to %buffer[%block]
      : memref<?xf32, #gpu.address_space<global>> -> !tcgemm.scales_buffer<a, 64, 4>
    ```
  }];
  let arguments = (ins MemRefRankOf<[F32], [1]>:$base, I64:$offset, I64:$stride,
                       I32:$first, I32:$end, ScalesBufferType:$buffer, I32:$block);
  let assemblyFormat = [{
    $base `[` $offset `]` `by` $stride `from` $first `below` $end
    `to` $buffer `[` $block `]` attr-dict `:` type($base) `->` type($buffer)
  }];
}

def ScalesCommitOp : TcgemmOp<"scales.commit"> {
  let summary = "Makes one group of all fetches since the last group";
  let assemblyFormat = "attr-dict";
}

def ScalesReadOp : TcgemmOp<"scales.read"> {
  let summary = "Reads scales that were fetched";
  let description = [{
    Waits until at most `pending` groups of fetches are not complete, then reads slot
    `block` mod `slots`.

    ```mlir
    %rows = tcgemm.scales.read %buffer[%block] pending 3 : <a, 64, 4> -> <a, 64>
    ```
  }];
  let arguments = (ins ScalesBufferType:$buffer, I32:$block, I64Attr:$pending);
  let results = (outs ScalesType:$scales);
  let builders = [OpBuilder<(ins "::mlir::Value":$buffer, "::mlir::Value":$block,
                                 "int64_t":$pending),
    [{
      build($_builder, $_state,
            llvm::cast<ScalesBufferType>(buffer.getType()).getScales(), buffer,
            block, pending);
    }]>];
  let assemblyFormat = [{
    $buffer `[` $block `]` `pending` $pending attr-dict `:` type($buffer) `->` type($scales)
  }];
  let hasVerifier = 1;
}

def ZeroPointsLoadOp : TcgemmOp<"zero_points.load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads the zero points of a fragment's rows or columns";
  let description = [{
    Places and numbers are those of `scales.load`. The elements of 8 bits are signed
    unless `is_unsigned` is given.

    ```mlir
    %zeros = tcgemm.zero_points.load %base[%offset] by %stride from %n below %N
      : memref<?xi8, #gpu.address_space<global>> -> <b, 32>
    ```
  }];
  let arguments = (ins MemRefRankOf<[I8], [1]>:$base, I64:$offset, I64:$stride,
                       I32:$first, I32:$end, UnitAttr:$is_unsigned);
  let results = (outs ZeroPointsType:$zero_points);
  let assemblyFormat = [{
    $base `[` $offset `]` `by` $stride `from` $first `below` $end attr-dict
    `:` type($base) `->` type($zero_points)
  }];
}

def GroupValuesLoadOp : TcgemmOp<"group_values.load", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads scales or zero points of four groups of k";
  let description = [{
    The value of row i and group g is at `offset + i * stride + g * group_stride`, in
    elements. The groups are number `group` and its neighbours, from a multiple of 4 on.
    Groups from `groups` on have zeros. Rows are those of `scales.load`.

    ```mlir
    %values = tcgemm.group_values.load %base[%offset] by %stride, %group_stride
      from %n below %N group %group below %groups
      : memref<?xf16, #gpu.address_space<global>> -> <f16, 64>
    ```
  }];
  let arguments = (ins MemRefRankOf<[F32, F16, BF16, I8], [1]>:$base, I64:$offset,
    I64:$stride, I64:$group_stride, I32:$first, I32:$end, I32:$group, I32:$groups);
  let results = (outs GroupValuesType:$values);
  let assemblyFormat = [{
    $base `[` $offset `]` `by` $stride `,` $group_stride `from` $first `below` $end
    `group` $group `below` $groups attr-dict `:` type($base) `->` type($values)
  }];
  let hasVerifier = 1;
}

def ScalesSelectOp : TcgemmOp<"scales.select"> {
  let summary = "The scales of one group";
  let description = [{
    The lanes of a row exchange their values, so that each has those of group number
    `group`, one of the four that were loaded.

    ```mlir
    %rows = tcgemm.scales.select %values[%group] : <f16, 64> -> <a, 64>
    ```
  }];
  let arguments = (ins GroupValuesType:$values, I32:$group);
  let results = (outs ScalesType:$scales);
  let assemblyFormat = "$values `[` $group `]` attr-dict `:` type($values) `->` type($scales)";
  let hasVerifier = 1;
}

def ZeroPointsSelectOp : TcgemmOp<"zero_points.select"> {
  let summary = "The zero points of one group";
  let description = [{
    As `scales.select`. The values of 8 bits are signed unless `is_unsigned` is given.

    ```mlir
    %zeros = tcgemm.zero_points.select %values[%group] : <i8, 64> -> <a, 64, wgmma>
    ```
  }];
  let arguments = (ins GroupValuesType:$values, I32:$group, UnitAttr:$is_unsigned);
  let results = (outs ZeroPointsType:$zero_points);
  let assemblyFormat = [{
    $values `[` $group `]` attr-dict `:` type($values) `->` type($zero_points)
  }];
  let hasVerifier = 1;
}

def FragmentLoadOp : TcgemmOp<"fragment.load",
    [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "Loads a warp's operand of one k-step from a stage";
  let description = [{
    `warp` is the warp's index along the operand's own side (m or n). `k_step` is the
    step within the stage; each step has the depth of one instruction. For a fragment
    with `runs`, `warp` is the thread's index along that side. With `warp_k`, the
    stage's steps are divided into `warps_k` ranges, one for each value of `warp_k`. That
    is the index of a warp along k, or of a group of threads.
    `transposed` states that the tile's rows run along k. A tile with `sectors` is read
    `from` the loader that filled it, because the loader has the rotation of the rows.

    A tile with a `representation` holds numbers: a row for each row of blocks, and as
    many columns as the matrix of real elements that the fragment is a part of. A lane
    loads the component that its element is, and negates it where the block says so.

    For a fragment of `wgmma`, `warp` is the warpgroup's index, and a step has the
    fragment's depth: 16 bytes of a row, or 16 elements of 16 bits. A transposed tile, of
    16-bit elements only, has blocks of 64 columns below each other, each with `depth`
    rows.
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state, TokenType:$token,
    I32:$warp, Optional<I32>:$warp_k, I64Attr:$tile, I64Attr:$k_step, BoolAttr:$transposed,
    DefaultValuedAttr<I64Attr, "1">:$warps_k, OptionalAttr<I64Attr>:$depth,
    Optional<LoaderType>:$loader, OptionalAttr<RepresentationAttr>:$representation);
  let results = (outs FragmentType:$fragment);
  let assemblyFormat = [{
    $ring `,` $state `,` $token `warp` $warp (`,` $warp_k^)? `tile` $tile `k_step` $k_step
    `transposed` $transposed (`depth` $depth^)? (`warps_k` $warps_k^)?
    (`from` $loader^ `(` type($loader) `)`)? (`representation` $representation^)?
    attr-dict `:` type($ring) `,` type($token) `->` type($fragment)
  }];
  let hasVerifier = 1;
}

def FragmentConvertOp : TcgemmOp<"fragment.convert"> {
  let summary = "Converts a fragment of wgmma to the type that is multiplied";
  let description = [{
    Elements of 4 or 8 bits become f16 or bf16, and those of 4 bits e4m3. `minus` zero
    points are subtracted from elements of 4 bits that become f16 or bf16. Integers that
    become bf16 are multiplied by 2^-6, which `acc.scale` undoes. No other value changes.
    The operation writes the registers of its result. An
    asynchronous product that reads them must have been awaited before, also one of an
    earlier iteration of a loop.

    ```mlir
    %wide = tcgemm.fragment.convert %narrow
      : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x bf16 for wgmma>
    %shifted = tcgemm.fragment.convert %narrow minus %zeros(<a, 64, wgmma>)
      : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x bf16 for wgmma>
    ```
  }];
  let arguments = (ins FragmentType:$fragment, Optional<ZeroPointsType>:$zero_points);
  let results = (outs FragmentType:$result);
  let assemblyFormat = [{
    $fragment (`minus` $zero_points^ `(` type($zero_points) `)`)? attr-dict
    `:` type($fragment) `->` type($result)
  }];
  let hasVerifier = 1;
}

def FragmentFetchOp : TcgemmOp<"fragment.fetch", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads an operand of one k-step directly from global memory";
  let description = [{
    Loads a fragment of `wmma`, or one with `runs`, of the operand at `base`. `address` is
    the address of the first row or column at the step's k, `stride` the distance
    between rows or columns, both in elements. `first` is the first row or column of the
    warp or thread. `transposed` states that rows or columns, not k, are contiguous; then
    `stride` is the distance between values of k. Each instruction's rows or columns, or
    those of a run that is contiguous, must be either all inside `extent` or all outside.
    In place of those outside, the last ones are loaded, and their results are never
    stored.

    ```mlir
    %a = tcgemm.fragment.fetch %base[%address] stride %stride at %first of %M
      : memref<?xf32, #gpu.address_space<global>> -> <a, 8 x 4 x f32, runs = [1, 16]>
    ```
  }];
  let arguments = (ins AnyMemRef:$base, I64:$address, I64:$stride, I32:$first,
    I32:$extent, UnitAttr:$transposed);
  let results = (outs FragmentType:$fragment);
  let assemblyFormat = [{
    $base `[` $address `]` `stride` $stride `at` $first `of` $extent
    (`transposed` $transposed^)? attr-dict `:` type($base) `->` type($fragment)
  }];
  let hasVerifier = 1;
}

def FragmentMapOp : TcgemmOp<"fragment.map",
    [AttrSizedOperandSegments, SingleBlock, AllTypesMatch<["fragment", "result"]>]> {
  let summary = "Applies a scalar function to the elements of a fragment";
  let description = [{
    The body computes an element of the result from an element of the fragment. Its
    further arguments are the `scalars`. Elements whose index along k within the fragment
    is `valid` or more become zero, or the padding of the program's algebra; `valid` is
    signed and may be less than 0. A fragment
    of `wgmma` has no `valid`, and the registers of the result are written as those of
    `fragment.convert` are.

    ```mlir
    %next = tcgemm.fragment.map %a valid %left {
    ^bb0(%x: bf16):
      %one = arith.constant 1.0 : bf16
      %sum = arith.addf %x, %one : bf16
      tcgemm.yield %sum : bf16
    } : <a, 64 x 16 x bf16>
    ```
  }];
  let arguments = (ins FragmentType:$fragment, Variadic<AnyType>:$scalars,
                       Optional<I32>:$valid);
  let results = (outs FragmentType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $fragment (`scalars` `(` $scalars^ `:` type($scalars) `)`)? (`valid` $valid^)?
    $body attr-dict `:` type($fragment)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def MmaOp : TcgemmOp<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a·b by the warp's mma.sync or wmma, or by the thread";
  let description = [{
    `a_transposed` and `b_transposed` describe how the fragments of wmma were loaded:
    m or n, not k, was contiguous in memory. `shape` is m, n, k of the instruction. It
    is given if several instructions multiply the types and the widest is not meant.
    `minus` zero points are subtracted from the elements of a fragment with 4 bits, before
    these are multiplied. Integers of a fragment whose partner is bf16 are multiplied by
    2^-6, which `acc.scale` undoes.
  }];
  let arguments = (ins FragmentType:$a, FragmentType:$b, AccType:$acc,
    Optional<ZeroPointsType>:$zero_points, UnitAttr:$a_transposed, UnitAttr:$b_transposed,
    OptionalAttr<DenseI64ArrayAttr>:$shape);
  let results = (outs AccType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`minus` $zero_points^ `(` type($zero_points) `)`)?
    (`a_transposed` $a_transposed^)? (`b_transposed` $b_transposed^)?
    (`shape` $shape^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The instruction that multiplies the fragments. The verifier ensures that
    /// there is one.
    const MatrixInstruction *getInstruction();
  }];
}

def MmaAsyncOp : TcgemmOp<"mma.async", [AttrSizedOperandSegments]> {
  let summary = "Starts acc + A·B of a whole stage by a warpgroup (wgmma)";
  let description = [{
    Reads tile `a_tile`, starting at `row` (0 by default), and all of tile `b_tile` of
    the stage through descriptors. The rows of both tiles run along k. With
    `a_transposed` or `b_transposed` that tile is a stack of chunks. A chunk has one row
    for each k; a row is as wide as the swizzle and runs along m or n. The result is in
    flight until `mma.await`, and the stage may be released only after that. If
    `accumulate` is given and is 0, the accumulator's old value is dropped.
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state, TokenType:$token,
    AccType:$acc, Optional<I32>:$row, Optional<I1>:$accumulate, I64Attr:$a_tile,
    I64Attr:$b_tile, UnitAttr:$a_transposed, UnitAttr:$b_transposed);
  let results = (outs AccType:$result);
  let assemblyFormat = [{
    $ring `,` $state `,` $token `tiles` $a_tile `,` $b_tile
    (`a_transposed` $a_transposed^)? (`b_transposed` $b_transposed^)? (`row` $row^)?
    `into` $acc (`if` $accumulate^)? attr-dict
    `:` type($ring) `,` type($token) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The wgmma that multiplies the tiles. The verifier ensures that there is
    /// one.
    const MatrixInstruction *getInstruction();
    /// Elements along k of the product.
    int64_t getDepth();
  }];
}

def MmaAsyncFragmentOp : TcgemmOp<"mma.async_fragment"> {
  let summary = "Starts acc + a·B of one k-step by a warpgroup with A in registers (wgmma)";
  let description = [{
    As `mma.async`, but A is a fragment, whose registers the products read until
    `mma.await`. They are multiplied by step `k_step` of tile `b_tile`, which has the
    fragment's depth. The tile's rows run along k, except those of a tile that is
    `transposed`. With `new` the accumulator's old value is dropped.
  }];
  let arguments = (ins FragmentType:$a, RingType:$ring, RingStateType:$state,
    TokenType:$token, AccType:$acc, I64Attr:$b_tile, I64Attr:$k_step,
    UnitAttr:$b_transposed, UnitAttr:$is_new);
  let results = (outs AccType:$result);
  let assemblyFormat = [{
    $a `by` $ring `,` $state `,` $token `tile` $b_tile `k_step` $k_step
    (`transposed` $b_transposed^)? (`new` $is_new^)? `into` $acc attr-dict
    `:` type($a) `,` type($ring) `,` type($token) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The wgmma that multiplies the fragment. The verifier ensures that there
    /// is one.
    const MatrixInstruction *getInstruction();
    /// The elements of a stage of B along k.
    int64_t getTileDepth();
  }];
}

def MmaAwaitOp : TcgemmOp<"mma.await"> {
  let summary = "Waits until at most `pending` groups of products are in flight";
  let description = [{
    With `pending` 0 the result may be read. Otherwise it is still in flight, and
    the stages of all products except the youngest `pending` ones may be released.
  }];
  let arguments = (ins AccType:$acc, DefaultValuedAttr<I64Attr, "0">:$pending);
  let results = (outs AccType:$result);
  let assemblyFormat = "$acc (`pending` $pending^)? attr-dict `:` type($acc) `->` type($result)";
  let hasVerifier = 1;
}

def AccReduceOp : TcgemmOp<"acc.reduce"> {
  let summary = "Sums the accumulators of the parts of a CTA that split k";
  let description = [{
    A part is a set of warps, or with a `simt` accumulator a group of threads. Exchanges
    the values through the ring's shared memory, which no copy or read may use any more.
    Where the ring is too small, the program has more shared memory. The order of
    addition is fixed. Afterwards the part with `warp_k` = 0 holds the sum.
  }];
  let arguments = (ins RingType:$ring, AccType:$acc, I32:$warp_k, I64Attr:$warps_k);
  let results = (outs AccType:$result);
  let assemblyFormat = [{
    $acc `over` $warp_k `of` $warps_k `through` $ring attr-dict
    `:` type($acc) `,` type($ring) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of shared memory for the accumulators of all parts but one.
    int64_t getScratchBytes();
  }];
}

def AccClusterReduceOp : TcgemmOp<"acc.cluster_reduce"> {
  let summary = "Sums the accumulators of the CTAs that split k inside a cluster";
  let description = [{
    `rank` is this CTA's index among `ctas` CTAs, whose ranks in the cluster are
    `stride` apart. The columns are divided into equal parts. A CTA whose rank is below
    the number of parts gets that part of the sum; the results of the others are
    undefined. Each CTA stores its values of another CTA's part directly into that CTA's
    shared memory (`st.async`), which is separate from the rings. The owner adds them to
    its own values in a fixed order. All warps of a consumer role execute the operation,
    once.
  }];
  let arguments = (ins AccType:$acc, I32:$rank, I64Attr:$ctas,
    DefaultValuedAttr<I64Attr, "1">:$stride);
  let results = (outs AccType:$result);
  let assemblyFormat = [{
    $acc `rank` $rank `of` $ctas (`stride` $stride^)? attr-dict
    `:` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Parts of the accumulator's columns, one for each of the first CTAs.
    int64_t getParts() {
      return getAcc().getType().getColumns() / getResult().getType().getColumns();
    }
    /// Bytes that each of the other CTAs stores in this one's shared memory.
    int64_t getBytesOfOne();
    /// Bytes of shared memory: the values that the others store, and a barrier.
    int64_t getInboxBytes() { return (getCtas() - 1) * getBytesOfOne() + 16; }
  }];
}

def AccSendOp : TcgemmOp<"acc.send"> {
  let summary = "Gives a role's accumulator to the role that sums the parts of k";
  let description = [{
    The consumer roles of a program can divide k: each multiplies its part of every
    stage. There are `parts` such roles, with equal numbers of warps. Part 0 executes
    `acc.receive`, and each other one `acc.send`, once and with all of its warps. The
    values pass through shared memory of their own. A role does not wait when it sends.

    ```mlir
    tcgemm.role consumer warps [4, 8] {     // part 0
      …
      %sum = tcgemm.acc.receive %acc of 2 : <64 x 16, wgmma>
    }
    tcgemm.role consumer warps [8, 12] {    // part 1
      …
      tcgemm.acc.send %acc part 1 of 2 : <64 x 16, wgmma>
    }
    ```
  }];
  let arguments = (ins AccType:$acc, I64Attr:$part, I64Attr:$parts);
  let assemblyFormat = "$acc `part` $part `of` $parts attr-dict `:` type($acc)";
  let hasVerifier = 1;
}

def AccReceiveOp : TcgemmOp<"acc.receive", [AllTypesMatch<["acc", "result"]>]> {
  let summary = "Adds the accumulators that other roles sent to this role's";
  let description = [{
    Waits for the roles of all `parts` of k (see `acc.send`). The parts are added in
    order.
  }];
  let arguments = (ins AccType:$acc, I64Attr:$parts);
  let results = (outs AccType:$result);
  let assemblyFormat = "$acc `of` $parts attr-dict `:` type($acc)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of shared memory for the accumulator of one role.
    int64_t getBytesOfOne();
    /// Bytes of shared memory for those of all parts that send.
    int64_t getInboxBytes() { return (getParts() - 1) * getBytesOfOne(); }
  }];
}

def AccGatherOp : TcgemmOp<"acc.gather", [MemoryEffects<[MemRead]>]> {
  let summary = "Sums one row segment of the slices' partial results";
  let description = [{
    The partial results of slice s and batch b are at `partials` + ((s · batches +
    b) · M + m) · pitch + n. The slices are added in order, so that the result is the
    same in every run. The sum of no slices is zero. Every thread holds the
    accumulator's columns of row `m`, starting at `n` (layout `row`).
  }];
  let arguments = (ins AnyMemRef:$partials, I64:$sliceStride, I64:$offset, I32:$slices);
  let results = (outs AccType:$acc);
  let assemblyFormat = [{
    $partials `[` $offset `]` `slices` $slices `stride` $sliceStride attr-dict
    `:` type($partials) `->` type($acc)
  }];
}

def AccDotOp : TcgemmOp<"acc.dot", [AttrSizedOperandSegments]> {
  let summary = "Dot products of few rows by many, directly from global memory";
  let description = [{
    The rows of both operands run along k, and `depth` elements of each are multiplied.
    Row r of `few` starts at `few_address` + r · `few_stride`, both in elements. The CTA
    multiplies `rows` rows of `few`, starting at `few_first`, by `columns` rows of `many`,
    starting at `many_first`. A row beyond the extent is replaced by the last row. Each
    group of `slices` warps computes an equal part of `columns`. Its lanes read
    consecutive vectors of k, with as many elements as the larger of the loads of
    `few_bytes` and `many_bytes` has. A lane loads `unroll` vectors of each row of `many`
    before it multiplies. The starts of rows must be aligned to the loads.

    Rows are contiguous along k unless a `step` is given: then element k of row r is at
    address + r · stride + k · step. Loads of a `few` with a step are of single elements.
    With a step of `many`, neighbouring lanes read neighbouring rows: `lanes` lanes of a
    warp have different rows of `many`, each `many_bytes` of them at a time, and the others
    different k. A load of several rows needs a stride of 1. `unroll` counts the k of a
    lane.

    `few_type` and `many_type` are given where elements in memory are not those of the
    memref: unsigned ones, FP8, and two of 4 bits in an i8. Narrow elements are converted
    to the type of the sums. The sums are f32, or f64 or i32 of such elements.

    With `scaled`, each row of `many` has a scale for each `group` elements of k. Scale g
    of row r is at [0] + r · [1] + g · [2] of `scale_places`. `minus` are zero points of
    `zero_type`, which are subtracted from the elements, in the same way.

    With `mma`, tensor cores multiply 16 rows of `many`, of 4 bits, by 8 of `few` at a
    time, converted to the type of `few`. Each group of warps must have a multiple of 16
    columns. Four lanes read consecutive vectors of a row; the elements of their vectors
    must belong to one group of scales.

    With `stages`, for `mma`, a lane copies its vectors of `many` to shared memory by
    cp.async, `stages` - 1 iterations before it multiplies them. It reads only what it has
    copied itself.

    The sums are reduced through shared memory in a fixed order. Thread t < `rows` ·
    `columns` holds the product of row t / `columns` of `few` and row t mod `columns` of
    `many`; the values of the other threads are undefined. All threads of the CTA execute
    the operation, once.

    ```mlir
    %acc = tcgemm.acc.dot %a[%x] stride %s at %m of %M by %b[%y] stride %t at %n of %N
        depth %K size 1 8 slices 2 unroll 2 bytes 16 16
        : memref<?xbf16, …>, memref<?xbf16, …> -> <1 x 1, row>
    ```
  }];
  let arguments = (ins AnyMemRef:$few, I64:$few_address, I64:$few_stride,
    Optional<I64>:$few_step, I32:$few_first, I32:$few_extent, AnyMemRef:$many,
    I64:$many_address, I64:$many_stride, Optional<I64>:$many_step, I32:$many_first,
    I32:$many_extent, I32:$depth,
    Optional<MemRefRankOf<[F32, F16, BF16], [1]>>:$scales, Variadic<I64>:$scale_places,
    Optional<MemRefRankOf<[I8], [1]>>:$zero_points, Variadic<I64>:$zero_places,
    I64Attr:$rows, I64Attr:$columns, I64Attr:$slices, I64Attr:$unroll, I64Attr:$few_bytes,
    I64Attr:$many_bytes, OptionalAttr<TypeAttr>:$few_type, OptionalAttr<TypeAttr>:$many_type,
    OptionalAttr<I64Attr>:$lanes, OptionalAttr<I64Attr>:$group,
    OptionalAttr<TypeAttr>:$zero_type, UnitAttr:$mma, OptionalAttr<I64Attr>:$stages);
  let results = (outs AccType:$acc);
  let assemblyFormat = [{
    $few `[` $few_address `]` `stride` $few_stride (`step` $few_step^)?
    `at` $few_first `of` $few_extent
    `by` $many `[` $many_address `]` `stride` $many_stride (`step` $many_step^)?
    `at` $many_first `of` $many_extent
    `depth` $depth `size` $rows $columns `slices` $slices `unroll` $unroll
    `bytes` $few_bytes $many_bytes (`lanes` $lanes^)? (`mma` $mma^)? (`stages` $stages^)?
    (`scaled` $scales^ `[` $scale_places `]` `group` $group `(` type($scales) `)`)?
    (`minus` $zero_points^ `[` $zero_places `]` `of` $zero_type `(` type($zero_points) `)`)?
    attr-dict `:` type($few) `,` type($many) `->` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of shared memory: of vectors that are copied ahead, and behind them the sums
    /// of each warp.
    int64_t getScratchBytes() {
      int64_t bytes = getAcc().getType().getElementType().getIntOrFloatBitWidth() / 8;
      return getRingBytes() + bytes * getSlices() * getRows() * getColumns();
    }
    /// Bytes of the vectors that are copied ahead.
    int64_t getRingBytes();
    /// The type of an element of `few` or of `many`.
    ::mlir::Type getFewElement();
    ::mlir::Type getManyElement();
  }];
}

def AccStageOp : TcgemmOp<"acc.stage"> {
  let summary = "Writes the warps' accumulators to shared memory as one tile";
  let description = [{
    The warp's accumulator, of a `wmma` layout, starts at (`row`, `column`) of a tile
    of f32 with `rows` rows that are `pitch` elements apart. The tile overwrites the
    rings, which must not be in use any more. A barrier of the CTA follows, after which
    every thread may read the whole tile by `acc.unstage`.
  }];
  let arguments = (ins AccType:$acc, I32:$row, I32:$column, I64Attr:$rows, I64Attr:$pitch);
  let assemblyFormat = [{
    $acc `at` `(` $row `,` $column `)` `of` $rows `pitch` $pitch attr-dict `:` type($acc)
  }];
  let hasVerifier = 1;
}

def AccUnstageOp : TcgemmOp<"acc.unstage", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads one row segment of the tile written by acc.stage";
  let arguments = (ins I32:$row, I32:$column, I64Attr:$rows, I64Attr:$pitch);
  let results = (outs AccType:$acc);
  let assemblyFormat = [{
    `(` $row `,` $column `)` `of` $rows `pitch` $pitch attr-dict `:` type($acc)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Order barriers
//===----------------------------------------------------------------------===//

def OrderWaitOp : TcgemmOp<"order.wait"> {
  let summary = "Waits for the role's turn (ping-pong)";
  let description = [{
    `turn` is the index of a barrier; there is one for each role that waits. `threads`
    is the number of participating threads: those that wait and those that arrive.

    ```mlir
    tcgemm.order.wait turn 1 threads 256
    …                                      // all waits of the role for its tile
    tcgemm.order.arrive turn 0 threads 256
    ```
  }];
  let arguments = (ins I64Attr:$turn, I64Attr:$threads);
  let assemblyFormat = "`turn` $turn `threads` $threads attr-dict";
  let hasVerifier = 1;
}

def OrderArriveOp : TcgemmOp<"order.arrive"> {
  let summary = "Passes the turn to another role";
  let description = [{
    Does not wait. Before the first turn, another role must arrive once for the role
    that starts.
  }];
  let arguments = (ins I64Attr:$turn, I64Attr:$threads);
  let assemblyFormat = "`turn` $turn `threads` $threads attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

def EpilogueOp : TcgemmOp<"epilogue", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "Evaluates an elementwise body over an accumulator and stores";
  let description = [{
    Evaluates the body for every element of the accumulator whose (m, n) is below
    (`extentM`, `extentN`). The arguments of the body are that element, that of `second`,
    an accumulator of the same type, if there is one, and the elements of the inputs at
    the coordinates in `dims`. The yielded values are stored to the
    outputs. `outer` are the coordinates along `c` and `d`. The sums of f16 of a `wmma`
    accumulator are extended to f32 for a body of f32.
    `strides` has one stride for each dimension except the innermost, operand
    by operand. An entry of `guards` other than -1 is the index of a scalar: the input
    is read only if that scalar is not 0.

    `staging` is the size in bytes of the shared memory in which the stores are
    arranged. Each warp has an equal part of it. Outside roles this memory overwrites
    the rings, which must not be in use any more. Inside a role it is separate memory,
    because the other roles still use the rings: a box (`getStoreBox`) for each
    warpgroup. Every warp writes and then stores its own part of the box.

    With `maps`, one for each output, a role stores by TMA instead. It stores chunks of
    the size of the maps' boxes, through `buffers` staging tiles for each warpgroup. A
    staging tile is written again after the store that last read it. There are no
    `outputs` then, and the last entries of `dims` are those of the maps. `transposed`
    states that the accumulator's rows are the output's columns.

    Inputs with `early` are loaded to registers before the first `ring.wait` of the
    operation's block, while the first stages are being copied. The block is that of a
    role, of a program without roles, or of such a program's loop over tiles. All operands
    except the accumulator must be defined there.

    With `streaming`, matrices in `inputs` and `outputs` are loaded and stored with the
    attribute `nontemporal`. `streaming` takes an accumulator of `mma_sync` or `simt`, and
    neither `staging` nor `maps`.

    `in_place` states that an input may be the same buffer as an output. An element
    beyond the extents is then not replaced by an element inside, which another thread
    may be writing.

    With `maps`, inputs may be `staged` in a stage of a ring. An entry of `staged` other
    than -1 is the index of the tile that holds the input. That tile has a box for each
    stored chunk, in the order of the stores, warpgroup by warpgroup.

    After the values of the outputs, the body yields a value for each of `reductions`.
    The values of the accumulator's elements inside the extents are combined, and the
    results are stored to `partials`. The accumulator with its corner at (m, n) has
    number m / rows and n / columns of `getPartialTile`, and some warps or threads store a
    result each. The partial result i of a slot s and of batch b, where i is m, n or 0, is
    at s · [0] + b · [1] + i of its two `partial_strides`. `tcgemm.partials.combine`
    combines the slots.
  }];
  let arguments = (ins AccType:$acc, Optional<AccType>:$second, I32:$batch, I32:$m,
    I32:$n, Variadic<I32>:$outer, I32:$extentM, I32:$extentN, Variadic<AnyMemRef>:$inputs,
    Variadic<AnyType>:$scalars, Variadic<AnyMemRef>:$outputs, Variadic<I64>:$strides,
    Variadic<TensorMapType>:$maps, Optional<RingType>:$ring, Optional<TokenType>:$token,
    Variadic<AnyMemRef>:$partials, Variadic<I64>:$partial_strides, StrArrayAttr:$dims,
    DenseI64ArrayAttr:$argument_order, DenseI64ArrayAttr:$guards,
    OptionalAttr<I64Attr>:$staging, DefaultValuedAttr<I64Attr, "0">:$buffers,
    UnitAttr:$transposed, UnitAttr:$early, UnitAttr:$streaming,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$staged_tiles, UnitAttr:$in_place,
    OptionalAttr<TypedArrayAttrBase<AnyAttr, "array of #tcgemm.partial">>:$reductions);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $acc (`with` $second^ `:` type($second))? `at` `(` $batch `,` $m `,` $n `)`
    (`outer` `(` $outer^ `)`)?
    `of` `(` $extentM `,` $extentN `)` (`inputs` `(` $inputs^ `:` type($inputs) `)`)?
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    (`outputs` `(` $outputs^ `:` type($outputs) `)`)?
    (`strides` `(` $strides^ `)`)?
    (`maps` `(` $maps^ `:` type($maps) `)`)? (`buffers` $buffers^)?
    (`staged` $staged_tiles^ `in` $ring `,` $token `:` type($ring) `,` type($token))?
    `dims` $dims `arguments` $argument_order `guards` $guards (`staging` $staging^)?
    (`transposed` $transposed^)? (`early` $early^)? (`streaming` $streaming^)?
    (`in_place` $in_place^)?
    (`reductions` $reductions^ `to` $partials `strides` $partial_strides
     `:` type($partials))? $body attr-dict `:` type($acc)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns whether the result is stored through shared memory in boxes: by
    /// TMA, or by the threads of a role.
    bool storesBoxes() {
      return !getMaps().empty() ||
             (getStaging() && getAcc().getType().getLayout() == AccLayout::Wgmma);
    }
    /// The number of outputs, in buffers or through maps.
    size_t getNumStored() { return getOutputs().size() + getMaps().size(); }
    /// Returns whether inputs need registers in addition to those of the
    /// results.
    bool readsInputsLate() { return !getInputs().empty() && !getEarly(); }
    /// The box of one output. Requires storesBoxes().
    TileType getBox(unsigned output);
    /// The tile of the ring's stage that holds an input; -1 if none does.
    int64_t getStagedTile(unsigned input) {
      return getStagedTiles().empty() ? -1 : getStagedTiles()[input];
    }
    size_t getNumReductions() { return getPartials().size(); }
    /// The number of the body's arguments that are elements of accumulators.
    unsigned getNumSums() { return getSecond() ? 2 : 1; }
    PartialAttr getPartial(unsigned index) {
      return ::llvm::cast<PartialAttr>((*getReductions())[index]);
    }
  }];
}

def PartialsCombineOp : TcgemmOp<"partials.combine"> {
  let summary = "Combines the partial results that epilogues stored";
  let description = [{
    Combines, for each r < `results`, `lanes` at most, the partial results at `offset` + r +
    i · `stride` with i < `count`, and the reduction's initial value. Stores the result to
    `output` at `output_offset` + r · `output_stride`. All threads of the CTA execute it
    together. Thread t combines those of r = t mod `lanes` with i = t / `lanes`, and every
    threads / `lanes` after it. Then these results are combined in shared memory. The
    order is the same in every run. The partial results are states of the combiner; the
    output is the result of the last state.
  }];
  let arguments = (ins AnyMemRef:$partials, I64:$offset, I64:$count, I64:$stride,
                       AnyMemRef:$output, I64:$output_offset, I64:$output_stride,
                       I32:$results, I64Attr:$lanes,
                       AnyAttr:$reduction);
  let assemblyFormat = [{
    $partials `[` $offset `]` `by` $reduction `count` $count `stride` $stride
    `to` $output `[` $output_offset `]` `stride` $output_stride
    `results` $results `of` $lanes attr-dict `:` type($partials) `,` type($output)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ReductionAttr getInfo() { return ::llvm::cast<ReductionAttr>(getReduction()); }
    /// Bytes of shared memory: a value for each thread of the program.
    int64_t getScratchBytes();
  }];
}

def PrefetchOp : TcgemmOp<"prefetch", [AttrSizedOperandSegments]> {
  let summary = "Fetches a block of an epilogue's input into the L2 cache";
  let description = [{
    Fetches `rows` x `columns` elements of the input, starting at (m, n), as far as they
    are below (`extentM`, `extentN`). An input with one dimension has rows or columns
    only. Each warpgroup of the role fetches one such block, divided among its threads
    by cache lines; in a program without roles, all threads fetch one. With `guard`, the
    block is fetched only if that scalar is not 0. `dims` and `strides` are as in
    `tcgemm.epilogue`.
  }];
  let arguments = (ins AnyMemRef:$input, I32:$batch, I32:$m, I32:$n,
    Variadic<I32>:$outer, I32:$extentM, I32:$extentN, Variadic<I64>:$strides,
    Optional<AnyType>:$guard, StrAttr:$dims,
    I64Attr:$rows, I64Attr:$columns);
  let assemblyFormat = [{
    $input `at` `(` $batch `,` $m `,` $n `)` (`outer` `(` $outer^ `)`)?
    `of` `(` $extentM `,` $extentN `)` (`strides` `(` $strides^ `)`)?
    (`guard` `(` $guard^ `:` type($guard) `)`)?
    `dims` $dims `size` $rows $columns attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

def TmaStoreOp : TcgemmOp<"tma.store"> {
  let summary = "Stores an accumulator through shared memory by TMA";
  let description = [{
    Stores chunks of the size of the map's box, through `buffers` staging tiles for each
    warpgroup of the role. Waits for the store that last read a staging tile before the
    tile is written again. `coordinates` is the position of the accumulator's first
    element, innermost first.
  }];
  let arguments = (ins AccType:$acc, TensorMapType:$map, Variadic<I32>:$coordinates,
                       I64Attr:$buffers);
  let assemblyFormat = [{
    $acc `to` $map `[` $coordinates `]` `buffers` $buffers attr-dict
    `:` type($acc) `,` type($map)
  }];
  let hasVerifier = 1;
}

def TmaAwaitOp : TcgemmOp<"tma.await"> {
  let summary = "Waits until the role's TMA stores have read their staging tiles";
  let description = [{
    Follows the last `tma.store` of a role. The CTA must not end, and thereby free its
    shared memory, while a store reads it.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TCGEMM_DIALECT_TCGEMMPRODUCTOPS_TD
