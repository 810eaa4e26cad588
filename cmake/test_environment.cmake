# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by ctest: the environment of all tests. Those that are about where regions run say so themselves.
if(NOT DEFINED ENV{WEFT_SPREAD})
  set(ENV{WEFT_SPREAD} always)
endif()
