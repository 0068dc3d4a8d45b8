// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// Expressions and bindings, which print with as few parentheses as keep them.

// CHECK-LABEL: module attributes
// CHECK-SAME: test.bindings = [#tcgemm.binding<pointer A>, #tcgemm.binding<pointer B>, #tcgemm.binding<pointer out12>,
// CHECK-SAME: #tcgemm.binding<scalar in0>, #tcgemm.binding<i32 "M">, #tcgemm.binding<i64 "A.stride0">,
// CHECK-SAME: #tcgemm.binding<workspace "ceildiv(K, 8) * 8">, #tcgemm.binding<tensor_map 3>]
// CHECK-SAME: test.exprs = [#tcgemm.expr<"M * (N + 1) % 4 == 0 && !(K < 2)">, #tcgemm.expr<"-9223372036854775808">,
// CHECK-SAME: #tcgemm.expr<"0 + 1 * M">, #tcgemm.expr<"select(M <= 128, 32, 8)">]
module attributes {
  test.bindings = [#tcgemm.binding<pointer A>, #tcgemm.binding<pointer B>, #tcgemm.binding<pointer out12>,
                   #tcgemm.binding<scalar in0>, #tcgemm.binding<i32 "M">, #tcgemm.binding<i64 "(A.stride0)">,
                   #tcgemm.binding<workspace "(ceildiv(K, 8)) * 8">, #tcgemm.binding<tensor_map 3>],
  test.exprs = [#tcgemm.expr<"((M*(N + 1)) % 4 == 0) && !(K<2)">, #tcgemm.expr<"-9223372036854775808">,
                #tcgemm.expr<"0 + 1 * M">, #tcgemm.expr<"select(M <= 128, 32, 8)">]
} {
  // Equal trees are one attribute, whatever their text is.
  // CHECK: gpu.module @programs
  gpu.module @programs {
    // CHECK: tcgemm.program @p(%{{.*}}: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}, %{{.*}}: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">})
    tcgemm.program @p(%m: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">},
                      %n: i32 {tcgemm.binding = #tcgemm.binding<i32 "(M)">}) attributes {threads = 32 : i64, chip = "sm_90"} {
      tcgemm.return
    }
  }
}
