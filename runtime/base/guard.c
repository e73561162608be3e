/* SPDX-License-Identifier: MIT */
/*
 * guard.c - catches exceptions of C++ without a C++ compiler or library.
 *
 * It speaks the Itanium C++ ABI, which gcc and clang follow on Linux ("Exception Handling", levels I and
 * II): a throw looks for a frame whose personality routine says that it has a handler, unwinds to it, and
 * goes on where that routine says. Our frame is a few instructions that call a function, with a routine
 * that always has a handler. The unwinder and the C++ library are those that threw: they are found when an
 * exception comes, so that neither has to be linked, and loaded, for programs that have no C++.
 */

#include "config.h"

#include "base/guard.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "base/status.h"

/* ---- the frame ------------------------------------------------------------------------------- */

_Unwind_Reason_Code
bp_guard_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class_of,
                     struct _Unwind_Exception *thrown, struct _Unwind_Context *context)
    __attribute__((visibility("hidden"), used));

#if defined __LP64__ && (defined __x86_64__ || defined __aarch64__) && !defined BP_GUARD_ENDS

/* Calls fn(arg). 0: it returned; 1: `caught` was thrown. */
int bp_guard_frame(void (*fn)(void *), void *arg) __attribute__((visibility("hidden")));
/* Where that goes on after a throw. */
extern const char bp_guard_landing[] __attribute__((visibility("hidden")));
/* 0x1b: the address of the routine is relative to where it is written, in four bytes. */
#define BEGIN                                                                                      \
    ".pushsection .text\n"                                                                         \
    ".p2align 4\n"                                                                                 \
    ".globl bp_guard_frame\n"                                                                      \
    ".hidden bp_guard_frame\n"                                                                     \
    ".hidden bp_guard_landing\n"                                                                   \
    ".hidden bp_guard_personality\n"                                                               \
    ".type bp_guard_frame, %function\n"                                                            \
    "bp_guard_frame:\n"                                                                            \
    ".cfi_startproc\n"                                                                             \
    ".cfi_personality 0x1b, bp_guard_personality\n"
#define LANDING                                                                                    \
    ".globl bp_guard_landing\n"                                                                    \
    "bp_guard_landing:\n"
#define END                                                                                        \
    ".cfi_endproc\n"                                                                               \
    ".size bp_guard_frame, . - bp_guard_frame\n"                                                   \
    ".popsection\n"

#ifdef __x86_64__
__asm__(BEGIN "endbr64\n"
              "subq $8, %rsp\n"
              ".cfi_def_cfa_offset 16\n"
              "movq %rdi, %rax\n"
              "movq %rsi, %rdi\n"
              "call *%rax\n"
              "xorl %eax, %eax\n"
              "addq $8, %rsp\n"
              ".cfi_remember_state\n"
              ".cfi_def_cfa_offset 8\n"
              "ret\n"
              ".cfi_restore_state\n" LANDING "endbr64\n"
              "movl $1, %eax\n"
              "addq $8, %rsp\n"
              ".cfi_def_cfa_offset 8\n"
              "ret\n" END);
#else
__asm__(BEGIN "hint #34\n" /* bti c */
              "stp x29, x30, [sp, #-16]!\n"
              ".cfi_def_cfa_offset 16\n"
              ".cfi_offset x29, -16\n"
              ".cfi_offset x30, -8\n"
              "mov x29, sp\n"
              "mov x2, x0\n"
              "mov x0, x1\n"
              "blr x2\n"
              "mov x0, #0\n"
              "b 1f\n" LANDING "hint #36\n" /* bti j */
              "mov x0, #1\n"
              "1: ldp x29, x30, [sp], #16\n"
              ".cfi_restore x29\n"
              ".cfi_restore x30\n"
              ".cfi_def_cfa_offset 0\n"
              "ret\n" END);
#endif

/* ---- the unwinder ---------------------------------------------------------------------------- */

