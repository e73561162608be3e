/* SPDX-License-Identifier: MIT */
/*
 * onnxruntime_macros.h - macros of ONNX Runtime's C ABI, for programs and headers written with
 * them.
 *
 * Included by onnxruntime_c_api.h, which does not use the annotations itself: what may be NULL and
 * who owns what is in its comments.
 */
#ifndef BP_ONNXRUNTIME_MACROS_H
#define BP_ONNXRUNTIME_MACROS_H

/* The calling convention: that of the platform, so nothing has to be said. */
#define ORT_API_CALL
/* The symbol is visible outside of the library. */
#define ORT_EXPORT __attribute__((visibility("default")))
/* A status that is dropped warns: it would leak, and hide a failure. */
#define ORT_MUST_USE_RESULT __attribute__((warn_unused_result))
/* For functions of programs; here NULL gives a status. */
#define ORT_ALL_ARGS_NONNULL __attribute__((nonnull))

/* Characters of paths: those of char here. */
#define ORTCHAR_T char
#define ORT_TSTR(text) text
#define ORT_TSTR_ON_MACRO(text) text
#define ORT_FILE_INTERNAL(text) ORT_TSTR(text)
#define ORT_FILE ORT_FILE_INTERNAL(__FILE__)

/* Annotations of arguments for Microsoft's compilers: nothing here. */
#define _Check_return_
#define _Frees_ptr_opt_
#define _In_
#define _In_opt_
#define _In_opt_z_
#define _In_reads_(count)
#define _In_reads_opt_
#define _In_z_
#define _Inout_
#define _Inout_opt_
#define _Inout_updates_(count)
#define _Inout_updates_all_(count)
#define _Out_
#define _Out_opt_
#define _Out_writes_(count)
#define _Out_writes_all_(count)
#define _Out_writes_bytes_all_(count)
#define _Out_writes_opt_(count)
#define _Outptr_
#define _Outptr_opt_
#define _Outptr_result_buffer_maybenull_(count)
#define _Outptr_result_maybenull_
#define _Outptr_result_maybenull_z_
#define _Ret_maybenull_
#define _Ret_notnull_
#define _Success_(condition)

/* Functions of the ABI throw nothing. */
#ifdef __cplusplus
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION
#endif

/* A function, and pointers to one in a table. */
#define ORT_API(type, name, ...) type ORT_API_CALL name(__VA_ARGS__) NO_EXCEPTION
#define ORT_API_T(type, name, ...) type(ORT_API_CALL *name)(__VA_ARGS__) NO_EXCEPTION
/* A function that returns a status, for declarations, tables and definitions. */
#define ORT_API_STATUS(name, ...)                                                                  \
    OrtStatusPtr ORT_API_CALL name(__VA_ARGS__) NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API2_STATUS(name, ...)                                                                 \
    OrtStatusPtr(ORT_API_CALL *name)(__VA_ARGS__) NO_EXCEPTION ORT_MUST_USE_RESULT
#define ORT_API_STATUS_IMPL(name, ...) OrtStatusPtr ORT_API_CALL name(__VA_ARGS__) NO_EXCEPTION

/* An opaque type, and the pointer to the function that releases one. */
#define ORT_RUNTIME_CLASS(name)                                                                    \
    struct Ort##name;                                                                              \
    typedef struct Ort##name Ort##name
#define ORT_CLASS_RELEASE(name) void(ORT_API_CALL *Release##name)(Ort##name * input)

#endif
