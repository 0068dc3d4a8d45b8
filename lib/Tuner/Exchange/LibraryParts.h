//===- LibraryParts.h - Pieces of generated libraries -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_LIBRARYPARTS_H
#define TCGEMM_LIB_TUNER_EXCHANGE_LIBRARYPARTS_H

#include "../../Library/ProductTerms.h"
#include "Exchange/SourceParts.h"
#include "tcgemm/Tuner/LibrarySource.h"

namespace tcgemm {

/// A kernel of a library, of a product or of a module.
struct SourceKernel {
  const Manifest *manifest = nullptr;
  const KernelInfo *kernel = nullptr;
  unsigned number = 0; ///< In the library.
  unsigned chip = 0;
  std::string chipName, config;
  /// The numbers in the library of the manifest's modules.
  std::vector<unsigned> images;
  /// For a product: the argument of the function for each operand.
  std::vector<unsigned> arguments;
};

/// A function of a module.
struct SourceFunction {
  const Manifest *manifest = nullptr;
  const FunctionInfo *function = nullptr;
  unsigned number = 0; ///< In the library.
  unsigned chip = 0;
  std::vector<unsigned> kernels;   ///< The numbers of the manifest's.
  std::vector<unsigned> constants; ///< Those of its constants.
  /// The numbers in the library of the manifest's modules.
  std::vector<unsigned> images;
  /// The number of the table of copies' functions, among the kernels. It is not
  /// used if the function has no copies.
  unsigned copyKernel = 0;
};

/// Returns whether the function has copies, which are launches of the pack.
bool hasCopies(const FunctionInfo &function);

/// The contents of the tables.
struct LibraryTables {
  struct ChipCode {
    std::string name;
    bool isPTX = false;
  };
  struct Image {
    std::string name; ///< Of the module.
    std::string file;
  };
  struct Product {
    const LibraryProduct *source = nullptr;
    library::ProductTerms terms;
    unsigned chip = 0;
  };
  struct Constant {
    const PackConstant *source = nullptr;
    std::string file; ///< Empty for a constant with one value.
  };
  std::vector<ChipCode> chips;
  std::vector<Image> images;
  std::vector<Constant> constants;
  std::vector<Product> products;
  std::vector<SourceFunction> functions;
  size_t numKernels = 0;
};

/// The C files of the tables, and of the code.
void printTables(const LibraryTables &tables, llvm::raw_ostream &os);
void printImages(const LibraryTables &tables, llvm::raw_ostream &os);

/// An expression of the manifest in C, whose functions take `p`. `rename` gives
/// the C of a symbol.
std::string
printCheckedExpr(const Expr &expr,
                 llvm::function_ref<std::string(llvm::StringRef)> rename);

/// The launch of a step in C, over a planner `p`. `shape` is the number of the
/// variable with its shape, `function` that of its function in the kernel's
/// table, and `getOperand` gives the numbers of operands.
void printStep(const Step &step, size_t shape, size_t function,
               llvm::function_ref<unsigned(llvm::StringRef)> getOperand,
               llvm::raw_ostream &os);
/// Appends all expressions of a step.
void collectExprs(const Step &step, std::vector<Expr> &exprs);
/// A row of a table of functions.
void printFunctionRow(unsigned image, const FunctionTable::Entry &entry,
                      llvm::raw_ostream &os);
/// The local variable of a symbol: `A_stride0`.
std::string getVariable(llvm::StringRef symbol);

/// The C file of a kernel. Errors: it has something that a library does not do.
llvm::Error printKernel(const SourceKernel &kernel, llvm::raw_ostream &os);
/// The same for a function.
llvm::Error printFunction(const SourceFunction &function,
                          llvm::raw_ostream &os);

/// The functions that a library exports.
llvm::ArrayRef<llvm::StringLiteral> getLibraryExports();

/// The name of a type in tcgemm.h.
llvm::StringRef getEnumName(unsigned type);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_EXCHANGE_LIBRARYPARTS_H
