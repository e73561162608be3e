#!/bin/sh
# SPDX-License-Identifier: MIT
# no_library.sh - oneDNN's library was removed after the provider was installed: the check-up names it
# with the way out, and a model runs on what is left, said as asked.
#
# What stands for the removal is a copy of the plug-in that asks for a library that does not exist.
set -eu
. "$BP_SRCDIR/tests/cli/lib.sh"
needs_cpu
plugin=$BP_BUILDDIR/providers/libbp-dnnl.so
if [ ! -e "$plugin" ]; then
    echo "skipped: the provider dnnl was not built"
    exit 77
fi
mkdir "$work/dir"
sed 's/libdnnl\.so\.[0-9]/libdnnl.so.?/g' "$plugin" >"$work/dir/libbp-dnnl.so"
if cmp -s "$plugin" "$work/dir/libbp-dnnl.so"; then
    failed "$plugin does not open libdnnl by its shared name"
fi
cp -L "$BP_BUILDDIR/providers/libbp-cpu.so" "$work/dir/"
BACKPLANE_PROVIDER_PATH=$work/dir
export BACKPLANE_PROVIDER_PATH
make_model "$work/relu.onnx" Relu "$FLOAT" 1 3

gives 4 doctor why dnnl
says out AVAILABLE 'libdnnl.so.?' 'cannot open shared object file' 'not usable' \
    "Debian's libdnnl2"
gives 0 providers --json
says out '"name": "dnnl"' 'libdnnl.so.?'

gives 0 --quiet run --providers dnnl,cpu --fallback silent --report "$work/relu.onnx"
says out "libdnnl.so.?"
refuses 4 "libdnnl.so.?" run --providers dnnl,cpu --fallback require "$work/relu.onnx"
exit $status
