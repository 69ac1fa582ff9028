// Which weights are the best, and when a run has waited long enough for better ones.
#include "engine/train/best_weights.h"

#include <gmock/gmock.h>

#include <cmath>

namespace hw::best_weights_test {
namespace {

std::shared_ptr<const Weights> weights_of(double value, int64_t size = 2) {
  return std::make_shared<const Weights>(Weights{
      {"a.weight", Tensor::from_f64(DType::f32, {size}, std::vector<double>(static_cast<size_t>(size), value))}});
}

/// After losses that were measured at steps 10, 20, …, each with weights of that step.
BestWeights after(const std::vector<double>& losses) {
  BestWeights best;
  for (size_t k = 0; k < losses.size(); ++k) {
    const uint64_t step = 10 * (k + 1);
    best.measured(losses[k], step, [&] { return weights_of(static_cast<double>(step)); });
  }
  return best;
}

TEST(BestWeights, AreThoseOfTheLowestLoss) {
  const BestWeights best = after({3, 1, 2, 1, 1.5});
  ASSERT_TRUE(best.best());
  EXPECT_EQ(best.best()->loss, 1);
  EXPECT_EQ(best.best()->step, 20u) << "the first of equal ones";
  EXPECT_EQ(best.best()->measured, 3u);
  EXPECT_EQ(best.best()->weights->at("a.weight").to_f64().front(), 20);
}

TEST(BestWeights, AreReadWhereTheyAreKeptAlone) {
  BestWeights best;
  int read = 0;
  for (const double loss : {2.0, 3.0, 2.0, 1.0})
    best.measured(loss, 1, [&] {
      ++read;
      return weights_of(0);
    });
  EXPECT_EQ(read, 2);
}

TEST(BestWeights, HaveAFiniteLoss) {
  EXPECT_FALSE(after({NAN, INFINITY}).best());
  const BestWeights best = after({NAN, 4, -INFINITY, NAN});
  ASSERT_TRUE(best.best());
  EXPECT_EQ(best.best()->step, 20u);
  EXPECT_EQ(best.best()->measured, 2u) << "what is not finite is worse";
}

TEST(BestWeights, EndPatienceAfterSoManyWorseMeasurements) {
  EXPECT_FALSE(after({1, 2, 3}).is_out_of_patience(3));
  EXPECT_TRUE(after({1, 2, 3, 4}).is_out_of_patience(3));
  EXPECT_FALSE(after({1, 2, 3, 0.5}).is_out_of_patience(3)) << "a better one begins the wait anew";
  EXPECT_FALSE(after({1, 2, 3, 4}).is_out_of_patience(0)) << "without patience nothing ends";
  EXPECT_FALSE(after({NAN, NAN, NAN, NAN}).is_out_of_patience(3)) << "nothing was measured to be worse than";
}

TEST(BestWeights, WaitAnewWhereTheRunGoesOn) {
  BestWeights best = after({1, 2, 3, 4});
  best.wait_anew();
  EXPECT_FALSE(best.is_out_of_patience(1));
  EXPECT_EQ(best.best()->step, 10u) << "they stay the best";
  best.measured(2, 50, [] { return weights_of(0); });
  EXPECT_TRUE(best.is_out_of_patience(1));
  BestWeights none;
  none.wait_anew();
  EXPECT_FALSE(none.best());
}

TEST(BestWeights, AreTheVeryOnesThatAreShown) {
  const BestWeights best = after({1});
  EXPECT_TRUE(best.are(best.best()->weights));
  EXPECT_FALSE(best.are(weights_of(10))) << "equal, and others";
  EXPECT_FALSE(BestWeights().are(nullptr)) << "nothing is not the best";
}

TEST(BestWeights, AreDroppedWhereTheyDoNotFit) {
  Program program;
  Value view;
  view.name = "a.weight";
  view.dims = {2};
  program.values.push_back(view);
  Param param;
  param.name = "a.weight";
  param.view = param.master = 0;
  program.params.push_back(param);
  BestWeights best = after({1});
  best.fit(program);
  EXPECT_TRUE(best.best());
  program.values[0].dims = {3};
  best.fit(program);
  EXPECT_FALSE(best.best()) << "of another size";
  best = after({1});
  program.values[0].dims = {2};
  program.params[0].name = "b.weight";
  best.fit(program);
  EXPECT_FALSE(best.best()) << "a parameter has none";
}

}  // namespace
}  // namespace hw::best_weights_test
