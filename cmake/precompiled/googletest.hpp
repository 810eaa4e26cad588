// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers that most tests include, compiled once for all tests (weft_test in
// cmake/WeftBuild.cmake).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "standard.hpp"
