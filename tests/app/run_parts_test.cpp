// The parts of RunModel by themselves, without a session: what is shown of a run, when, and of which runs.
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <thread>

#include "app/models/run/bad_value_watch.h"
#include "app/models/run/past_losses.h"
#include "app/models/run/run_status.h"
#include "app/models/run/run_words.h"
#include "app/models/run/same_run.h"
#include "app/models/run/snapshot_pace.h"
#include "app/models/text/format.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

RunSnapshot in(RunState state) {
  RunSnapshot run;
  run.state = state;
  return run;
}

RunSnapshot failed_run() {
  RunSnapshot run = in(RunState::failed);
  run.error = Error{"HW-R001", "train", "it failed.", ""};
  return run;
}

TEST(RunStatus, ADismissedFailureIsThatOfAGraphThatDoesNotRun) {
  RunStatus status;
  const RunSnapshot failed = failed_run();
  EXPECT_TRUE(status.take(failed));
  EXPECT_EQ(status.state(failed), RunState::failed);
  EXPECT_EQ(status.error(failed).code, "HW-R001");
  EXPECT_TRUE(status.dismiss(failed));
  EXPECT_FALSE(status.dismiss(failed)) << "it is over already";
  EXPECT_EQ(status.state(failed), RunState::idle);
  EXPECT_EQ(status.error(failed).code, "");
  EXPECT_FALSE(status.take(failed)) << "the same snapshot again";
  EXPECT_EQ(status.state(failed), RunState::idle);
}

TEST(RunStatus, WithoutAFailureThereIsNothingToDismiss) {
  RunStatus status;
  const RunSnapshot running = in(RunState::running);
  EXPECT_TRUE(status.take(running));
  EXPECT_FALSE(status.dismiss(running));
  EXPECT_EQ(status.state(running), RunState::running);
}

TEST(RunStatus, ARunThatBeginsAndFailsBetweenTwoSnapshotsIsShown) {
  RunStatus status;
  const RunSnapshot failed = failed_run();
  status.take(failed);
  status.dismiss(failed);
  status.begin();
  EXPECT_TRUE(status.take(failed));
  EXPECT_EQ(status.state(failed), RunState::failed);
}

TEST(RunStatus, ARunThatGoesOnEndsTheDismissal) {
  for (const RunState state : {RunState::preparing, RunState::running, RunState::paused}) {
    RunStatus status;
    status.take(failed_run());
    status.dismiss(failed_run());
    EXPECT_TRUE(status.take(in(state)));
    EXPECT_TRUE(status.take(failed_run())) << name(state);
    EXPECT_EQ(status.state(failed_run()), RunState::failed);
  }
}

TEST(RunStatus, AWishToStopHasWordsUntilNothingRuns) {
  RunStatus status;
  status.take(in(RunState::running));
  status.end("Stopping");
  status.take(in(RunState::running));
  EXPECT_EQ(status.ending(), "Stopping");
  status.take(in(RunState::paused));
  EXPECT_EQ(status.ending(), "");
}

TEST(RunStatus, AnErrorIsReportedOnceUntilTheUserAsksAgain) {
  RunStatus status;
  const Error error{"HW-R001", "train", "it failed.", ""};
  EXPECT_FALSE(status.takeError({})) << "there was none";
  EXPECT_TRUE(status.takeError(error));
  EXPECT_FALSE(status.takeError(error));
  EXPECT_TRUE(status.takeError({"HW-R001", "train", "it failed otherwise.", ""}));
  EXPECT_TRUE(status.takeError({})) << "the failure is over";
  EXPECT_TRUE(status.takeError(error));
  status.forgetError();
  EXPECT_TRUE(status.takeError(error));
}

TEST(SnapshotPace, OfManyNotesFewAreTakenAndTheLastIsOneOfThem) {
  constexpr int last = 60;
  std::atomic<int> newest{0};
  int taken = 0, times = 0;
  QElapsedTimer age;
  age.start();
  SnapshotPace pace([] { return false; });
  QObject::connect(&pace, &SnapshotPace::due, &pace, [&] {
    pace.taken();
    taken = newest;
    ++times;
  });
  std::thread session([&] {
    for (int i = 1; i <= last; ++i) {
      newest = i;
      pace.note();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  EXPECT_TRUE(wait_for([&] { return taken == last; }));
  session.join();
  EXPECT_LE(times, age.elapsed() / 70 + 1);  // a timer of Qt may be early by a twentieth
}

TEST(SnapshotPace, WhatIsUrgentIsDueAtOnce) {
  int times = 0;
  SnapshotPace pace([] { return true; });
  QObject::connect(&pace, &SnapshotPace::due, &pace, [&] {
    pace.taken();
    ++times;
  });
  for (int i = 0; i < 3; ++i) pace.note();
  EXPECT_EQ(times, 0) << "from the event loop alone";
  QCoreApplication::processEvents();
  EXPECT_EQ(times, 1);
  pace.note();
  QCoreApplication::processEvents();
  EXPECT_EQ(times, 2);
}

TEST(SnapshotPace, RatesAreDueTwiceASecondAndWhenUrgent) {
  QElapsedTimer age;
  age.start();
  SnapshotPace pace([] { return false; });
  const bool due = pace.ratesDue(false);
  EXPECT_TRUE(!due || age.elapsed() >= 500);
  age.restart();
  EXPECT_TRUE(pace.ratesDue(true));
  bool again = false;
  EXPECT_TRUE(wait_for([&] { return again = again || pace.ratesDue(false); }));
  EXPECT_GE(age.elapsed(), 500);
}

/// What a session was given: a watch or none.
struct Watches {
  std::vector<bool> given;
  BadValueWatch watch{[this](const std::shared_ptr<TrainingWatch>& w) { given.push_back(w != nullptr); }};
};

TEST(BadValueWatch, IsThereWhileTheUserWantsIt) {
  Watches w;
  EXPECT_FALSE(w.watch.setHalts(false));
  EXPECT_TRUE(w.watch.setHalts(true));
  EXPECT_FALSE(w.watch.setHalts(true));
  EXPECT_TRUE(w.watch.setHalts(false));
  EXPECT_EQ(w.given, (std::vector{true, false}));
}

TEST(BadValueWatch, IsThereForASearchAndGoesWithIt) {
  Watches w;
  EXPECT_FALSE(w.watch.endSearch());
  w.watch.beginSearch();
  EXPECT_TRUE(w.watch.searching());
  EXPECT_TRUE(w.watch.endSearch());
  EXPECT_FALSE(w.watch.searching());
  EXPECT_FALSE(w.watch.endSearch());
  EXPECT_EQ(w.given, (std::vector{true, false}));
}

TEST(BadValueWatch, StaysAfterASearchWhereTheUserWantsIt) {
  Watches w;
  w.watch.beginSearch();
  EXPECT_TRUE(w.watch.setHalts(true));
  EXPECT_TRUE(w.watch.endSearch());
  EXPECT_EQ(w.given, std::vector{true});
  w.watch.beginSearch();
  EXPECT_TRUE(w.watch.setHalts(false));
  EXPECT_EQ(w.given, (std::vector{true, true})) << "the search goes on";
  EXPECT_TRUE(w.watch.endSearch());
  EXPECT_EQ(w.given, (std::vector{true, true, false}));
}

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
