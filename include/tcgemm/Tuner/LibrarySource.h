//===- LibrarySource.h - Generated libraries --------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder with C sources, code and a CMake file: a library with the C API of
// tcgemm.h for products and functions whose kernels are compiled before. It
// needs the driver, but nothing of tcgemm. The constant parts are in
// lib/Library/Generated/ and lib/Library/Portable/.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_LIBRARYSOURCE_H
#define TCGEMM_TUNER_LIBRARYSOURCE_H

#include "tcgemm/Store/SizeLogic.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// A kernel of products.
struct LibraryKernel {
  KernelPack pack; ///< One function that is one launch.
  std::string chip;
  std::string config;
};

/// A kind of product on a chip. Numbers are those of LibraryContents::kernels.
struct LibraryProduct {
  KernelSpec kernel;
  bool scalarsInMemory = false; ///< Alpha and beta are in device memory.
  std::string chip;
  std::vector<std::pair<MatmulSizes, unsigned>> exact;
  SizeRule rule; ///< Without nodes there is none.
};

/// The functions of a module or a pack.
struct LibraryModule {
  std::string path; ///< For messages.
  KernelPack pack;
  std::string chip;
};

struct LibraryContents {
  std::string name; ///< Of the library: an identifier.
  std::vector<LibraryKernel> kernels;
  std::vector<LibraryProduct> products;
  std::vector<LibraryModule> modules;
};

/// Chooses the kernel of the nearest known size: comparisons in the middle
/// between known sizes, by their logarithms. `exact` is not empty.
SizeRule divideSizes(llvm::ArrayRef<std::pair<MatmulSizes, unsigned>> exact);

/// Fails if the name of a library is no C identifier.
llvm::Error checkLibraryName(llvm::StringRef name);

/// Writes the library. Errors: the name is no identifier, no descriptor
/// describes a product, a kernel or a function has something that a library
/// does not do, or a file cannot be written.
llvm::Error writeLibrary(const LibraryContents &contents,
                         llvm::StringRef folder);

} // namespace tcgemm

#endif // TCGEMM_TUNER_LIBRARYSOURCE_H
