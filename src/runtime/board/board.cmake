# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
weft_library(weft_board SOURCES board/board.cpp board/board_file.cpp board/snapshot.cpp USES weft_base weft_protocol)
# A part of the node library, which is preloaded: its thread-local variables have their place from the start.
target_compile_options(weft_board PRIVATE -ftls-model=initial-exec)
weft_test(board_test SOURCES board/board_test.cpp USES weft_board)
