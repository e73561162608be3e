/* SPDX-License-Identifier: MIT */
/* check_hardware.c - what is read of a machine's hardware, from a tree as the kernel's. */

#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ort/devices/hardware.h"

static char root[32]; /* in the folder that the test runs in */
static struct ort_hardware list;

static void setup(void)
{
    snprintf(root, sizeof root, "hardware-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    list = (struct ort_hardware){0};
}

static void teardown(void)
{
    char command[64];

    ort_hardware_finish(&list);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *slot, const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s/%s", root, slot, name);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_dir(const char *slot, const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s/%s", root, slot, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

static void add_slot(const char *slot, const char *class, const char *vendor, const char *device)
{
    make_dir(slot, "");
    write_file(slot, "class", class);
    write_file(slot, "vendor", vendor);
    write_file(slot, "device", device);
}

static const char *entry(size_t i, const char *key)
{
    return ort_keys_get(&list.rows[i]->metadata, key);
}

START_TEST(hardware_scan_tells_gpus_from_npus)
{
    add_slot("0000:00:1f.0", "0x060100\n", "0x8086\n", "0x7a04\n"); /* a bridge: neither */
    add_slot("0000:00:02.0", "0x030000\n", "0x8086\n", "0x7d55\n");
    make_dir("0000:00:02.0", "drm");
    make_dir("0000:00:02.0", "drm/card1-DP-1");
    make_dir("0000:00:02.0", "drm/card1");
    add_slot("0000:00:0b.0", "0x120000\n", "0x8086\n", "0x7d1d\n");
    make_dir("0000:00:0b.0", "accel");
    make_dir("0000:00:0b.0", "accel/accel0");
    add_slot("0000:65:00.0", "0x030200\n", "0x10de\n", "0x2330\n");
    add_slot("0000:66:00.0", "0x038000\n", "0x1234\n", "0x1111\n");
    ck_assert(ort_hardware_scan(&list, "/proc/cpuinfo", root));
    ck_assert_uint_eq(list.n, 5);
    ck_assert_int_eq(list.rows[0]->type, OrtHardwareDeviceType_CPU);
    ck_assert_int_eq(list.rows[1]->type, OrtHardwareDeviceType_GPU);
    ck_assert_str_eq(list.rows[1]->vendor, "Intel");
    ck_assert_uint_eq(list.rows[1]->device_id, 0x7d55);
    ck_assert_str_eq(entry(1, "card_idx"), "1");
    ck_assert_str_eq(entry(1, "Discrete"), "0");
    ck_assert_int_eq(list.rows[2]->type, OrtHardwareDeviceType_NPU);
    ck_assert_str_eq(entry(2, "accel_idx"), "0");
    ck_assert_ptr_null(entry(2, "Discrete"));
    ck_assert_str_eq(list.rows[3]->vendor, "NVIDIA");
    ck_assert_str_eq(entry(3, "pci_bus_id"), "0000:65:00.0");
    ck_assert_str_eq(entry(3, "Discrete"), "1");
    ck_assert_str_eq(list.rows[4]->vendor, "0x1234"); /* not in the table */
    ck_assert_ptr_eq(ort_hardware_find(&list, "pci_bus_id", "0000:65:00.0"), list.rows[3]);
    ck_assert_ptr_null(ort_hardware_find(&list, "pci_bus_id", "0000:67:00.0"));
}
END_TEST

START_TEST(hardware_scan_skips_unreadable_devices)
{
    make_dir("0000:01:00.0", "");
    write_file("0000:01:00.0", "class", "0x030000\n"); /* and nothing else */
    add_slot("0000:02:00.0", "shape\n", "0x10de\n", "0x1\n");
    ck_assert(ort_hardware_scan(&list, "/nowhere", root));
    ck_assert_uint_eq(list.n, 1);
    ck_assert_str_eq(list.rows[0]->vendor, "unknown");
    ort_hardware_finish(&list);
    ck_assert(ort_hardware_scan(&list, "/proc/cpuinfo", "/nowhere"));
    ck_assert_uint_eq(list.n, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hardware");
    TCase *tcase = tcase_create("hardware");
    SRunner *runner;
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, hardware_scan_tells_gpus_from_npus);
    tcase_add_test(tcase, hardware_scan_skips_unreadable_devices);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