/* A symbol of the library that `address` belongs to, else of any that the program sees. */
static void *find(const void *address, const char *name)
{
    Dl_info info;
    void *library = NULL, *symbol = NULL;

    if (dladdr(address, &info) && info.dli_fname)
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        symbol = dlsym(library, name);
        dlclose(library);
    }
    return symbol ? symbol : dlsym(RTLD_DEFAULT, name);
}

/* A function of the unwinder; one that is linked into the thrower is hidden, then gcc's own serves. */
static void *find_unwinder(const void *caller, const char *name)
{
    void *symbol = find(caller, name);
    void *library = symbol ? NULL : dlopen("libgcc_s.so.1", RTLD_LAZY);

    return library ? dlsym(library, name) : symbol; /* stays open: it is used until the jump */
}

typedef void (*set_ip_fn)(struct _Unwind_Context *, uintptr_t);

/* A symbol as a function; ISO C has no cast for it. */
#define AS_FUNCTION(fn, symbol) memcpy(&(fn), &(symbol), sizeof(fn))

/*
 * From the personality routine to the landing. A register could carry it; but to set one takes a function
 * that only the unwinder of the throw itself has right, and that may be hidden.
 */
static __thread struct _Unwind_Exception *caught;

static bool go_on(const void *unwinder, struct _Unwind_Exception *thrown,
                  struct _Unwind_Context *context)
{
    void *symbol = find_unwinder(unwinder, "_Unwind_SetIP");
    set_ip_fn set_ip;

    if (!symbol)
        return false;
    AS_FUNCTION(set_ip, symbol);
    caught = thrown;
    set_ip(context, (uintptr_t)bp_guard_landing);
    return true;
}

/* Called by the unwinder. A thread that is cancelled or ends unwinds without a search: it goes on. */
_Unwind_Reason_Code bp_guard_personality(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class class_of,
                                         struct _Unwind_Exception *thrown,
                                         struct _Unwind_Context *context)
{
    (void)class_of;
    if (version != 1)
        return _URC_FATAL_PHASE1_ERROR;
    if (actions & _UA_SEARCH_PHASE)
        return _URC_HANDLER_FOUND;
    if (!(actions & _UA_HANDLER_FRAME))
        return _URC_CONTINUE_UNWIND;
    return go_on(__builtin_return_address(0), thrown, context) ? _URC_INSTALL_CONTEXT
                                                               : _URC_FATAL_PHASE2_ERROR;
}

/* ---- what was thrown ------------------------------------------------------------------------- */

/* std::type_info, and an object with virtual functions. */
struct type_info {
    void **functions;
    const char *name; /* mangled */
};
struct object {
    void **functions;
};
enum { DO_CATCH = 4, WHAT = 2 }; /* places of virtual functions of type_info and std::exception */

typedef void *(*begin_catch_fn)(void *);
typedef void (*end_catch_fn)(void);
typedef const struct type_info *(*current_type_fn)(void);
typedef bool (*do_catch_fn)(const struct type_info *, const struct type_info *, void **, unsigned);
typedef const char *(*what_fn)(const struct object *);
typedef char *(*demangle_fn)(const char *, char *, size_t *, int *);

/* "GNUCC++" of gcc's library, "CLNGC++" of clang's; the last byte tells where the object is. */
static bool is_cxx(const struct _Unwind_Exception *thrown)
{
    return (thrown->exception_class & 0xffffff00) == 0x432b2b00;
}

/*
 * The object lies behind what is thrown; or that stands for another exception
 * (std::rethrow_exception), and the object's address is in the header before it: at its begin in gcc's
 * library, a word before that in clang's.
 */
static void *object_of(struct _Unwind_Exception *thrown)
{
    bool is_gnu = thrown->exception_class >> 32 == 0x474e5543;
    size_t back = (is_gnu ? 10 : 11) * sizeof(void *);
    void *object;

    if ((thrown->exception_class & 0xff) == 0)
        return thrown + 1;
    memcpy(&object, (char *)thrown - back, sizeof object);
    return object;
}

/* The address by which symbols of the C++ library are found. */
static const void *library_of(const struct _Unwind_Exception *thrown)
{
    const void *address;

    AS_FUNCTION(address, thrown->exception_cleanup);
    return address;
}

