// Nodes of transformers and triplanes on inputs whose answer is known without running a program.
#include <cmath>

#include "tests/nodes/known_values.h"

namespace hw::test {
namespace {

// Pixel value: 100 · channel + 10 · row + column.
TEST(KnownValues, PatchifyCutsRowsColumnsThenChannels) {
  std::vector<double> picture;
  for (const double c : {0.0, 100.0})
    for (const double i : {0.0, 10.0})
      for (const double j : {0.0, 1.0, 2.0, 3.0}) picture.push_back(c + i + j);
  const NodeRun run{"patchify", {{"x", f32({1, 2, 2, 4}, picture)}}, {{"size", int64_t{2}}}};
  const auto tensors = evaluate(run);
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].dims(), (Dims{1, 2, 8}));
  EXPECT_THAT(tensors[0].to_f64(), near({0, 100, 1, 101, 10, 110, 11, 111, 2, 102, 3, 103, 12, 112, 13, 113}));
}

TEST(KnownValues, PositionEmbeddingIsTheSameForEverySample) {
  const NodeRun run{
      "position_embedding", {{"x", f32({2, 2, 1}, {1, 2, 3, 4})}}, {}, {{"table", f32({2, 1}, {10, 20})}}};
  EXPECT_THAT(values(run), near({11, 22, 13, 24}));
}

TEST(KnownValues, EmbeddingLooksRowsUp) {
  const NodeRun run{"embedding",
                    {{"index", Tensor::from_f64(DType::i64, {4}, std::vector<double>{2, 0, 3, -1})}},
                    {{"entries", int64_t{3}}, {"features", int64_t{2}}},
                    {{"table", f32({3, 2}, {1, 2, 3, 4, 5, 6})}}};
  const auto y = values(run);
  ASSERT_EQ(y.size(), 8u);
  EXPECT_EQ(std::vector<double>(y.begin(), y.begin() + 4), (std::vector<double>{5, 6, 1, 2}));
  for (size_t k = 4; k < 8; ++k) EXPECT_TRUE(std::isnan(y[k])) << "an index outside";
}

TEST(KnownValues, RmsNormTakesNoMeanAway) {
  const NodeRun run{
      "rms_norm", {{"x", f32({2, 2}, {3, -4, 10, 10})}}, {{"epsilon", 1e-12}}, {{"weight", f32({2}, {1, 2})}}};
  const double root = std::sqrt(12.5);
  EXPECT_THAT(values(run), near({3 / root, -8 / root, 1, 2}));
}

// Two heads of size 1 with identity projections: head h sees channel h alone.
TEST(KnownValues, AttentionMixesByTheSoftmaxOfProducts) {
  const Tensor one = f32({2, 2}, {1, 0, 0, 1});
  const NodeRun run{"attention",
                    {{"x", f32({1, 1, 2}, {std::log(3.0), 0})}, {"context", f32({1, 2, 2}, {1, 5, 0, 7})}},
                    {{"heads", int64_t{2}}, {"bias", false}},
                    {{"query", one}, {"key", one}, {"value", one}, {"output", one}}};
  EXPECT_THAT(values(run), near({0.75, 6}));  // shares 3 : 1 of 1 and 0; 1 : 1 of 5 and 7
}

TEST(KnownValues, AttentionScalesByTheRootOfTheHeadsSize) {
  const Tensor one = f32({4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  const NodeRun run{
      "attention",
      {{"x", f32({1, 1, 4}, {2 * std::log(3.0), 0, 0, 0})}, {"context", f32({1, 2, 4}, {1, 8, 0, 0, 0, 4, 0, 0})}},
      {{"heads", int64_t{1}}, {"bias", false}},
      {{"query", one}, {"key", one}, {"value", one}, {"output", one}}};
  EXPECT_THAT(values(run), near({0.75, 7, 0, 0}));
}

// Planes of 2 × 2 pixels with one channel: centres at 1/4 and 3/4.
TEST(KnownValues, TriplaneMixesFourPixelsOfEachPlane) {
  const Tensor planes = f32({3, 1, 2, 2}, {0, 1, 10, 11, 0, 2, 20, 22, 0, 3, 30, 33});
  const Tensor at = f32({4, 3}, {0.75, 0.25, 0.75,   // centres: pixel (column, row) (1, 0), (1, 1), (0, 1)
                                 0.5, 0.5, 0.5,      // the middle of all four
                                 0.25, 0.625, 0.25,  // y three quarters of the way from the first to the second
                                 -1, 2, 0.25});      // beyond: the border
  NodeRun run{"triplane_sampler", {{"position", at}, {"planes", planes}}};
  const std::vector<double> each{1, 22, 30, 5.5, 11, 16.5, 7.5, 0, 2.25, 10, 0, 3};
  EXPECT_THAT(values(run), near(each));
  run.params["combine"] = std::string("sum");
  EXPECT_THAT(values(run), near({53, 33, 9.75, 13}));
}

TEST(KnownValues, ImageTensorIsTheMeanOfWhatAPixelCovers) {
  NodeRun run{.node = "image_tensor", .params = {{"width", int64_t{8}}, {"height", int64_t{7}}}, .with_image = true};
  const auto whole = evaluate(run);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].dims(), (Dims{1, 3, 7, 8}));
  // Red is 30 · column, green 30 · row, blue 15 · (row + column), of 255.
  const auto pixels = whole[0].to_f64();
  EXPECT_NEAR(pixels[2 * 8 + 5], 150 / 255.0, 1e-6);
  EXPECT_NEAR(pixels[56 + 2 * 8 + 5], 60 / 255.0, 1e-6);
  EXPECT_NEAR(pixels[112 + 2 * 8 + 5], 105 / 255.0, 1e-6);
  run.params = {{"width", int64_t{2}}, {"height", int64_t{1}}};
  EXPECT_THAT(values(run), near({45 / 255.0, 165 / 255.0, 90 / 255.0, 90 / 255.0, 67.5 / 255.0, 127.5 / 255.0}, 1e-6));
  run.params = {{"width", int64_t{3}}, {"height", int64_t{1}}};  // columns 0 … 8/3: 0, 30 and two thirds of 60
  EXPECT_NEAR(values(run)[0], (0 + 30 + 2.0 / 3 * 60) / (8.0 / 3) / 255, 1e-6);
}

}  // namespace
}  // namespace hw::test
