// Headers that most unit tests without MLIR include; precompiled once.
#include "Support.h"

#include "gtest/gtest.h"
