// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// producer = cp_async: what TMA cannot copy, the producer's threads do. Each of A, B
// and both has a program for that, with guards for the width of its copies; what does
// not meet those is packed, as ever. Programs that TMA alone feeds are as without it.

// CHECK-LABEL: tcgemm.kernel @odd
// CHECK: #tcgemm.variant<"aligned", guard = "{{[^"]*}}", config = <schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 4, epilogue = tma, persistent = true>
// CHECK-SAME: #tcgemm.variant<"aligned_staged",
// CHECK-SAME: #tcgemm.variant<"copy_b", guard = "A.base % 16 == 0 && {{[^"]*}} && B.stride1 == 1 && B.base % 4 == 0 && B.stride0 % 2 == 0 && out0.stride2 == 1", config = <{{[^>]*}} stages = 4, copy_b = 4, epilogue = tma, persistent = true, producer = cp_async>
// CHECK-SAME: <@odd_module::@odd_main_copy_b, {{[^]]*}}], threads = 384, {{.*}}tensor_maps = [<"A", {{[^>]*}}>, <"out0", {{[^>]*}}>], arguments = [tensor_map 0, i32 "M", i32 "N", i32 "K", i32 "batch", i64 "ceildiv({{[^"]*}})", i64 "ceildiv({{[^"]*}})", i64 "B.stride0", pointer B, tensor_map 1]
// CHECK-SAME: #tcgemm.variant<"copy_b_staged",
// CHECK-SAME: #tcgemm.variant<"copy_a", guard = "B.base % 16 == 0 && {{[^"]*}} && A.stride2 == 1 && out0.stride2 == 1"
// CHECK-SAME: #tcgemm.variant<"copy_a_staged",
// No map of A or B asks for a K here.
// CHECK-SAME: #tcgemm.variant<"copy_ab",
// CHECK-SAME: #tcgemm.variant<"copy_ab_staged", guard = "A.stride2 == 1 && B.stride1 == 1 && B.base % 4 == 0 && B.stride0 % 2 == 0 && K >= 1 && out0.stride2 == 1"
// CHECK-SAME: #tcgemm.variant<"pack_b", guard = "{{[^"]*}}", config = <schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 4, epilogue = tma, persistent = true>
// CHECK-SAME: <@odd_module::@odd_main,
// CHECK-SAME: #tcgemm.variant<"pack_ab_staged",

// TMA alone.
// CHECK: tcgemm.program @odd_main(
// CHECK: tcgemm.ring.create empty_arrivals 8
// CHECK: tcgemm.role producer warps [0, 4] registers 24
// CHECK-NOT: tcgemm.loader
// CHECK: tcgemm.role consumer warps [4, 12] registers 240

// A by TMA, first; B by threads. One group stays in flight behind that of the running
// stage, from tile to tile.
// CHECK: tcgemm.program @odd_main_copy_b(
// CHECK: %[[RING:.*]] = tcgemm.ring.create full_arrivals 129 empty_arrivals 8
// CHECK: tcgemm.role producer warps [0, 4] registers 40
// CHECK: %[[NONE:.*]] = tcgemm.ring.empty_group %[[RING]]
// CHECK-NOT: tcgemm.ring.empty_group
// CHECK: %[[TILES:.*]]:2 = scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[G:.*]] = %[[NONE]])
// CHECK: %[[N:.*]] = arith.muli %n,
// CHECK: %[[LOADER:.*]] = tcgemm.loader.create %{{.*}} stride %{{.*}} at %[[N]] of %{{.*}} : {{.*}} -> <<128 x 64 x bf16, b128>, bytes = 4, k_contiguous = true, threads = 128>
// B has no batch.
// CHECK: %[[START:.*]] = tcgemm.loader.start %[[LOADER]] batch %c0_i64{{.*}} k %c0_i32
// CHECK: %[[STAGES:.*]]:3 = scf.for {{.*}} iter_args(%[[AT:.*]] = %[[S]], %[[BEFORE:.*]] = %[[G]], %[[ADDRESS:.*]] = %[[START]])
// CHECK: %[[W:.*]] = tcgemm.ring.acquire %[[RING]], %[[AT]]
// CHECK-COUNT-2: tcgemm.tma.load {{.*}} %[[W]] tile 0
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: tcgemm.loader.copy %[[LOADER]], %[[ADDRESS]] to %[[RING]], %[[AT]], %[[W]] tile 1 part 0 of 1 k_valid %[[LEFT]]
// CHECK: %[[NEW:.*]] = tcgemm.ring.commit %[[RING]], %[[W]]
// CHECK: tcgemm.ring.publish %[[RING]], %[[BEFORE]] pending 1
// CHECK: %[[NEXT:.*]] = tcgemm.ring.advance
// CHECK: %[[AHEAD:.*]] = tcgemm.loader.advance %[[LOADER]], %[[ADDRESS]] by %c64
// CHECK: scf.yield %[[NEXT]], %[[NEW]], %[[AHEAD]]
// CHECK: scf.yield %[[STAGES]]#0, %[[STAGES]]#1
// CHECK: tcgemm.ring.publish %[[RING]], %[[TILES]]#1 :
// CHECK: tcgemm.role consumer warps [4, 12] registers 232

