#!/bin/sh
# Builds one program against tarn in one of the ways a user has, and runs it.
#
#   consume.sh install           installs BUILD into a prefix and moves the tree: what is installed must not mind
#   consume.sh find_package | pkg_config                                                         from that tree
#   consume.sh add_subdirectory | meson_subproject | plain | no_exceptions | two_units           from ROOT
#
# Environment: ROOT, BUILD (a configured build of ROOT), WORK (a folder for this script), PROGRAM, VERSION, CXX.
# Exit code 77: a tool that this way needs is not there.
set -eu

way=$1
here=$(cd "$(dirname "$0")" && pwd)
installed=$WORK/installed
mine=$WORK/$way
strict='-std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wsign-conversion -Werror'
rm -rf "$mine"
mkdir -p "$mine"
cd "$mine"

need() {
  command -v "$1" >/dev/null || { echo "$way needs $1, which is not installed"; exit 77; }
}

with_cmake() {
  cmake -S "$here/$way" -B build -G Ninja -D CMAKE_CXX_COMPILER="$CXX" -D PROGRAM="$PROGRAM" "$@"
  cmake --build build
  build/consumer
}

# Every header in one translation unit, next to the program's own.
write_second_unit() {
  (cd "$ROOT/include" && find tarn -name '*.hpp' | sort | sed 's/.*/#include <&>/')
}

case $way in
  install)
    rm -rf "$installed"
    cmake --install "$BUILD" --prefix "$mine"
    mv "$mine" "$installed"
    (cd "$ROOT/include" && find tarn -name '*.hpp' | sort) >"$WORK/expected"
    (cd "$installed/include" && find tarn -type f | sort) | diff "$WORK/expected" -
    ;;
  add_subdirectory) with_cmake -D TARN_ROOT="$ROOT" ;;
  find_package) with_cmake -D CMAKE_PREFIX_PATH="$installed" -D VERSION="$VERSION" ;;
  pkg_config)
    need pkg-config
    PKG_CONFIG_PATH=$installed/share/pkgconfig
    export PKG_CONFIG_PATH
    test "$(pkg-config --modversion tarn)" = "$VERSION"
    eval "set -- $(pkg-config --cflags --libs tarn)" # it quotes for a shell
    # shellcheck disable=SC2086
    "$CXX" $strict "$PROGRAM" -o consumer "$@" && ./consumer
    ;;
  meson_subproject)
    need meson
    mkdir subprojects
    cp "$here/$way/meson.build" .
    cp "$PROGRAM" program.cpp
    ln -s "$ROOT" subprojects/tarn
    CXX=$CXX meson setup build
    meson compile -C build
    build/consumer
    test "$(meson introspect build --projectinfo | grep -c "\"version\": \"$VERSION\"")" = 1
    ;;
  # shellcheck disable=SC2086
  plain) "$CXX" -std=c++20 -I"$ROOT/include" "$PROGRAM" -o consumer && ./consumer ;;
  # shellcheck disable=SC2086
  no_exceptions) "$CXX" $strict -fno-exceptions -fno-rtti -I"$ROOT/include" "$PROGRAM" -o consumer && ./consumer ;;
  # shellcheck disable=SC2086
  two_units)
    write_second_unit >second.cpp
    "$CXX" $strict -I"$ROOT/include" "$PROGRAM" second.cpp -o consumer
    ./consumer
    ;;
  *) echo "unknown way: $way" && exit 2 ;;
esac
