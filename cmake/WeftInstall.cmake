# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` copies: commands, what they look for in ../lib beside themselves, the
# package that find_package(Weft) reads, weft.pc, manual pages and completions. The whole may be moved afterwards.
include(CMakePackageConfigHelpers)

set(weft_package ${CMAKE_BINARY_DIR}/lib/cmake/Weft)
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/WeftConfig.cmake ${weft_package}/WeftConfig.cmake COPYONLY)
write_basic_package_version_file(${weft_package}/WeftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/package/weft.pc ${CMAKE_BINARY_DIR}/lib/pkgconfig/weft.pc @ONLY)

install(PROGRAMS $<TARGET_FILE:weft> $<TARGET_FILE:weftcc> $<TARGET_FILE:weftc++> $<TARGET_FILE:weftfc> DESTINATION bin)
install(FILES $<TARGET_FILE:weft_start> $<TARGET_FILE:weft-node> $<TARGET_FILE:weft-binding>
  $<TARGET_FILE:weft_pass> $<TARGET_FILE:weft_pragmas>
  $<TARGET_FILE:weft_program> DESTINATION lib)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib FILES_MATCHING
  PATTERN "weft-*.cfg" PATTERN "cmake" EXCLUDE PATTERN "pkgconfig" EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/weft-linker DESTINATION lib USE_SOURCE_PERMISSIONS)
file(COPY ${PROJECT_SOURCE_DIR}/include DESTINATION ${CMAKE_BINARY_DIR})
file(GLOB weft_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/weft/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${weft_headers})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weft DESTINATION include)
install(FILES ${CMAKE_BINARY_DIR}/include/weft/weft.mod ${CMAKE_BINARY_DIR}/include/weft/weft_remote.mod DESTINATION include/weft OPTIONAL)
install(DIRECTORY ${weft_package} DESTINATION lib/cmake)
install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/weft.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man ${CMAKE_BINARY_DIR}/share/bash-completion ${CMAKE_BINARY_DIR}/share/zsh
  DESTINATION share)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/containers/make-debian ${PROJECT_SOURCE_DIR}/tools/containers/make-profile
  DESTINATION share/weft/containers)
install(FILES ${PROJECT_SOURCE_DIR}/tools/containers/Containerfile DESTINATION share/weft/containers)
configure_file(${PROJECT_SOURCE_DIR}/tools/anl/weft.m4 ${CMAKE_BINARY_DIR}/share/weft/weft.m4 COPYONLY)
install(FILES ${CMAKE_BINARY_DIR}/share/weft/weft.m4 DESTINATION share/weft)
# The Python package, for pip, or for PYTHONPATH as it is.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python DESTINATION share/weft
  PATTERN "__pycache__" EXCLUDE PATTERN "*.egg-info" EXCLUDE PATTERN "build" EXCLUDE)
install(FILES LICENSE README.md DESTINATION share/doc/weft)
include(WeftPackage)
