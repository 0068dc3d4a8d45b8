//===- TcgemmTileOps.td - Programs, rings and copies -------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMTILEOPS_TD
#define TCGEMM_DIALECT_TCGEMMTILEOPS_TD

include "tcgemm/Dialect/TcgemmTypes.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Program and roles
//===----------------------------------------------------------------------===//

def ProgramOp : TcgemmOp<"program", [FunctionOpInterface, IsolatedFromAbove,
                                     AutomaticAllocationScope]> {
  let summary = "The code of one CTA";
  let description = [{
    A GPU entry point. `threads` is the CTA's size, `chip` the target chip, `cluster`
    the number of CTAs in a cluster. `may_spill` accepts register spills: the program is
    a fallback for problems that the configuration's own program cannot compute, or the
    configuration was not chosen explicitly. With `algebra`, products and sums of
    accumulators compute its operations, and accumulators start with its neutral value.
    The verifier checks the use of rings, tokens, phases, accumulators and shared memory
    over the whole body; docs/rationale/tile-level.md lists the rules.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type, I64Attr:$threads, StrAttr:$chip,
    DefaultValuedAttr<I64Attr, "1">:$cluster,
    DefaultValuedAttr<I64Attr, "0">:$min_ctas,
    DefaultValuedAttr<I64Attr, "0">:$max_registers, UnitAttr:$may_spill,
    OptionalAttr<AlgebraAttr>:$algebra, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::mlir::FunctionType":$type, "int64_t":$threads, "::llvm::StringRef":$chip)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// How products combine elements, and reduce the results.
    Algebra getProductAlgebra() {
      return getAlgebra() ? getAlgebra()->getValue() : Algebra();
    }
    /// Bytes of shared memory that the program needs: rings and staging tiles.
    int64_t getSharedMemory();
    /// Returns whether the program waits for the preceding grids, so that it
    /// may be launched before they have ended.
    bool waitsForGrids();
  }];
}

def ReturnOp : TcgemmOp<"return", [Pure, Terminator, HasParent<"ProgramOp">]> {
  let summary = "Terminates a program";
  let assemblyFormat = "attr-dict";
}

def RoleKindAttr : EnumAttr<TcgemmDialect, RoleKind, "role_kind"> {
  let assemblyFormat = "$value";
}

def RoleOp : TcgemmOp<"role", [NoTerminator, SingleBlock]> {
  let summary = "Code that some of the CTA's warps execute, concurrently with the other roles";
  let description = [{
    `warps` is the half-open range of warps, `registers` the operand of setmaxnreg. The
    regions of a program's roles are executed concurrently. They communicate through
    rings and named barriers only. All threads of a role execute its code, except that
    one thread issues a producer's TMA copies. If a producer has no other copies, that
    thread executes the whole role.

    ```mlir
    tcgemm.role producer warps [0, 4] registers 24 { … }
    tcgemm.role consumer warps [4, 8] registers 240 { … }
    ```
  }];
  let arguments = (ins RoleKindAttr:$kind, DenseI64ArrayAttr:$warps,
                       OptionalAttr<I64Attr>:$registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind `warps` $warps (`registers` $registers^)? $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getNumWarps() { return getWarps()[1] - getWarps()[0]; }
    /// Returns whether the role's threads copy into `ring` by loader.copy.
    /// Without `ring`, whether they copy into any ring.
    bool copiesByThreads(::mlir::Value ring = {});
    /// Returns whether the role's acquires of a stage of `ring` announce the
    /// bytes of TMA copies, which is an arrival.
    bool announcesBytes(::mlir::Value ring);
    /// The number of the role's arrivals at the full barrier of a stage of `ring`:
    /// one that announces bytes, and one of each thread if the threads copy.
    int64_t getFullArrivals(::mlir::Value ring);
    /// Bytes of shared memory in which the role's stores are arranged.
    int64_t getStagingBytes();
  }];
}

