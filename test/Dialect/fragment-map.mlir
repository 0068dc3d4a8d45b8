// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK-LABEL: func.func @map
// CHECK: tcgemm.fragment.map %{{.*}} valid %{{.*}} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: bf16):
// CHECK: } : <a, 64 x 16 x bf16>
// CHECK: tcgemm.fragment.map %{{.*}} scalars(%{{.*}} : f32) {
// CHECK: } : <b, 8 x 1 x f32, runs = [4, 64]>
func.func @map(%a: !tcgemm.fragment<a, 64 x 16 x bf16>, %b: !tcgemm.fragment<b, 8 x 1 x f32, runs = [4, 64]>,
               %left: i32, %s: f32) {
  %0 = tcgemm.fragment.map %a valid %left {
  ^bb0(%x: bf16):
    %one = arith.constant 1.0 : bf16
    %sum = arith.addf %x, %one : bf16
    tcgemm.yield %sum : bf16
  } : <a, 64 x 16 x bf16>
  %1 = tcgemm.fragment.map %b scalars(%s : f32) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    tcgemm.yield %p : f32
  } : <b, 8 x 1 x f32, runs = [4, 64]>
  return
}