// Both by threads. A's rows run along k: each 64 columns have a loader.
// CHECK: tcgemm.program @odd_main_copy_ab(
// CHECK: tcgemm.ring.create full_arrivals 128 empty_arrivals 8
// CHECK: tcgemm.role producer warps [0, 4] registers 104
// CHECK: %[[M:.*]] = arith.muli %m,
// CHECK: %[[LOW:.*]] = tcgemm.loader.create %{{.*}} at %[[M]] of {{.*}} -> <<64 x 64 x bf16, b128>, bytes = 2, k_contiguous = false, threads = 128>
// CHECK: %[[M1:.*]] = arith.addi %[[M]], %c64
// CHECK: %[[HIGH:.*]] = tcgemm.loader.create %{{.*}} at %[[M1]] of {{.*}} -> <<64 x 64 x bf16, b128>,
// CHECK: %[[BATCH:.*]] = arith.muli
// CHECK: tcgemm.loader.start %[[LOW]] batch %[[BATCH]]
// CHECK-NOT: tcgemm.tma.load
// CHECK: tcgemm.loader.copy %[[LOW]], %[[FROM:.*]] to {{.*}} tile 0 part 0 of 1
// CHECK: %[[BESIDE:.*]] = arith.addi %[[FROM]], %c64_i64
// CHECK: tcgemm.loader.copy %[[HIGH]], %[[BESIDE]] to {{.*}} tile 0 row 64 part 0 of 1
// CHECK: tcgemm.loader.copy {{.*}} tile 1 part 0 of 1
tcgemm.kernel @odd <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bkm">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "bmn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16],
  copy_a = 2, copy_b = 4, stages = 4, epilogue = tma, persistent = true,
  producer = cp_async>}

// -----

// A stage of two parts along k, and a ring of two stages, in which none can wait: the
// consumers need the next stage to release the one before. B takes the rows of the
// instruction, and its tile comes first.

// CHECK-LABEL: tcgemm.kernel @deep
// CHECK: tcgemm.program @deep_main_copy_ab(
// CHECK: tcgemm.ring.create full_arrivals 128 empty_arrivals 4 : <2, mbarrier, [<64 x 64 x f16, b128>, <32 x 64 x f16, b128>, <64 x 64 x f16, b128>, <32 x 64 x f16, b128>]>
// CHECK-NOT: tcgemm.ring.empty_group
// CHECK: %[[B:.*]] = tcgemm.loader.create {{.*}} -> <<64 x 64 x f16, b128>, bytes = 16,
// CHECK: %[[A:.*]] = tcgemm.loader.create {{.*}} -> <<32 x 64 x f16, b128>, bytes = 8,
// CHECK: scf.for
// CHECK: tcgemm.loader.copy %[[B]], %[[FROM:.*]] to {{.*}} tile 0 part 0 of 1 k_valid %[[LEFT:.*]] :
// CHECK: %[[PART:.*]] = tcgemm.loader.advance %[[B]], %[[FROM]] by %c64
// CHECK: %[[LESS:.*]] = arith.subi %[[LEFT]], %c64
// CHECK: tcgemm.loader.copy %[[B]], %[[PART]] to {{.*}} tile 2 part 0 of 1 k_valid %[[LESS]] :
// CHECK: tcgemm.loader.copy %[[A]], {{.*}} tile 1 part 0 of 1
// CHECK: tcgemm.loader.copy %[[A]], {{.*}} tile 3 part 0 of 1
// CHECK: %[[G:.*]] = tcgemm.ring.commit
// CHECK: tcgemm.ring.publish %{{.*}}, %[[G]] :
// A slice of k starts where the one before ends.
// CHECK: tcgemm.program @deep_main_copy_ab_whole(
tcgemm.kernel @deep <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to f16
  tcgemm.yield %0 : f16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [32, 64, 128], warps = [4, 1, 1], instruction = [64, 32, 16],
  copy_a = 8, stages = 2, split_k = 3, swap_ab = true, producer = cp_async>}
