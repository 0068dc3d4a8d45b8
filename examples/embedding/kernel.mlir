// One kernel, configured: D = A * B in bf16, any M and N.
tcgemm.kernel @matmul <1x?x?x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">]
    epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [128, 128, 32]>}
