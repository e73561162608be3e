# SPDX-License-Identifier: MIT
# lib.sh - what the scripts of this folder share: Python with onnxruntime, onnx and our library by ctypes.

. "$BP_SRCDIR/tests/clients/lib.sh"
onnx_release=1.23.2
need python3
"${BACKPLANE_BIN:-$BP_BUILDDIR/tools/backplane}" --quiet providers cpu || skip "the cpu provider is not usable"

pip_install_onnx()
{
    timeout 300 python3 -m pip install --disable-pip-version-check --only-binary=:all: --retries 1 \
        --target . "onnxruntime==$peer_release" "onnx==$onnx_release" numpy==2.4.6
}

packages=python-onnxruntime-$peer_release-onnx-$onnx_release
need_fetched $packages pip_install_onnx
here=$BP_SRCDIR/tests/differential
export PYTHONPATH="$cache/$packages:$here:$BP_SRCDIR/tests/clients" PYTHONDONTWRITEBYTECODE=1
export ORT_SLOTS="$BP_SRCDIR/runtime/ort/slots_api.inc" ORT_LIBRARY="$library"
