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
    A GPU entry point. `threads` is the CTA's size, `chip` what it is for,
    `cluster` the number of CTAs in a cluster. A program that `may_spill` is not
    one that was asked for just so: it serves what a configuration's own program
    cannot, or nobody has chosen the configuration. The verifier checks the
    discipline of rings, tokens, phases, accumulators and shared memory over the
    whole body: docs/rationale/tile-level.md has the rules.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type, I64Attr:$threads, StrAttr:$chip,
    DefaultValuedAttr<I64Attr, "1">:$cluster,
    DefaultValuedAttr<I64Attr, "0">:$min_ctas,
    DefaultValuedAttr<I64Attr, "0">:$max_registers, UnitAttr:$may_spill,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::mlir::FunctionType":$type, "int64_t":$threads, "::llvm::StringRef":$chip)>];
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// Bytes of shared memory that the program needs: rings and staging tiles.
    int64_t getSharedMemory();
    /// Whether the program waits for the grids ahead, so that it may be launched
    /// before they have ended.
    bool waitsForGrids();
  }];
}

def ReturnOp : TcgemmOp<"return", [Pure, Terminator, HasParent<"ProgramOp">]> {
  let summary = "Ends a program";
  let assemblyFormat = "attr-dict";
}

def RoleKindAttr : EnumAttr<TcgemmDialect, RoleKind, "role_kind"> {
  let assemblyFormat = "$value";
}

def RoleOp : TcgemmOp<"role", [NoTerminator, SingleBlock]> {
  let summary = "Code that some of the CTA's warps run, concurrently with the other roles";
  let description = [{
    `warps` is the half-open range of warps, `registers` what setmaxnreg asks
    for. The regions of a program's roles run concurrently; all that passes
    between them goes through rings and named barriers. All threads of a role run
    its code, but one alone makes a producer's TMA copies; where it makes no others,
    that one runs all of it.

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
    /// Whether the role's threads copy into `ring` by loader.copy, or by any where
    /// none is given.
    bool copiesByThreads(::mlir::Value ring = {});
    /// Whether the role's acquires of a stage of `ring` announce the bytes of TMA
    /// copies, which is an arrival.
    bool announcesBytes(::mlir::Value ring);
    /// The role's arrivals at the full barrier of a stage of `ring`: that of the
    /// bytes announced, and those of its threads where they make copies.
    int64_t getFullArrivals(::mlir::Value ring);
    /// Bytes of shared memory that the role's stores are arranged in.
    int64_t getStagingBytes();
  }];
}

def WarpgroupOp : TcgemmOp<"warpgroup", [Pure, ParentOneOf<["RoleOp"]>]> {
  let summary = "The number of the running warpgroup within its role";
  let assemblyFormat = "attr-dict `:` type($number)";
  let results = (outs I32:$number);
}

