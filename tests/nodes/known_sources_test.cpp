// Sources on inputs whose answer is known without running a program.
#include <cmath>
#include <set>

#include "engine/devices/devices.h"
#include "engine/node/example_assets.h"
#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

TEST(KnownValues, RandomHasTheMomentsOfItsDistribution) {
  for (const char* distribution : {"uniform", "normal"}) {
    const bool uniform = distribution == std::string("uniform");
    const ParamMap params{{"distribution", std::string(distribution)},
                          {"a", uniform ? -1.0 : 3.0},
                          {"b", uniform ? 5.0 : 2.0},
                          {"shape", std::vector<double>{40000}},
                          {"axes", std::string()}};
    const auto y = values({"random", {}, params});
    ASSERT_EQ(y.size(), 40000u);
    double mean = 0, square = 0;
    for (const double v : y) mean += v / 40000;
    for (const double v : y) square += (v - mean) * (v - mean) / 40000;
    EXPECT_NEAR(mean, uniform ? 2 : 3, 0.05);  // five standard errors
    EXPECT_NEAR(std::sqrt(square), uniform ? std::sqrt(3.0) : 2, 0.04);
    for (const double v : y) EXPECT_TRUE(!uniform || (v >= -1 && v <= 5)) << v;
    const auto evaluated = values({.node = "random", .params = params, .training = false});
    EXPECT_EQ(evaluated, y) << "evaluation draws too";
    ParamMap still = params;
    still["evaluation"] = std::string("mean");
    EXPECT_EQ(values({"random", {}, still}), y) << "training draws whatever evaluation gets";
    for (const double v : values({.node = "random", .params = still, .training = false})) EXPECT_EQ(v, uniform ? 2 : 3);
  }
}

TEST(KnownValues, ParameterStartsAsAsked) {
  for (const char* start : {"zeros", "constant", "uniform", "normal"}) {
    Program program;
    OpBuilder b(program);
    b.set_node("node");
    const NodeType& type = *Registry::instance().find("parameter");
    const ParamMap given{{"shape", std::vector<double>{20001}},
                         {"init", std::string(start)},
                         {"scale", 0.5},
                         {"trainable", false},
                         {"dtype", std::string("f16")}};
    const Params params(type.decl, given);
    ExampleAssets assets;
    type.lower(b, LowerArgs(params, {}, assets));
    ASSERT_TRUE(b.status()) << b.status().error().text();
    ASSERT_EQ(program.params.size(), 1u);
    EXPECT_EQ(program.params[0].name, "node.value");
    EXPECT_FALSE(program.params[0].trainable);
    const auto device = make_device("cpu");
    ASSERT_TRUE(device) << device.error().text();
    const auto states = (*device)->prepare_states(program, nullptr, 7, nullptr);
    ASSERT_TRUE(states) << states.error().text();
    const auto v = (*states)->read("node.value.master").to_f64();
    double mean = 0, square = 0, largest = 0;
    for (const double x : v) {
      mean += x / 20001;
      square += x * x / 20001;
      largest = std::max(largest, std::abs(x));
    }
    const std::string kind = start;
    EXPECT_NEAR(mean, kind == "constant" ? 0.5 : 0, 0.02) << kind;
    EXPECT_NEAR(std::sqrt(square), kind == "zeros" ? 0 : kind == "uniform" ? 0.5 / std::sqrt(3.0) : 0.5, 0.015) << kind;
    if (kind == "uniform") {
      EXPECT_LE(largest, 0.5);
    }
    if (kind == "normal") {
      EXPECT_GT(largest, 1.5);
    }
  }
}

