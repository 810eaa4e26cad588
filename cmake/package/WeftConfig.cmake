# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(Weft), from an installation or from a build tree.
#
#   Weft::Weft            link it, PRIVATE, to each target whose data are shared between nodes:
#                         executables and their own libraries, static ones too
#   Weft::weft            the command `weft`, for add_test(... COMMAND Weft::weft run -n 4 ...)
#
# The compilers may be clang, clang++ and flang of version 22, which then get the options that
# weftcc would add, or weftcc, weftc++ and weftfc themselves, for which nothing is left to add.

# A Debian package has a link to this folder where CMake looks.
get_filename_component(_weft_lib "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_weft_lib "${_weft_lib}/../.." ABSOLUTE)
get_filename_component(_weft_bin "${_weft_lib}/../bin" ABSOLUTE)

# Sets `wanted` to whether the compiler of a language needs the options, and refuses one that does
# not know them: the pass is built for exactly this LLVM.
function(_weft_check_compiler language wanted)
  set(${wanted} FALSE PARENT_SCOPE)
  if(NOT CMAKE_${language}_COMPILER_LOADED)
    return()
  endif()
  get_filename_component(name "${CMAKE_${language}_COMPILER}" NAME)
  if(name MATCHES "^weft(cc|c\\+\\+|fc)$")
    return()
  endif()
  set(id "${CMAKE_${language}_COMPILER_ID}")
  set(version "${CMAKE_${language}_COMPILER_VERSION}")
  if(NOT id MATCHES "^(Clang|LLVMFlang)$" OR (version AND NOT version MATCHES "^22\\."))
    set(Weft_NOT_FOUND_MESSAGE "The ${language} compiler, ${CMAKE_${language}_COMPILER} (${id} ${version}), \
cannot compile for Weft. Use clang, clang++ and flang 22, or ${_weft_bin}/weftcc, weftc++ and weftfc." PARENT_SCOPE)
    return()
  endif()
  set(${wanted} TRUE PARENT_SCOPE)
endfunction()

set(_weft_languages "")
foreach(_weft_language C CXX Fortran)
  _weft_check_compiler(${_weft_language} _weft_wanted)
  if(Weft_NOT_FOUND_MESSAGE)
    set(Weft_FOUND FALSE)
    return()
  endif()
  if(_weft_wanted)
    list(APPEND _weft_languages ${_weft_language})
  endif()
endforeach()

if(NOT TARGET Weft::weft)
  add_executable(Weft::weft IMPORTED)
  set_target_properties(Weft::weft PROPERTIES IMPORTED_LOCATION "${_weft_bin}/weft")

  add_library(Weft::Weft INTERFACE IMPORTED)
  foreach(_weft_language IN LISTS _weft_languages)
    set(_weft_config "--config=${_weft_lib}/weft-clang.cfg")
    if(_weft_language STREQUAL Fortran)
      set(_weft_config "--config=${_weft_lib}/weft-flang.cfg")
    endif()
    set(_weft_is_library $<IN_LIST:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY;MODULE_LIBRARY>)
    set(_weft_of_configuration $<TARGET_PROPERTY:INTERPROCEDURAL_OPTIMIZATION_$<UPPER_CASE:$<CONFIG>>>)
    set(_weft_is_optimised
      $<OR:$<BOOL:$<TARGET_PROPERTY:INTERPROCEDURAL_OPTIMIZATION>>,$<BOOL:${_weft_of_configuration}>>)
    target_compile_options(Weft::Weft INTERFACE $<$<COMPILE_LANGUAGE:${_weft_language}>:${_weft_config}>)
    target_link_options(Weft::Weft INTERFACE
      $<$<LINK_LANGUAGE:${_weft_language}>:${_weft_config}>
      $<$<LINK_LANGUAGE:${_weft_language}>:--config=${_weft_lib}/$<IF:${_weft_is_library},weft-shared.cfg,weft-executable.cfg>>
      $<$<AND:$<LINK_LANGUAGE:${_weft_language}>,${_weft_is_optimised},$<NOT:${_weft_is_library}>>:--config=${_weft_lib}/weft-lto.cfg>
      $<$<LINK_LANGUAGE:${_weft_language}>:--config=${_weft_lib}/weft-link.cfg>)
  endforeach()
endif()
unset(_weft_languages)
unset(_weft_language)
unset(_weft_wanted)
unset(_weft_config)
unset(_weft_is_library)
unset(_weft_is_optimised)
unset(_weft_of_configuration)
unset(_weft_lib)
unset(_weft_bin)