def ElectOp : TcgemmOp<"elect", [NoTerminator, SingleBlock]> {
  let summary = "Code that one thread of a consumer runs";
  let description = [{
    So that a consumer can fill a ring that it alone reads, for instance with what
    its epilogue will need:

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

def ClusterSyncOp : TcgemmOp<"cluster.sync"> {
  let summary = "A barrier for all threads of the cluster";
  let description = [{
    Stands at the end of a program whose CTAs write or signal each other's shared
    memory, so that no CTA ends while another may still reach it. (Its start needs
    none: creating a ring synchronises the cluster.)
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Other grids
//===----------------------------------------------------------------------===//

def GridWaitOp : TcgemmOp<"grid.wait"> {
  let summary = "Waits until the grids that this one depends on have ended";
  let description = [{
    For programs that are launched before the grid ahead of them in the stream has
    ended (programmatic dependent launch, sm_90 and up). Behind it the thread sees
    all that those grids have written, and may overwrite what they have read. In
    a program launched otherwise it does nothing.

    Stands in the program's own block, or in that of each role that accesses global
    memory, before all of its accesses. What needs none of them, as barriers and
    index arithmetic, comes before it.
  }];
  let assemblyFormat = "attr-dict";
}

def GridLaunchDependentsOp : TcgemmOp<"grid.launch_dependents"> {
  let summary = "Lets the grids that depend on this one start";
  let description = [{
    Once each CTA has come here, or has ended. Those grids' CTAs take the room that
    this one's leave, prepare, and wait for its end by `grid.wait`: so this one must
    wait for the grids ahead of it too, or its end would not be theirs.
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tile loop
//===----------------------------------------------------------------------===//

def RasterOp : TcgemmOp<"raster", [Pure, AttrSizedOperandSegments]> {
  let summary = "Which output tile (and slice of k) a linear index stands for";
  let description = [{
    `order` is the direction of consecutive indices, `group` the width of
    a band of tiles that is finished before the next (for reuse in L2). With
    `slices_inner` the slices of one tile are neighbours, otherwise all tiles of
    slice 0 come first. Without `batched` there is one batch only, which saves
    divisions. With `reciprocals` a multiplication takes the place of a division, of
    which a launch's first copy would have to wait for two: 2^62 / d, rounded up, for
    d the tiles of a whole band, and for d the width of the last one (which is at
    least 1). `diagonal` has no bands: index p of R x C tiles is row p mod R and
    column (p mod R + p div R) mod C.
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

//===----------------------------------------------------------------------===//
// Ring
//===----------------------------------------------------------------------===//

def RingCreateOp : TcgemmOp<"ring.create", [MemoryEffects<[MemAlloc]>]> {
  let summary = "Allocates a ring in shared memory";
  let description = [{
    For an mbarrier ring, `full_arrivals` is how many arrivals beside the bytes that
    TMA copies complete a full barrier: of each producer, one for its TMA copies and
    one of every thread that publishes. `empty_arrivals` is how many releases
    complete an empty one (those of the consumers that read the stage, times the
    CTAs of the cluster that a multicast copy into it reaches).
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
  let summary = "The position of a ring's `offset`-th stage use";
  let arguments = (ins RingType:$ring, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs RingStateType:$state);
  let assemblyFormat = "$ring (`at` $offset^)? attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def RingAdvanceOp : TcgemmOp<"ring.advance", [Pure]> {
  let summary = "The next position, or that `by` uses later";
  let description = [{
    A role that advances by more than one use skips phases of the barriers, and
    a wait for a phase's parity cannot tell it from the one two later: that is
    sound only where an order barrier keeps the roles within one round of each
    other (ping-pong).
  }];
  let arguments = (ins RingType:$ring, RingStateType:$state, Optional<I32>:$by);
  let results = (outs RingStateType:$next);
  let assemblyFormat = "$ring `,` $state (`by` $by^)? attr-dict `:` type($ring)";
}

def RingAcquireOp : TcgemmOp<"ring.acquire"> {
  let summary = "Waits until a stage may be written";
  let arguments = (ins RingType:$ring, RingStateType:$state);
  let results = (outs TokenType:$token);
  let assemblyFormat = "$ring `,` $state attr-dict `:` type($ring) `->` type($token)";
  let hasVerifier = 1;
}

def RingCommitOp : TcgemmOp<"ring.commit"> {
  let summary = "Ends the writing of a stage";
  let description = [{
    The copies by `loader.copy` since the last commit become a group, whose token is
    the result: in a `cp_async` ring, and in an mbarrier ring where such copies fill
    the stage, or a part of it. What TMA copies completes the stage by the
    transaction count: where it copies all, there is no result.
  }];
  let arguments = (ins RingType:$ring, TokenType:$token);
  let results = (outs Optional<TokenType>:$inFlight);
  let assemblyFormat = "$ring `,` $token attr-dict `:` type($ring) `,` "
                       "type($token) (`->` type($inFlight)^)?";
  let hasVerifier = 1;
}

def RingEmptyGroupOp : TcgemmOp<"ring.empty_group"> {
  let summary = "A group without copies, for a loop that carries groups to start with";
  let description = [{
    Stands for no stage of its mbarrier ring: `ring.publish` ends it and signals
    nothing.
  }];
  let arguments = (ins RingType:$ring);
  let results = (outs TokenType:$token);
  let assemblyFormat = "$ring attr-dict `:` type($ring) `->` type($token)";
  let hasVerifier = 1;
}

def RingPublishOp : TcgemmOp<"ring.publish"> {
  let summary = "Waits for a group of copies and signals that their stage is full";
  let description = [{
    For the copies that a role's threads make into an mbarrier ring. Consumes the
    token of a group and leaves `pending` younger ones in flight. Each thread then
    orders its copies before what the asynchronous proxy reads, as products do, and
    arrives at the stage's full barrier.

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
    In a `cp_async` ring it consumes the token of the oldest group, leaves
    `pending` younger groups in flight, and is a barrier for the CTA: the stages
    released before it may be written after it.
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
    `arrivals` is how many arrivals at the empty barrier the releasing role makes
    (in an mbarrier ring: one a warp or one a warpgroup), `multicast` at which CTAs'
    barriers it makes them; see `tma.load` for what the mask means.
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

def RingDrainOp : TcgemmOp<"ring.drain"> {
  let summary = "Ends all use of a cp_async ring";
  let description = [{
    Consumes what tokens are left, of any kind; waits for all groups of copies, and
    is a barrier for the CTA. Afterwards the ring may be started again at any stage,
    or its memory used for something else.

    `landed` promises that no copy is in flight: what groups are left are empty, and
    no wait is needed. `ordered` promises that no barrier is: each read of the ring
    is before one already, or the memory is not used again.
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
    The operand is a matrix of `extent` rows or columns (its side across k) in
    global memory at `base`, `stride` elements from one row to the next; `offset`
    is where the CTA's tile starts across k. What lies beyond `extent` is zero.
    A tile with `sectors` has a `phase`: the elements from a sector's start to
    where the copies of the operand's first row start. Outside roles the threads are
    those of the CTA.
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
  let summary = "The address `by` elements of k later";
  let arguments = (ins LoaderType:$loader, I64:$address, I32:$by);
  let results = (outs I64:$next);
  let assemblyFormat = "$loader `,` $address `by` $by attr-dict `:` type($loader)";
}

def LoaderCopyOp : TcgemmOp<"loader.copy"> {
  let summary = "Starts the copy of a tile, or one part of it, into a stage";
  let description = [{
    Copies `part` of `parts` of the thread's copies to tile `tile` of the stage, from
    the tile's row `row` on: a tile whose rows run along k may be a stack of several
    of the loader's (see `mma.async`). With `k_valid`, only the first `k_valid`
    elements along k are read; the rest is zero. `last` of the parts commits
    nothing: `ring.commit` does.
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
    The box starts at `row` of the tile (0 if not given). `multicast` is the
    set of the cluster's CTAs that receive the box: bit x stands for the CTA whose
    rank is this CTA's rank xor x; 0 means this CTA alone. So in a cluster of two, 3
    is both CTAs; in one of four, 3 pairs the CTAs (0, 1) and (2, 3), and 5 pairs
    (0, 2) and (1, 3). The CTAs that a CTA sends to are those that it receives from.
  }];
  let arguments = (ins TensorMapType:$map, Variadic<I32>:$coordinates,
    RingType:$ring, RingStateType:$state, TokenType:$token, Optional<I32>:$row,
    I64Attr:$tile, DefaultValuedAttr<I64Attr, "0">:$multicast);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $ring `,` $state `,` $token `tile` $tile
    (`row` $row^)? (`multicast` $multicast^)? attr-dict
    `:` type($map) `,` type($ring) `,` type($token)
  }];
  let hasVerifier = 1;
}

#endif // TCGEMM_DIALECT_TCGEMMTILEOPS_TD
