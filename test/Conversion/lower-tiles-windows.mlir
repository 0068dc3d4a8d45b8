// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a records=none" -tcgemm-schedule -tcgemm-lower-tiles -tcgemm-program-to-nvvm | FileCheck %s

// The offsets within the filter have 16 bits; the copy reaches the two CTAs that share the images.

// CHECK-LABEL: @windows_0_main(
// CHECK:         %[[X:.*]] = llvm.trunc %{{.*}} : i32 to i16
// CHECK:         %[[Y:.*]] = llvm.trunc %{{.*}} : i32 to i16
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%[[X]], %[[Y]]] multicast_mask = %{{.*}} {mode = #nvvm.tma_load_mode<im2col>}
// CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%{{.*}}, %{{.*}}] :
func.func @windows(%a: tensor<2x8x8x64xf16>, %b: tensor<64x3x3x64xf16>, %e: tensor<2x6x6x64xf32>) -> tensor<2x6x6x64xf32> {
  %d = linalg.conv_2d_nhwc_fhwc {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 32, 64], warps = [4, 1, 1], instruction = [64, 32, 16], cluster = [1, 2, 1]>}
    ins(%a, %b : tensor<2x8x8x64xf16>, tensor<64x3x3x64xf16>) outs(%e : tensor<2x6x6x64xf32>) -> tensor<2x6x6x64xf32>
  return %d : tensor<2x6x6x64xf32>
}
