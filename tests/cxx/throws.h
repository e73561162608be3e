/* SPDX-License-Identifier: MIT */
/*
 * throws.h - what throws_host.cc and throws_ort.cc share: counters of throws, the model that they
 * run and the threads that they start.
 */
#ifndef BP_TESTS_CXX_THROWS_H
#define BP_TESTS_CXX_THROWS_H

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

inline std::atomic<int> where{0};  /* the function that throws: an enum Where of the program */
inline std::atomic<int> thrown{0}; /* exceptions since throw_from() */
inline std::atomic<int> told{0};   /* lines of the log about exceptions, since then */

/* From now on the function `here` throws. */
inline void throw_from(int here)
{
    thrown = 0;
    told = 0;
    where = here;
}

/* ---- a model, as the bytes of protobuf (https://protobuf.dev/programming-guides/encoding) -------- */

inline std::string varint(uint64_t value)
{
    std::string bytes;

    for (; value >= 0x80; value >>= 7)
        bytes += char(value | 0x80);
    return bytes + char(value);
}

inline std::string number(int field, uint64_t value)
{
    return varint(uint64_t(field) << 3) + varint(value);
}

inline std::string bytes_of(int field, const std::string &content)
{
    return varint(uint64_t(field) << 3 | 2) + varint(content.size()) + content;
}

inline std::string value_info(const char *name)
{
    std::string shape = bytes_of(1, number(1, 4));

    return bytes_of(1, name) + bytes_of(2, bytes_of(1, number(1, 1) + bytes_of(2, shape)));
}

/* A GraphProto: y = x + w; where the node `first` is not empty, y = t + w, and `first` makes t of x. */
inline std::string make_graph(const std::string &first, const float w[4])
{
    std::string data(reinterpret_cast<const char *>(w), 4 * sizeof *w);
    std::string add = bytes_of(1, first.empty() ? "x" : "t") + bytes_of(1, "w") + bytes_of(2, "y") +
                      bytes_of(4, "Add");
    std::string weight = number(1, 4) + number(2, 1) + bytes_of(8, "w") + bytes_of(9, data);

    return (first.empty() ? "" : bytes_of(1, first)) + bytes_of(1, add) + bytes_of(2, "g") +
           bytes_of(5, weight) + bytes_of(11, value_info("x")) + bytes_of(12, value_info("y"));
}

/* y = own.Mine(x) + 0, of four floats. */
inline std::string make_model()
{
    static const float zeros[4] = {0, 0, 0, 0};
    std::string mine =
        bytes_of(1, "x") + bytes_of(2, "t") + bytes_of(4, "Mine") + bytes_of(7, "own");

    return number(1, 8) + bytes_of(7, make_graph(mine, zeros)) +
           bytes_of(8, bytes_of(1, "") + number(2, 17)) +
           bytes_of(8, bytes_of(1, "own") + number(2, 1));
}

/* ---- threads ------------------------------------------------------------------------------------ */

inline std::atomic<int> created{0};       /* calls of the create function */
inline std::atomic<int> running{0};       /* started threads that have not returned */
inline std::vector<std::thread *> strays; /* threads whose handle the library does not have */

/* Starts a thread that calls worker(arg) once; the caller joins and deletes it. */
template <typename Worker> std::thread *start_thread(Worker worker, void *arg)
{
    running++;
    return new std::thread([worker, arg] {
        worker(arg);
        running--;
    });
}

inline void join_thread_of(std::thread *thread)
{
    thread->join();
    delete thread;
}

/* Joins the strays, so a thread that never returns hangs here. False: a thread is still running. */
inline bool join_strays()
{
    for (std::thread *thread : strays)
        join_thread_of(thread);
    strays.clear();
    created = 0;
    return running == 0;
}

#endif
