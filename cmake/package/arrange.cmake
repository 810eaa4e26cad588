# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Before CPack packs: an installation in usr becomes what Debian expects.
#
#     usr/lib/weft                 the installation itself: bin, lib, include
#     usr/bin, usr/include,        links to it; and share, where Debian looks
#     usr/lib/cmake
#     usr/lib/python3              a link to the Python package in usr/share/weft
#
# Binaries lose their debugging information, which names the folder where they were built.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(home ${root}/lib/weft)
set(source ${CMAKE_CURRENT_LIST_DIR}/../..)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# CPack may run a second time on the same folder.
if(EXISTS ${home})
  return()
endif()
file(RENAME ${root}/lib ${root}/installed)
file(MAKE_DIRECTORY ${home} ${root}/lib/cmake ${root}/lib/pkgconfig)
file(RENAME ${root}/installed ${home}/lib)
file(RENAME ${root}/bin ${home}/bin)
file(RENAME ${root}/include ${home}/include)

file(GLOB commands RELATIVE ${home}/bin ${home}/bin/*)
file(MAKE_DIRECTORY ${root}/bin ${root}/include)
foreach(command ${commands})
  file(CREATE_LINK ../lib/weft/bin/${command} ${root}/bin/${command} SYMBOLIC)
endforeach()
file(CREATE_LINK ../lib/weft/include/weft ${root}/include/weft SYMBOLIC)
file(CREATE_LINK ../weft/lib/cmake/Weft ${root}/lib/cmake/Weft SYMBOLIC)
file(MAKE_DIRECTORY ${root}/lib/python3/dist-packages)
file(CREATE_LINK ../../../share/weft/python/src/weft ${root}/lib/python3/dist-packages/weft SYMBOLIC)
file(READ ${home}/lib/pkgconfig/weft.pc text)
string(REPLACE "prefix=\${pcfiledir}/../.." "prefix=/usr/lib/weft" text "${text}")
file(WRITE ${root}/lib/pkgconfig/weft.pc "${text}")
file(REMOVE_RECURSE ${home}/lib/pkgconfig)

file(GLOB binaries ${home}/bin/* ${home}/lib/*.so ${home}/lib/weft-linker/ld)
foreach(binary ${binaries})
  run(strip --strip-unneeded --remove-section=.comment ${binary})
endforeach()
run(strip --strip-debug --enable-deterministic-archives ${home}/lib/libweft-program.a)
file(CHMOD ${home}/lib/libweft.so ${home}/lib/libweft-node.so ${home}/lib/libweft-binding.so
  ${home}/lib/libweft-pass.so ${home}/lib/libweft-pragmas.so ${home}/lib/libweft-program.a
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

# Debian's zsh looks here; site-functions is for what was built by hand.
file(RENAME ${root}/share/zsh/site-functions ${root}/share/zsh/vendor-completions)
file(GLOB pages ${root}/share/man/man1/*.1 ${root}/share/man/man3/*.3)
foreach(page ${pages})
  run(gzip -9n ${page})
endforeach()

set(documents ${root}/share/doc/weft)
file(READ ${documents}/LICENSE license)
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(READ ${CMAKE_CURRENT_LIST_DIR}/copyright copyright)
file(WRITE ${documents}/copyright "${copyright} ${license}\n")
file(REMOVE ${documents}/LICENSE)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if that is set
file(WRITE ${documents}/changelog "weft (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * This version of Weft, built from its source tree.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
run(gzip -9n ${documents}/changelog)
