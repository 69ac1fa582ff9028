#include "tests/bench/update_bench.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "engine/backend/backend.h"
#include "engine/check/paired_time.h"
#include "engine/core/parallel.h"
#include "engine/program/builder.h"

namespace hw::bench {
namespace {

constexpr int64_t kElements = int64_t{1} << 23, kBlocks = kElements / 16, kPiece = 2048;  // blocks
constexpr double kBeta1 = 0.9, kBeta2 = 0.99;

double ms_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Every other block in runs of eight, as a batch touches a table.
bool is_touched(int64_t block) {
  return block / 8 % 2 == 0;
}

/// Operands of one update, the view bf16.
struct Table {
  std::vector<float> gradient = std::vector<float>(kElements, 0.5f), master = std::vector<float>(kElements),
                     m = std::vector<float>(kElements), v = std::vector<float>(kElements);
  std::vector<uint16_t> view = std::vector<uint16_t>(kElements), updates = std::vector<uint16_t>(kElements);
  std::vector<float> unbias;  // pairs

  Table() {
    for (double t = 1; t <= 2000; ++t)
      for (const double beta : {kBeta1, kBeta2}) unbias.push_back(static_cast<float>(1 / (1 - std::pow(beta, t))));
  }

  template <bool kCounts>
  void block(int64_t at) {
    const auto last = static_cast<uint32_t>(unbias.size() / 2 - 1);
    const float* corrections = unbias.data();
#pragma GCC ivdep
    for (int64_t i = 16 * at; i < 16 * at + 16; ++i) {
      const float g = gradient[i];
      const bool moved = g != 0;
      float first = 1, second = 1;
      if constexpr (kCounts) {
        const uint32_t before = updates[i], t = before < last ? before : last;
        updates[i] = static_cast<uint16_t>(before + (moved && before < 65535 ? 1 : 0));
        first = corrections[2 * t];
        second = corrections[2 * t + 1];
      }
      const float m1 = 0.9f * m[i] + 0.1f * g, v1 = 0.99f * v[i] + 0.01f * (g * g);
      const float p = master[i] - 0.01f * first * m1 / (std::sqrt(v1 * second) + 1e-15f);
      m[i] = moved ? m1 : m[i];
      v[i] = moved ? v1 : v[i];
      master[i] = moved ? p : master[i];
      uint32_t bits;
      std::memcpy(&bits, &master[i], sizeof bits);
      view[i] = static_cast<uint16_t>(bits >> 16);
    }
  }

  template <bool kCounts>
  void update() {
    parallel_for(kBlocks / kPiece, [this](int64_t piece) {
      for (int64_t b = piece * kPiece; b < (piece + 1) * kPiece; ++b)
        if (is_touched(b)) block<kCounts>(b);
    });
  }
};

/// The engine's op on such a table.
Result<std::unique_ptr<Executable>> engine_update(std::shared_ptr<States>& states) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val view = b.param("p", DType::bf16, {kElements}, {});
  const auto state = [&](const char* name) { return b.state(name, DType::f32, {kElements}); };
  UpdateAttr attr{.beta1 = kBeta1, .beta2 = kBeta2, .epsilon = 1e-15, .has_touched = true};
  b.set_update(true);
  b.emit(Op::adam_update,
         {view, Val{program->params[0].master}, state("m"), state("v"), b.state("t", DType::u8, {2 * kElements}),
          b.input("g", DType::f32, {kElements}), b.input("touched", DType::u8, {kBlocks})},
         attr);
  HW_CHECK(b.status());
  HW_TRY(const auto device, make_device("cpu"));
  HW_TRY(states, device->prepare_states(*program, nullptr, 1, nullptr));
  HW_TRY(auto executable, device->compile(program, states));
  HW_CHECK(executable->write_input(
      "g", Tensor::from_f64(DType::f32, {kElements}, std::vector<double>(static_cast<size_t>(kElements), 0.5))));
  std::vector<double> touched(static_cast<size_t>(kBlocks));
  for (int64_t k = 0; k < kBlocks; ++k) touched[static_cast<size_t>(k)] = is_touched(k) ? 1 : 0;
  HW_CHECK(executable->write_input("touched", Tensor::from_f64(DType::u8, {kBlocks}, touched)));
  return executable;
}

}  // namespace

void print_update_counts(int rounds) {
  std::shared_ptr<States> states;
  const auto engine = engine_update(states);
  if (!engine) {
    std::printf("update counts: %s\n\n", engine.error().text().c_str());
    return;
  }
  StepInputs inputs;
  inputs.learning_rate = 0.01;
  Table table;
  PairedTime counts, whole;
  for (int round = 0; round < rounds; ++round) {
    const double without = ms_of([&] { table.update<false>(); }), with = ms_of([&] { table.update<true>(); });
    counts.add(without, with);
    whole.add(without, ms_of([&] { (void)(*engine)->run(inputs); }));
    ++inputs.step;
  }
  std::printf("Adam over %lld of %lld blocks of 16 elements, each counting its updates:\n",
              static_cast<long long>(kBlocks / 2), static_cast<long long>(kBlocks));
  std::printf("  a loop without counts %.2f ms, with %.2f ms, the engine %.2f ms (medians of %zu)\n", counts.base_ms(),
              counts.other_ms(), whole.other_ms(), counts.pairs());
  std::printf("  with / without: %.3f +- %.3f; engine / without: %.3f +- %.3f\n\n", counts.ratio(), counts.noise(),
              whole.ratio(), whole.noise());
}

}  // namespace hw::bench
