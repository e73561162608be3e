#!/bin/sh
# SPDX-License-Identifier: MIT
# java.sh - the Java binding of ONNX Runtime, on our library and on the one in its package.

. "$BP_SRCDIR/tests/clients/lib.sh"
release=1.29.0
sum=5933bbc0c6c4d89afc04bf7c11011de23a947509c1352e5bf5936e62a84e4d10
need java javac mvn unzip

maven_copy()
{
    timeout 300 mvn -q -B -Dmaven.repo.local="$cache/maven" -DoutputDirectory=. \
        -Dartifact=com.microsoft.onnxruntime:onnxruntime:$release \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy &&
        has_sum $sum onnxruntime-$release.jar
}

try() # here|there JAVA_OPTION...
{
    result=$1
    shift
    mkdir "$dir/models.$result" && "$BP_BUILDDIR/tests/clients/models" "$dir/models.$result" || exit 1
    timeout 300 java "$@" -cp "$jar:$dir/classes" Everything "$dir/models.$result" "$dir/$result.tsv" \
        >"$dir/$result.log" 2>&1 || printf 'the_program_ends\tfail\n' >>"$dir/$result.tsv"
}

need_fetched java-onnxruntime-$release maven_copy
jar=$cache/java-onnxruntime-$release/onnxruntime-$release.jar
javac -Xlint:all,-try -Werror -d "$dir/classes" -cp "$jar" "$BP_SRCDIR/tests/clients/Everything.java" || exit 1

# the binding's own half, from the package, beside our library
case $(uname -m) in
x86_64) machine=x64 ;;
*) machine=$(uname -m) ;;
esac
mkdir "$dir/native" && unzip -q -j -d "$dir/native" "$jar" \
    "ai/onnxruntime/native/linux-$machine/libonnxruntime4j_jni.so" || skip "the package has nothing for this machine"
cp "$library" "$dir/native/libonnxruntime.so" || exit 1

try here -Donnxruntime.native.path="$dir/native"
try there -Dbackplane=no
verdict java "Maven package com.microsoft.onnxruntime:onnxruntime $release" || {
    cat "$dir/here.log"
    exit 1
}