TEST(KnownValues, SurfaceSamplesLieOnTheMesh) {
  const auto out = evaluate({.node = "surface_sampler", .params = {{"points", int64_t{4000}}}, .with_mesh = true});
  ASSERT_EQ(out.size(), 4u);
  const auto position = out[0].to_f64(), normal = out[1].to_f64(), uv = out[2].to_f64(), colour = out[3].to_f64();
  size_t on_quad = 0;
  for (size_t i = 0; i < 4000; ++i) {
    const double x = position[i * 3], y = position[i * 3 + 1], z = position[i * 3 + 2];
    EXPECT_NEAR(std::hypot(normal[i * 3], normal[i * 3 + 1], normal[i * 3 + 2]), 1, 1e-6);
    if (z == 0) {
      ++on_quad;
      EXPECT_NEAR(uv[i * 2], (x + 1) / 2, 1e-6);
      EXPECT_NEAR(uv[i * 2 + 1], (y + 1) / 2, 1e-6);
      // Away from the wrap-around red grows with u, green falls with v: 30 a texel, of 255.
      const auto inside = [](double t) { return t > 0.07 && t < 0.93; };
      if (inside(uv[i * 2])) {
        EXPECT_NEAR(colour[i * 3], (uv[i * 2] * 8 - 0.5) * 30 / 255, 1e-5);
      }
      if (inside(uv[i * 2 + 1])) {
        EXPECT_NEAR(colour[i * 3 + 1], ((1 - uv[i * 2 + 1]) * 8 - 0.5) * 30 / 255, 1e-5);
      }
    } else {
      EXPECT_NEAR(z, 1 + y / 2, 1e-6);
      EXPECT_NEAR(colour[i * 3 + 2], 0.75, 1e-6);
    }
  }
  // Areas: 4 and |(1, 0, 0) × (0, 1, 0.5)| / 2.
  const double share = 4 / (4 + std::sqrt(1.25) / 2);
  EXPECT_NEAR(static_cast<double>(on_quad) / 4000, share, 0.025);
}

// Every sample has the colour that the picture has at its position, by the definition of each mode.
TEST(KnownValues, ImageSamplesAreThePicturesColours) {
  const auto picture = example_picture();
  const auto byte = [&](double column, double row, size_t channel) {
    const auto x = static_cast<size_t>(std::clamp(column, 0.0, 7.0)),
               y = static_cast<size_t>(std::clamp(row, 0.0, 6.0));
    return picture->rgba[(y * 8 + x) * 4 + channel] / 255.0;
  };
  for (const char* sampling : {"bilinear", "nearest", "centres"}) {
    const auto out = evaluate({.node = "image_sampler",
                               .params = {{"points", int64_t{500}}, {"sampling", std::string(sampling)}},
                               .with_image = true});
    ASSERT_EQ(out.size(), 2u);
    const std::vector<double> position = out[0].to_f64(), colour = out[1].to_f64();
    for (size_t i = 0; i < 500; ++i) {
      const double x = position[i * 2] * 8, y = position[i * 2 + 1] * 7;
      for (size_t c = 0; c < 3; ++c) {
        double wanted = byte(std::floor(x), std::floor(y), c);
        if (std::string(sampling) == "bilinear") {
          const double u = x - 0.5, v = y - 0.5, a = u - std::floor(u), b = v - std::floor(v);
          const auto line = [&](double row) {
            return (1 - a) * byte(std::floor(u), row, c) + a * byte(std::floor(u) + 1, row, c);
          };
          wanted = (1 - b) * line(std::floor(v)) + b * line(std::floor(v) + 1);
        }
        ASSERT_NEAR(colour[i * 3 + c], wanted, 1e-5) << sampling << " at " << x << ", " << y;
      }
      if (std::string(sampling) == "centres") {
        ASSERT_NEAR(x - std::floor(x), 0.5, 1e-5);
        ASSERT_NEAR(y - std::floor(y), 0.5, 1e-5);
      }
    }
  }
}

// Training: rows of the training split, none twice within its ten; evaluation: the test split from its first row on.
TEST(KnownValues, ABatchIsRowsOfTheDataSet) {
  const auto data = example_dataset();
  for (const bool training : {true, false}) {
    const DatasetSplit& split = training ? data->train : data->test;
    const auto out = evaluate({.node = "batch",
                               .params = {{"batch_size", int64_t{8}}, {"mean", 0.5}, {"std", 0.25}},
                               .training = training,
                               .with_data = true});
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0].dims(), (Dims{8, 1, 4, 4}));
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 8; ++i) {
      const float* x = out[0].as<float>() + i * 16;
      int64_t found = -1;
      for (int64_t row = 0; row < split.count() && found < 0; ++row) {
        bool same = true;
        for (int64_t k = 0; k < 16; ++k)
          same = same && std::abs((split.x.as<uint8_t>()[row * 16 + k] / 255.0 - 0.5) / 0.25 - x[k]) < 1e-5;
        if (same) found = row;
      }
      ASSERT_GE(found, 0) << "sample " << i << " is no row";
      EXPECT_EQ(out[1].as<int64_t>()[i], split.labels.as<int64_t>()[found]);
      // Step 3 of batches of 8: samples 24 to 31 of the run.
      if (!training) {
        EXPECT_EQ(found, (24 + i) % 6);
      } else if (i < 6) {
        EXPECT_TRUE(seen.insert(found).second) << "samples 24 to 29 lie in one epoch of 10";
      }
    }
  }
}

}  // namespace
}  // namespace hw::test
