//===- TcgemmTypes.td - Types of the tile level ------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMTYPES_TD
#define TCGEMM_DIALECT_TCGEMMTYPES_TD

include "tcgemm/Dialect/TcgemmAttributes.td"

def PrecisionType : TcgemmType<"Precision", "precision"> {
  let summary = "An element of an operand whose products have a chosen precision";
  let description = [{
    ```mlir
    !tcgemm.precision<bf16x6>
    ```
    `tf32x3`, `bf16x3` and `bf16x6` are f32 in memory. Kernels split such an operand into
    a sum of parts of another type, here bf16, and add products of parts. `f16acc16` is
    f16 in memory. Instructions add its products in f16.
  }];
  let parameters = (ins "::tcgemm::ScalarType":$scalar);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Returns whether `type` is such a type. All others are types of MLIR.
    static bool has(::tcgemm::ScalarType type);
  }];
}

def InterleavedType : TcgemmType<"Interleaved", "interleaved"> {
  let summary = "An element of 4 bits of an operand whose rows are interleaved";
  let description = [{
    ```mlir
    !tcgemm.interleaved<u4i>
    ```
    `s4i` and `u4i` are i4 in memory. The elements of each 32 along k have the order in
    which lanes multiply them: see Target/ScalarType.h.
  }];
  let parameters = (ins "::tcgemm::ScalarType":$scalar);
  let hasCustomAssemblyFormat = 1;
}

def TileType : TcgemmType<"Tile", "tile"> {
  let summary = "A tile in shared memory: rows × columns, columns contiguous";
  let description = [{
    ```mlir
    !tcgemm.tile<128 x 64 x bf16, xor>
    ```
    `xor` permutes the 16-byte chunks of each row by the row's index. `pad` adds 16 bytes
    to each row. `b128`, `b64` and `b32` are TMA's swizzles for rows of 128, 64 and 32
    bytes. `sectors` is `xor` with some rows rotated by one chunk. The rotation keeps the
    two chunks of a 32-byte sector of global memory in one sector of shared memory. The
    rotated rows are known only at run time.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
    "::mlir::Type":$elementType, EnumParameter<Swizzle>:$swizzle);
  let assemblyFormat = "`<` $rows `x` $columns `x` $elementType `,` $swizzle `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes from one row to the next, padding included.
    int64_t getRowBytes() const;
    /// Bytes that the tile occupies.
    int64_t getBytes() const;
    /// The width of TMA's swizzle in bytes; 0 if the tile has no swizzle of TMA.
    int64_t getTmaSwizzle() const;
  }];
}

def RingType : TcgemmType<"Ring", "ring"> {
  let summary = "A ring of shared-memory stages, each holding the same tiles";
  let description = [{
    ```mlir
    !tcgemm.ring<4, cp_async, [!tcgemm.tile<128 x 64 x bf16, xor>,
                               !tcgemm.tile<256 x 64 x bf16, xor>]>
    ```
    A `cp_async` ring is filled and read by the same threads; a CTA-wide barrier
    in `ring.wait` publishes and recycles its stages. Each stage of an `mbarrier` ring
    has a full and an empty barrier.
  }];
  let parameters = (ins "int64_t":$stages, EnumParameter<RingKind>:$kind,
    ArrayRefParameter<"::tcgemm::TileType">:$tiles);
  let assemblyFormat = "`<` $stages `,` $kind `,` `[` $tiles `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of one stage; a multiple of 128 (1024 with a tile that TMA swizzles).
    int64_t getStageBytes() const;
    /// Offset of tile `index` inside a stage.
    int64_t getTileOffset(unsigned index) const;
    /// Bytes of an mbarrier ring's barriers.
    int64_t getBarrierBytes() const;
    /// Bytes of all stages and, for an mbarrier ring, its barriers.
    int64_t getBytes() const;
    /// Returns whether `ring.acquire` waits until all threads have read the stage.
    bool waitsForReaders() const {
      return getKind() == ::tcgemm::RingKind::CpAsync && getStages() == 1;
    }
  }];
}

def RingStateType : TcgemmType<"RingState", "ring_state"> {
  let summary = "A position in a ring: stage and, for mbarriers, phase";
}

