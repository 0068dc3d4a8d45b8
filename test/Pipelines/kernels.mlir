// RUN: tcgemm-opt %s --tcgemm-kernels="format=ptx remarks=false" | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-kernels="format=ptx remarks=false" \
// RUN:   --convert-elementwise-to-linalg --one-shot-bufferize="bufferize-function-boundaries" --tcgemm-device-memory \
// RUN:   --tcgemm-launch-to-gpu="sm-count=132" | FileCheck %s --check-prefix=GPU

// Products become launches of kernels with binaries; everything else in the
// module stays as it was, an embedder's own gpu.module too.

// CHECK:       module attributes {gpu.container_module}
// CHECK-NEXT:    gpu.module @own {
// CHECK-NEXT:      gpu.func @kernel() kernel {
// CHECK-NEXT:        %{{.*}} = arith.constant
// CHECK-NEXT:        %{{.*}} = math.exp
// CHECK-NEXT:        gpu.return
// CHECK:         func.func private @external(tensor<128x96xf32>) -> tensor<128x96xf32>
// CHECK:         tcgemm.kernel @attention_0 <1x128x96x64>
// CHECK:         plan = [#tcgemm.variant<
// CHECK:         gpu.binary @attention_0_module
// CHECK-SAME:      .entry attention_0_main
// CHECK-LABEL:   func.func @attention
// CHECK-SAME:      (%[[Q:.*]]: tensor<128x64xbf16>, %[[K:.*]]: tensor<96x64xbf16>) -> (tensor<128x96xf32>, tensor<128xf32>)
// CHECK-NEXT:      %[[E:.*]] = tensor.empty() : tensor<128x96xf32>
// CHECK-NEXT:      %[[RE:.*]] = tensor.empty() : tensor<128xf32>
// CHECK-NEXT:      %[[S:.*]]:2 = tcgemm.launch @attention_0 ins(%[[Q]], %[[K]] : {{.*}}) outs(%[[E]], %[[RE]] : tensor<128x96xf32>, tensor<128xf32>) -> tensor<128x96xf32>, tensor<128xf32>
// CHECK-NEXT:      %[[P:.*]] = linalg.generic {{.*}} ins(%[[S]]#0, %[[S]]#1 : {{.*}}) outs(%[[E]] : tensor<128x96xf32>) {
// CHECK:           %[[X:.*]] = call @external(%[[P]])
// CHECK-NEXT:      return %[[X]], %[[S]]#1
// CHECK-LABEL:   func.func @without_product(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:      %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT:      %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT:      %{{.*}} = arith.addi %[[C2]], %[[C3]] : index
// CHECK-NEXT:      %[[A:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK-NEXT:      %{{.*}} = arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK-NEXT:      %[[L:.*]] = linalg.exp ins(%[[A]] : tensor<4xf32>) outs(%[[A]] : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:      return %[[L]]
// CHECK-LABEL:   func.func private @layer(%{{.*}}: tensor<64x64xbf16>) -> tensor<64x64xbf16>
// CHECK:           tcgemm.launch @layer_0 {{.*}} -> tensor<64x64xbf16>
// CHECK-LABEL:   func.func @network
// CHECK-NEXT:      %[[N:.*]] = call @layer
// CHECK-NEXT:      %[[M:.*]] = call @layer(%[[N]])
// CHECK-NEXT:      return %[[M]]
// CHECK-LABEL:   func.func @buffers
// CHECK-NEXT:      tcgemm.launch @buffers_0 ins(%{{.*}}, %{{.*}}, %[[C:.*]] : memref<64x64xbf16>, memref<64x64xbf16>, memref<64x64xbf16, strided<[?, 1], offset: ?>>) outs(%[[C]] :
// CHECK-NEXT:      return

// GPU-LABEL: func.func @attention
// GPU:         gpu.launch_func @attention_0_module::@attention_0_main
// GPU-LABEL: func.func @network
// GPU:         call @layer
// GPU-LABEL: func.func @buffers
// GPU:         gpu.launch_func @buffers_0_module::@buffers_0_main

#map2 = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
module attributes {gpu.container_module} {
  gpu.module @own {
    gpu.func @kernel() kernel {
      %one = arith.constant 1.0 : f32
      %0 = math.exp %one : f32
      gpu.return
    }
  }
  func.func private @external(tensor<128x96xf32>) -> tensor<128x96xf32>
  func.func @attention(%q: tensor<128x64xbf16>, %k: tensor<96x64xbf16>) -> (tensor<128x96xf32>, tensor<128xf32>) {
    %z = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<128x96xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x96xf32>) -> tensor<128x96xf32>
    %s = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%q, %k : tensor<128x64xbf16>, tensor<96x64xbf16>) outs(%f : tensor<128x96xf32>) -> tensor<128x96xf32>
    %re = tensor.empty() : tensor<128xf32>
    %rf = linalg.fill ins(%inf : f32) outs(%re : tensor<128xf32>) -> tensor<128xf32>
    %mx = linalg.generic {indexing_maps = [#map2, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<128x96xf32>) outs(%rf : tensor<128xf32>) {
    ^bb0(%x: f32, %a: f32):
      %m = arith.maximumf %x, %a : f32
      linalg.yield %m : f32
    } -> tensor<128xf32>
    %p = linalg.generic {indexing_maps = [#map2, #row, #map2], iterator_types = ["parallel", "parallel"]}
      ins(%s, %mx : tensor<128x96xf32>, tensor<128xf32>) outs(%e : tensor<128x96xf32>) {
    ^bb0(%x: f32, %m: f32, %o: f32):
      %d = arith.subf %x, %m : f32
      %y = math.exp %d : f32
      linalg.yield %y : f32
    } -> tensor<128x96xf32>
    %x = func.call @external(%p) : (tensor<128x96xf32>) -> tensor<128x96xf32>
    return %x, %mx : tensor<128x96xf32>, tensor<128xf32>
  }
  func.func @without_product(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %dead = arith.addi %c2, %c3 : index
    %0 = arith.addf %a, %b : tensor<4xf32>
    %1 = arith.addf %a, %b : tensor<4xf32>
    %2 = linalg.exp ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @layer(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %z = arith.constant 0.0 : bf16
    %e = tensor.empty() : tensor<64x64xbf16>
    %f = linalg.fill ins(%z : bf16) outs(%e : tensor<64x64xbf16>) -> tensor<64x64xbf16>
    %0 = linalg.matmul ins(%x, %x : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<64x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
  func.func @network(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
    %0 = func.call @layer(%x) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    %1 = func.call @layer(%0) : (tensor<64x64xbf16>) -> tensor<64x64xbf16>
    return %1 : tensor<64x64xbf16>
  }
  func.func @buffers(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %c: memref<64x64xbf16, strided<[?, 1], offset: ?>>) {
    linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%c : memref<64x64xbf16, strided<[?, 1], offset: ?>>)
    return
  }
}