/* what() of the object, or NULL if it is not a std::exception. */
static const char *what_of(struct _Unwind_Exception *thrown, const struct type_info *type)
{
    const struct type_info *wanted = find(library_of(thrown), "_ZTISt9exception");
    void *object = object_of(thrown);
    do_catch_fn do_catch;
    what_fn what;

    if (!wanted)
        return NULL;
    AS_FUNCTION(do_catch, wanted->functions[DO_CATCH]);
    if (!do_catch(wanted, type, &object, 1))
        return NULL;
    AS_FUNCTION(what, ((const struct object *)object)->functions[WHAT]);
    return what(object);
}

static void name_type(const struct _Unwind_Exception *thrown, const struct type_info *type,
                      char *text)
{
    void *symbol = find(library_of(thrown), "__cxa_demangle");
    const char *name = type->name + (type->name[0] == '*'); /* of one that is local to a file */
    char *plain = NULL;
    demangle_fn demangle;
    int failed;

    if (symbol) {
        AS_FUNCTION(demangle, symbol);
        plain = demangle(name, NULL, NULL, &failed);
    }
    snprintf(text, BP_THROWN_TEXT, "an object of type %s", plain ? plain : name);
    free(plain);
}

static void describe(struct _Unwind_Exception *thrown, struct bp_thrown *out)
{
    void *symbol = find(library_of(thrown), "__cxa_current_exception_type");
    const struct type_info *type = NULL;
    current_type_fn current_type;
    const char *what;

    if (symbol) {
        AS_FUNCTION(current_type, symbol);
        type = current_type();
    }
    if (!type)
        return;
    what = what_of(thrown, type);
    out->is_std = what != NULL;
    if (what)
        snprintf(out->text, sizeof out->text, "%s", what);
    else
        name_type(thrown, type, out->text);
}

static void take(struct _Unwind_Exception *thrown, struct bp_thrown *out)
{
    void *begin = find(library_of(thrown), "__cxa_begin_catch");
    void *end = find(library_of(thrown), "__cxa_end_catch");
    begin_catch_fn begin_catch;
    end_catch_fn end_catch;

    *out = (struct bp_thrown){.text = "an exception of C++ without a known type"};
    if (begin && end) {
        AS_FUNCTION(begin_catch, begin);
        AS_FUNCTION(end_catch, end);
        begin_catch(thrown);
        describe(thrown, out);
        end_catch();
    } else if (thrown->exception_cleanup) { /* a C++ library inside another, which hides it */
        thrown->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, thrown);
    }
}

bool bp_guard(void (*fn)(void *), void *arg, struct bp_thrown *thrown)
{
    if (!bp_guard_frame(fn, arg))
        return true;
    if (is_cxx(caught))
        take(caught, thrown);
    else
        *thrown = (struct bp_thrown){.text = "an exception of a language other than C++"};
    return false;
}

#else

/* No frame to come back to: the search for a handler ends here, so that C++ ends the process. */
_Unwind_Reason_Code bp_guard_personality(int version, _Unwind_Action actions,
                                         _Unwind_Exception_Class class_of,
                                         struct _Unwind_Exception *thrown,
                                         struct _Unwind_Context *context)
{
    (void)version;
    (void)class_of;
    (void)thrown;
    (void)context;
    return actions & _UA_SEARCH_PHASE ? _URC_FATAL_PHASE1_ERROR : _URC_CONTINUE_UNWIND;
}

bool bp_guard(void (*fn)(void *), void *arg, struct bp_thrown *thrown)
{
    (void)thrown;
#ifndef __arm__ /* where frames of C have no tables at all */
    __asm__ volatile(".cfi_personality 0x1b, bp_guard_personality");
#endif
    fn(arg);
    __asm__ volatile(""); /* no jump: the frame has to be there */
    return true;
}

#endif

bp_rc bp_thrown_fail(const struct bp_thrown *thrown, const char *whose, bp_err *err)
{
    return bp_fail(err, BP_E_INTERNAL, "%s threw an exception: %s", whose, thrown->text);
}
