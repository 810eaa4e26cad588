// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library as many are: constructors that fill a table, which users add to.
#pragma once

#include <string>

extern "C" {
// How many names there are, how often constructors have run in the job, and a number by its name;
// -1 if there is none.
int registry_size();
int registry_starts();
int registry_find(const char* name);
void registry_add(const char* name, int number);
// The address of what constructors have made, and a counter in it.
int* registry_counter();
// A list that grows in a static local variable.
int registry_append(const char* text);
}
