#!/usr/bin/env python3
"""Runs cases of vulkan_tests under Khronos' validation: core and synchronisation, and some GPU-assisted, which sees what
kernels read and write by address. It has nothing to say of them, and does say what is wrong with planted ones, which
copy and compute beyond a block's end.

GPU-assisted validation searches all blocks at each access, in a loop that llvmpipe ends after 65,535 turns of a thread,
so that kernels with long sums would be reported without a reason: they are left out."""
import collections
import os
import re
import subprocess
import sys
import tempfile

SYNCHRONISATION = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
GPU_ASSISTED = "VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT"
# What is enabled, a planted case, cases in which there is nothing to find.
RUNS = [
    (SYNCHRONISATION, "*DISABLED_copies_beyond_the_end",
     "*Vulkan.*/f32:*VulkanChains*/f32_*:VulkanRegions.*:VulkanDevice.*-*examples*"),
    (GPU_ASSISTED, "*DISABLED_computes_beyond_the_end",
     "*VulkanChains*/f32_0:VulkanDevice.adds_a_bias*:VulkanDevice.is_sent*:VulkanDevice.counts*"),
]
MESSAGE = re.compile(r"VUID-[\w-]+|SYNC-HAZARD-[\w-]+|UNASSIGNED-[\w-]+|Validation (?:Error|Warning)")


def messages(tests, log, enabled, *arguments):
    settings = log + ".settings"
    with open(settings, "w", encoding="utf-8") as file:
        file.write("khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                   "khronos_validation.report_flags = error,warn\n"
                   f"khronos_validation.log_filename = {log}\n"
                   f"khronos_validation.enables = {enabled}\n")
    environment = dict(os.environ, VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation", VK_LAYER_SETTINGS_PATH=settings)
    for name in ("GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_OUTPUT"):
        environment.pop(name, None)
    ran = subprocess.run([tests, "--gtest_brief=1", *arguments], env=environment, capture_output=True, text=True)
    with open(log, encoding="utf-8") as file:
        return ran, file.read()


def main():
    tests = sys.argv[1]
    for enabled, planted, cases in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            _, said = messages(tests, os.path.join(folder, "planted"), enabled, "--gtest_also_run_disabled_tests",
                               "--gtest_filter=" + planted)
            assert MESSAGE.search(said), f"validation does not see a planted error: {said!r}"
            ran, said = messages(tests, os.path.join(folder, "log"), enabled, "--gtest_filter=" + cases)
            assert ran.returncode == 0, ran.stdout + ran.stderr
            assert "[  PASSED  ] 0 tests" not in ran.stdout, ran.stdout
            assert not MESSAGE.search(said), f"{collections.Counter(MESSAGE.findall(said))}\n{said[:3000]}"
        print(ran.stdout.strip())


main()
