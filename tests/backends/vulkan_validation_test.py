#!/usr/bin/env python3
"""Runs cases of vulkan_tests under Khronos' validation, core and synchronisation: it has nothing to say of them, and
does say what is wrong with a case that copies beyond a block's end."""
import collections
import os
import re
import subprocess
import sys
import tempfile

CASES = ["*Vulkan.*/f32", "VulkanRegions.*", "VulkanDevice.*-*examples*"]
MESSAGE = re.compile(r"VUID-[\w-]+|SYNC-HAZARD-[\w-]+|UNASSIGNED-[\w-]+|Validation (?:Error|Warning)")


def messages(tests, log, *arguments):
    settings = log + ".settings"
    with open(settings, "w", encoding="utf-8") as file:
        file.write("khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                   "khronos_validation.report_flags = error,warn\n"
                   f"khronos_validation.log_filename = {log}\n"
                   "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n")
    environment = dict(os.environ, VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation", VK_LAYER_SETTINGS_PATH=settings)
    for name in ("GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_OUTPUT"):
        environment.pop(name, None)
    ran = subprocess.run([tests, "--gtest_brief=1", *arguments], env=environment, capture_output=True, text=True)
    with open(log, encoding="utf-8") as file:
        return ran, file.read()


def main():
    tests = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        _, said = messages(tests, os.path.join(folder, "planted"), "--gtest_also_run_disabled_tests",
                           "--gtest_filter=*DISABLED_copies_beyond_the_end")
        assert MESSAGE.search(said), f"validation does not see a planted error: {said!r}"
        ran, said = messages(tests, os.path.join(folder, "log"), "--gtest_filter=" + ":".join(CASES))
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert "[  PASSED  ] 0 tests" not in ran.stdout, ran.stdout
        assert not MESSAGE.search(said), f"{collections.Counter(MESSAGE.findall(said))}\n{said[:3000]}"
    print(ran.stdout.strip())


main()
