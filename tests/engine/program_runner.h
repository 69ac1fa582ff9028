// Helpers for tests that build a Program and run it on the ref device.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "engine/backend/backend.h"
#include "engine/core/philox.h"
#include "engine/devices/devices.h"
#include "engine/program/builder.h"

namespace hw::test {

/// A program compiled on one device, with its states.
struct Runner {
  explicit Runner(std::shared_ptr<const Program> program, const std::string& device_id = "ref", uint64_t seed = 1) {
    device = *make_device(device_id);
    states = *device->prepare_states(*program, nullptr, seed, nullptr);
    auto compiled = device->compile(program, states);
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().text());
    executable = std::move(*compiled);
    step.seed = seed;
  }
  std::vector<double> read(Val v) { return executable->read(v.id)->to_f64(); }
  void run() {
    const Status s = executable->run(step);
    ASSERT_TRUE(s) << s.error().text();
  }

  std::shared_ptr<Device> device;
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;
  StepInputs step;
};

/// Numbers in [lo, hi), the same on every call with the same stream.
inline std::vector<double> numbers(int64_t count, double lo, double hi, uint32_t stream) {
  std::vector<double> v;
  for (int64_t i = 0; i < count; ++i) {
    const auto e = static_cast<uint64_t>(i);
    v.push_back(lo + (hi - lo) * uniform01(philox_block(77, stream, 0, e / 4)[e % 4]));
  }
  return v;
}

}  // namespace hw::test
