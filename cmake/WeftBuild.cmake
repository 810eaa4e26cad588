# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How every part of Weft is compiled: C++20, warnings are errors, assertions on in every build type.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
option(WEFT_SANITIZE "Build the protocol and the simulator with address and undefined sanitizers" OFF)

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
if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
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

# weft_library(name SOURCES a.cpp ... USES layer ...): a static layer, headers found as "layer/x.hpp".
function(weft_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_USES})
endfunction()

# weft_test(name SOURCES a_test.cpp ... USES layer ...): one GoogleTest program, one ctest entry.
function(weft_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_USES} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
