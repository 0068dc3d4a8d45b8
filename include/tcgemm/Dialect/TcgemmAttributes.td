//===- TcgemmAttributes.td - Attributes --------------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMATTRIBUTES_TD
#define TCGEMM_DIALECT_TCGEMMATTRIBUTES_TD

include "tcgemm/Dialect/TcgemmDialect.td"

class TcgemmEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tcgemm";
  let genSpecializedAttr = 0;
}

def OperandRole : TcgemmEnum<"OperandRole", "What a kernel operand is for", [
  I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">,
  I32EnumAttrCase<"Input", 2, "input">, I32EnumAttrCase<"Scalar", 3, "scalar">,
  I32EnumAttrCase<"Output", 4, "output">]>;

def Swizzle : TcgemmEnum<"Swizzle", "How a tile is laid out in shared memory", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Xor", 1, "xor">,
  I32EnumAttrCase<"Pad", 2, "pad">, I32EnumAttrCase<"B128", 3, "b128">,
  I32EnumAttrCase<"Sectors", 4, "sectors">, I32EnumAttrCase<"B64", 5, "b64">,
  I32EnumAttrCase<"B32", 6, "b32">]>;

def RingKind : TcgemmEnum<"RingKind", "What completes the copies of a ring", [
  I32EnumAttrCase<"CpAsync", 0, "cp_async">,
  I32EnumAttrCase<"MBarrier", 1, "mbarrier">]>;

def TokenKind : TcgemmEnum<"TokenKind", "State of a ring's stage", [
  I32EnumAttrCase<"Write", 0, "write">,
  I32EnumAttrCase<"InFlight", 1, "in_flight">,
  I32EnumAttrCase<"Read", 2, "read">]>;

def FragmentRole : TcgemmEnum<"FragmentRole", "Side of a product", [
  I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">]>;

def AccLayout : TcgemmEnum<"AccLayout",
  "Which (row, column) a (lane, register) of an accumulator holds", [
  I32EnumAttrCase<"MmaSync", 0, "mma_sync">, I32EnumAttrCase<"Wgmma", 1, "wgmma">,
  I32EnumAttrCase<"Row", 2, "row">, I32EnumAttrCase<"Simt", 3, "simt">,
  I32EnumAttrCase<"WmmaM16N16", 4, "wmma_m16n16">,
  I32EnumAttrCase<"WmmaM32N8", 5, "wmma_m32n8">,
  I32EnumAttrCase<"WmmaM8N32", 6, "wmma_m8n32">]>;

def RoleKind : TcgemmEnum<"RoleKind", "What the warps of a role do", [
  I32EnumAttrCase<"Producer", 0, "producer">,
  I32EnumAttrCase<"Consumer", 1, "consumer">]>;

def ConfigAttr : TcgemmAttr<"Config", "config"> {
  let summary = "Everything that is tuned about one kernel";
  let description = [{
    Wraps a `tcgemm::KernelConfig`; see its header for each parameter, its values
    and its default. Parameters that are not written take their default.

    ```mlir
    #tcgemm.config<schedule = mma_sync, cta = [128, 256, 64], warps = [2, 4, 1],
                   stages = 4, raster = along_m, raster_group = 8>
    ```
  }];
  let parameters = (ins "::tcgemm::KernelConfig":$value);
  let hasCustomAssemblyFormat = 1;
}

def OperandAttr : TcgemmAttr<"Operand", "operand"> {
  let summary = "One operand of a kernel: role, element type, dimensions";
  let description = [{
    `dims` names the operand's dimensions, outermost first, by the letters of
    the contraction: `b`, `m`, `n`, `k`. A scalar has none.

    ```mlir
    #tcgemm.operand<a, bf16, "mk">
    ```
  }];
  let parameters = (ins EnumParameter<OperandRole>:$role, "::mlir::Type":$elementType,
                        StringRefParameter<"dimensions, outermost first">:$dims);
  let assemblyFormat = "`<` $role `,` $elementType `,` $dims `>`";
  let genVerifyDecl = 1;
}

def TensorMapAttr : TcgemmAttr<"TensorMap", "tensor_map"> {
  let summary = "A tensor map that a launch encodes and passes by value";
  let description = [{
    The values are what docs/manifest.md calls `tensor_maps`: `base` is
    `pointer X` or `workspace EXPR`, `dims` (elements) and `strides` (bytes, one
    fewer) are expressions, innermost first; `swizzle` and `l2_promotion` are
    bytes, 0 for none.

    ```mlir
    #tcgemm.tensor_map<"A", bf16, base = "pointer A", dims = ["K", "M"],
                       strides = ["A.stride0 * 2"], box = [64, 128],
                       swizzle = 128, l2_promotion = 256>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
    "::mlir::Type":$elementType, "::mlir::StringAttr":$base,
    ArrayRefParameter<"::mlir::StringAttr">:$dims,
    ArrayRefParameter<"::mlir::StringAttr">:$strides,
    ArrayRefParameter<"unsigned">:$box, "unsigned":$swizzle,
    "unsigned":$l2Promotion);
  let assemblyFormat = [{
    `<` $name `,` $elementType `,` `base` `=` $base `,`
    `dims` `=` `[` $dims `]` `,` `strides` `=` `[` $strides `]` `,`
    `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `,`
    `l2_promotion` `=` $l2Promotion `>`
  }];
  let genVerifyDecl = 1;
}

def StepAttr : TcgemmAttr<"Step", "step"> {
  let summary = "One GPU launch of a variant";
  let description = [{
    Expressions are strings in the manifest's language (docs/manifest.md).
    Each argument is `pointer X`, `scalar X`, `i32 EXPR`, `i64 EXPR`,
    `workspace EXPR` or `tensor_map I`, which is entry I of `tensor_maps`.
    `cluster` is three sizes in blocks, or left out. With `dependent` the grid may
    start before the one ahead of it has ended: its program waits by itself.
  }];
  let parameters = (ins "::mlir::SymbolRefAttr":$program,
    ArrayRefParameter<"::mlir::StringAttr">:$grid,
    OptionalArrayRefParameter<"int64_t">:$cluster,
    "int64_t":$threads, "int64_t":$sharedMemory,
    OptionalArrayRefParameter<"::tcgemm::TensorMapAttr">:$tensorMaps,
    ArrayRefParameter<"::mlir::StringAttr">:$arguments,
    OptionalParameter<"::mlir::StringAttr">:$when,
    DefaultValuedParameter<"bool", "false">:$dependent);
  let assemblyFormat = [{
    `<` $program `,` `grid` `=` `[` $grid `]` `,`
    (`cluster` `=` `[` $cluster^ `]` `,`)? (`dependent` `=` $dependent^ `,`)?
    `threads` `=` $threads `,` `shared_memory` `=` $sharedMemory `,`
    (`tensor_maps` `=` `[` $tensorMaps^ `]` `,`)?
    `arguments` `=` `[` $arguments `]` (`,` `when` `=` $when^)? `>`
  }];
  let genVerifyDecl = 1;
}

def VariantAttr : TcgemmAttr<"Variant", "variant"> {
  let summary = "A guarded way to run a kernel";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$guard,
    "::tcgemm::ConfigAttr":$config, "::mlir::StringAttr":$workspace,
    ArrayRefParameter<"::tcgemm::StepAttr">:$steps);
  let assemblyFormat = [{
    `<` $name `,` `guard` `=` $guard `,` `config` `=` $config `,`
    `workspace` `=` $workspace `,` `steps` `=` `[` $steps `]` `>`
  }];
}

#endif // TCGEMM_DIALECT_TCGEMMATTRIBUTES_TD
