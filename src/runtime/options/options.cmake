# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_library(weft_options SOURCES options/options.cpp USES weft_base)
