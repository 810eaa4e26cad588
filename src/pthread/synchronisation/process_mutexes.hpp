// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes that are the C library's: those in private memory, and all of a program that stays on
// node 0 (waiting/objects.hpp). As the functions of POSIX with these names, with their errors.
#pragma once

#include <pthread.h>

#include <ctime>

namespace weft::pthread::process {

// `site`: where the program calls, for people.
int lock(pthread_mutex_t* mutex, const void* site);
int try_lock(pthread_mutex_t* mutex, const void* site);
int lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec* time, const void* site);
int unlock(pthread_mutex_t* mutex);

// A wait for a condition begins, in which the calling thread does not have the mutex, and has
// ended.
void note_given_up(const pthread_mutex_t* mutex);
void note_taken(const pthread_mutex_t* mutex, const void* site);

}  // namespace weft::pthread::process
