/* SPDX-License-Identifier: MIT */
/* spend.c - simulated time of a run, and its limit. */
#include "run/spend.h"

#include <time.h>

/* Real time, which tests of threads ask for. */
static void take_real_time(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000 * 1000)};

    if (us)
        nanosleep(&time, NULL);
}

int nn_launch(struct nn_run *run, uint32_t device)
{
    const struct nn_device_config *config = &run->compilation->config->devices[device];
    uint64_t ns = run->burst ? config->rates.launch_ns / 4 : config->rates.launch_ns;
    int code = nn_device_trouble(device);

    if (!code)
        code = nn_fault(BP_NNAPI_AT_EXECUTE, device);
    if (code)
        return code;
    if (!run->started && run->limit && run->limit <= ns) {
        nn_count(&nn_state.counters.missed_persistent, 1);
        return nn_fail(nn_code_of_level(ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT),
                       "%llu ns had passed before device %s began", (unsigned long long)run->limit,
                       config->name);
    }
    run->started = true;
    nn_lock();
    nn_state.times[device].runs++;
    nn_unlock();
    take_real_time(config->run_us);
    run->computing += ns;
    nn_spend(&nn_state.times[device].compute, ns);
    return 0;
}

int nn_compute_for(struct nn_run *run, uint32_t device, uint64_t ns)
{
    run->computing += ns;
    nn_lock();
    nn_state.times[device].compute += ns;
    nn_state.times[device].operations++;
    nn_unlock();
    if (!run->limit || run->computing + run->copying <= run->limit)
        return 0;
    nn_count(&nn_state.counters.missed_transient, 1);
    return nn_fail(nn_code_of_level(ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT),
                   "a run of %llu ns or more, which may take %llu",
                   (unsigned long long)(run->computing + run->copying),
                   (unsigned long long)run->limit);
}

void nn_copy_for(struct nn_run *run, uint32_t device, size_t bytes, bool out)
{
    uint64_t rate = run->compilation->config->devices[device].rates.copy_rate, ns;

    if (!rate)
        return;
    ns = (uint64_t)((double)bytes * 1e9 / (double)rate);
    run->copying += ns;
    nn_lock();
    nn_state.times[device].copy += ns;
    *(out ? &nn_state.counters.bytes_out : &nn_state.counters.bytes_in) += bytes;
    nn_unlock();
}
