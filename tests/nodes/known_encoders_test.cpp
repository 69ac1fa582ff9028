// Encoders on inputs whose answer is known without running a program.
#include <cmath>

#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

TEST(KnownValues, NormaliseMapsTheBoxToTheUnitCube) {
  const Tensor x = f32({3, 2}, {-2, 0, 2, 5, 4, 2.5});
  const ParamMap box{{"min", std::vector<double>{-2, 0}}, {"max", std::vector<double>{2, 5}}};
  EXPECT_THAT(values({"normalise_aabb", {{"position", x}}, box}), near({0, 0, 1, 1, 1, 0.5}));
  ParamMap free = box;
  free["clamp"] = false;
  EXPECT_THAT(values({"normalise_aabb", {{"position", x}}, free}), near({0, 0, 1, 1, 1.5, 0.5}));
}

TEST(KnownValues, NormaliseTakesTheBoundsOfTheMesh) {
  const NodeRun run{.node = "normalise_aabb", .inputs = {{"position", f32({1, 3}, {0, 1, 0.75})}}, .with_mesh = true};
  EXPECT_THAT(values(run), near({0.5, 1, 0.5}));
}

TEST(KnownValues, NormaliseKeepsAFlatAxisFinite) {
  const ParamMap flat{{"min", std::vector<double>{0, 3}}, {"max", std::vector<double>{4, 3}}};
  EXPECT_THAT(values({"normalise_aabb", {{"position", f32({1, 2}, {1, 3})}}, flat}), near({0.25, 0.5}));
}

TEST(KnownValues, HashGridOfOneValueIsThatValue) {
  const ParamMap params{{"levels", int64_t{2}}, {"log2_table", int64_t{10}}, {"dtype", std::string("f32")}};
  const auto entries = make_hash_grid(3, 2, 2, 10, 16, 2, false).table_entries();
  const std::vector<double> same(entries * 2, 0.75);
  const Tensor x = random_tensor("grid", DType::f32, {50, 3}, 0, 1);
  for (const double v : values({"hash_grid", {{"x", x}}, params, {{"table", f32({entries, 2}, same)}}}))
    EXPECT_NEAR(v, 0.75, 1e-6);  // the weights of the corners sum to 1
}

TEST(KnownValues, HashGridHasTheSizeOfNvdiffrecs) {
  const auto entries = make_hash_grid(3, 16, 2, 19, 16, std::exp(std::log(256.0) / 15), false).table_entries();
  EXPECT_EQ(entries * 2, 12'599'920u);
}

// x stands for 1/4 and -0.3 in f32.
TEST(KnownValues, FrequenciesAreSinesThenCosinesOfOctaves) {
  const NodeRun run{"frequency", {{"x", f32({1, 2}, {0.25, -0.3})}}, {{"n_frequencies", int64_t{3}}}};
  EXPECT_THAT(values(run), near({0.7071068, 0.7071068, 1, 0, 0, -1,  //
                                 -0.809017, 0.5877852, -0.9510565, -0.3090171, 0.5877854, -0.8090169}));
}

// 0.7 as stored: the angle is that of the stored number, whatever the octave.
TEST(KnownValues, HighFrequenciesAreExact) {
  const auto y = values({"frequency", {{"x", f32({1, 1}, {0.7})}}, {{"n_frequencies", int64_t{24}}}});
  ASSERT_EQ(y.size(), 48u);
  const auto octave = [](const std::vector<double>& from, size_t k) {
    return std::vector<double>{from[2 * k], from[2 * k + 1]};
  };
  EXPECT_THAT(octave(y, 11), near({-0.9510802148, 0.3089440483}));
  EXPECT_THAT(octave(y, 20), near({-0.5555702330, -0.8314696123}));
  EXPECT_THAT(octave(y, 23), near({-1, 0}));
  const Tensor narrow = Tensor::from_f64(DType::f16, {1, 1}, std::vector<double>{0.7});  // 717 / 1024
  const auto z = values({"frequency", {{"x", narrow}}, {{"n_frequencies", int64_t{11}}}});
  ASSERT_EQ(z.size(), 22u);
  EXPECT_THAT(octave(z, 8), near({-0.70710678, -0.70710678}, 2.5e-4));
  EXPECT_THAT(octave(z, 10), near({0, -1}, 2.5e-4));
}

TEST(KnownValues, ABlobIsSharedByTheBinsItReaches) {
  const auto blob = [](double x, int64_t bins, bool wrap) {
    return values({"one_blob", {{"x", f32({1, 1}, {x})}}, {{"bins", bins}, {"wrap", wrap}}});
  };
  EXPECT_THAT(blob(0.375, 4, true), near({0.103515625, 0.79296875, 0.103515625, 0}));
  EXPECT_THAT(blob(0.375, 8, false), near({0, 0, 0.5, 0.5, 0, 0, 0, 0}));
  EXPECT_THAT(blob(0.9, 8, true), near({0.00856, 0, 0, 0, 0, 0, 0.31744, 0.674}));
  EXPECT_THAT(blob(0.9, 8, false), near({0, 0, 0, 0, 0, 0, 0.31744, 0.674}));
  EXPECT_THAT(blob(0.03125, 4, true), near({0.6137543, 0.0022182, 0, 0.3840275}));
  for (const double end : {0.0, 1.0}) EXPECT_THAT(blob(end, 4, true), near({0.5, 0, 0, 0.5})) << end;
  EXPECT_THAT(blob(1, 4, false), near({0, 0, 0, 0.5}));
  for (const double beyond : {-0.25, 1.75}) EXPECT_THAT(blob(beyond, 4, true), near({0, 0, 0.5, 0.5})) << beyond;
  const auto two = values({"one_blob", {{"x", f32({1, 2}, {0.5, 0})}}, {{"bins", int64_t{4}}}});
  EXPECT_THAT(two, near({0, 0.5, 0.5, 0, 0.5, 0, 0, 0.5}));
}

// Associated Legendre functions with Condon and Shortley's phase, times √2 cos(m φ) or √2 sin(|m| φ), at (2, 3, 6) / 7
// and (-0.8, 0.36, -0.48).
TEST(KnownValues, SphericalHarmonicsAreTheOrthonormalRealOnes) {
  const std::vector<double> first{0.28209479, -0.20940108, 0.41880215,  -0.13960072, 0.13378144, -0.40134432,
                                  0.37975719, -0.26756288, -0.05574227, -0.01548219, 0.30338779, -0.52367055,
                                  0.21541957, -0.3491137,  -0.12641158, 0.07913121};
  std::vector<double> both = first;
  both.insert(both.end(),
              {0.28209479, -0.1758969, -0.23452921, 0.39088201, -0.31465395, 0.18879237, -0.09739292, -0.4195386,
               0.27881836, -0.38030906, 0.39959813, -0.02500955, 0.33102233, 0.05557677, -0.35408834, 0.11857516});
  const Tensor x = f32({2, 3}, {2.0 / 7, 3.0 / 7, 6.0 / 7, -0.8, 0.36, -0.48});
  EXPECT_THAT(values({"spherical_harmonics", {{"x", x}}, {{"signed", true}}}), near(both));
  const Tensor unit = f32({1, 3}, {9.0 / 14, 10.0 / 14, 13.0 / 14});  // [0, 1] stands for [-1, 1]
  for (const int64_t degree : {1, 2, 3, 4})
    EXPECT_THAT(values({"spherical_harmonics", {{"x", unit}}, {{"degree", degree}}}),
                near({first.begin(), first.begin() + degree * degree}))
        << degree;
}

}  // namespace
}  // namespace hw::test
