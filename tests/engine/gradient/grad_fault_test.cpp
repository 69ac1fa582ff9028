// Planted faults: a wrong adjoint of each kind is caught, and pinned to its node.
#include <gmock/gmock.h>

#include "engine/gradient/grad_check.h"
#include "engine/graph/edit.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"
#include "tests/engine/quad_subject.h"
#include "tests/engine/spoiler.h"

namespace hw::grad_fault_test {
namespace {

using test::link;
using test::node;
using test::Spoiler;

/// Random numbers [6, 4] → linear "first" → the node "faulty", whose second input, where it has one, is linear "other"
/// of them → linear "last" → MSE against other random numbers.
struct Fault {
  const char* name;
  Node faulty;
  std::vector<std::string> inputs;      // of "faulty"
  std::function<bool(Spoiler&)> spoil;  // whether it spoiled this instruction
};
void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

Node faulty(const std::string& type, ParamMap params = {}) {
  return node("faulty", type, std::move(params));
}

std::vector<Fault> faults() {
  using S = Spoiler;
  const ParamMap four{{"out_features", int64_t{4}}};
  return {
      {"factor_missing", faulty("remap", {{"to_max", 3.0}}), {"x"}, [](S& s) { return s.is(Op::affine) && s.pass(0); }},
      {"half_a_percent_too_much",
       faulty("tanh"),
       {"x"},
       [](S& s) { return s.is(Op::unary_grad) && s.multiply(1.005); }},
      {"sign_wrong", faulty("sub"), {"a", "b"}, [](S& s) { return s.is(Op::scale) && s.pass(0); }},
      {"always_zero", faulty("sigmoid"), {"x"}, [](S& s) { return s.is(Op::sigmoid_grad) && s.pass(0, 0); }},
      {"derivative_of_another_function",
       faulty("gelu"),
       {"x"},
       [](S& s) { return s.is(Op::unary_grad) && (s.attr<UnaryAttr>().fn = UnaryFn::tanh, true); }},
      {"derivative_taken_at_the_output",
       faulty("exp"),
       {"x"},
       [](S& s) { return s.is(Op::unary_grad) && (s.instr().in[1] = s.forward(Op::unary).out[0], true); }},
      {"slope_of_the_negative_side_wrong",
       faulty("leaky_relu"),
       {"x"},
       [](S& s) { return s.is(Op::unary_grad) && (s.attr<UnaryAttr>().a = 0.5, true); }},
      {"inputs_swapped",
       faulty("mul"),
       {"a", "b"},
       [](S& s) { return s.is(Op::mul) && (s.instr().in[1] = s.forward(Op::mul).in[0], true); }},
      {"numerator_and_denominator_swapped",
       faulty("div"),
       {"a", "b"},
       [](S& s) { return s.is(Op::binary_grad) && (s.attr<BinaryAttr>().wrt = 1 - s.attr<BinaryAttr>().wrt, true); }},
      {"weight_transposed",
       faulty("linear", four),
       {"x"},
       [](S& s) { return s.is(Op::matmul) && (s.attr<MatmulAttr>().transpose_b = true); }},
      {"weight_gradient_transposed",
       faulty("linear", four),
       {"x"},
       [](S& s) { return s.is(Op::matmul_tn) && (std::swap(s.instr().in[0], s.instr().in[1]), true); }},
      {"sum_over_the_batch_is_a_mean",
       faulty("linear", four),
       {"x"},
       [](S& s) { return s.is(Op::sum_to) && s.multiply(1.0 / 6); }},
      {"mask_stale",
       faulty("dropout"),
       {"x"},
       [](S& s) { return s.is(Op::dropout) && ++s.attr<DropoutAttr>().random.stream != 0; }},
      {"mask_left_out", faulty("dropout"), {"x"}, [](S& s) { return s.is(Op::dropout) && s.pass(0, 2); }},
      {"clamp_ignored",
       faulty("clip", {{"min", -0.1}, {"max", 0.1}}),
       {"x"},
       [](S& s) { return s.is(Op::clamp_grad) && s.pass(0); }},
      {"sum_of_softmax_left_out",
       faulty("softmax"),
       {"x"},
       [](S& s) { return s.is(Op::softmax_grad) && (s.instr().op = Op::mul, s.instr().attr = {}, true); }},
      {"mean_of_layer_norm_left_out",
       faulty("layer_norm"),
       {"x"},
       [](S& s) { return s.is(Op::group_norm_grad_input) && s.pass(0); }},
      {"parts_of_concat_swapped",
       faulty("concat"),
       {"a", "b"},
       [](S& s) {
         if (!s.is(Op::slice)) return false;
         AxisAttr& a = s.attr<AxisAttr>();
         a.begin = 4 - a.begin;
         a.end = a.begin + 4;
         return true;
       }},
  };
}

class PlantedFault : public testing::TestWithParam<Fault> {};

TEST_P(PlantedFault, IsPinnedToItsNode) {
  const Fault& fault = GetParam();
  const std::vector<double> shape{6, 4};
  const ParamMap four{{"out_features", int64_t{4}}};
  Edits edits{AddNode{node("x", "random", {{"shape", shape}})},
              AddNode{node("target", "random", {{"shape", shape}})},
              AddNode{node("first", "linear", four)},
              AddNode{node("other", "linear", four)},
              AddNode{fault.faulty},
              AddNode{node("last", "linear", four)},
              AddNode{node("mse", "mse")},
              AddNode{node("train", "train")},
              AddLink{link("x.y", "first.x")},
              AddLink{link("x.y", "other.x")},
              AddLink{link("faulty.y", "last.x")},
              AddLink{link("last.y", "mse.prediction")},
              AddLink{link("target.y", "mse.target")},
              AddLink{link("mse.loss", "train.loss")}};
  for (size_t k = 0; k < fault.inputs.size(); ++k)
    edits.push_back(AddLink{link(k == 0 ? "first.y" : "other.y", "faulty." + fault.inputs[k])});
  Graph graph;
  const auto applied = apply_edits(graph, edits);
  ASSERT_TRUE(applied) << applied.error().text();
  test::QuadAssets assets;
  auto subject = grad_subject(graph, assets);
  ASSERT_TRUE(subject) << subject.error().text();
  const auto clean = check_gradients(*subject, {});
  ASSERT_TRUE(clean) << clean.error().text();
  EXPECT_TRUE(clean->passed()) << "without the fault";

  auto program = std::make_shared<Program>(*subject->program);
  bool any = false;
  for (size_t k = 0; k < program->instrs.size(); ++k) {
    Spoiler spoiler(*program, k);
    if (!program->instrs[k].backward || program->nodes[program->instrs[k].node] != "faulty") continue;
    if (any || !fault.spoil(spoiler)) continue;
    any = true;
  }
  ASSERT_TRUE(any) << "nothing to spoil";
  subject->program = program;
  const auto report = check_gradients(*subject, {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->passed());
  EXPECT_THAT(report->suspects, testing::ElementsAre("faulty"));
}

INSTANTIATE_TEST_SUITE_P(GradCheck, PlantedFault, testing::ValuesIn(faults()),
                         [](const auto& test) { return std::string(test.param.name); });

/// x [6, 4] → linear "first", read by linear "one" and linear "two", whose outputs are added up.
GradSubject fan_out() {
  const std::vector<double> shape{6, 4};
  const ParamMap four{{"out_features", int64_t{4}}};
  Graph graph;
  const auto applied = apply_edits(
      graph, {AddNode{node("x", "random", {{"shape", shape}})}, AddNode{node("target", "random", {{"shape", shape}})},
              AddNode{node("first", "linear", four)}, AddNode{node("one", "linear", four)},
              AddNode{node("two", "linear", four)}, AddNode{node("sum", "add")}, AddNode{node("mse", "mse")},
              AddNode{node("train", "train")}, AddLink{link("x.y", "first.x")}, AddLink{link("first.y", "one.x")},
              AddLink{link("first.y", "two.x")}, AddLink{link("one.y", "sum.a")}, AddLink{link("two.y", "sum.b")},
              AddLink{link("sum.y", "mse.prediction")}, AddLink{link("target.y", "mse.target")},
              AddLink{link("mse.loss", "train.loss")}});
  EXPECT_TRUE(applied) << applied.error().text();
  return test::subject_of(graph);
}

// One of the two summands is lost: which reader's, the wire's gradient does not show.
TEST(GradFault, AccumulationMissingOnFanOutIsPinnedToTheReaders) {
  GradSubject subject = fan_out();
  auto program = std::make_shared<Program>(*subject.program);
  bool any = false;
  for (size_t k = 0; k < program->instrs.size(); ++k) {
    Spoiler spoiler(*program, k);
    const Instr& instr = program->instrs[k];
    if (instr.backward && spoiler.is(Op::add) && program->nodes[instr.node] != "mse") any = spoiler.pass(0);
  }
  ASSERT_TRUE(any);
  subject.program = program;
  const auto report = check_gradients(subject, {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->suspects, testing::ElementsAre("one", "two"));
}

// Where two nodes read a wire, the one whose part of its gradient is wrong is named.
TEST(GradFault, OfTwoReadersTheOneAtFaultIsNamed) {
  for (const std::string& guilty : {std::string("one"), std::string("two")}) {
    GradSubject subject = fan_out();
    auto program = std::make_shared<Program>(*subject.program);
    bool any = false;
    for (size_t k = 0; k < program->instrs.size(); ++k) {
      Spoiler spoiler(*program, k);
      const Instr& instr = program->instrs[k];
      if (!any && instr.backward && spoiler.is(Op::matmul) && program->nodes[instr.node] == guilty)
        any = spoiler.multiply(1.1);
    }
    ASSERT_TRUE(any);
    subject.program = program;
    const auto report = check_gradients(subject, {});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_THAT(report->suspects, testing::ElementsAre(guilty));
  }
}

// No adjoint reaches what lies before "one" by that way: a gradient without an entry counts as 0.
TEST(GradFault, AGradientThatStopsOnTheWayIsZeroAndPinned) {
  const std::vector<double> shape{6, 4};
  const ParamMap four{{"out_features", int64_t{4}}};
  Graph graph;
  const auto applied = apply_edits(
      graph,
      {AddNode{node("x", "random", {{"shape", shape}})}, AddNode{node("target", "random", {{"shape", shape}})},
       AddNode{node("first", "linear", four)}, AddNode{node("gelu", "gelu")}, AddNode{node("last", "linear", four)},
       AddNode{node("mse", "mse")}, AddNode{node("train", "train")}, AddLink{link("x.y", "first.x")},
       AddLink{link("first.y", "gelu.x")}, AddLink{link("gelu.y", "last.x")}, AddLink{link("last.y", "mse.prediction")},
       AddLink{link("target.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
  ASSERT_TRUE(applied);
  test::QuadAssets assets;
  auto subject = grad_subject(graph, assets);
  ASSERT_TRUE(subject) << subject.error().text();
  for (GradBlock& block : subject->blocks)
    if (block.node == "first") block.gradient = kNoValue;
  const auto report = check_gradients(*subject, {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_THAT(report->suspects, testing::ElementsAre("gelu"));
  for (const GradResult& r : report->results) {
    if (r.block.node != "first") continue;
    EXPECT_EQ(r.verdict, GradVerdict::zero) << r.block.name;
    EXPECT_EQ(r.inherited, r.block.is_parameter) << r.block.name;
  }
}

TEST(GradFault, OfChosenNodesWhatTheyReadAndMakeIsChecked) {
  GradSubject subject = fan_out();
  select_nodes(subject, {"two"});
  std::vector<std::string> names;
  for (const GradBlock& block : subject.blocks) names.push_back(block.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("first.y", "two.weight", "two.bias", "two.y"));
}

}  // namespace
}  // namespace hw::grad_fault_test
