# SPDX-License-Identifier: MIT
# tests/conformance/ - one suite of operator cases, run on every provider that was built.
