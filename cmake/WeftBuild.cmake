# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How every part of Weft is compiled: C++20, warnings are errors, assertions on in every build type.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(WEFT_SANITIZE "" CACHE STRING "Build with sanitizers: address (and undefined) or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

add_compile_options(-Wall -Wextra -Werror -Wshadow -Wno-unused-parameter)
# A failed assertion names its file from the root of the tree, and a package does not say where it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(WEFT_SANITIZE)
  set(sanitizers ${WEFT_SANITIZE})
  if(WEFT_SANITIZE STREQUAL "address")
    set(sanitizers address,undefined)
  endif()
  # Sanitized code takes long to optimise, and its stacks need no more than lines.
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1)
  add_link_options(-fsanitize=${sanitizers})
endif()

# weft_includes(LAYER... [HEADERS header.hpp...]): whose headers the sources of this folder include, or
# which headers alone; no more and no less (tools/tidy/checks/layers.py). A layer stands above those
# that it names: they have come before in the list of folders.
function(weft_includes)
  cmake_parse_arguments(arg "" "" "HEADERS" ${ARGN})
  get_property(lower GLOBAL PROPERTY WEFT_LAYERS)
  foreach(layer ${arg_UNPARSED_ARGUMENTS})
    if(NOT layer IN_LIST lower)
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR} includes ${layer}, which does not stand below it")
    endif()
  endforeach()
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set_property(GLOBAL APPEND PROPERTY WEFT_LAYERS ${name})
endfunction()

# weft_room(room ROOM...): a folder of this layer, which holds one idea, and the rooms below it whose headers
# it includes; no more and no less (layers.py). What lies in the layer's own folder may include all.
function(weft_room room)
  get_filename_component(layer ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  get_property(lower GLOBAL PROPERTY WEFT_ROOMS_OF_${layer})
  foreach(each ${ARGN})
    if(NOT each IN_LIST lower)
      message(FATAL_ERROR "${layer}/${room} includes ${each}, which does not stand below it")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY WEFT_ROOMS_OF_${layer} ${room})
endfunction()

# weft_precompile(TARGET): the headers of the library, which take most of the time to compile, are compiled once for the
# target. A compiler cache would not look into them: a build with a cache reads each source without them, and finds
# what it does not include.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(WEFT_PRECOMPILED OFF)
else()
  set(WEFT_PRECOMPILED ON)
endif()
function(weft_precompile target)
  if(WEFT_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/standard.hpp)
  endif()
endfunction()

# weft_own_options(OPTION SOURCE...): these sources are compiled with an option more. A precompiled header is of other
# options: they are compiled without it.
function(weft_own_options option)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS ${option} SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# weft_library(name SOURCES a.cpp ... USES layer ...): a static layer, headers found as "layer/x.hpp".
function(weft_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_USES})
  list(LENGTH arg_SOURCES count)
  if(WEFT_SANITIZE)
    weft_compile_together(${name})
  elseif(count GREATER 5)
    weft_precompile(${name})
  endif()
endfunction()

# weft_compile_together(TARGET...): eight sources at a time, as most of the time goes into headers. For sources that
# another build or target compiles one by one: that finds what they do not include.
# Tests have helpers of the same names: each stays alone.
function(weft_compile_together)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  foreach(target ${ARGN})
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# Labels of ctest entries, of which each has one at least (tests/labels): unit, without a job; job, jobs that
# end well; failures, jobs that do not; compiler; source, how the tree is written; and slow beside one of them.

# ctest runs with two slots for each processor (./x test): tests that compute take two, and those that mostly wait
# for daemons, connections and the ends of processes take one, as by default.
set(computes PROCESSORS 2)

# weft_test(name SOURCES a_test.cpp ... USES layer ... [OWN_FLAGS]): one GoogleTest program, and a ctest entry,
# name.SUITE.CASE, for each of its cases. A case that skips itself is reported as skipped. WEFT_UNOPTIMISED_TESTS
# halves the time that the sources of tests take to compile, where they do not compute for long. (The linker takes
# inline functions that a test and its layer share from the test.)
include(GoogleTest)
set(unoptimised_test_options -O0)
set(optimised_test_options "")
foreach(how unoptimised optimised)
  if(WEFT_PRECOMPILED)
    add_executable(weft_${how}_empty_test EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/precompiled/empty_test.cpp)
    target_compile_options(weft_${how}_empty_test PRIVATE ${${how}_test_options})
    target_link_libraries(weft_${how}_empty_test PRIVATE fmt::fmt GTest::gtest GTest::gmock GTest::gtest_main)
    target_precompile_headers(weft_${how}_empty_test PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/googletest.hpp)
  endif()
endforeach()
function(weft_test name)
  cmake_parse_arguments(arg "OWN_FLAGS" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set(how optimised)
  if(WEFT_UNOPTIMISED_TESTS)
    set(how unoptimised)
  endif()
  target_compile_options(${name} PRIVATE ${${how}_test_options})
  if(WEFT_PRECOMPILED AND NOT arg_OWN_FLAGS)
    target_precompile_headers(${name} REUSE_FROM weft_${how}_empty_test)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit TIMEOUT 900 ${computes})
endfunction()

# weft_cases(name DRIVER script LABELS label... TIMEOUT seconds [ARGUMENTS ...] [WAITS] [EARLY] [LOCK]): a ctest entry,
# name.CASE, for each case that `script --list` names. The script runs one with --test CASE, and skips it
# with status 77. WAITS: they mostly wait. EARLY: so much that they begin before the others, beside clang_tidy; four of
# them at the end would leave a processor idle. LOCK: one of these cases at a time.
function(weft_cases name)
  cmake_parse_arguments(arg "WAITS;EARLY;LOCK" "DRIVER;TIMEOUT" "LABELS;ARGUMENTS" ${ARGN})
  execute_process(COMMAND ${arg_DRIVER} --list OUTPUT_VARIABLE cases
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  # A case more is a file more, or a line in a driver.
  file(GLOB files LIST_DIRECTORIES false CONFIGURE_DEPENDS
       ${CMAKE_CURRENT_SOURCE_DIR}/* ${CMAKE_CURRENT_SOURCE_DIR}/*/*)
  set(drivers ${files})
  list(FILTER drivers EXCLUDE REGEX "\\.(c|cpp|f90|h)$")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${drivers})
  string(REPLACE "\n" ";" cases "${cases}")
  set(slots ${computes})
  if(arg_WAITS)
    set(slots "")
  endif()
  foreach(case ${cases})
    add_test(NAME ${name}.${case} COMMAND ${arg_DRIVER} --bin ${CMAKE_BINARY_DIR}/bin --test ${case} ${arg_ARGUMENTS})
    set_tests_properties(${name}.${case} PROPERTIES
      LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ${slots} SKIP_RETURN_CODE 77)
    if(arg_EARLY)
      set_tests_properties(${name}.${case} PROPERTIES COST 100)
    endif()
    if(arg_LOCK)
      set_tests_properties(${name}.${case} PROPERTIES RESOURCE_LOCK ${name})
    endif()
  endforeach()
endfunction()
