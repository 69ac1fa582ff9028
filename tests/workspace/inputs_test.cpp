// Values that are given to Inputs and wires, and examples that stand in for them.
#include "app/workspace/inputs.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/io/tensor/npy.h"
#include "tests/workspace/quiet.h"

namespace hw::workspace {
namespace {

using test::texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WorkspaceInputs : public test::Quiet {
 protected:
  /// x [4, 3] → linear → y.
  std::string network(const std::string& example) const {
    return written("g.halfwire", R"({"halfwire": 1, "nodes": [
      {"id": "x", "type": "input", "params": {"shape": [4, 3], "example": ")" +
                                     example + R"("}},
      {"id": "layer", "type": "linear", "params": {"out_features": 2}}, {"id": "y", "type": "output"}],
      "links": [["x.y", "layer.x"], ["layer.y", "y.x"]]})");
  }
  std::string array(const std::string& name, Dims dims, float value = 1) const {
    const std::vector<float> values(static_cast<size_t>(dims[0] * dims[1]), value);
    EXPECT_TRUE(save_npy(Tensor::from_f32(DType::f32, std::move(dims), values), folder_ / name));
    return (folder_ / name).string();
  }
};

TEST_F(WorkspaceInputs, GiveTheirRowsAndValues) {
  auto open = open_graph({.graph = network("none")}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  const Status missing = check_values(open->graph, "layer", "--input");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, codes::missing_input);
  EXPECT_EQ(missing.error().where, "x");
  EXPECT_EQ(missing.error().remedy, "Give it, --input x=FILE.npy, or choose an example.");
  EXPECT_EQ(check_values(open->graph, "layer", "").error().remedy, "Give it or choose an example.");

  auto given = read_given(open->graph, {"x=" + array("x.npy", {2, 3})}, "--input", notes_);
  ASSERT_TRUE(given) << given.error().text();
  ASSERT_EQ(given->size(), 1u);
  EXPECT_EQ(given->front().socket, (SocketRef{"x", "y"}));
  fit_inputs(open->graph, *given);
  EXPECT_TRUE(check_values(open->graph, "layer", "--input"));
  note_examples(open->graph, std::array{SocketRef{"y", "y"}}, *given, "--input", notes_);
  const auto values = as_wires(open->graph, std::move(*given), notes_);
  ASSERT_TRUE(values) << values.error().text();
  EXPECT_EQ(values->at(SocketRef{"x", "y"}).dims(), (Dims{2, 3}));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WorkspaceInputs, ExamplesThatStandInAreNoted) {
  const auto open = open_graph({.graph = network("ones")}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  note_examples(open->graph, std::array{SocketRef{"y", "y"}}, {}, "--input", notes_);
  note_examples(open->graph, std::array{SocketRef{"y", "y"}}, {}, "", notes_);
  EXPECT_THAT(texts(notes_), ElementsAre("example data stands in for what is not given: x (ones); --input "
                                         "NAME=FILE.npy gives it",
                                         "example data stands in for what is not given: x (ones)"));
}

TEST_F(WorkspaceInputs, WhatHoldsNaNIsNotedAndWhatDoesNotFitRefused) {
  const auto open = open_graph({.graph = network("ones")}, notes_);
  ASSERT_TRUE(open) << open.error().text();
  const std::string bad = array("bad.npy", {4, 3}, std::nanf(""));
  ASSERT_TRUE(read_given(open->graph, {"x=" + bad}, "--input", notes_));
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_THAT(notes_.front().text, HasSubstr("--input x=" + bad + " holds 12 NaN"));

  const std::string wide = array("wide.npy", {4, 5});
  auto given = read_given(open->graph, {"x=" + wide}, "--input", notes_);
  ASSERT_TRUE(given) << given.error().text();
  const auto refused = as_wires(open->graph, std::move(*given), notes_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::size_mismatch);
  const auto twice = read_given(open->graph, {"x=" + wide, "layer.x=" + wide}, "--input", notes_);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().reason, HasSubstr("given twice"));
  EXPECT_EQ(read_given(open->graph, {"x"}, "--input", notes_).error().where, "--input x");
  EXPECT_EQ(read_given(open->graph, {"x"}, "", notes_).error().where, "x");
}

}  // namespace
}  // namespace hw::workspace
