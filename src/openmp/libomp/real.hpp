// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomp's own functions, which this library's entry points stand before in symbol search. They
// run the threads inside the node. Found once, by name, in what was loaded after this library; all
// are null in a program that does not use OpenMP (and then nobody calls the entry points).
#pragma once

#include <cstddef>
#include <cstdint>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {

// F(result, name, parameters)
#define WEFT_REAL_FUNCTIONS(F)                                                                    \
  F(void, __kmpc_fork_call, (Ident*, std::int32_t, Microtask, ...))                               \
  F(void, __kmpc_fork_teams, (Ident*, std::int32_t, Microtask, ...))                              \
  F(int, __kmp_invoke_microtask, (Microtask, int, int, int, void**, void**))                      \
  F(void, __kmpc_serialized_parallel, (Ident*, std::int32_t))                                     \
  F(void, __kmpc_end_serialized_parallel, (Ident*, std::int32_t))                                 \
  F(void, __kmpc_push_num_threads, (Ident*, std::int32_t, std::int32_t))                          \
  F(void, __kmpc_push_num_threads_strict, (Ident*, std::int32_t, std::int32_t, int, const char*)) \
  F(void, __kmpc_push_proc_bind, (Ident*, std::int32_t, int))                                     \
  F(std::int32_t, __kmpc_global_thread_num, (Ident*))                                             \
  F(void, __kmpc_barrier, (Ident*, std::int32_t))                                                 \
  F(std::int32_t, __kmpc_barrier_master, (Ident*, std::int32_t))                                  \
  F(void*, __kmpc_omp_task_alloc,                                                                 \
    (Ident*, std::int32_t, std::int32_t, std::size_t, std::size_t, TaskEntry))                    \
  F(std::int32_t, __kmpc_omp_taskyield, (Ident*, std::int32_t, int))                              \
  F(void*, __kmpc_omp_target_task_alloc,                                                          \
    (Ident*, std::int32_t, std::int32_t, std::size_t, std::size_t, TaskEntry, std::int64_t))      \
  F(std::int32_t, __kmpc_omp_task, (Ident*, std::int32_t, void*))                                 \
  F(std::int32_t, __kmpc_omp_task_parts, (Ident*, std::int32_t, void*))                           \
  F(std::int32_t, __kmpc_omp_task_with_deps,                                                      \
    (Ident*, std::int32_t, void*, std::int32_t, DependInfo*, std::int32_t, DependInfo*))          \
  F(void, __kmpc_omp_task_begin_if0, (Ident*, std::int32_t, void*))                               \
  F(void, __kmpc_omp_task_complete_if0, (Ident*, std::int32_t, void*))                            \
  F(std::int32_t, __kmpc_omp_taskwait, (Ident*, std::int32_t))                                    \
  F(void, __kmpc_omp_wait_deps,                                                                   \
    (Ident*, std::int32_t, std::int32_t, DependInfo*, std::int32_t, DependInfo*))                 \
  F(void, __kmpc_omp_taskwait_deps_51,                                                            \
    (Ident*, std::int32_t, std::int32_t, DependInfo*, std::int32_t, DependInfo*, std::int32_t))   \
  F(std::int32_t, __kmpc_omp_reg_task_with_affinity,                                              \
    (Ident*, std::int32_t, void*, std::int32_t, void*))                                           \
  F(void, __kmpc_taskgroup, (Ident*, std::int32_t))                                               \
  F(void, __kmpc_end_taskgroup, (Ident*, std::int32_t))                                           \
  F(void, __kmpc_taskloop,                                                                        \
    (Ident*, std::int32_t, void*, std::int32_t, std::uint64_t*, std::uint64_t*, std::int64_t,     \
     std::int32_t, std::int32_t, std::uint64_t, void*))                                           \
  F(void, __kmpc_taskloop_5,                                                                      \
    (Ident*, std::int32_t, void*, std::int32_t, std::uint64_t*, std::uint64_t*, std::int64_t,     \
     std::int32_t, std::int32_t, std::uint64_t, std::int32_t, void*))                             \
  F(void*, __kmpc_task_allow_completion_event, (Ident*, std::int32_t, void*))                     \
  F(void, omp_fulfill_event, (void*))                                                             \
  F(void*, __kmpc_taskred_init, (std::int32_t, std::int32_t, void*))                              \
  F(void*, __kmpc_task_reduction_init, (std::int32_t, std::int32_t, void*))                       \
  F(void*, __kmpc_taskred_modifier_init,                                                          \
    (Ident*, std::int32_t, std::int32_t, std::int32_t, void*))                                    \
  F(void*, __kmpc_task_reduction_modifier_init,                                                   \
    (Ident*, std::int32_t, std::int32_t, std::int32_t, void*))                                    \
  F(void, __kmpc_task_reduction_modifier_fini, (Ident*, std::int32_t, std::int32_t))              \
  F(void*, __kmpc_task_get_depnode, (void*))                                                      \
  F(void*, __kmpc_task_get_successors, (void*))                                                   \
  F(void*, __kmpc_task_reduction_get_th_data, (std::int32_t, void*, void*))                       \
  F(int, omp_get_max_task_priority, (void))                                                       \
  F(int, omp_in_final, (void))                                                                    \
  F(int, omp_in_explicit_task, (void))                                                            \
  F(std::int32_t, __kmpc_barrier_master_nowait, (Ident*, std::int32_t))                           \
  F(std::int32_t, __kmpc_cancel_barrier, (Ident*, std::int32_t))                                  \
  F(std::int32_t, __kmpc_cancel, (Ident*, std::int32_t, std::int32_t))                            \
  F(std::int32_t, __kmpc_cancellationpoint, (Ident*, std::int32_t, std::int32_t))                 \
  F(std::int32_t, __kmpc_single, (Ident*, std::int32_t))                                          \
  F(void, __kmpc_end_single, (Ident*, std::int32_t))                                              \
  F(std::int32_t, __kmpc_master, (Ident*, std::int32_t))                                          \
  F(void, __kmpc_end_master, (Ident*, std::int32_t))                                              \
  F(std::int32_t, __kmpc_masked, (Ident*, std::int32_t, std::int32_t))                            \
  F(void, __kmpc_end_masked, (Ident*, std::int32_t))                                              \
  F(void, __kmpc_copyprivate,                                                                     \
    (Ident*, std::int32_t, std::size_t, void*, CopyFunction, std::int32_t))                       \
  F(void*, __kmpc_copyprivate_light, (Ident*, std::int32_t, void*))                               \
  F(void, __kmpc_critical, (Ident*, std::int32_t, void*))                                         \
  F(void, __kmpc_critical_with_hint, (Ident*, std::int32_t, void*, std::uint32_t))                \
  F(void, __kmpc_end_critical, (Ident*, std::int32_t, void*))                                     \
  F(void, __kmpc_atomic_start, (void))                                                            \
  F(void, __kmpc_atomic_end, (void))                                                              \
  F(void, __kmpc_flush, (Ident*))                                                                 \
  F(std::int32_t, __kmpc_reduce,                                                                  \
    (Ident*, std::int32_t, std::int32_t, std::size_t, void*, CombineFunction, void*))             \
  F(std::int32_t, __kmpc_reduce_nowait,                                                           \
    (Ident*, std::int32_t, std::int32_t, std::size_t, void*, CombineFunction, void*))             \
  F(void, __kmpc_end_reduce, (Ident*, std::int32_t, void*))                                       \
  F(void, __kmpc_end_reduce_nowait, (Ident*, std::int32_t, void*))                                \
  F(void, __kmpc_for_static_fini, (Ident*, std::int32_t))                                         \
  F(void, __kmpc_for_static_init_4,                                                               \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::int32_t*, std::int32_t*,             \
     std::int32_t*, std::int32_t, std::int32_t))                                                  \
  F(void, __kmpc_for_static_init_4u,                                                              \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::uint32_t*, std::uint32_t*,           \
     std::int32_t*, std::int32_t, std::int32_t))                                                  \
  F(void, __kmpc_for_static_init_8,                                                               \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::int64_t*, std::int64_t*,             \
     std::int64_t*, std::int64_t, std::int64_t))                                                  \
  F(void, __kmpc_for_static_init_8u,                                                              \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::uint64_t*, std::uint64_t*,           \
     std::int64_t*, std::int64_t, std::int64_t))                                                  \
  F(int, omp_get_max_teams, (void))                                                               \
  F(int, omp_get_teams_thread_limit, (void))                                                      \
  F(void, __kmpc_push_num_teams, (Ident*, std::int32_t, std::int32_t, std::int32_t))              \
  F(void, __kmpc_dist_for_static_init_4,                                                          \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::int32_t*, std::int32_t*,             \
     std::int32_t*, std::int32_t*, std::int32_t, std::int32_t))                                   \
  F(void, __kmpc_dist_dispatch_init_4,                                                            \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::int32_t, std::int32_t, std::int32_t, \
     std::int32_t))                                                                               \
  F(void, __kmpc_team_static_init_4,                                                              \
    (Ident*, std::int32_t, std::int32_t*, std::int32_t*, std::int32_t*, std::int32_t*,            \
     std::int32_t, std::int32_t))                                                                 \
  F(void, __kmpc_dist_for_static_init_4u,                                                         \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::uint32_t*, std::uint32_t*,           \
     std::uint32_t*, std::int32_t*, std::int32_t, std::int32_t))                                  \
  F(void, __kmpc_dist_dispatch_init_4u,                                                           \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::uint32_t, std::uint32_t,             \
     std::int32_t, std::int32_t))                                                                 \
  F(void, __kmpc_team_static_init_4u,                                                             \
    (Ident*, std::int32_t, std::int32_t*, std::uint32_t*, std::uint32_t*, std::int32_t*,          \
     std::int32_t, std::int32_t))                                                                 \
  F(void, __kmpc_dist_for_static_init_8,                                                          \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::int64_t*, std::int64_t*,             \
     std::int64_t*, std::int64_t*, std::int64_t, std::int64_t))                                   \
  F(void, __kmpc_dist_dispatch_init_8,                                                            \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::int64_t, std::int64_t, std::int64_t, \
     std::int64_t))                                                                               \
  F(void, __kmpc_team_static_init_8,                                                              \
    (Ident*, std::int32_t, std::int32_t*, std::int64_t*, std::int64_t*, std::int64_t*,            \
     std::int64_t, std::int64_t))                                                                 \
  F(void, __kmpc_dist_for_static_init_8u,                                                         \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::uint64_t*, std::uint64_t*,           \
     std::uint64_t*, std::int64_t*, std::int64_t, std::int64_t))                                  \
  F(void, __kmpc_dist_dispatch_init_8u,                                                           \
    (Ident*, std::int32_t, std::int32_t, std::int32_t*, std::uint64_t, std::uint64_t,             \
     std::int64_t, std::int64_t))                                                                 \
  F(void, __kmpc_team_static_init_8u,                                                             \
    (Ident*, std::int32_t, std::int32_t*, std::uint64_t*, std::uint64_t*, std::int64_t*,          \
     std::int64_t, std::int64_t))                                                                 \
  F(void, __kmpc_dispatch_init_4,                                                                 \
    (Ident*, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t)) \
  F(void, __kmpc_dispatch_init_4u,                                                                \
    (Ident*, std::int32_t, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t,              \
     std::int32_t))                                                                               \
  F(void, __kmpc_dispatch_init_8,                                                                 \
    (Ident*, std::int32_t, std::int32_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t)) \
  F(void, __kmpc_dispatch_init_8u,                                                                \
    (Ident*, std::int32_t, std::int32_t, std::uint64_t, std::uint64_t, std::int64_t,              \
     std::int64_t))                                                                               \
  F(int, __kmpc_dispatch_next_4,                                                                  \
    (Ident*, std::int32_t, std::int32_t*, std::int32_t*, std::int32_t*, std::int32_t*))           \
  F(int, __kmpc_dispatch_next_4u,                                                                 \
    (Ident*, std::int32_t, std::int32_t*, std::uint32_t*, std::uint32_t*, std::int32_t*))         \
  F(int, __kmpc_dispatch_next_8,                                                                  \
    (Ident*, std::int32_t, std::int32_t*, std::int64_t*, std::int64_t*, std::int64_t*))           \
  F(int, __kmpc_dispatch_next_8u,                                                                 \
    (Ident*, std::int32_t, std::int32_t*, std::uint64_t*, std::uint64_t*, std::int64_t*))         \
  F(void, __kmpc_dispatch_fini_4, (Ident*, std::int32_t))                                         \
  F(void, __kmpc_dispatch_fini_4u, (Ident*, std::int32_t))                                        \
  F(void, __kmpc_dispatch_fini_8, (Ident*, std::int32_t))                                         \
  F(void, __kmpc_dispatch_fini_8u, (Ident*, std::int32_t))                                        \
  F(void, __kmpc_dispatch_deinit, (Ident*, std::int32_t))                                         \
  F(void, __kmpc_ordered, (Ident*, std::int32_t))                                                 \
  F(void, __kmpc_end_ordered, (Ident*, std::int32_t))                                             \
  F(void, __kmpc_doacross_init, (Ident*, std::int32_t, std::int32_t, const DoacrossDimension*))   \
  F(void, __kmpc_doacross_wait, (Ident*, std::int32_t, const std::int64_t*))                      \
  F(void, __kmpc_doacross_post, (Ident*, std::int32_t, const std::int64_t*))                      \
  F(void, __kmpc_doacross_fini, (Ident*, std::int32_t))                                           \
  F(void*, __kmpc_threadprivate_cached, (Ident*, std::int32_t, void*, std::size_t, void***))      \
  F(void*, __kmpc_threadprivate, (Ident*, std::int32_t, void*, std::size_t))                      \
  F(void, __kmpc_threadprivate_register, (Ident*, void*, void*, void*, void*))                    \
  F(void, __kmpc_threadprivate_register_vec, (Ident*, void*, void*, void*, void*, std::size_t))   \
  F(std::int32_t, __kmpc_sections_init, (Ident*, std::int32_t))                                   \
  F(std::int32_t, __kmpc_next_section, (Ident*, std::int32_t, std::int32_t))                      \
  F(void, __kmpc_end_sections, (Ident*, std::int32_t))                                            \
  F(void, __kmpc_init_lock, (Ident*, std::int32_t, void**))                                       \
  F(void, __kmpc_init_lock_with_hint, (Ident*, std::int32_t, void**, std::uintptr_t))             \
  F(void, __kmpc_destroy_lock, (Ident*, std::int32_t, void**))                                    \
  F(void, __kmpc_set_lock, (Ident*, std::int32_t, void**))                                        \
  F(void, __kmpc_unset_lock, (Ident*, std::int32_t, void**))                                      \
  F(int, __kmpc_test_lock, (Ident*, std::int32_t, void**))                                        \
  F(void, __kmpc_init_nest_lock, (Ident*, std::int32_t, void**))                                  \
  F(void, __kmpc_init_nest_lock_with_hint, (Ident*, std::int32_t, void**, std::uintptr_t))        \
  F(void, __kmpc_destroy_nest_lock, (Ident*, std::int32_t, void**))                               \
  F(void, __kmpc_set_nest_lock, (Ident*, std::int32_t, void**))                                   \
  F(void, __kmpc_unset_nest_lock, (Ident*, std::int32_t, void**))                                 \
  F(int, __kmpc_test_nest_lock, (Ident*, std::int32_t, void**))                                   \
  F(int, omp_get_thread_num, (void))                                                              \
  F(int, omp_get_num_threads, (void))                                                             \
  F(int, omp_get_max_threads, (void))                                                             \
  F(void, omp_set_num_threads, (int))                                                             \
  F(std::size_t, ompc_get_affinity_format, (char*, std::size_t))                                  \
  F(void, ompc_set_affinity_format, (const char*))                                                \
  F(std::size_t, ompc_capture_affinity, (char*, std::size_t, const char*))                        \
  F(int, omp_get_place_num, (void))                                                               \
  F(void, ompc_display_affinity, (const char*))                                                   \
  F(int, omp_get_num_procs, (void))                                                               \
  F(int, omp_in_parallel, (void))                                                                 \
  F(int, omp_get_level, (void))                                                                   \
  F(int, omp_get_active_level, (void))                                                            \
  F(int, omp_get_ancestor_thread_num, (int))                                                      \
  F(int, omp_get_num_teams, (void))                                                               \
  F(int, omp_get_team_num, (void))                                                                \
  F(int, omp_get_team_size, (int))                                                                \
  F(int, omp_get_thread_limit, (void))                                                            \
  F(void, omp_get_schedule, (std::uint32_t*, int*))                                               \
  F(void, omp_set_schedule, (std::uint32_t, int))                                                 \
  F(int, omp_get_dynamic, (void))                                                                 \
  F(void, omp_set_dynamic, (int))                                                                 \
  F(int, omp_get_max_active_levels, (void))                                                       \
  F(void, omp_set_max_active_levels, (int))                                                       \
  F(int, omp_get_cancellation, (void))                                                            \
  F(std::uintptr_t, omp_get_default_allocator, (void))                                            \
  F(void, omp_set_default_allocator, (std::uintptr_t))

struct RealFunctions {
#define WEFT_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  WEFT_REAL_FUNCTIONS(WEFT_DECLARE)
#undef WEFT_DECLARE
};

namespace detail {
extern RealFunctions real_functions;
extern bool real_functions_found;
void find_real_functions();
}  // namespace detail

// Found at the first call, which is made while the program is still single-threaded.
inline const RealFunctions& real() {
  if (!detail::real_functions_found) [[unlikely]]
    detail::find_real_functions();
  return detail::real_functions;
}

}  // namespace weft::openmp
