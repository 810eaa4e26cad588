// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// How often the library's functions were called, in the whole job.
extern int controls, writes, starts;
