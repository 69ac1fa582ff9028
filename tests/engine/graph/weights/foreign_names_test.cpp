// Weights in files by the names of the tool that they come from.
#include "engine/graph/weights/foreign_names.h"

#include <gmock/gmock.h>

#include "engine/graph/weights/fit_weights.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;

// A Dense that adds its kernel elsewhere, too: the file has the matrix once, one parameter takes it turned.
TEST(ForeignNames, AMatrixThatOneTakesAsItLiesAndAnotherTurnedIsStoredOnce) {
  Graph g;
  ASSERT_TRUE(apply_edits(
      g, {AddNode{node("x", "input", {{"shape", std::vector<double>{3, 3}}, {"axes", std::string()}})},
          AddNode{node("head", "linear", {{"out_features", int64_t{3}}, {"bias", false}})},
          AddNode{node("table", "parameter", {{"shape", std::vector<double>{3, 3}}})}, AddNode{node("sum", "add")},
          AddLink{link("x.y", "head.x")}, AddLink{link("head.y", "sum.a")}, AddLink{link("table.y", "sum.b")}}));
  const std::vector<double> as_it_lies{1, 2, 3, 4, 5, 6, 7, 8, 9}, turned{1, 4, 7, 2, 5, 8, 3, 6, 9};
  const Tensor other = Tensor::from_f64(DType::f32, {3, 3}, std::vector<double>{9, 1, 8, 2, 7, 3, 6, 4, 5});
  for (const char* takes : {"head.weight", "table.value"}) {
    const std::string turns = takes, keeps = turns == "head.weight" ? "table.value" : "head.weight";
    g.weight_names = {{turns, "kernel" + std::string(kTransposed)}, {keeps, "kernel"}};
    const std::map<std::string, Tensor> file{{"kernel", Tensor::from_f64(DType::f32, {3, 3}, as_it_lies)}};
    Validator v;
    v.reset(g);
    const FittedWeights fitted = fit_weights(g, v, file);
    ASSERT_TRUE(fitted.problems.empty()) << as_error(fitted.problems).text();
    EXPECT_EQ(fitted.tensors.at(keeps).to_f64(), as_it_lies) << turns;
    EXPECT_EQ(fitted.tensors.at(turns).to_f64(), turned) << turns;
    ASSERT_EQ(fitted.notes.size(), 1u);
    EXPECT_THAT(fitted.notes.front(), testing::HasSubstr("kernel is loaded to each of head.weight, table.value"));

    // What training made of the two is written as two, neither over the other.
    std::map<std::string, Tensor> trained{{keeps, file.at("kernel")}, {turns, other}};
    for (const std::string& name : {keeps, turns}) trained[name + "#adam_m"] = trained.at(name);
    const auto read = with_node_ids(g, with_foreign_names(g, trained));
    ASSERT_EQ(read.size(), trained.size()) << turns;
    for (const auto& [name, tensor] : trained) EXPECT_EQ(read.at(name).to_f64(), tensor.to_f64()) << name;
  }
}

}  // namespace
}  // namespace hw
