// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends as soon as it has begun.
int main(void) { return 0; }
