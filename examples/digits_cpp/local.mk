# SPDX-License-Identifier: MIT
# examples/digits_cpp/ - the digits in C++, a project of CMake; tests/cxx/cmake.sh builds and runs it.

nobase_dist_doc_DATA += \
	%D%/CMakeLists.txt \
	%D%/README.md \
	%D%/digits.cc