def WarpgroupOp : TcgemmOp<"warpgroup", [Pure, ParentOneOf<["RoleOp"]>]> {
  let summary = "The index of the executing warpgroup within its role";
  let assemblyFormat = "attr-dict `:` type($number)";
  let results = (outs I32:$number);
}

def ElectOp : TcgemmOp<"elect", [NoTerminator, SingleBlock]> {
  let summary = "Code that one thread of a consumer executes";
  let description = [{
    Lets a consumer fill a ring that no other role reads, for instance with the inputs
    of its epilogue:

    ```mlir
    tcgemm.elect {
      %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
      tcgemm.tma.load %map[%n, %m] to %ring, %state, %w tile 0 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

//===----------------------------------------------------------------------===//
// Other grids
//===----------------------------------------------------------------------===//

def GridWaitOp : TcgemmOp<"grid.wait"> {
  let summary = "Waits until the grids on which this one depends have ended";
  let description = [{
    For programs that are launched before the preceding grid of the stream has ended
    (programmatic dependent launch, sm_90 and up). After it, the writes of those grids
    are visible to the thread, and the thread may overwrite memory that they have read.
    The operation has no effect in a program without such a launch.

    Must be in the program's own block, or in the block of each role that accesses
    global memory, before all of these accesses. Code that does not access global
    memory, such as barriers and index arithmetic, may precede it.
  }];
  let assemblyFormat = "attr-dict";
}

def GridLaunchDependentsOp : TcgemmOp<"grid.launch_dependents"> {
  let summary = "Lets the grids that depend on this one start";
  let description = [{
    The dependent grids start once each CTA of this grid has executed the operation or
    has ended. Their CTAs use the resources that the CTAs of this grid free, prepare
    themselves, and wait for the end of this grid by `grid.wait`. This grid must
    therefore wait for its preceding grids too. Otherwise it might end before them.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tile loop
//===----------------------------------------------------------------------===//

def RasterOp : TcgemmOp<"raster", [Pure, AttrSizedOperandSegments]> {
  let summary = "Maps a linear index to an output tile and a slice of k";
  let description = [{
    `along_m` gives the direction of consecutive indices. `group` is the width of a band
    of tiles; a band is finished before the next one starts, for reuse in L2. With
    `slices_inner` the slices of one tile have consecutive indices, otherwise all tiles
    of slice 0 come first. Without `batched` there is one batch only, which saves
    divisions. `reciprocals` replace two divisions, which would delay the first copy of
    a launch, by multiplications. They are 2^62 / d, rounded up: for the number d of
    tiles in a whole band, and for the width d of the last band (at least 1). `diagonal`
    has no bands: index p of R x C tiles is row p mod R and column (p mod R + p div R)
    mod C.
  }];
  let arguments = (ins I32:$linear, I32:$tilesM, I32:$tilesN, I32:$slices,
    Optional<I64>:$bandReciprocal, Optional<I64>:$lastReciprocal,
    BoolAttr:$along_m, I64Attr:$group, BoolAttr:$slices_inner,
    DefaultValuedAttr<BoolAttr, "true">:$batched, UnitAttr:$diagonal);
  let results = (outs I32:$batch, I32:$m, I32:$n, I32:$slice);
  let assemblyFormat = [{
    $linear `of` $tilesM `x` $tilesN `slices` $slices `along_m` $along_m
    `group` $group `slices_inner` $slices_inner (`batched` $batched^)?
    (`diagonal` $diagonal^)?
    (`reciprocals` `(` $bandReciprocal^ `,` $lastReciprocal `)`)? attr-dict
  }];
}

/// i32 offsets in global memory.
def OffsetsMemRef : MemRefRankOf<[I32], [1]>;

def GroupTilesOp : TcgemmOp<"group_tiles", [MemoryEffects<[MemRead]>]> {
  let summary = "Counts the tiles of all groups of rows";
  let description = [{
    Group i has the rows from `offsets[i - 1]` (0 for the first group) to `offsets[i]`,
    as far as the groups before it have left them and they are below `extent`. The
    result is the sum of the numbers of tiles with `rows` rows that the `groups` groups
    need. No tile has rows of two groups.

    `padded` groups have the rows of a matrix each, from 0 on. `offsets` are then the
    numbers of their rows, as far as these are from 0 to `extent`.
  }];
  let arguments = (ins OffsetsMemRef:$offsets, I32:$groups, I32:$extent,
                       ConfinedAttr<I64Attr, [IntPositive]>:$rows, UnitAttr:$padded);
  let results = (outs I32:$tiles);
  let assemblyFormat = [{
    (`padded` $padded^)? $offsets `of` $groups `below` $extent `rows` $rows attr-dict
    `:` type($offsets)
  }];
}

def GroupLocateOp : TcgemmOp<"group_locate", [MemoryEffects<[MemRead]>]> {
  let summary = "Finds the group of rows that has a tile";
  let description = [{
    The groups are those of `tcgemm.group_tiles`. Each of their tiles of rows stands for
    `columns` tiles of the output, and these are numbered group after group. `tile` must
    be less than their number. The search starts at the group `from`, with `before` tiles
    before it and its first row `at`; `tile` must not be before it.

    The results are the tile's group, the tiles before that group, its first row, and the
    end of its rows.
  }];
  let arguments = (ins OffsetsMemRef:$offsets, I32:$extent, I32:$tile, I32:$columns,
                       I32:$from, I32:$tiles_before, I32:$at,
                       ConfinedAttr<I64Attr, [IntPositive]>:$rows, UnitAttr:$padded);
  let results = (outs I32:$group, I32:$before, I32:$start, I32:$end);
  let assemblyFormat = [{
    (`padded` $padded^)? $offsets `below` $extent `rows` $rows `tile` $tile `columns` $columns
    `from` `(` $from `,` $tiles_before `,` $at `)` attr-dict `:` type($offsets)
  }];
}

def GroupRangeOp : TcgemmOp<"group_range", [MemoryEffects<[MemRead]>]> {
  let summary = "The part of a dimension that a group has";
  let description = [{
    Group `group` has the elements from `offsets[group - 1]` (0 for the first group) to
    `offsets[group]`. The results are these ends, as far as they are from 0 to `extent`.
    The end is not before the start.
  }];
  let arguments = (ins OffsetsMemRef:$offsets, I32:$extent, I32:$group);
  let results = (outs I32:$start, I32:$end);
  let assemblyFormat = [{
    $offsets `below` $extent `group` $group attr-dict `:` type($offsets)
  }];
}

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

def RingCreateOp : TcgemmOp<"ring.create", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocates a ring in shared memory";
  let description = [{
    For an mbarrier ring, `full_arrivals` is the number of arrivals that complete a full
    barrier, in addition to the bytes of TMA copies: for each producer, one for its TMA
    copies and one for every thread that publishes. `empty_arrivals` is the number of
    arrivals that complete an empty barrier: those of the consumers that read the stage,
    times the number of CTAs that receive a multicast copy into it.
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$full_arrivals,
                       DefaultValuedAttr<I64Attr, "1">:$empty_arrivals);
  let results = (outs RingType:$ring);
  let assemblyFormat = [{
    (`full_arrivals` $full_arrivals^)? (`empty_arrivals` $empty_arrivals^)?
    attr-dict `:` type($ring)
  }];
  let hasVerifier = 1;
}

def RingStartOp : TcgemmOp<"ring.start", [Pure]> {
  let summary = "The position of the ring's use number `offset`";
  let arguments = (ins RingType:$ring, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs RingStateType:$state);
  let assemblyFormat = "$ring (`at` $offset^)? attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def RingAdvanceOp : TcgemmOp<"ring.advance", [Pure]> {
  let summary = "The next position, or the position `by` uses later";
  let description = [{
    A role that advances by more than one use skips phases of the barriers. A wait for a
    phase's parity cannot distinguish that phase from the phase two later. The skip is
    therefore valid only if an order barrier keeps the roles within one round of each
    other (ping-pong).
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state, Optional<I32>:$by);
  let results = (outs RingStateType:$next);
  let assemblyFormat = "$ring `,` $state (`by` $by^)? attr-dict `:` type($ring)";
}

def RingAcquireOp : TcgemmOp<"ring.acquire"> {
  let summary = "Waits until a stage may be written";
  let description = [{
    In a `cp_async` ring, the barrier of an earlier `ring.wait` has freed the stage. A
    ring of one stage has no such wait: there `ring.acquire` is the barrier.
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state);
  let results = (outs TokenType:$token);
  let assemblyFormat = "$ring `,` $state attr-dict `:` type($ring) `->` type($token)";
  let hasVerifier = 1;
}

def RingCommitOp : TcgemmOp<"ring.commit"> {
  let summary = "Ends the writing of a stage";
  let description = [{
    The copies by `loader.copy` since the last commit become a group. The result is the
    token of that group. An mbarrier ring has groups only if such copies fill the stage
    or a part of it. TMA copies complete the stage by the transaction count; if TMA
    copies the whole stage, there is no result.
  }];
  let arguments = (ins RingType:$ring, TokenType:$token);
  let results = (outs Optional<TokenType>:$inFlight);
  let assemblyFormat = "$ring `,` $token attr-dict `:` type($ring) `,` "
                       "type($token) (`->` type($inFlight)^)?";
  let hasVerifier = 1;
}

def RingEmptyGroupOp : TcgemmOp<"ring.empty_group"> {
  let summary = "A group without copies, as the initial value of a loop that carries groups";
  let description = [{
    The group belongs to no stage of its mbarrier ring. `ring.publish` consumes it and
    signals nothing.
  }];
  let arguments = (ins RingType:$ring);
  let results = (outs TokenType:$token);
  let assemblyFormat = "$ring attr-dict `:` type($ring) `->` type($token)";
  let hasVerifier = 1;
}

def RingPublishOp : TcgemmOp<"ring.publish"> {
  let summary = "Waits for a group of copies and signals that their stage is full";
  let description = [{
    Applies to copies by a role's threads into an mbarrier ring. Consumes the token of a
    group and leaves `pending` younger groups in flight. Each thread then orders its
    copies before reads of the asynchronous proxy (those of `mma.async`), and arrives at
    the stage's full barrier.

    ```mlir
    %group = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    tcgemm.ring.publish %ring, %before pending 1 : !ring, !group
    ```
  }];
  let arguments = (ins RingType:$ring, TokenType:$token,
                       DefaultValuedAttr<I64Attr, "0">:$pending);
  let assemblyFormat = [{
    $ring `,` $token (`pending` $pending^)? attr-dict `:` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

def RingWaitOp : TcgemmOp<"ring.wait"> {
  let summary = "Waits until a stage may be read";
  let description = [{
    In a `cp_async` ring it consumes the token of the oldest group and leaves `pending`
    younger groups in flight. It is also a barrier of the CTA: stages that were released
    before it may be written after it.
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state,
    Optional<TokenType>:$inFlight, DefaultValuedAttr<I64Attr, "0">:$pending);
  let results = (outs TokenType:$token);
  let assemblyFormat = [{
    $ring `,` $state (`,` $inFlight^ `:` type($inFlight))?
    (`pending` $pending^)? attr-dict `:` type($ring) `->` type($token)
  }];
  let hasVerifier = 1;
}

def RingReleaseOp : TcgemmOp<"ring.release"> {
  let summary = "Ends the reading of a stage";
  let description = [{
    `arrivals` is the number of the role's arrivals at the empty barrier (in an mbarrier
    ring: one for each warp or for each warpgroup). `multicast` selects the CTAs whose
    barriers receive them; the mask is that of `tma.load`.
  }];
  let arguments = (ins RingType:$ring, TokenType:$token,
                       DefaultValuedAttr<I64Attr, "1">:$arrivals,
                       DefaultValuedAttr<I64Attr, "0">:$multicast);
  let assemblyFormat = [{
    $ring `,` $token (`arrivals` $arrivals^)? (`multicast` $multicast^)? attr-dict
    `:` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

def RingAwaitReleasesOp : TcgemmOp<"ring.await_releases"> {
  let summary = "Waits until all stages that were written have been released";
  let description = [{
    `state` is the position behind the role's last acquire of an mbarrier ring. Where
    CTAs of a cluster release each other's stages, a producer ends with it, so that no
    CTA ends while another one still signals its barriers.

    ```mlir
    tcgemm.ring.await_releases %ring, %end : !ring
    ```
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state);
  let assemblyFormat = "$ring `,` $state attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def RingMaskOp : TcgemmOp<"ring.mask"> {
  let summary = "Replaces elements of a stage's tile outside a band by zeros";
  let description = [{
    The rows and columns of tile `tile` are those of a matrix from `row` and `column` on.
    With `stack`, the tile is a stack of boxes of that many rows, which have the same rows
    of the matrix and neighbouring columns. All threads of the role take part, and wait for
    each other: after the operation, products may read what it wrote. Products of the
    stage must not have started before it.

    ```mlir
    tcgemm.ring.mask %ring, %state, %read tile 0 at %m, %k <"lower"> : !ring, <read>
    ```
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state, TokenType:$token,
    I32:$row, I32:$column, I64Attr:$tile, DefaultValuedAttr<I64Attr, "0">:$stack,
    BandAttr:$band);
  let assemblyFormat = [{
    $ring `,` $state `,` $token `tile` $tile (`stack` $stack^)? `at` $row `,` $column
    $band attr-dict `:` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

def RingTrimOp : TcgemmOp<"ring.trim"> {
  let summary = "Replaces the ends of a stage's tile along k by zeros";
  let description = [{
    The elements of tile `tile` from `left` on along k become zeros: all of them if `left`
    is not positive. So do those before `first`. k runs along the columns of the tile.
    With `stack`, the tile is a stack of boxes of that many rows, and k runs along the
    rows of each. All threads of the role take part, and wait for each other, as in
    `tcgemm.ring.mask`. Products of the stage must not have started before it.

    ```mlir
    tcgemm.ring.trim %ring, %state, %read tile 0 stack 64 left %left : !ring, <read>
    ```
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state, TokenType:$token,
    I32:$left, Optional<I32>:$first, I64Attr:$tile,
    DefaultValuedAttr<I64Attr, "0">:$stack);
  let assemblyFormat = [{
    $ring `,` $state `,` $token `tile` $tile (`stack` $stack^)? `left` $left
    (`from` $first^)? attr-dict `:` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

def RingDrainOp : TcgemmOp<"ring.drain"> {
  let summary = "Ends all use of a cp_async ring";
  let description = [{
    Consumes all remaining tokens of any kind, waits for all groups of copies, and is a
    barrier of the CTA. Afterwards the ring may be started again at any stage, or its
    memory may be used for other data.

    `landed` asserts that no copy is in flight: the remaining groups are empty, and no
    wait is needed. `ordered` asserts that no barrier is needed: a barrier already
    follows each read of the ring, or the memory is not used again.
  }];
  let arguments = (ins RingType:$ring, Variadic<TokenType>:$tokens,
                       UnitAttr:$landed, UnitAttr:$ordered);
  let assemblyFormat = [{
    $ring (`,` $tokens^)? (`landed` $landed^)? (`ordered` $ordered^)? attr-dict
    `:` type($ring) (`,` type($tokens)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def LoaderCreateOp : TcgemmOp<"loader.create", [Pure]> {
  let summary = "Prepares the copies of one operand's tiles by all threads of a role";
  let description = [{
    The operand is a matrix in global memory at `base`, with `stride` elements from one
    row to the next. `extent` is its size along m or n, and `offset` is the position of
    the CTA's tile along m or n. Elements beyond `extent` are zero. A tile with `sectors`
    has a `phase`: the number of elements between the start of a sector and the start of
    the copies of the operand's first row. Outside roles the threads are those of the
    CTA.
  }];
  let arguments = (ins AnyMemRef:$base, I64:$stride, I32:$offset, I32:$extent,
    Optional<I64>:$phase);
  let results = (outs LoaderType:$loader);
  let assemblyFormat = [{
    $base `stride` $stride `at` $offset `of` $extent (`phase` $phase^)? attr-dict
    `:` type($base) `->` type($loader)
  }];
  let hasVerifier = 1;
}

def LoaderStartOp : TcgemmOp<"loader.start", [Pure]> {
  let summary = "The thread's address, in elements, of the tile that starts at k";
  let arguments = (ins LoaderType:$loader, I64:$batchOffset, I32:$k);
  let results = (outs I64:$address);
  let assemblyFormat = "$loader `batch` $batchOffset `k` $k attr-dict `:` type($loader)";
}

def LoaderAdvanceOp : TcgemmOp<"loader.advance", [Pure]> {
  let summary = "The address that is `by` elements further along k";
  let arguments = (ins LoaderType:$loader, I64:$address, I32:$by);
  let results = (outs I64:$next);
  let assemblyFormat = "$loader `,` $address `by` $by attr-dict `:` type($loader)";
}

def LoaderCopyOp : TcgemmOp<"loader.copy"> {
  let summary = "Starts the copy of a tile, or one part of it, into a stage";
  let description = [{
    Starts part `part` of the `parts` parts of the thread's copies into tile `tile` of
    the stage, starting at the tile's row `row`. A tile whose rows run along k may be a
    stack of several tiles of the loader (see `mma.async`). With `k_valid`, only the
    first `k_valid` elements along k are read, and the others are zero. The operation
    does not commit the copies; `ring.commit` does.
  }];
  let arguments = (ins LoaderType:$loader, I64:$address, RingType:$ring,
    RingStateType:$state, TokenType:$token, Optional<I32>:$k_valid, I64Attr:$tile,
    DefaultValuedAttr<I64Attr, "0">:$part, DefaultValuedAttr<I64Attr, "1">:$parts,
    DefaultValuedAttr<I64Attr, "0">:$row);
  let assemblyFormat = [{
    $loader `,` $address `to` $ring `,` $state `,` $token `tile` $tile
    (`row` $row^)? `part` $part `of` $parts (`k_valid` $k_valid^)? attr-dict
    `:` type($loader) `,` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

def TmaLoadOp : TcgemmOp<"tma.load", [AttrSizedOperandSegments]> {
  let summary = "Starts a TMA copy of one box into a tile of a stage";
  let description = [{
    The box starts at `row` of the tile (0 by default). `multicast` is the set of the
    cluster's CTAs that receive the box. Bit x selects the CTA whose rank is this CTA's
    rank xor x; 0 means only this CTA. In a cluster of two, 3 selects both CTAs. In a
    cluster of four, 3 pairs the CTAs (0, 1) and (2, 3), and 5 pairs (0, 2) and (1, 3). A
    CTA sends to the same CTAs from which it receives.

    With `offsets` the map has a window, and the coordinates, C, W, H and N, are those of
    the box's first pixel. The offsets, of W and H, are added to those of each pixel.

    All copies into a tile may be in an `scf.if` of the block that acquires the stage. The
    `ring.acquire` announces the tile's bytes only if the condition is true, which must
    therefore be defined before it. Such copies have no multicast.
  }];
  let arguments = (ins TensorMapType:$map, Variadic<I32>:$coordinates,
    Variadic<I32>:$offsets,
    RingType:$ring, RingStateType:$state, TokenType:$token, Optional<I32>:$row,
    I64Attr:$tile, DefaultValuedAttr<I64Attr, "0">:$multicast);
  let assemblyFormat = [{
    $map `[` $coordinates `]` (`offsets` `[` $offsets^ `]`)? `to`
    $ring `,` $state `,` $token `tile` $tile
    (`row` $row^)? (`multicast` $multicast^)? attr-dict
    `:` type($map) `,` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

#endif // TCGEMM_DIALECT_TCGEMMTILEOPS_TD
