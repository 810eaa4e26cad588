# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_library(weft_bootstrap SOURCES bootstrap/bootstrap.cpp bootstrap/frames.cpp bootstrap/this_host.cpp USES weft_base)
weft_test(bootstrap_test SOURCES bootstrap/bootstrap_test.cpp USES weft_bootstrap)
