// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the file of EPCC's microbenchmarks of that name, which are not here: as little as
// bench/epcc/run needs.
#pragma once

void print_overhead(const char* construct, double microseconds, double reference);
