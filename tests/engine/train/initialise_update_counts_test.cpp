// Updates of elements where they were not counted so far: an older checkpoint, a table that was shared.
#include "engine/train/initialise_update_counts.h"

#include <gmock/gmock.h>

#include "engine/devices/devices.h"
#include "engine/plan/training_plan.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::initialise_update_counts_test {
namespace {

using test::link;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string kTable = "hash_grid.table";

Graph texture(const ParamMap& train, const Edits& more = {}) {
  Graph graph = test::neural_texture();
  Edits edits{SetParam{"surface_sampler", "points", ParamValue(int64_t{64})},
              SetParam{"train", "steps", ParamValue(int64_t{40})}};
  for (const auto& [param, value] : train) edits.push_back(SetParam{"train", param, value});
  edits.insert(edits.end(), more.begin(), more.end());
  const auto applied = apply_edits(graph, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

/// Runs `steps` more and returns the checkpoint at their end.
std::shared_ptr<const Checkpoint> after(Session& session, const Graph& graph, uint64_t steps) {
  std::shared_ptr<const Checkpoint> made;
  session.start(graph, "cpu", steps);
  session.wait();
  const auto s = session.snapshot();
  EXPECT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  session.take_checkpoint([&](std::shared_ptr<const Checkpoint> c) { made = std::move(c); });
  session.wait();
  return made;
}

std::vector<uint64_t> updates(const Checkpoint& c, const std::string& table = kTable) {
  const auto bytes = c.states.at(table + kUpdates).to_f64();
  std::vector<uint64_t> counts(bytes.size() / 2);
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<uint64_t>(bytes[2 * i] + 256 * bytes[2 * i + 1]);
  return counts;
}

/// After one step more than `before`, where those that have moments counted `whole`.
void expect_one_more(const Checkpoint& before, const Checkpoint& now, uint64_t whole) {
  const auto first = before.states.at(kTable + kFirstMoment).to_f64(),
             moved = now.states.at(kTable + kFirstMoment).to_f64();
  const auto second = before.states.at(kTable + kSecondMoment).to_f64();
  const auto counts = updates(now);
  size_t none = 0, stayed = 0, added = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    const uint64_t begun = first[i] == 0 && second[i] == 0 ? 0 : whole;
    ASSERT_EQ(counts[i], begun + (moved[i] != first[i] ? 1 : 0)) << i;
    none += counts[i] == 0;
    stayed += counts[i] == whole;
    added += counts[i] == whole + 1;
  }
  EXPECT_GT(none, 0u);
  EXPECT_GT(stayed, 0u);
  EXPECT_GT(added, 0u);
}

TEST(InitialiseUpdateCounts, AnOlderCheckpointGoesOn) {
  for (const ParamMap& train :
       {ParamMap{}, ParamMap{{"loss_scaling", std::string("dynamic")}, {"loss_scale", 0x1p32}}}) {
    const Graph graph = texture(train);
    Session whole(std::make_shared<test::QuadAssets>(), nullptr);
    const auto half = after(whole, graph, 20);
    ASSERT_TRUE(half);
    uint64_t happened = 20;
    if (!train.empty()) {
      happened = static_cast<uint64_t>(half->states.at(std::string("train") + kLossScale).to_f64()[2]);
      EXPECT_LT(happened, 20u) << "some steps were left out";
      EXPECT_GT(happened, 0u);
    }
    auto older = std::make_shared<Checkpoint>(*half);
    ASSERT_EQ(older->states.erase(kTable + kUpdates), 1u);
    for (const bool counted : {true, false}) {
      Session session(std::make_shared<test::QuadAssets>(), nullptr);
      session.load_checkpoint(counted ? half : older);
      const auto next = after(session, graph, 1);
      ASSERT_TRUE(next);
      EXPECT_EQ(next->step, 21u);
      if (counted) {
        EXPECT_THAT(session.snapshot()->notes, Not(Contains(HasSubstr(kTable))));
        continue;
      }
      EXPECT_THAT(session.snapshot()->notes, Contains(HasSubstr(kTable)));
      expect_one_more(*older, *next, happened);
    }
  }
}

TEST(InitialiseUpdateCounts, ATableThatIsSharedNoMore) {
  const Edits second{AddNode{test::node("b", "hash_grid", {{"levels", int64_t{4}}, {"log2_table", int64_t{12}}})},
                     AddNode{test::node("both", "add")},
                     AddLink{link("normalise_aabb.y", "b.x")},
                     AddLink{link("hash_grid.features", "both.a")},
                     AddLink{link("b.features", "both.b")},
                     AddLink{link("both.y", "cast.x")}};
  Edits tied = second;
  tied.push_back(SetTie{"b", "hash_grid"});
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  const auto shared = after(session, texture({}, tied), 5);
  ASSERT_TRUE(shared);
  EXPECT_FALSE(shared->states.contains(kTable + kUpdates)) << "updated as a whole";
  const auto own = after(session, texture({}, second), 1);
  ASSERT_TRUE(own);
  EXPECT_THAT(session.snapshot()->notes, Contains(HasSubstr(kTable + ": the updates")));
  expect_one_more(*shared, *own, 5);
  for (const uint64_t count : updates(*own, "b.table")) ASSERT_LE(count, 1u);
}

TEST(InitialiseUpdateCounts, StayAtTheLargestCount) {
  Program program;
  OpBuilder b(program);
  b.state(std::string("p") + kFirstMoment, DType::f32, {3});
  b.state(std::string("p") + kSecondMoment, DType::f32, {3});
  b.state(std::string("p") + kUpdates, DType::u8, {6});
  const auto states = *(*make_device("ref"))->prepare_states(program, nullptr, 1, nullptr);
  ASSERT_TRUE(states->write(std::string("p") + kFirstMoment, Tensor::from_f64(DType::f32, {3}, {{0, 1, 0}})));
  ASSERT_TRUE(states->write(std::string("p") + kSecondMoment, Tensor::from_f64(DType::f32, {3}, {{0, 0, 1}})));
  ASSERT_TRUE(initialise_update_counts(*states, "p", 70000, nullptr));
  EXPECT_THAT(states->read(std::string("p") + kUpdates).to_f64(), testing::ElementsAre(0, 0, 255, 255, 255, 255));
  ASSERT_TRUE(initialise_update_counts(*states, "p", 0x1234, nullptr));
  EXPECT_THAT(states->read(std::string("p") + kUpdates).to_f64(), testing::ElementsAre(0, 0, 0x34, 0x12, 0x34, 0x12));
}

}  // namespace
}  // namespace hw::initialise_update_counts_test
