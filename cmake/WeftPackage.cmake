# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Debian package, from an installation: `./x package`. docs/decisions/0017-packages.md says why it lies so.
#
# dpkg-shlibdeps finds the libraries that the binaries need, UCX among them. The compilers are named by hand: the pass
# needs exactly this LLVM, and weftcc calls the rest.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VENDOR "The Weft developers")
set(CPACK_PACKAGE_CONTACT "The Weft developers <weft@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenMP programs on several nodes, as on one machine")
set(CPACK_PACKAGE_DESCRIPTION "Weft runs OpenMP programs in C, C++ and Fortran on several nodes as if they
were one machine with shared memory. weftcc, weftc++ and weftfc compile a
program as it is; 'weft run' starts it. Underneath is a software distributed
shared memory: pages travel between nodes when they are needed.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/arrange.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-22 (>= 1:22.1), clang-22 (<< 1:23), flang-22, libomp-22-dev, lld-22, libclang-rt-22-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "man-db, openssh-client")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, cmake, pkg-config, bash-completion, zsh")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
