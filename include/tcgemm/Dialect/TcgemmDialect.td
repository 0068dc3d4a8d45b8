//===- TcgemmDialect.td - The tcgemm dialect ---------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMDIALECT_TD
#define TCGEMM_DIALECT_TCGEMMDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TcgemmDialect : Dialect {
  let name = "tcgemm";
  let cppNamespace = "::tcgemm";
  let summary = "Matrix multiplications at the level of tiles, stages and roles";
  let description = [{
    The dialect has two levels.

    The **kernel level** describes the computation. A `tcgemm.kernel` is one
    contraction over (b, m, n, k), with the elementwise operations on its result as a
    region. `tcgemm.launch` applies it to tensors or buffers.

    The **tile level** describes the implementation. A `tcgemm.program` is the code of
    one CTA in terms of shared-memory rings, stages, roles, fragments and accumulators.
    The same operations describe `mma.sync` kernels fed by `cp.async` and
    warp-specialised Hopper kernels fed by TMA. Linear tokens make the synchronisation
    of a ring a local property, which the verifier checks.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

class TcgemmType<string name, string mnemo, list<Trait> traits = []>
    : TypeDef<TcgemmDialect, name, traits> {
  let mnemonic = mnemo;
}

class TcgemmAttr<string name, string mnemo> : AttrDef<TcgemmDialect, name> {
  let mnemonic = mnemo;
}

class TcgemmOp<string mnemonic, list<Trait> traits = []>
    : Op<TcgemmDialect, mnemonic, traits>;

#endif // TCGEMM_DIALECT_TCGEMMDIALECT_TD
