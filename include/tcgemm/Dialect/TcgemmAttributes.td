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

def OperandRole : TcgemmEnum<"OperandRole", "Purpose of a kernel operand", [
  I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">,
  I32EnumAttrCase<"Input", 2, "input">, I32EnumAttrCase<"Scalar", 3, "scalar">,
  I32EnumAttrCase<"Output", 4, "output">, I32EnumAttrCase<"ScaleA", 5, "scale_a">,
  I32EnumAttrCase<"ScaleB", 6, "scale_b">, I32EnumAttrCase<"ZeroA", 7, "zero_a">,
  I32EnumAttrCase<"ZeroB", 8, "zero_b">, I32EnumAttrCase<"Offsets", 9, "offsets">,
  I32EnumAttrCase<"B2", 10, "b2">, I32EnumAttrCase<"Counts", 11, "counts">]>;

def Swizzle : TcgemmEnum<"Swizzle", "Layout of a tile in shared memory", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Xor", 1, "xor">,
  I32EnumAttrCase<"Pad", 2, "pad">, I32EnumAttrCase<"B128", 3, "b128">,
  I32EnumAttrCase<"Sectors", 4, "sectors">, I32EnumAttrCase<"B64", 5, "b64">,
  I32EnumAttrCase<"B32", 6, "b32">]>;

def RingKind : TcgemmEnum<"RingKind", "Completion mechanism of a ring's copies", [
  I32EnumAttrCase<"CpAsync", 0, "cp_async">,
  I32EnumAttrCase<"MBarrier", 1, "mbarrier">]>;

def TokenKind : TcgemmEnum<"TokenKind", "State of a ring's stage", [
  I32EnumAttrCase<"Write", 0, "write">,
  I32EnumAttrCase<"InFlight", 1, "in_flight">,
  I32EnumAttrCase<"Read", 2, "read">]>;

