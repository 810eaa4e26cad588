// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without a test: it has the precompiled headers that all tests use.
