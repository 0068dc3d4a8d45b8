// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK: #tcgemm.operand<b, f64, "bkn", representation = <{{\[\[}}1, 2], [-2, 1]]>>
tcgemm.kernel @complex <?x?x?x?>
    [#tcgemm.operand<a, f64, "bmk">, #tcgemm.operand<b, f64, "bkn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "bmn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
}

// CHECK-LABEL: func.func @represent
func.func @represent(%z: tensor<3x?x?x2xf64>, %q: tensor<5x?x4xf32>) -> (tensor<3x?x2x?x2xf64>, tensor<5x4x?x4xf32>) {
  // CHECK: tcgemm.represent %{{.*}} <{{\[\[}}1, 2], [-2, 1]]> : tensor<3x?x?x2xf64> -> tensor<3x?x2x?x2xf64>
  %0 = tcgemm.represent %z <[[1, 2], [-2, 1]]> : tensor<3x?x?x2xf64> -> tensor<3x?x2x?x2xf64>
  // CHECK: tcgemm.represent %{{.*}} <{{\[\[}}1, 2, 3, 4], [-2, 1, -4, 3], [-3, 4, 1, -2], [-4, -3, 2, 1]]>
  %1 = tcgemm.represent %q <[[1, 2, 3, 4], [-2, 1, -4, 3], [-3, 4, 1, -2], [-4, -3, 2, 1]]> : tensor<5x?x4xf32> -> tensor<5x4x?x4xf32>
  return %0, %1 : tensor<3x?x2x?x2xf64>, tensor<5x4x?x4xf32>
}
