// Value probes: planted underflow is counted, an Inf among a million is found, samples are fair, no bit changes.
#include "engine/backend/value_probe.h"

#include <cmath>

#include "engine/core/tensor_statistics.h"
#include "tests/engine/program_runner.h"

namespace hw {
namespace {

constexpr int64_t kMillion = 1'000'000;

/// Runs once on `device`, with a probe on `watched`.
struct Probed {
  Probed(std::shared_ptr<Program> program, Val watched, const std::string& device, const Tensor& x)
      : probe(*program, {watched.id}), runner(program, device) {
    EXPECT_TRUE(runner.executable->write_input("x", x));
    probe.begin(1, 0);
    EXPECT_TRUE(runner.executable->run(runner.step, &probe));
    look = probe.look(0);
  }
  ValueProbe probe;
  test::Runner runner;
  ValueLook look;
};

/// x → `make` → an output.
struct Model {
  template <class F>
  Model(DType dtype, Dims dims, F&& make) : program(std::make_shared<Program>()) {
    OpBuilder b(*program);
    y = make(b, b.input("x", dtype, std::move(dims)));
    EXPECT_TRUE(b.status()) << b.status().error().text();
    program->outputs.push_back({"y", y.id});
  }
  std::shared_ptr<Program> program;
  Val y;
};

TEST(ValueProbe, APlantedUnderflowOfOnePercentIsCountedWhereItHappens) {
  // One of a hundred underflows f16, ten are 0 already, one is subnormal in f16.
  std::vector<float> x(kMillion, 1.0f);
  for (int64_t i = 0; i < kMillion; ++i) {
    const int64_t place = i * 7919 % 100;
    if (place == 0) x[static_cast<size_t>(i)] = 1e-9f;
    if (place >= 20 && place < 30) x[static_cast<size_t>(i)] = 0;
    if (place == 50) x[static_cast<size_t>(i)] = -1e-6f;
  }
  const Tensor planted = Tensor::from_f32(DType::f32, {kMillion}, x);
  const auto cast = [](OpBuilder& b, Val v) { return b.cast(v, DType::f16); };
  const auto scaled = [&](OpBuilder& b, Val v) { return b.scale(b.cast(v, DType::f32), 0.5); };
  for (const char* device : {"cpu", "ref"}) {
    const Model model(DType::f32, {kMillion}, cast);
    const Probed made(model.program, model.y, device, planted);
    EXPECT_EQ(made.look.losses.rounded, kMillion) << device;
    EXPECT_EQ(made.look.losses.underflowed, kMillion / 100) << device;
    EXPECT_EQ(made.look.losses.overflowed, 0) << device;
    const TensorStatistics sample = measure(made.probe.sample(0));
    EXPECT_EQ(sample.count, ValueProbe::kSamples);
    EXPECT_EQ(made.look.zeros, kMillion / 100 * 11) << device << ": of all elements";
    EXPECT_EQ(made.look.subnormal, kMillion / 100) << device;
    EXPECT_EQ(made.look.saturated, 0) << device;
    EXPECT_NEAR(static_cast<double>(sample.zeros) / static_cast<double>(sample.count), 0.11, 0.02) << device;
    EXPECT_NEAR(static_cast<double>(sample.subnormal) / static_cast<double>(sample.count), 0.01, 0.006) << device;
  }
  const Model f32(DType::f32, {kMillion}, scaled);
  const Probed kept(f32.program, f32.y, "cpu", planted);
  EXPECT_EQ(kept.look.losses.rounded, 0) << "computed in f32, stored in f32";
}

TEST(ValueProbe, EveryNarrowFloatIsSeenToUnderflow) {
  struct Case {
    DType dtype;
    float lost, kept;
  };
  for (const Case& c : {Case{DType::f16, 2.9e-8f, 3.1e-8f}, Case{DType::bf16, 1e-41f, 1e-40f},
                        Case{DType::f8e4m3, 9.7e-4f, 9.9e-4f}, Case{DType::f8e5m2, 7.6e-6f, 7.7e-6f}}) {
    const Model model(DType::f32, {4}, [&](OpBuilder& b, Val v) { return b.cast(v, c.dtype); });
    for (const char* device : {"cpu", "ref"}) {
      const Probed made(model.program, model.y, device,
                        Tensor::from_f32(DType::f32, {4}, std::vector<float>{c.lost, c.kept, 0, -c.lost}));
      EXPECT_EQ(made.look.losses.underflowed, 2) << name(c.dtype) << " on " << device;
      EXPECT_EQ(made.look.losses.rounded, 4) << name(c.dtype) << " on " << device;
    }
  }
}

TEST(ValueProbe, OneInfInAMillionIsFoundWhereverItIs) {
  const Model model(DType::f32, {kMillion}, [](OpBuilder& b, Val v) { return b.scale(v, 2); });
  for (const int64_t place : {int64_t{0}, int64_t{524'287}, int64_t{777'777}, kMillion - 1}) {
    std::vector<float> x(kMillion, 3.0f);
    x[static_cast<size_t>(place)] = -3e38f;
    const Probed made(model.program, model.y, "cpu", Tensor::from_f32(DType::f32, {kMillion}, x));
    EXPECT_EQ(made.look.count, kMillion);
    EXPECT_EQ(made.look.infs, 1) << place;
    EXPECT_EQ(made.look.nans, 0) << place;
    EXPECT_EQ(made.look.largest, 6) << "of finite values";
    x[static_cast<size_t>(place)] = NAN;
    const Probed nan(model.program, model.y, "cpu", Tensor::from_f32(DType::f32, {kMillion}, x));
    EXPECT_EQ(nan.look.infs, 0) << place;
    EXPECT_EQ(nan.look.nans, 1) << place;
  }
}

TEST(ValueProbe, OverflowIsCountedApartFromAnInfThatWasThere) {
  const Model model(DType::f32, {5}, [](OpBuilder& b, Val v) { return b.cast(v, DType::f16); });
  for (const char* device : {"cpu", "ref"}) {
    const Probed made(model.program, model.y, device,
                      Tensor::from_f32(DType::f32, {5}, std::vector<float>{1e5f, INFINITY, NAN, 65504, 1}));
    EXPECT_EQ(made.look.losses.overflowed, 1) << device;
    EXPECT_EQ(made.look.infs, 2) << device;
    EXPECT_EQ(made.look.nans, 1) << device;
    EXPECT_EQ(made.look.saturated, 1) << device;
  }
}

TEST(ValueProbe, TheFewSaturatedOfMillionsAreCounted) {
  constexpr int64_t kCount = 4'194'304;
  RandomAttr normal;
  normal.distribution = RandomAttr::Distribution::normal;
  normal.dims = {kCount};
  normal.b = 15'000;
  const Model model(DType::f32, {1}, [&](OpBuilder& b, Val) {
    CastAttr attr;
    attr.dtype = DType::f16;
    attr.saturate = true;
    return b.cast(b.random(normal), attr);
  });
  Probed made(model.program, model.y, "cpu", Tensor::zeros(DType::f32, {1}));
  int64_t saturated = 0, zeros = 0;
  for (const double v : made.runner.read(model.y)) saturated += std::abs(v) == 65504, zeros += v == 0;
  EXPECT_GT(saturated, 25) << "of a share of 1.26e-5";
  EXPECT_LT(saturated, 90);
  EXPECT_EQ(made.look.saturated, saturated);
  EXPECT_EQ(made.look.zeros, zeros);
  EXPECT_EQ(made.look.largest, 65504);
  EXPECT_EQ(made.probe.sample(0).size(), ValueProbe::kSamples);
}

TEST(ValueProbe, RoundedCopiesOfMastersAreComparedWhole) {
  // One of 100,000 masters is too small for its f16 copy: a sample of 4,096 mostly misses it.
  constexpr size_t kCount = 100'000, kPlace = 77'777;
  for (const char* device : {"cpu", "ref"}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    b.set_node("layer");
    const Val w = b.param("w", DType::f16, {static_cast<int64_t>(kCount)}, {Init::Kind::constant, 1, 0});
    const Val y = b.scale(b.cast(w, DType::f32), 2);
    ASSERT_TRUE(b.status()) << b.status().error().text();
    program->outputs.push_back({"y", y.id});
    const Param& param = program->params.front();
    const Value &master = (*program)[param.master], &view = (*program)[param.view];
    ASSERT_EQ(master.dtype, DType::f32);
    test::Runner runner(program, device);
    std::vector<double> numbers(kCount, 1.0);
    numbers[kPlace] = 1e-9;
    ASSERT_TRUE(runner.states->write(master.name, Tensor::from_f64(DType::f32, master.dims, numbers)));
    numbers[kPlace] = 0;
    ASSERT_TRUE(runner.states->write(view.name, Tensor::from_f64(DType::f16, view.dims, numbers)));
    ValueProbe probe(*program, {param.view});
    probe.begin(1, 0);
    ASSERT_TRUE(runner.executable->run(runner.step, &probe));
    EXPECT_EQ(probe.look(0).losses.rounded, static_cast<int64_t>(kCount)) << device;
    EXPECT_EQ(probe.look(0).losses.underflowed, 1) << device;
    EXPECT_EQ(probe.look(0).zeros, 1) << device;
  }
}

TEST(ValueProbe, SamplesAreFairToColumns) {
  // 32 columns, one of them 0: a stride that is a multiple of the row would see all or none.
  const int64_t rows = 1 << 15, columns = 32;
  std::vector<float> x(static_cast<size_t>(rows * columns), 1.0f);
  for (int64_t r = 0; r < rows; ++r) x[static_cast<size_t>(r * columns + 5)] = 0;
  const Model model(DType::f32, {rows, columns}, [](OpBuilder& b, Val v) { return b.scale(v, 2); });
  const Probed made(model.program, model.y, "cpu", Tensor::from_f32(DType::f32, {rows, columns}, x));
  const TensorStatistics sample = measure(made.probe.sample(0));
  EXPECT_NEAR(static_cast<double>(sample.zeros) / static_cast<double>(sample.count), 1.0 / 32, 0.012);
}

TEST(ValueProbe, SmallValuesAreSampledWhole) {
  const Model model(DType::f32, {4095}, [](OpBuilder& b, Val v) { return b.scale(v, 2); });
  const auto x = test::numbers(4095, -1, 1, 3);
  Probed made(model.program, model.y, "cpu", Tensor::from_f64(DType::f32, {4095}, x));
  EXPECT_EQ(made.probe.sample(0).to_f64(), made.runner.read(model.y));
}

TEST(ValueProbe, MicroBatchesAddUpAndBeginForgets) {
  const Model model(DType::f32, {100}, [](OpBuilder& b, Val v) { return b.cast(v, DType::f16); });
  Probed made(model.program, model.y, "cpu", Tensor::from_f64(DType::f32, {100}, std::vector<double>(100, 1e-9)));
  ASSERT_TRUE(made.runner.executable->run(made.runner.step, &made.probe));
  EXPECT_EQ(made.probe.look(0).count, 200);
  EXPECT_EQ(made.probe.look(0).losses.underflowed, 200);
  made.probe.begin(1, 1);
  EXPECT_EQ(made.probe.look(0).count, 0);
}

TEST(ValueProbe, SumsAndProductsAreSeenToo) {
  // 4096 rows: a product, a sum over rows, and a product of transposes, each stored in f16 and too small for it.
  const Model model(DType::f32, {4096, 8}, [](OpBuilder& b, Val v) {
    const Val x = b.cast(v, DType::f16);
    return b.scale(b.matmul(x, x, true), 1e-12);
  });
  const Probed made(model.program, model.y, "cpu",
                    Tensor::from_f64(DType::f32, {4096, 8}, std::vector<double>(4096 * 8, 0.5)));
  EXPECT_EQ(made.look.losses.underflowed, 4096 * 4096);
  const Model sum(DType::f32, {4096, 8},
                  [](OpBuilder& b, Val v) { return b.sum_to(b.cast(b.scale(v, 1e-7), DType::f16), {8}, DType::f16); });
  const Probed summed(sum.program, sum.y, "cpu",
                      Tensor::from_f64(DType::f32, {4096, 8}, std::vector<double>(4096 * 8, 0.5)));
  EXPECT_EQ(summed.look.losses.rounded, 8);
  EXPECT_EQ(summed.look.count, 8);
  EXPECT_GT(summed.look.largest, 1e-4);
}

}  // namespace
}  // namespace hw