def FragmentRole : TcgemmEnum<"FragmentRole", "Side of a product", [
  I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">]>;

def AccLayout : TcgemmEnum<"AccLayout",
  "Mapping of an accumulator's elements to lanes and registers", [
  I32EnumAttrCase<"MmaSync", 0, "mma_sync">, I32EnumAttrCase<"Wgmma", 1, "wgmma">,
  I32EnumAttrCase<"Row", 2, "row">, I32EnumAttrCase<"Simt", 3, "simt">,
  I32EnumAttrCase<"WmmaM16N16", 4, "wmma_m16n16">,
  I32EnumAttrCase<"WmmaM32N8", 5, "wmma_m32n8">,
  I32EnumAttrCase<"WmmaM8N32", 6, "wmma_m8n32">,
  I32EnumAttrCase<"WmmaM16N16K8", 7, "wmma_m16n16k8">,
  I32EnumAttrCase<"WmmaM8N8K128", 8, "wmma_m8n8k128">]>;

def RoleKind : TcgemmEnum<"RoleKind", "Task of the warps of a role", [
  I32EnumAttrCase<"Producer", 0, "producer">,
  I32EnumAttrCase<"Consumer", 1, "consumer">]>;

def ConfigAttr : TcgemmAttr<"Config", "config"> {
  let summary = "The values of all tuned parameters of a kernel";
  let description = [{
    Wraps a `tcgemm::KernelConfig`. Its header documents each parameter with its
    values and its default. Omitted parameters have their defaults.

    ```mlir
    #tcgemm.config<schedule = mma_sync, cta = [128, 256, 64], warps = [2, 4, 1],
                   stages = 4, raster = along_m, raster_group = 8>
    ```
  }];
  let parameters = (ins "::tcgemm::KernelConfig":$value);
  let hasCustomAssemblyFormat = 1;
}

def AlgebraAttr : TcgemmAttr<"Algebra", "algebra"> {
  let summary = "How a product reduces and combines elements";
  let description = [{
    Wraps a `tcgemm::Algebra`: two operations that some type has, of those that
    Target/Algebra.cpp lists. `times` and `plus` are the default, which products do not
    write.

    ```mlir
    #tcgemm.algebra<reduce = max, combine = plus>
    ```
  }];
  let parameters = (ins "::tcgemm::Algebra":$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CombinerParameter
    : AttrOrTypeParameter<"::tcgemm::Combiner", "operation of arith"> {
  let parser = "::tcgemm::parseCombiner($_parser)";
  let printer = "$_printer << ::tcgemm::getCombinerName($_self)";
}

def ReductionAttr : TcgemmAttr<"Reduction", "reduction"> {
  let summary = "How the values of an output's elements become one";
  let description = [{
    `combiner` is an operation of arith without its prefix: `maximumf`, `minimumf`,
    `maxnumf`, `minnumf` and `addf` of f32 or f64; `maxsi`, `minsi`, `maxui`, `minui` and
    `addi` of i32. The result is the combination of `initial` and all values.

    Other combiners have states that are no values:

    * `argmaximumf`, `argmaxnumf` (of f32 or f64) and `argmaxsi` (of i32): the index of the
      greatest value, as i32 or i64; of equal values the smallest index. It is along m or n
      if the output has the other one, and m * N + n if it has neither. It is `initial` if
      no value is greater than minus infinity or the least i32. NaN is greater than all
      other values for `argmaximumf`, and never the greatest for `argmaxnumf`.
    * `sumexpf` (of f32): the sum of exp(x - m), where m is the greatest of all values x;
      `initial` if there are none.
    * `meanf`, `variancef` (of f32 or f64): the mean of all values, and that of their
      squared deviations from it. `initial` is 0.

    ```mlir
    #tcgemm.reduction<maximumf, 0.0 : f32>
    #tcgemm.reduction<argmaximumf, 0 : i64>
    ```
  }];
  let parameters = (ins CombinerParameter:$combiner, "::mlir::TypedAttr":$initial);
  let assemblyFormat = "`<` $combiner `,` $initial `>`";
  let genVerifyDecl = 1;
}

def ConvolutionAttr : TcgemmAttr<"Convolution", "convolution"> {
  let summary = "What the filter of a convolution sees of images";
  let description = [{
    Wraps a `tcgemm::Convolution`. `image` and `filter` have rows and columns. `strides`,
    `dilations` and the zeros around an image, `before` and `after`, are left out if they
    have their defaults.

    ```mlir
    #tcgemm.convolution<image = [56, 56], channels = [64], filter = [3, 3],
                        strides = [2, 2], before = [1, 1], after = [1, 1]>
    ```
  }];
  let parameters = (ins "::tcgemm::Convolution":$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def RepresentationAttr : TcgemmAttr<"Representation", "representation"> {
  let summary = "Numbers with components as blocks of a real matrix";
  let description = [{
    Wraps a `tcgemm::Representation`: the rows of the block that stands for a number. An
    element is 1 + the number of a component, with a minus sign if the component is
    negated. There are 2 or 4 components.

    ```mlir
    #tcgemm.representation<[[1, 2], [-2, 1]]>  // complex: re, im; -im, re
    ```
  }];
  let parameters = (ins "::tcgemm::Representation":$value);
  let hasCustomAssemblyFormat = 1;
}

def BandAttr : TcgemmAttr<"Band", "band"> {
  let summary = "The elements of a matrix outside which it is zero";
  let description = [{
    Wraps a `tcgemm::Band`, by its text: `lower` and `upper` are triangular matrices with
    their diagonal, `strict-lower` and `strict-upper` without it, `unit-lower` and
    `unit-upper` with ones on it. `band:2:3` has two diagonals below and three above the
    main one, and `band:*:3` all that are below. `:zeros` behind these states that the
    memory holds zeros outside the band. Otherwise it may hold anything.

    Rows and columns are the two innermost dimensions in memory.

    ```mlir
    #tcgemm.band<"lower">
    #tcgemm.band<"band:2:3:zeros">
    ```
  }];
  let parameters = (ins "::tcgemm::Band":$value);
  let hasCustomAssemblyFormat = 1;
}

def OperandAttr : TcgemmAttr<"Operand", "operand"> {
  let summary = "One operand of a kernel: role, element type, dimensions";
  let description = [{
    `dims` lists the operand's dimensions by the letters of the contraction (`b`, `m`,
    `n`, `k`), outermost first. A scalar has none. Those of `scale_a` and `scale_b`
    count blocks of A and B: 128 elements along k and n, and single ones along m. With
    `group` a block is a row or column and that many elements along k. `zero_a` and
    `zero_b`, the zero points, always have groups.

    `b2` is the second B of a dual product. It has the type and the dims of B.

    `offsets` and `counts`, an i32 for each batch, have the sizes of groups. See
    `tcgemm.kernel`.

    A with a `convolution` is what its filter sees: a row (m) for each pixel of the
    outputs and a column (k) for each element of the filter. The memory is that of the
    images: a row for each pixel and a column for each channel.

    B with a `representation` is a real matrix of blocks, one for each number in memory.
    Rows and columns of the blocks are its two innermost dimensions. The memory has the
    components of a number as neighbours: as many columns as B, and a row for each row of
    numbers.

    A or B with a `band` is zero outside of it. Kernels skip what is zero for a whole tile.

    An output with a `reduction` holds one value for all elements along those of b, m and
    n that it does not have. It may have m or n, but not both.

    ```mlir
    #tcgemm.operand<a, bf16, "mk">
    #tcgemm.operand<scale_b, f16, "nk", group = 128>
    #tcgemm.operand<output, f32, "m", reduction = <addf, 0.0 : f32>>
    #tcgemm.operand<offsets, i32, "b">
    #tcgemm.operand<a, bf16, "mk", convolution = <image = [8, 8], channels = [64],
                                                  filter = [3, 3]>>
    #tcgemm.operand<a, bf16, "mk", band = <"lower">>
    #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>
    ```
  }];
  let parameters = (ins EnumParameter<OperandRole>:$role, "::mlir::Type":$elementType,
                        StringRefParameter<"dimensions, outermost first">:$dims,
                        DefaultValuedParameter<"int64_t", "0">:$group,
                        OptionalParameter<"::tcgemm::ReductionAttr">:$reduction,
                        OptionalParameter<"::tcgemm::ConvolutionAttr">:$convolution,
                        OptionalParameter<"::tcgemm::BandAttr">:$band,
                        OptionalParameter<"::tcgemm::RepresentationAttr">:$representation);
  let builders = [AttrBuilder<(ins "::tcgemm::OperandRole":$role,
    "::mlir::Type":$elementType, "::llvm::StringRef":$dims,
    CArg<"int64_t", "0">:$group), [{
      return $_get($_ctxt, role, elementType, dims, group, ::tcgemm::ReductionAttr(),
                   ::tcgemm::ConvolutionAttr(), ::tcgemm::BandAttr(),
                   ::tcgemm::RepresentationAttr());
    }]>];
  let assemblyFormat = [{
    `<` $role `,` $elementType `,`
    custom<OperandDetails>($dims, $group, $reduction, $convolution, $band,
                           $representation) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the kind of scales or zero points that the operand holds; null for
    /// others.
    const ::tcgemm::BlockScales *getScales() const;
    /// Returns whether the operand is an output with all elements.
    bool isStored() const {
      return getRole() == ::tcgemm::OperandRole::Output && !getReduction();
    }
    /// Returns whether the epilogue has an argument for the operand: its element, or
    /// the sum of A's products with the second B.
    bool isEpilogueArgument() const {
      return getRole() == ::tcgemm::OperandRole::B2 ||
             getRole() == ::tcgemm::OperandRole::Input ||
             getRole() == ::tcgemm::OperandRole::Scalar;
    }
  }];
}

def PartialAttr : TcgemmAttr<"Partial", "partial"> {
  let summary = "Partial results of a reduction, which an epilogue stores";
  let description = [{
    `dim` is the dimension along which there are several results: `m`, `n`, or none if
    all elements are combined. The partial results are states of the combiner: values, i64
    for an index (two of them if its value is f64 or it is that of all elements), vectors
    for others.

    ```mlir
    #tcgemm.partial<maximumf, "m">
    ```
  }];
  let parameters = (ins CombinerParameter:$combiner,
                        StringRefParameter<"m, n or empty">:$dim);
  let assemblyFormat = "`<` $combiner `,` $dim `>`";
  let genVerifyDecl = 1;
}

// A parameter whose type compares with `isSame` and not with `==`.
class IsSameParameter<string type>
    : AttrParameter<type, "", "const " # type # " &"> {
  let comparator = "$_lhs.isSame($_rhs)";
}

def ExprAttr : TcgemmAttr<"Expr", "expr"> {
  let summary = "An integer expression of a plan";
  let description = [{
    Wraps a `tcgemm::Expr`. The text is in the language of docs/reference/manifest.md.
    Other attributes of the dialect write expressions as plain strings.

    ```mlir
    #tcgemm.expr<"batch * ceildiv(M, 128) * ceildiv(N, 256)">
    ```
  }];
  let parameters = (ins IsSameParameter<"::tcgemm::Expr">:$value);
  let hasCustomAssemblyFormat = 1;
}

def BindingAttr : TcgemmAttr<"Binding", "binding"> {
  let summary = "The value that a launch passes as an argument of a program";
  let description = [{
    Wraps a `tcgemm::Argument`: a kind with its operand, expression or index.

    - `pointer X`: the address of the operand `X`, one of `A`, `B`, `in<N>` and
      `out<N>`.
    - `scalar X`: the value of the scalar operand `X`.
    - `i32 "EXPR"`, `i64 "EXPR"`: an integer.
    - `workspace "EXPR"`: the address at this offset in the workspace, in bytes.
    - `tensor_map I`: entry I of the step's `tensor_maps`.

    The argument attribute `tcgemm.binding` of a program is a
    `#tcgemm.binding` or a `#tcgemm.tensor_map`. Its expressions may contain
    symbols whose values the plan sets, such as `partials`.

    ```mlir
    #tcgemm.binding<i64 "A.stride0">
    ```
  }];
  let parameters = (ins IsSameParameter<"::tcgemm::Argument">:$value);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def WindowAttr : TcgemmAttr<"Window", "window"> {
  let summary = "How a tensor map goes through the pixels of images";
  let description = [{
    Wraps a `tcgemm::TensorMapWindow`: the corners of the first pixels of all windows, and
    the steps between these. Each has a number for W and one for H.

    ```mlir
    #tcgemm.window<lower = [-1, -1], upper = [-1, -1], steps = [2, 2]>
    ```
  }];
  let parameters = (ins "::tcgemm::TensorMapWindow":$value);
  let hasCustomAssemblyFormat = 1;
}

def TensorMapAttr : TcgemmAttr<"TensorMap", "tensor_map"> {
  let summary = "A tensor map that a launch encodes and passes by value";
  let description = [{
    The values are those of `tensor_maps` in docs/reference/manifest.md. `base` is a
    `pointer` or `workspace` binding. `dims` (in elements) and `strides` (in bytes, one
    fewer) are expressions, innermost first. `swizzle` and `l2_promotion` are in bytes,
    0 for none. With a `window` the map is in im2col mode.

    ```mlir
    #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "M"],
                       strides = ["A.stride0 * 2"], box = [64, 128],
                       swizzle = 128, l2_promotion = 256>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
    "::mlir::Type":$elementType, "::tcgemm::BindingAttr":$base,
    ArrayRefParameter<"::tcgemm::ExprAttr">:$dims,
    ArrayRefParameter<"::tcgemm::ExprAttr">:$strides,
    ArrayRefParameter<"unsigned">:$box, "unsigned":$swizzle,
    "unsigned":$l2Promotion, OptionalParameter<"::tcgemm::WindowAttr">:$window);
  let assemblyFormat = [{
    `<` $name `,` $elementType `,` `base` `=` custom<Binding>($base) `,`
    `dims` `=` custom<ExprList>($dims) `,`
    `strides` `=` custom<ExprList>($strides) `,`
    `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `,`
    `l2_promotion` `=` $l2Promotion (`,` `window` `=` $window^)? `>`
  }];
  let genVerifyDecl = 1;
}

def StepAttr : TcgemmAttr<"Step", "step"> {
  let summary = "One GPU launch of a variant";
  let description = [{
    `grid` has three expressions. Each of `arguments` is written as in
    `#tcgemm.binding`. `cluster`, if present, has three sizes in CTAs. With `dependent`
    the grid may start before the preceding grid of the stream has ended; the program
    waits for that grid itself.

    ```mlir
    #tcgemm.step<@module::@program, grid = ["ceildiv(M, 128)", "1", "1"],
                 threads = 128, shared_memory = 0,
                 arguments = [pointer A, i32 "M"], when = "M > 1">
    ```
  }];
  let parameters = (ins "::mlir::SymbolRefAttr":$program,
    ArrayRefParameter<"::tcgemm::ExprAttr">:$grid,
    OptionalArrayRefParameter<"int64_t">:$cluster,
    "int64_t":$threads, "int64_t":$sharedMemory,
    OptionalArrayRefParameter<"::tcgemm::TensorMapAttr">:$tensorMaps,
    ArrayRefParameter<"::tcgemm::BindingAttr">:$arguments,
    OptionalParameter<"::tcgemm::ExprAttr">:$when,
    DefaultValuedParameter<"bool", "false">:$dependent);
  let assemblyFormat = [{
    `<` $program `,` `grid` `=` custom<ExprList>($grid) `,`
    (`cluster` `=` `[` $cluster^ `]` `,`)? (`dependent` `=` $dependent^ `,`)?
    `threads` `=` $threads `,` `shared_memory` `=` $sharedMemory `,`
    (`tensor_maps` `=` `[` $tensorMaps^ `]` `,`)?
    `arguments` `=` custom<BindingList>($arguments)
    (`,` `when` `=` custom<ExprText>($when)^)? `>`
  }];
  let genVerifyDecl = 1;
}

def VariantAttr : TcgemmAttr<"Variant", "variant"> {
  let summary = "One way to run a kernel, valid under its guard";
  let description = [{
    The variant may run if `guard` is not 0. `workspace` is a size in bytes.

    ```mlir
    #tcgemm.variant<"main", guard = "K % 8 == 0", config = #config,
                    workspace = "0", steps = [#step]>
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
    "::tcgemm::ExprAttr":$guard,
    "::tcgemm::ConfigAttr":$config, "::tcgemm::ExprAttr":$workspace,
    ArrayRefParameter<"::tcgemm::StepAttr">:$steps);
  let assemblyFormat = [{
    `<` $name `,` `guard` `=` custom<ExprText>($guard) `,`
    `config` `=` $config `,` `workspace` `=` custom<ExprText>($workspace) `,`
    `steps` `=` `[` $steps `]` `>`
  }];
}

#endif // TCGEMM_DIALECT_TCGEMMATTRIBUTES_TD
