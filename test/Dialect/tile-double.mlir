// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// f64 has instructions of several shapes. The widest needs no attribute.

// CHECK-LABEL: func.func @shapes
func.func @shapes(%a: !tcgemm.fragment<a, 16 x 16 x f64>, %b: !tcgemm.fragment<b, 16 x 16 x f64>,
                  %c: !tcgemm.fragment<a, 16 x 4 x f64>, %d: !tcgemm.fragment<b, 16 x 4 x f64>,
                  %acc: !tcgemm.acc<16 x 16 of f64, mma_sync>) -> !tcgemm.acc<16 x 16 of f64, mma_sync> {
  // CHECK: tcgemm.mma %{{.*}}, %{{.*}}, %{{.*}} : <a, 16 x 16 x f64>, <b, 16 x 16 x f64>, <16 x 16 of f64, mma_sync>
  %x = tcgemm.mma %a, %b, %acc : !tcgemm.fragment<a, 16 x 16 x f64>, !tcgemm.fragment<b, 16 x 16 x f64>, !tcgemm.acc<16 x 16 of f64, mma_sync>
  // CHECK: tcgemm.mma %{{.*}}, %{{.*}}, %{{.*}} shape [8, 8, 4] : <a, 16 x 4 x f64>
  %y = tcgemm.mma %c, %d, %x shape [8, 8, 4] : !tcgemm.fragment<a, 16 x 4 x f64>, !tcgemm.fragment<b, 16 x 4 x f64>, !tcgemm.acc<16 x 16 of f64, mma_sync>
  // CHECK: tcgemm.mma %{{.*}}, %{{.*}}, %{{.*}} shape [16, 8, 4] : <a, 16 x 4 x f64>
  %z = tcgemm.mma %c, %d, %y shape [16, 8, 4] : !tcgemm.fragment<a, 16 x 4 x f64>, !tcgemm.fragment<b, 16 x 4 x f64>, !tcgemm.acc<16 x 16 of f64, mma_sync>
  return %z : !tcgemm.acc<16 x 16 of f64, mma_sync>
}