def TokenType : TcgemmType<"Token", "token"> {
  let summary = "A linear token: one stage of a ring in one state";
  let description = [{
    `ring.acquire` produces a `write` token. `ring.commit` consumes it and, if threads
    copy, produces an `in_flight` token. That token is consumed by `ring.wait` in a
    `cp_async` ring and by `ring.publish` in an mbarrier ring. `ring.wait` produces a
    `read` token, and `ring.release` consumes it. Each token is consumed exactly once on
    every path.
  }];
  let parameters = (ins EnumParameter<TokenKind>:$kind);
  let assemblyFormat = "`<` $kind `>`";
}

def LoaderType : TcgemmType<"Loader", "loader"> {
  let summary = "The loop-invariant state with which a thread copies its part of a tile";
  let description = [{
    `bytes` is the width of one copy: 16, 8 or 4 (`cp.async`), or 2 (through
    registers). `k_contiguous` states whether rows in global memory run along k. The
    rows of the tile run in the same direction, unless the loader is `transposed`. A
    transposed loader copies element by element, and the tile's rows run along m or n.
    The threads of a role round elements of tf32: they copy one at a time, too.

    A thread makes `row_copies` copies of each of its rows, which are that part of the
    row apart: the fewer threads share a row, the more rows they copy at a time.

    ```mlir
    !tcgemm.loader<<16 x 36 x f32, none>, bytes = 16, k_contiguous = false,
                   threads = 192 row_copies = 3>
    ```
  }];
  let parameters = (ins "::tcgemm::TileType":$tile, "int64_t":$bytes,
    "bool":$kContiguous, "int64_t":$threads,
    DefaultValuedParameter<"int64_t", "1">:$rowCopies,
    DefaultValuedParameter<"bool", "false">:$transposed);
  let builders = [TypeBuilder<(ins "::tcgemm::TileType":$tile, "int64_t":$bytes,
    "bool":$kContiguous, "int64_t":$threads, "bool":$transposed), [{
      return $_get($_ctxt, tile, bytes, kContiguous, threads, /*rowCopies=*/1,
                   transposed);
    }]>];
  let assemblyFormat = "`<` $tile `,` `bytes` `=` $bytes `,` `k_contiguous` `=` $kContiguous `,` "
                       "`threads` `=` $threads (`row_copies` `=` $rowCopies^)? "
                       "(`,` `transposed` `=` $transposed^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Rows and columns of the tile in global memory.
    int64_t getRows() const;
    int64_t getColumns() const;
    /// Elements that one copy moves.
    int64_t getVector() const;
    /// Returns whether the operand is rounded after the copy has read it.
    bool roundsElements() const;
    /// Number of copies of a row.
    int64_t getChunksPerRow() const;
    /// Threads that share a row, each with `row_copies` copies.
    int64_t getThreadsPerRow() const;
    /// Rows that one pass of all threads covers.
    int64_t getRowsPerPass() const;
    /// Rows from a thread's first copy to its copy number `copy`, and elements
    /// along the row.
    int64_t getRowOf(int64_t copy) const;
    int64_t getColumnOf(int64_t copy) const;
    /// Number of copies of each thread; some threads may not have the last one.
    int64_t getNumCopies() const;
    /// Returns whether the last pass has fewer copies than threads.
    bool hasPartialPass() const;
    /// Passes after which the swizzle of a thread's row repeats.
    int64_t getSwizzlePeriod() const;
  }];
}

def FragmentLayoutParameter : EnumParameter<AccLayout> {
  let defaultValue = "::tcgemm::AccLayout::MmaSync";
}

