// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/staging/stage_script.hpp"

namespace weft {
namespace {

// One line without quotes and doubled backslashes: the user's login shell hands it on, and that may
// be any. Signals that end others are trapped, not ignored: programs would inherit that.
constexpr const char* kScript =
    R"(export LC_ALL=C; umask 077; f=$1; w=$f$2; )"
    R"(die() { echo "$1" >&2; exit 1; }; )"
    R"(room="make room there, or name another folder by --stage=FOLDER"; )"
    R"(trap : HUP INT TERM QUIT PIPE; )"
    R"(said=$(mkdir "$f" 2>&1) || die "$f cannot be made: ${said##*: }; )"
    R"(name another folder by --stage=FOLDER, which each host has for itself"; )"
    R"(trap "rm -rf \"\$f\"" EXIT; )"
    R"(while read -r n p; do [ "$n" = end ] && break; )"
    R"(case "$p/" in */../*) die "$p is no name for a file that is staged";; esac; )"
    R"(said=$( { mkdir -p "$f${p%/*}" && dd of="$f$p" bs=65536 iflag=fullblock,count_bytes )"
    R"(count="$n" status=none && chmod 700 "$f$p"; } 2>&1 ) || )"
    R"(die "$f$p cannot be written: ${said##*: }; $room"; done; )"
    R"([ "$n" = end ] || exit 1; export LD_LIBRARY_PATH="$3"; )"
    R"(lost=$(LD_TRACE_LOADED_OBJECTS=1 "$w" 2>&1 | )"
    R"(sed -n "s/^[[:space:]]*\([^ ]*\) => not found.*/\1/p" | sort -u | tr "\n" " "); )"
    R"([ -z "$lost" ] || die "libraries that Weft needs are missing: ${lost% }; )"
    R"(install them there from its distribution"; )"
    R"("$w" agent --stage "$f"; s=$?; )"
    R"([ $s = 126 ] && die "programs in $f may not be executed (is it mounted with noexec?); )"
    R"(name another folder by --stage=FOLDER"; exit $s)";

}  // namespace

std::vector<std::string> command_to_stage(const std::string& folder, const std::string& weft,
                                          const std::string& library_path) {
  return {"sh", "-c", kScript, "weft-stage", folder, weft, library_path};
}

}  // namespace weft
