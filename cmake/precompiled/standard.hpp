// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers that most sources include, compiled once for each library (weft_precompile in
// cmake/WeftBuild.cmake). Sources include what they use all the same: a build with a compiler
// cache reads each without these.
#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
