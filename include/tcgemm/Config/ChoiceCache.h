//===- ChoiceCache.h - Choices that were made before ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program often asks for the same product again. A choice depends on the
// request and on the providers only, so that it is made once for each size.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_CHOICECACHE_H
#define TCGEMM_CONFIG_CHOICECACHE_H

#include "tcgemm/Config/ChooseConfig.h"

#include <memory>
#include <mutex>

namespace tcgemm {

/// The choices of some providers. Several threads may use it together, as far
/// as they may ask the providers together. It has at most kMostChoices: the
/// next one replaces all of them.
class ChoiceCache {
public:
  static constexpr size_t kMostChoices = 1 << 16;

  ChoiceCache();
  ~ChoiceCache();

  /// The choice for the request, whatever its kernel is called; null if it is
  /// not known.
  std::shared_ptr<const ChosenConfig> find(const ConfigRequest &request);
  /// The same, and if it is not known the answer of chooseConfig, which is kept
  /// unless it is an error. The providers are those of all calls.
  llvm::Expected<std::shared_ptr<const ChosenConfig>>
  choose(const ConfigProviders &providers, const ConfigRequest &request);
  /// Forgets all choices, for instance because the providers are others now.
  void clear();

private:
  struct Kind;

  Kind *findKind(const ConfigRequest &request);

  std::mutex mutex; ///< Guards what follows.
  std::vector<std::unique_ptr<Kind>> kinds;
  size_t numChoices = 0;
};

} // namespace tcgemm

#endif // TCGEMM_CONFIG_CHOICECACHE_H
