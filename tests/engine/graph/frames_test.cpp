// Frames: what lies in one, how one is made, moved, resized, and goes into groups.
#include "engine/graph/frames.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/graph/groups/grouping.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::built;
using test::node;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Box card(const Node& node) {
  return {node.x, node.y, 200, 100};
}

Frame frame(const std::string& id, const Box& box) {
  return {id, id, box.x, box.y, box.width, box.height, "", std::nullopt, ""};
}

/// a and b in "both", b in "inner" too; c outside of all.
Graph framed() {
  Graph graph = built({AddNode{node("a", "relu")}, AddNode{node("b", "relu")}, AddNode{node("c", "relu")},
                       AddLink{{"a", "y", "b", "x"}}, AddLink{{"b", "y", "c", "x"}},
                       SetFrame{frame("both", {-50, -100, 600, 300})}, SetFrame{frame("inner", {290, -60, 220, 200})}});
  graph.node("b").x = 300;
  graph.node("c").x = 600;
  return graph;
}

TEST(Frames, HoldWhatLiesWhollyInThem) {
  const Graph graph = framed();
  EXPECT_EQ(with_content(graph, {{}, {"both"}}, card), (Placed{{"a", "b"}, {"both", "inner"}}));
  EXPECT_EQ(with_content(graph, {{"c"}, {"inner"}}, card), (Placed{{"b", "c"}, {"inner"}}));
  Graph moved_out = graph;
  moved_out.node("b").x = 351;  // a unit too far
  EXPECT_EQ(with_content(moved_out, {{}, {"both"}}, card), (Placed{{"a"}, {"both", "inner"}}));
}

TEST(Frames, GoWithTheirNodesWhenTheseAreAllChosen) {
  const Graph graph = framed();
  EXPECT_THAT(frames_of(graph, {{"b"}, {}}, card), ElementsAre("inner"));
  EXPECT_THAT(frames_of(graph, {{"a", "b"}, {}}, card), ElementsAre("both", "inner"));
  EXPECT_THAT(frames_of(graph, {{"a", "c"}, {}}, card), ElementsAre());
  EXPECT_THAT(frames_of(graph, {{}, {"both"}}, card), ElementsAre("both"));
}

TEST(Frames, ANewOneHoldsWhatItWasMadeFor) {
  Graph graph = framed();
  const auto made = frame_around(graph, {{"b", "c"}, {"inner"}}, card);
  ASSERT_TRUE(made) << made.error().text();
  graph.set_frame(*made);
  EXPECT_EQ(with_content(graph, {{}, {made->id}}, card), (Placed{{"b", "c"}, {"inner", made->id}}));
  EXPECT_LE(made->y + kFrameTitle, -60);  // its title lies on nothing
  EXPECT_THAT(frame_around(graph, {}, card).error().reason, HasSubstr("nothing"));
}

TEST(Frames, ShrinkToWhatIsInThem) {
  Graph graph = framed();
  const auto small = shrunk(graph, graph.frames().at("both"), card);
  ASSERT_TRUE(small);
  EXPECT_LT(small->width, 600);
  graph.set_frame(*small);
  EXPECT_EQ(with_content(graph, {{}, {"both"}}, card), (Placed{{"a", "b"}, {"both", "inner"}}));
  EXPECT_EQ(*shrunk(graph, *small, card), *small);
  EXPECT_FALSE(shrunk(graph, frame("empty", {5000, 0, 100, 100}), card));
}

TEST(Frames, MoveTogether) {
  Graph graph = framed();
  ASSERT_TRUE(apply_edits(graph, moved(graph, with_content(graph, {{}, {"both"}}, card), 10, -20)));
  EXPECT_EQ(graph.find("b")->x, 310);
  EXPECT_EQ(graph.find("c")->x, 600);
  EXPECT_EQ(box_of(graph.frames().at("inner")), (Box{300, -80, 220, 200}));
}

TEST(Frames, AreResizedByTheirSides) {
  const Frame f = frame("f", {0, 0, 300, 200});
  EXPECT_EQ(box_of(resized(f, {.right = true, .bottom = true}, 40, -50)), (Box{0, 0, 340, 150}));
  EXPECT_EQ(box_of(resized(f, {.left = true, .top = true}, 40, -50)), (Box{40, -50, 260, 250}));
  EXPECT_EQ(box_of(resized(f, {.left = true}, 1000, 7)), (Box{300 - kLeastFrame, 0, kLeastFrame, 200}));
  EXPECT_EQ(box_of(resized(f, {.bottom = true}, 7, -1000)), (Box{0, 0, 300, kLeastFrame}));
}

TEST(Frames, WithoutAPlaceAreRefused) {
  for (const Box& box : {Box{0, 0, -1, 5}, Box{0, 0, 5, std::nan("")}, Box{1e308, 0, 5, 5}, Box{0, -INFINITY, 5, 5}}) {
    Graph graph = framed();
    const auto done = apply_edits(graph, {SetFrame{frame("f", box)}});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, codes::bad_parameter);
    EXPECT_EQ(graph, framed());
  }
}

TEST(Frames, GoIntoAGroupAndComeBack) {
  const Graph before = framed();
  Graph graph = before;
  const auto made = make_group(document_scope(graph), {"a", "b"}, frames_of(graph, {{"a", "b"}, {}}, card));
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(apply_edits(graph, made->edits));
  EXPECT_TRUE(graph.frames().empty());
  EXPECT_EQ(graph.find_group("group")->graph.frames(), before.frames());
  const auto done = ungroup(document_scope(graph), {made->instance});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_THAT(done->frames, ElementsAre("both", "inner"));
  ASSERT_TRUE(apply_edits(graph, done->edits));
  EXPECT_EQ(write_graph(graph), write_graph(before));
}

}  // namespace
}  // namespace hw