def FragmentType : TcgemmType<"Fragment", "fragment"> {
  let summary = "A warp's, warpgroup's or thread's operand of one k-step, in registers";
  let description = [{
    Without `runs` the fragment is an operand of a warp, for mma.sync or for accumulators
    of a wmma layout. With `runs` it is an operand of a thread, for a `simt` accumulator:
    `runs = [4, 64]` states that its rows are runs of 4, whose starts are 64 apart. A
    thread holds 8-bit elements in words of 4 neighbours along k. A fragment for `wgmma`
    is A of a warpgroup: whole units of 64 rows and 16 k.

    ```mlir
    !tcgemm.fragment<a, 64 x 16 x f16 for wmma_m16n16>
    !tcgemm.fragment<a, 128 x 32 x i4 for wgmma>
    !tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 64]>
    ```
  }];
  let parameters = (ins EnumParameter<FragmentRole>:$role, "int64_t":$rows,
    "int64_t":$depth, "::mlir::Type":$elementType, FragmentLayoutParameter:$layout,
    OptionalArrayRefParameter<"int64_t">:$runs);
  let builders = [TypeBuilder<(ins "::tcgemm::FragmentRole":$role,
    "int64_t":$rows, "int64_t":$depth, "::mlir::Type":$elementType,
    "::llvm::ArrayRef<int64_t>":$runs), [{
      return $_get($_ctxt, role, rows, depth, elementType,
                   ::tcgemm::AccLayout::MmaSync, runs);
    }]>, TypeBuilder<(ins "::tcgemm::FragmentRole":$role,
    "int64_t":$rows, "int64_t":$depth, "::mlir::Type":$elementType,
    CArg<"::tcgemm::AccLayout", "::tcgemm::AccLayout::MmaSync">:$layout), [{
      return $_get($_ctxt, role, rows, depth, elementType, layout,
                   ::llvm::ArrayRef<int64_t>());
    }]>];
  let assemblyFormat = "`<` $role `,` $rows `x` $depth `x` $elementType (`for` $layout^)? "
                       "(`,` `runs` `=` `[` $runs^ `]`)? `>`";
  let genVerifyDecl = 1;
}

