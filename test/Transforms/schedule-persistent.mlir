// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | tcgemm-opt --split-input-file \
// RUN:   | FileCheck %s

// A persistent CTA has a range of tiles, which follow each other along M. The stages have
// room for all of K, so that B is copied only where the columns change.

// CHECK-LABEL: tcgemm.kernel @range
// CHECK: grid = ["min(batch * ceildiv(M, 64) * ceildiv(N, 64) * 1, sm_count * 2)", "1", "1"]
// CHECK: tcgemm.program @range_main(
// CHECK: %[[TILES:.*]] = arith.muli
// CHECK: %[[CTA:.*]] = arith.index_castui %block_id_x
// CHECK: %[[CTAS:.*]] = arith.index_castui %grid_dim_x
// CHECK: %[[EACH:.*]] = arith.divui %[[TILES]], %[[CTAS]]
// CHECK: tcgemm.raster %[[FIRST:.*]] of
// The first tile needs both operands.
// CHECK: %[[NEW:true.*]] = arith.constant true
// CHECK: tcgemm.ring.create : <4,
// CHECK: tcgemm.loader.copy {{.*}} tile 0
// CHECK: scf.if %[[NEW]]
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 1
// CHECK-COUNT-2: tcgemm.ring.commit
// CHECK: tcgemm.ring.commit
// CHECK: %[[LOOP:.*]]:9 = scf.for {{.*}} = %[[FIRST]] to %[[END:.*]] step %c1{{.*}} iter_args(%[[BATCH:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}, %[[ISNEW:.*]] = %[[NEW]],
// A tile starts with the first stage, whose copies are in flight.
// CHECK: tcgemm.loader.create {{.*}} at %[[M]] of
// CHECK: tcgemm.loader.create {{.*}} at %[[N]] of
// CHECK: tcgemm.acc.zero
// CHECK: %[[START:.*]] = tcgemm.ring.start
// CHECK: tcgemm.ring.wait {{.*}}, %[[START]], {{.*}} pending 2
// CHECK: scf.for
// The loop over k-tiles copies the last stage.
// CHECK: scf.if
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 0
// CHECK-NEXT: scf.if %[[ISNEW]]
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 1
// CHECK: tcgemm.mma
// CHECK: scf.yield
// CHECK: tcgemm.ring.drain
// The copies of the next tile precede the stores of this one. B is new if the column or
// the batch is another.
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NEXT:.*]], %[[END]]
// CHECK: %[[COLUMNS:.*]] = arith.xori %[[N]], %[[NEXTN:.*]] :
// CHECK: %[[BATCHES:.*]] = arith.xori %[[BATCH]],
// CHECK: arith.ori %[[COLUMNS]], %[[BATCHES]]
// CHECK: arith.cmpi ne
// CHECK: scf.if %[[EXISTS]]
// CHECK: tcgemm.loader.copy
// CHECK-COUNT-3: tcgemm.ring.commit
// CHECK: tcgemm.epilogue {{.*}} early {
// CHECK: scf.yield {{.*}}, %[[NEXTN]],
// CHECK: tcgemm.ring.drain %{{.*}}, %[[LOOP]]#6, %[[LOOP]]#7, %[[LOOP]]#8 landed ordered
// CHECK: tcgemm.return
tcgemm.kernel @range <1x?x?x64>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">,
     #tcgemm.operand<input, f64, "mn">, #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64, %c: f64):
  %0 = arith.subf %c, %acc : f64
  tcgemm.yield %0 : f64
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [16, 8, 8], stages = 4,
  min_ctas = 2, fragment_buffers = 1, early_inputs = true, persistent = true>}

// -----

// Tiles at a distance have nothing in common: both operands are copied. C is fetched to
// the L2 when its tile starts. Reads of the last stage end before its next copies.

// CHECK-LABEL: tcgemm.kernel @strided
// CHECK: tcgemm.program @strided_main(
// CHECK: tcgemm.raster %[[FIRST:.*]] of
// CHECK: scf.for {{.*}} = %[[FIRST]] to %[[TILES:[^ ]*]] step %[[CTAS:[^ ]*]] iter_args
// CHECK: tcgemm.prefetch
// CHECK: tcgemm.ring.wait
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 0
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 1
// CHECK: scf.yield
// CHECK: tcgemm.ring.drain {{.*}} landed :
// CHECK-NOT: tcgemm.prefetch
// CHECK: tcgemm.epilogue
// CHECK: tcgemm.ring.drain {{.*}} landed ordered
tcgemm.kernel @strided <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, bf16, "mn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %c: bf16):
  %0 = arith.extf %c : bf16 to f32
  %1 = arith.addf %0, %acc : f32
  %2 = arith.truncf %1 : f32 to bf16
  tcgemm.yield %2 : bf16
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], stages = 3,
  persistent = true, tile_order = strided>}

// -----

// A static K has more k-tiles than there are stages: nothing is kept.

// CHECK-LABEL: tcgemm.kernel @deep
// CHECK: tcgemm.program @deep_main(
// CHECK: scf.if
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 0
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 1
// CHECK: tcgemm.return
tcgemm.kernel @deep <1x?x?x128>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync,
  cta = [64, 64, 16], warps = [2, 2, 1], instruction = [16, 8, 8], stages = 4,
  persistent = true>}

// -----

// Rows of A are kept where tiles follow each other along N. K is known at run time: they
// are copied, too, if there are more k-tiles than stages.

// CHECK-LABEL: tcgemm.kernel @rows
// CHECK: tcgemm.program @rows_main(
// CHECK: scf.if %true
// CHECK-NEXT: tcgemm.loader.copy {{.*}} tile 0
// CHECK: tcgemm.loader.copy {{.*}} tile 1
// CHECK: tcgemm.ring.drain
// CHECK: %[[ISOTHER:.*]] = arith.cmpi ne
// CHECK: %[[EXCEEDS:.*]] = arith.cmpi sgt
// CHECK: arith.ori %[[ISOTHER]], %[[EXCEEDS]]
tcgemm.kernel @rows <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = simt,
  cta = [64, 64, 8], threads = [16, 16, 1], stages = 4, raster = along_n,
  persistent = true>}
