/* SPDX-License-Identifier: MIT */
/*
 * guarded.cc - bp_guard() and every kind of exception.
 *
 *     guarded          what is thrown is described and destroyed
 *     guarded hidden   the same where the C++ library is hidden in the program: no description
 *     guarded ends     one throw, through a guard that has no frame
 */

#include <cstdio>
#include <cstring>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include <pthread.h>

extern "C" {
#include "base/guard.h"
}

namespace
{

int alive; /* exceptions of ours that are not destroyed */

struct Counted : std::exception {
    Counted()
    {
        alive++;
    }
    Counted(const Counted &other) : std::exception(other)
    {
        alive++;
    }
    ~Counted() override
    {
        alive--;
    }
    const char *what() const noexcept override
    {
        return "counted";
    }
};

struct Other {
    virtual ~Other() = default;
    long padding = 1;
};
struct Second : Other, std::runtime_error {
    Second() : std::runtime_error("second base")
    {
    }
};
struct Virtual : Other, virtual std::exception {
    const char *what() const noexcept override
    {
        return "virtual base";
    }
};

void rethrow_elsewhere()
{
    std::promise<int> promise;

    promise.set_exception(std::make_exception_ptr(std::logic_error("from a future")));
    promise.get_future().get();
}

struct Case {
    void (*fn)(void *);
    bool is_std;
    const char *text;
};

const Case cases[] = {
    {[](void *) { throw std::runtime_error("plain"); }, true, "plain"},
    {[](void *) { throw Counted(); }, true, "counted"},
    {[](void *) { throw Second(); }, true, "second base"},
    {[](void *) { throw Virtual(); }, true, "virtual base"},
    {[](void *) { rethrow_elsewhere(); }, true, "from a future"},
    {[](void *) {
         try {
             throw Counted();
         } catch (...) {
             throw;
         }
     },
     true, "counted"},
    {[](void *) { throw 42; }, false, "an object of type int"},
    {[](void *) { throw "text"; }, false, "an object of type char const*"},
    {[](void *) { throw Other(); }, false, "an object of type"},
    {[](void *) { throw std::runtime_error(std::string(10000, 'x')); }, true, "xxxxxxxx"},
};

/* `is_hidden`: only what can be had without the C++ library. */
int try_all(bool is_hidden)
{
    int failures = 0;

    for (int round = 0; round < 3; round++) {
        for (const Case &one : cases) {
            struct bp_thrown thrown;
            bool is_described;

            memset(&thrown, 'z', sizeof thrown);
            if (bp_guard(one.fn, nullptr, &thrown)) {
                fprintf(stderr, "FAIL: '%s': nothing was thrown\n", one.text);
                failures++;
                continue;
            }
            is_described = thrown.is_std == one.is_std && strstr(thrown.text, one.text);
            if (is_hidden ? !strstr(thrown.text, "an exception of C++") : !is_described) {
                fprintf(stderr, "FAIL: '%s': '%s', is_std %d\n", one.text, thrown.text,
                        thrown.is_std);
                failures++;
            }
        }
    }
    if (alive != 0 || (!is_hidden && std::uncaught_exceptions() != 0)) {
        fprintf(stderr, "FAIL: %d exceptions are alive, %d uncaught\n", alive,
                std::uncaught_exceptions());
        failures++;
    }
    return failures;
}

/* Inside a guard, another; and a handler of the application's, which is nearer. */
int try_nested()
{
    int failures = 0;
    struct bp_thrown outer;

    bool returned = bp_guard(
        [](void *) {
            struct bp_thrown inner;

            if (bp_guard([](void *) { throw 1; }, nullptr, &inner))
                throw std::runtime_error("the inner one did not catch");
            try {
                throw std::logic_error("own");
            } catch (const std::logic_error &) {
            }
        },
        nullptr, &outer);
    if (!returned) {
        fprintf(stderr, "FAIL: nested: '%s'\n", outer.text);
        failures++;
    }
    return failures;
}

/* The end of a thread unwinds as well: it goes on to where it should. */
void *end_inside(void *)
{
    struct bp_thrown thrown;

    bp_guard([](void *) { pthread_exit(const_cast<char *>("ended")); }, nullptr, &thrown);
    return nullptr;
}

int try_thread_end()
{
    pthread_t thread;
    void *result = nullptr;

    pthread_create(&thread, nullptr, end_inside, nullptr);
    pthread_join(thread, &result);
    if (result && strcmp(static_cast<char *>(result), "ended") == 0)
        return 0;
    fprintf(stderr, "FAIL: pthread_exit was caught\n");
    return 1;
}

} // namespace

int main(int argc, char **argv)
{
    bool is_hidden = argc > 1 && strcmp(argv[1], "hidden") == 0;
    int failures = 0;

    if (argc > 1 && strcmp(argv[1], "ends") == 0) {
        struct bp_thrown thrown;

        try { /* a handler behind the guard's caller, which must not be reached */
            bp_guard(cases[0].fn, nullptr, &thrown);
        } catch (...) {
        }
        return 0;
    }
    failures += try_all(is_hidden);
    std::thread([&] { failures += try_all(is_hidden); }).join();
    failures += try_nested();
    failures += try_thread_end();
    return failures > 0;
}