def AccType : TcgemmType<"Acc", "acc"> {
  let summary = "An accumulator of rows × columns in the registers of a warp, warpgroup or thread";
  let description = [{
    The layout maps elements to lanes and registers. `in_flight` marks the accumulator of
    an asynchronous product that has not been awaited. Only `mma.async` and `mma.await`
    accept such an accumulator. The `wmma` layouts are matrices of the instruction's size
    with an unspecified mapping of elements. A `simt` accumulator belongs to one thread;
    its rows and columns are `runs`, as in a fragment.

    Its elements are f32 unless the type names another type.

    ```mlir
    !tcgemm.acc<8 x 8, simt runs = [4, 64, 4, 64]>
    !tcgemm.acc<64 x 128 of i32, wgmma>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
    DefaultValuedParameter<"::mlir::Type", "::mlir::Float32Type::get($_ctxt)">:$elementType,
    EnumParameter<AccLayout>:$layout, DefaultValuedParameter<"bool", "false">:$inFlight,
    OptionalArrayRefParameter<"int64_t">:$runs);
  let builders = [TypeBuilderWithInferredContext<(ins "int64_t":$rows, "int64_t":$columns,
    "::mlir::Type":$elementType, "::tcgemm::AccLayout":$layout,
    CArg<"bool", "false">:$inFlight,
    CArg<"::llvm::ArrayRef<int64_t>", "{}">:$runs), [{
      return $_get(elementType.getContext(), rows, columns, elementType, layout,
                   inFlight, runs);
    }]>];
  let skipDefaultBuilders = 1;
  let assemblyFormat = "`<` $rows `x` $columns (`of` $elementType^)? `,` $layout "
                       "(`runs` `=` `[` $runs^ `]`)? "
                       "(`,` `in_flight` `=` $inFlight^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Rows and columns from the accumulator's first element to its last, both
    /// included, that one thread (`simt`) or all threads hold.
    int64_t getRowExtent() const;
    int64_t getColumnExtent() const;
  }];
}

def ScalesLayoutParameter : EnumParameter<AccLayout> {
  let defaultValue = "::tcgemm::AccLayout::Wgmma";
}

def ScalesType : TcgemmType<"Scales", "scales"> {
  let summary = "Scales of the rows or columns of an accumulator, in registers";
  let description = [{
    Side `a` has a scale for each of the `extent` rows of an accumulator. Side `b` has one
    for each of its `extent` columns. With the layout `wgmma`, the default, it has one for
    each group of g columns, where g is the greatest common divisor of `extent` and 128. A
    block of B has 128 columns, and the accumulator's first column is a multiple of
    `extent`, so that a group lies in one block. A thread has the scales of the elements
    that it holds, as f32.

    ```mlir
    !tcgemm.scales<a, 64>
    !tcgemm.scales<b, 32, mma_sync>
    ```
  }];
  let parameters = (ins EnumParameter<FragmentRole>:$side, "int64_t":$extent,
    ScalesLayoutParameter:$layout);
  let builders = [TypeBuilder<(ins "::tcgemm::FragmentRole":$side, "int64_t":$extent), [{
    return $_get($_ctxt, side, extent, ::tcgemm::AccLayout::Wgmma);
  }]>];
  let assemblyFormat = "`<` $side `,` $extent (`,` $layout^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The scales that a thread has.
    int64_t getNumRegisters() const;
    /// The distance of a thread's scale `index` from its first.
    int64_t getDistance(int64_t index) const;
    /// The scales after one another that are those of one block in memory.
    int64_t getScalesOfBlock() const;
  }];
}

def ZeroPointsLayoutParameter : EnumParameter<AccLayout> {
  let defaultValue = "::tcgemm::AccLayout::MmaSync";
}

def ZeroPointsType : TcgemmType<"ZeroPoints", "zero_points"> {
  let summary = "Zero points of the rows or columns of a fragment of 4-bit elements";
  let description = [{
    There is one for each of the `extent` rows of A or columns of B. A thread has those of
    the elements that it holds, as i32. The layout is `mma_sync`, the default, or `wgmma`
    for the rows of its A.

    ```mlir
    !tcgemm.zero_points<b, 32>
    !tcgemm.zero_points<a, 64, wgmma>
    ```
  }];
  let parameters = (ins EnumParameter<FragmentRole>:$side, "int64_t":$extent,
    ZeroPointsLayoutParameter:$layout);
  let builders = [TypeBuilder<(ins "::tcgemm::FragmentRole":$side, "int64_t":$extent), [{
    return $_get($_ctxt, side, extent, ::tcgemm::AccLayout::MmaSync);
  }]>];
  let assemblyFormat = "`<` $side `,` $extent (`,` $layout^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The zero points that a thread has.
    int64_t getNumRegisters() const;
  }];
}

def GroupValuesType : TcgemmType<"GroupValues", "group_values"> {
  let summary = "Scales or zero points of four groups of k, in registers";
  let description = [{
    The four lanes that have the same rows of an accumulator of `wgmma` have these rows'
    values of one group each. The first group's number is a multiple of 4.

    ```mlir
    !tcgemm.group_values<f16, 64>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$rows);
  let assemblyFormat = "`<` $elementType `,` $rows `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The values that a thread has: 2 of 64 rows.
    int64_t getNumRegisters() const { return getRows() / 32; }
  }];
}

def ScalesBufferType : TcgemmType<"ScalesBuffer", "scales_buffer"> {
  let summary = "Shared memory for the scales of several blocks of k";
  let description = [{
    Each warp of a role has a part of its own, with `slots` slots. A slot has the scales
    of the warp's rows (side `a`), or of all columns (side `b`), of a `wgmma` accumulator
    with `extent` rows or columns.

    ```mlir
    !tcgemm.scales_buffer<a, 64, 4>
    ```
  }];
  let parameters = (ins EnumParameter<FragmentRole>:$side, "int64_t":$extent,
                        "int64_t":$slots);
  let assemblyFormat = "`<` $side `,` $extent `,` $slots `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The scales of one slot.
    int64_t getSlotElements() const;
    /// The bytes of all slots of one warp.
    int64_t getWarpBytes() const { return 4 * getSlots() * getSlotElements(); }
    /// The scales that a thread reads from a slot.
    ScalesType getScales() const;
  }];
}

def TensorMapType : TcgemmType<"TensorMap", "tensor_map"> {
  let summary = "A TMA descriptor for boxes of one tile, passed by value";
  let parameters = (ins "::tcgemm::TileType":$box);
  let assemblyFormat = "`<` $box `>`";
}

#endif // TCGEMM_DIALECT_TCGEMMTYPES_TD
