// The parts of RunModel by themselves, without a session: what is shown of a run, when, and of which runs.
#include <gtest/gtest.h>

#include "app/models/run/past_losses.h"
#include "app/models/run/run_words.h"
#include "app/models/run/same_run.h"
#include "app/models/text/format.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

TEST(PastLosses, KeepsTheNewestFourAndNoneThatIsEmpty) {
  PastLosses past;
  past.keep(nullptr);
  past.keep(std::make_shared<const std::vector<float>>());
  EXPECT_TRUE(past.all().empty());
  for (int i = 0; i < 6; ++i) past.keep(std::make_shared<const std::vector<float>>(1, static_cast<float>(i)));
  ASSERT_EQ(past.all().size(), 4u);
  EXPECT_EQ(past.all().front()->front(), 2);
  EXPECT_EQ(past.all().back()->front(), 5);
  past.clear();
  EXPECT_TRUE(past.all().empty());
}

TEST(SameRun, IsOneOfTheSameTrainingOnTheSameDevice) {
  Document d;
  fill_growing(d, 0.5);
  Checkpoint checkpoint;
  checkpoint.graph = d.flat();
  checkpoint.device = "cpu";
  EXPECT_TRUE(same_run(checkpoint, d.flat(), "cpu"));
  EXPECT_FALSE(same_run(checkpoint, d.flat(), "ref"));
  ASSERT_TRUE(d.push("Move", {MoveNode{"p", 10, 20}}));
  EXPECT_TRUE(same_run(checkpoint, d.flat(), "cpu")) << "where a node lies changes no run";
  for (const Edit& edit : {Edit(SetParam{"train", "learning_rate", 0.25}),
                           Edit(SetParam{"narrow", "to", std::string("f32")}), Edit(RemoveNode{"train"})}) {
    ASSERT_TRUE(d.push("Edit", {edit}));
    EXPECT_FALSE(same_run(checkpoint, d.flat(), "cpu"));
    d.undo();
    EXPECT_TRUE(same_run(checkpoint, d.flat(), "cpu"));
  }
}

TEST(RunWords, OfLoadedStatesNameTheirStep) {
  EXPECT_EQ(with_states_text(10, false), "Ready, saved at step 10");
  EXPECT_EQ(with_states_text(10, true), "Ready, trained to step 10");
}

TEST(RunWords, TimeIsLeftWhileThereAreStepsAndARate) {
  RunSnapshot run;
  run.step = 40;
  run.steps = 100;
  EXPECT_EQ(time_left_text(run, 0), "");
  EXPECT_EQ(time_left_text(run, 2), format_duration(30));
  run.step = 100;
  EXPECT_EQ(time_left_text(run, 2), "");
}

}  // namespace
}  // namespace hw::app::testing
