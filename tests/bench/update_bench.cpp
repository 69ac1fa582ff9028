#include "tests/bench/update_bench.h"

#include <chrono>
#include <cstdio>

#include "engine/backend/backend.h"
#include "engine/devices/devices.h"
#include "engine/precision/paired_time.h"
#include "engine/program/builder.h"

namespace hw::bench {
namespace {

constexpr int64_t kElements = int64_t{1} << 22;

/// Adam alone, all in f32, with a gradient that is nowhere 0.
struct Update {
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;
  StepInputs inputs;

  Status run() {
    ++inputs.step;
    return executable->run(inputs);
  }
  double ms() {
    const auto begin = std::chrono::steady_clock::now();
    (void)run();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }
};

/// With a touched mask that is 1 everywhere, and counts, or without both.
Result<Update> make_update(bool touched) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val view = b.param("p", DType::f32, {kElements}, {});
  const auto state = [&](const char* name) { return b.state(name, DType::f32, {kElements}); };
  std::vector<Val> in{view, Val{program->params[0].master}, state("m"), state("v")};
  if (touched) in.push_back(b.state("t", DType::u8, {2 * kElements}));
  in.push_back(b.state("count", DType::f64, {1}));
  in.push_back(b.input("g", DType::f32, {kElements}));
  if (touched) in.push_back(b.input("touched", DType::u8, {kElements / 16}));
  b.set_update(true);
  b.emit(Op::adam_update, in, UpdateAttr{.beta2 = 0.99, .epsilon = 1e-15, .has_touched = touched});
  HW_CHECK(b.status());
  HW_TRY(const auto device, make_device("cpu"));
  Update u;
  u.inputs.learning_rate = 0.01;
  HW_TRY(u.states, device->prepare_states(*program, nullptr, 1, nullptr));
  HW_TRY(u.executable, device->compile(program, u.states));
  const auto filled = [](DType dtype, std::vector<double> v) {
    return Tensor::from_f64(dtype, {static_cast<int64_t>(v.size())}, v);
  };
  HW_CHECK(
      u.executable->write_input("g", filled(DType::f32, std::vector<double>(static_cast<size_t>(kElements), 0.5))));
  const std::vector<double> mask(static_cast<size_t>(kElements / 16), 1.0);
  if (touched) HW_CHECK(u.executable->write_input("touched", filled(DType::u8, mask)));
  HW_CHECK(u.run());
  return u;
}

}  // namespace

Status print_update_counts(int rounds) {
  HW_TRY(Update touched, make_update(true));
  HW_TRY(Update plain, make_update(false));
  PairedTime time;
  for (int round = 0; round < rounds; ++round) {
    const double without = plain.ms();
    time.add(without, touched.ms());
  }
  std::printf("Adam of %lld elements, %zu pairs:\n", static_cast<long long>(kElements), time.pairs());
  std::printf("  as a whole %.2f ms, by a touched mask and with counts of updates %.2f ms (medians)\n", time.base_ms(),
              time.other_ms());
  std::printf("  touched and counted / whole: %.3f +- %.3f\n\n", time.ratio(), time.noise());
  return ok();
}

}  // namespace hw::bench
