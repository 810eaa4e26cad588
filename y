#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One command for everything that is done to this tree; `./x help` lists what it knows.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

readonly packages="clang-22 flang-22 libomp-22-dev llvm-22-dev llvm-22-tools lld-22 libclang-rt-22-dev
  clang-format-22 libstdc++-12-dev cmake ninja-build make git python3
  libucx-dev libfmt-dev libcli11-dev libgtest-dev libgmock-dev
  libbenchmark-dev"
readonly build=${WEFT_BUILD_DIR:-build}

help() {
  cat <<'TEXT'
./x setup              install the Debian packages that the build needs (as root; does nothing if all are there)
./x build [TARGET]     build; the commands are in build/bin
./x test [REGEX]       build, then every test, protocol and simulator under sanitizers too (or
                       only the tests whose name matches)
./x demo               an OpenMP example on real input, on 4 nodes, and its result as a picture
./x sim [OPTIONS]      the protocol simulator: --seeds N, --seed N, --bug NAME (see --help)
./x random [OPTIONS]   random OpenMP programs on random jobs: --seeds N (500), --seed N (see --help)
./x fuzz [SECONDS]     the fuzzers, each for so long (60)
./x bench [NAME]       benchmarks: micro, one-node, openmp, mpi (installs Open MPI first)
./x tidy               format, lint, check layers and sizes
./x ci                 what a landing must pass
TEXT
}

setup() { install $packages; }

install() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "x: installing ${missing[*]}"
  local sudo=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "x: not root, and no sudo: install these packages by hand: ${missing[*]}" >&2; exit 1; }
    sudo="sudo"
  fi
  $sudo apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
}

configure() {
  local directory=$1; shift
  [ -f "$directory/build.ninja" ] && [ $# -eq 0 ] && return
  cmake -G Ninja -B "$directory" -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 "$@" >/dev/null
}

build() {
  setup
  configure "$build"
  ninja -C "$build" "$@"
}

run_tests() {
  build
  ctest --test-dir "$build" --output-on-failure --no-tests=error ${1:+-R "$1"}
}

sanitized() {
  setup
  configure "$build-sanitize" -DWEFT_SANITIZE=ON
  ninja -C "$build-sanitize" base_test protocol_test weft-sim
  "$build-sanitize/tests/base_test" --gtest_brief=1
  "$build-sanitize/tests/protocol_test" --gtest_brief=1
  "$build-sanitize/bin/weft-sim" --seeds 200
}

fuzz() {
  build diff_fuzz
  "$build/bin/diff_fuzz" -max_total_time="${1:-60}" -print_final_stats=1 tests/corpora/diff
}

case "${1:-help}" in
  setup) setup ;;
  build) shift; build "$@" ;;
  test) if [ $# -gt 1 ]; then run_tests "$2"; else sanitized; run_tests; fi ;;
  demo) build; examples/demo/run "$build/bin" ;;
  sim) shift; build weft-sim >/dev/null; "$build/bin/weft-sim" "$@" ;;
  random) shift; build >/dev/null; tests/random/run --bin "$build/bin" --seeds 500 "$@" ;;
  fuzz) shift; fuzz "$@" ;;
  bench) shift; [ "${1:-}" != mpi ] || install libopenmpi-dev openmpi-bin; build; bench/run "$build" "$@" ;;
  tidy) shift; setup; tools/tidy/run "$@" ;;
  ci) setup; tools/tidy/run --check; sanitized; run_tests ;;
  help | -h | --help) help ;;
  *) echo "x: there is no '$1'" >&2; help >&2; exit 2 ;;
esac
