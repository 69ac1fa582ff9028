// Validation: what is refused, where, and whether the remedies mend it.
#include "engine/graph/check/validate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <set>

#include "engine/graph/check/candidate.h"
#include "engine/graph/groups/flat_graph.h"
#include "engine/graph/precision/remedy.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;

Validator checked(const Graph& graph) {
  Validator v;
  v.reset(graph);
  return v;
}

std::string listing(const Validator& v) {
  std::string text;
  for (const Diagnostic& d : v.all()) text += to_string(d) + "\n";
  return text;
}

TEST(Validate, TheNeuralTextureIsClean) {
  const Graph graph = test::neural_texture();
  const Validator v = checked(graph);
  EXPECT_EQ(listing(v), "");
  EXPECT_EQ(to_string(*v.output_type("hash_grid", "features")), "f16 [N 1024, C 8]");
  EXPECT_EQ(v.output_type("mlp", "y")->dtype, DType::f32);
  EXPECT_TRUE(v.output_type("sigmoid", "y")->field);
  EXPECT_EQ(v.output_type("mesh_source", "mesh")->kind, Kind::mesh);
  EXPECT_EQ(v.blocking(graph, "train"), nullptr);
}

// Without GPUs.
void set_devices(Validator& validator) {
  validator.set_devices([](const std::string& id) { return id == "cpu" || id == "ref"; },
                        [] {
                          return std::vector<std::string>{"cpu", "ref"};
                        });
}

TEST(Validate, ADeviceThatIsNotHereBlocksItsConeAndIsTakenAway) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetDevice{"mlp", "cuda:0"}}));
  EXPECT_EQ(listing(checked(graph)), "") << "where nobody says which devices there are";
  Validator v;
  set_devices(v);
  v.reset(graph);
  const Diagnostic* d = v.blocking(graph, "train");
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->code, codes::no_device);
  EXPECT_EQ(d->node, "mlp");
  EXPECT_EQ(d->expected, "cpu, ref");
  EXPECT_EQ(v.blocking(graph, "hash_grid"), nullptr);
  EXPECT_EQ(v.blocking(graph, "train", Pins::ignored), nullptr) << "what runs on a device of its own";
  Graph unwired = graph;
  ASSERT_TRUE(apply_edits(unwired, {RemoveLink{unwired.links_into("mlp").front()}}));
  Validator other;
  set_devices(other);
  other.reset(unwired);
  const Diagnostic* missing = other.blocking(unwired, "train", Pins::ignored);
  ASSERT_NE(missing, nullptr);
  EXPECT_EQ(missing->code, codes::missing_input);
  const Edits mend = d->remedies.front().edits;
  FlatGraph flat;
  flat.reset(graph);
  ASSERT_TRUE(apply_edits(graph, mend));
  EXPECT_EQ(v.update(graph, flat.update(graph, mend)), std::vector<std::string>{"mlp"});
  EXPECT_EQ(listing(v), "");
  ASSERT_TRUE(apply_edits(graph, {SetDevice{"mlp", "ref"}}));
  v.reset(graph);
  EXPECT_EQ(listing(v), "");
}

TEST(Validate, ABypassedNodeWithNothingToHandThroughIsRefused) {
  for (const std::string id : {"mesh_source", "surface_sampler"}) {
    Graph graph = test::neural_texture();
    ASSERT_TRUE(apply_edits(graph, {SetFlags{id, false, true}}));
    const Validator v = checked(graph);
    const Diagnostic* d = v.blocking(graph, "train");
    ASSERT_NE(d, nullptr) << id;
    EXPECT_EQ(d->code, codes::no_bypass);
    EXPECT_EQ(d->node, id);
    ASSERT_EQ(d->remedies.size(), 1u);
    ASSERT_TRUE(apply_edits(graph, d->remedies.front().edits));
    EXPECT_EQ(listing(checked(graph)), "");
  }
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetFlags{"sigmoid", false, true}}));
  EXPECT_EQ(listing(checked(graph)), "") << "its input is handed through";
}

TEST(Validate, WhereABypassIsTheCauseItsEndIsTheFirstRemedy) {
  for (const std::string id : {"mlp", "cast"}) {  // a shape that does not match, a dtype that does not
    Graph graph = test::neural_texture();
    ASSERT_EQ(listing(checked(graph)), "");
    ASSERT_TRUE(apply_edits(graph, {SetFlags{id, false, true}}));
    const Validator v = checked(graph);
    const Diagnostic* d = v.blocking(graph, "train");
    ASSERT_NE(d, nullptr) << id;
    ASSERT_FALSE(d->remedies.empty()) << d->reason;
    EXPECT_TRUE(d->remedies.front().label.starts_with("Stop bypassing ")) << d->remedies.front().label;
    ASSERT_TRUE(apply_edits(graph, d->remedies.front().edits));
    EXPECT_EQ(listing(checked(graph)), "");
  }
}

TEST(Validate, F16IntoAnF32MlpIsRefusedAndTheCastMendsIt) {
  const Graph graph = test::neural_texture(false);
  const Validator v = checked(graph);
  const Diagnostic* d = v.of(link("hash_grid.features", "mlp.x"));
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(d->code, codes::dtype_mismatch);
  EXPECT_EQ(d->node, "mlp");
  EXPECT_EQ(d->socket, "x");
  EXPECT_EQ(d->expected, "f32");
  EXPECT_EQ(d->got, "f16");
  EXPECT_EQ(v.all().size(), 1u) << "nodes behind the wrong wire are not blamed:\n" << listing(v);
  ASSERT_GE(d->remedies.size(), 3u);
  EXPECT_THAT(d->remedies.front().label, testing::HasSubstr("Cast"));
  for (const Remedy& remedy : d->remedies) {
    Graph mended = graph;
    ASSERT_TRUE(apply_edits(mended, remedy_edits(graph, remedy))) << remedy.label;
    EXPECT_EQ(checked(mended).of(link("hash_grid.features", "mlp.x")), nullptr) << remedy.label;
  }
  Graph mended = graph;
  ASSERT_TRUE(apply_edits(mended, d->remedies.front().edits));
  EXPECT_EQ(listing(checked(mended)), "");
}

TEST(Validate, EachFaultHasItsCodeAndPlace) {
  struct Case {
    Edits edits;
    const char* code;
    const char* node;
    const char* socket;
  };
  const Case cases[] = {
      {{RemoveLink{link("sigmoid.y", "mse.prediction")}}, codes::missing_input, "mse", "prediction"},
      {{AddLink{link("mesh_source.mesh", "sigmoid.x")}}, codes::kind_mismatch, "sigmoid", "x"},
      {{AddLink{link("normalise_aabb.y", "viewport.mesh")}}, codes::kind_mismatch, "viewport", "mesh"},
      {{AddNode{node("ghost", "no_such_type")}}, codes::unknown_node, "ghost", ""},
      {{AddLink{link("sigmoid.y", "mlp.x")}}, codes::cycle, "mlp", "x"},
      {{AddLink{link("surface_sampler.uv", "mse.target")}}, codes::size_mismatch, "mse", "target"},
  };
  for (const Case& c : cases) {
    Graph graph = test::neural_texture();
    ASSERT_TRUE(apply_edits(graph, c.edits));
    const Validator v = checked(graph);
    const auto& found = v.of(c.node);
    const bool there = std::any_of(found.begin(), found.end(),
                                   [&](const Diagnostic& d) { return d.code == c.code && d.socket == c.socket; });
    EXPECT_TRUE(there) << c.code << " at " << c.node << "." << c.socket << "; found:\n" << listing(v);
    for (const Diagnostic& d : v.all()) {
      EXPECT_FALSE(d.reason.empty());
      EXPECT_TRUE(d.code != codes::missing_input || d.remedies.size() == 1) << d.reason;
    }
  }
}

// No two remedies look the same: also where a cycle has several wires from one node, or from nodes of one name.
TEST(Validate, TheWiresOfACycleAreDistinguished) {
  const Graph graph =
      test::built({AddNode{node("a", "add")}, AddNode{node("b", "add")}, AddNode{node("c", "add")},
                   AddLink{link("a.y", "b.a")}, AddLink{link("a.y", "b.b")}, AddLink{link("b.y", "a.a")},
                   AddLink{link("c.y", "a.b")}, AddLink{link("b.y", "c.a")}, AddLink{link("b.y", "c.b")}});
  size_t cycles = 0;
  for (const Diagnostic& d : checked(graph).all()) {
    if (d.code != codes::cycle) continue;
    ++cycles;
    std::set<std::string> labels;
    for (const Remedy& r : d.remedies) EXPECT_TRUE(labels.insert(r.label).second) << d.node << ": " << r.label;
    EXPECT_EQ(d.remedies.size(), 2u) << d.node;
  }
  EXPECT_EQ(cycles, 3u);
}

TEST(Validate, OfTwoWiresIntoOneInputTheOneFromNowhereGoes) {
  // As in a file: an edit would not make them.
  const auto remedy = [](const std::string& links) -> std::string {
    const auto graph = parse_graph(R"({"halfwire": 1, "nodes": [
      {"id": "a", "type": "constant"}, {"id": "b", "type": "constant"}, {"id": "n", "type": "neg"}], "links": [)" +
                                       links + "]}",
                                   "two_wires.halfwire");
    EXPECT_TRUE(graph) << graph.error().text();
    for (const Diagnostic& d : checked(*graph).all())
      if (d.code == codes::duplicate_link) return d.remedies.front().label;
    return "none";
  };
  EXPECT_EQ(remedy(R"(["a.y", "n.x"], ["b.y", "n.x"])"), "Remove the wire from \"b.y\"");
  EXPECT_EQ(remedy(R"(["gone.y", "n.x"], ["b.y", "n.x"])"), "Remove the wire from \"gone.y\"");
  EXPECT_EQ(remedy(R"(["a.z", "n.x"], ["b.y", "n.x"])"), "Remove the wire from \"a.z\"");
}

// No Cast makes whole numbers.
TEST(Validate, OnlyCastsThatThereAreAreOffered) {
  const Graph graph =
      test::built({AddNode{node("x", "random", {{"shape", std::vector<double>{8, 3}}})},
                   AddNode{node("y", "random", {{"shape", std::vector<double>{8}}, {"axes", std::string("N")}})},
                   AddNode{node("loss", "cross_entropy")}, AddLink{link("x.y", "loss.logits")},
                   AddLink{link("y.y", "loss.labels")}});
  const Validator v = checked(graph);
  ASSERT_EQ(v.of("loss").size(), 1u) << listing(v);
  EXPECT_EQ(v.of("loss").front().code, codes::dtype_mismatch);
  for (const Remedy& remedy : v.of("loss").front().remedies) EXPECT_NE(remedy.kind, Remedy::Kind::insert_cast);
}

// Which inputs it has is not known before the formula is right.
TEST(Validate, AWrongFormulaIsTheOnlyProblemOfItsNode) {
  const Graph graph = test::built({AddNode{node("x", "random", {{"shape", std::vector<double>{8, 3}}})},
                                   AddNode{node("f", "expression", {{"source", std::string("y = 2*(x + z")}})},
                                   AddLink{link("x.y", "f.x")}});
  const Validator v = checked(graph);
  ASSERT_EQ(v.of("f").size(), 1u) << listing(v);
  EXPECT_EQ(v.of("f").front().code, codes::expression_syntax);
}

TEST(Validate, BadParametersInAFileAreReportedAtTheNode) {
  Graph graph = test::neural_texture();
  graph.node("train").params["learning_rate"] = std::nan("");
  graph.node("surface_sampler").params["points"] = int64_t{0};
  const Validator v = checked(graph);
  ASSERT_EQ(v.of("train").size(), 1u);
  EXPECT_EQ(v.of("train").front().code, codes::bad_parameter);
  EXPECT_EQ(v.of("train").front().socket, "learning_rate");
  ASSERT_EQ(v.of("surface_sampler").size(), 1u);
  EXPECT_NE(v.blocking(graph, "train"), nullptr);
}

TEST(Validate, AMissingFileDoesNotHideWhatIsWrongBehindIt) {
  Graph graph = test::neural_texture(false);
  ASSERT_TRUE(apply_edits(graph, {SetParam{"mesh_source", "path", std::nullopt}}));
  const Validator v = checked(graph);
  EXPECT_EQ(v.of("mesh_source").size(), 1u);
  EXPECT_NE(v.of(link("hash_grid.features", "mlp.x")), nullptr);
}

TEST(Validate, AWireBackIsACycleAndItsRemovalMendsIt) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {AddLink{link("sigmoid.y", "mlp.x")}}));
  Validator v = checked(graph);
  ASSERT_FALSE(v.of("mlp").empty());
  EXPECT_FALSE(v.output_type("mlp", "y"));
  const Edits back = {AddLink{link("cast.y", "mlp.x")}};
  FlatGraph flat;
  flat.reset(graph);
  ASSERT_TRUE(apply_edits(graph, back));
  v.update(graph, flat.update(graph, back));
  EXPECT_EQ(listing(v), "");
}

/// Random edits: the incremental result equals validation from nothing.
TEST(Validate, IncrementalEqualsFull) {
  std::mt19937 random(7);
  const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const std::vector<std::string> types = {"relu", "add",      "cast", "linear",         "hash_grid",
                                          "mean", "constant", "mse",  "surface_sampler"};
  Graph graph = test::neural_texture();
  FlatGraph flat;
  flat.reset(graph);
  Validator v = checked(graph);
  for (int step = 0; step < 600; ++step) {
    std::vector<const Node*> nodes;
    for (const auto& [id, n] : graph.nodes()) nodes.push_back(&n);
    Edits edits;
    switch (pick(5)) {
      case 0:
        edits = {AddNode{node(graph.fresh_id("n"), types[pick(types.size())])}};
        break;
      case 1:
        if (nodes.size() > 12) edits = {RemoveNode{nodes[pick(nodes.size())]->id}};
        break;
      case 2:
        if (const auto links = graph.links(); !links.empty()) edits = {RemoveLink{links[pick(links.size())]}};
        break;
      default: {
        const Node& a = *nodes[pick(nodes.size())];
        const Node& b = *nodes[pick(nodes.size())];
        const auto& outputs = Registry::instance().find(a.type)->decl.outputs();
        const auto& inputs = Registry::instance().find(b.type)->decl.inputs();
        if (outputs.empty() || inputs.empty()) break;
        edits = {AddLink{{a.id, outputs[pick(outputs.size())].id, b.id, inputs[pick(inputs.size())].id}}};
      }
    }
    ASSERT_TRUE(apply_edits(graph, edits));
    v.update(graph, flat.update(graph, edits));
    const Validator full = checked(graph);
    ASSERT_EQ(listing(v), listing(full)) << "after " << step << " edits";
    for (const auto& [id, n] : graph.nodes()) {
      for (const SocketDecl& output : Registry::instance().find(n.type)->decl.outputs()) {
        ASSERT_EQ(v.output_type(id, output.id), full.output_type(id, output.id)) << id << " after " << step;
      }
    }
  }
}

TEST(Validate, CheckLinkSaysWhatAWireWouldBring) {
  const Graph graph = test::neural_texture();
  const Validator v = checked(graph);
  EXPECT_FALSE(check_link(graph, v, link("cast.y", "mlp.x")));
  EXPECT_EQ(check_link(graph, v, link("hash_grid.features", "mlp.x"))->code, codes::dtype_mismatch);
  EXPECT_EQ(check_link(graph, v, link("sigmoid.y", "mlp.x"))->code, codes::cycle);
  EXPECT_EQ(check_link(graph, v, link("mesh_source.mesh", "mlp.x"))->code, codes::kind_mismatch);
  EXPECT_FALSE(check_link(graph, v, link("surface_sampler.color", "mse.target")));
}

TEST(Validate, CheckLinkKnowsTheKindOfWhatHasNoTypeYet) {
  const Graph graph =
      test::built({AddNode{node("r", "relu")}, AddNode{node("other", "relu")}, AddNode{node("s", "surface_sampler")}});
  const Validator v = checked(graph);
  EXPECT_EQ(check_link(graph, v, link("r.y", "s.mesh"))->code, codes::kind_mismatch);
  EXPECT_FALSE(check_link(graph, v, link("r.y", "other.x")));
}

TEST(Validate, OnlyFittingTypesAreOffered) {
  const Graph graph = test::neural_texture();
  const Validator v = checked(graph);
  const auto fits = [&](const char* n, const char* socket, bool output, const char* type) {
    return fitting_socket(graph, v, n, socket, output, *Registry::instance().find(type));
  };
  EXPECT_EQ(fits("hash_grid", "features", true, "cast"), "x");
  EXPECT_FALSE(fits("hash_grid", "features", true, "mlp"));
  EXPECT_EQ(fits("cast", "y", true, "mlp"), "x");
  EXPECT_EQ(fits("mesh_source", "mesh", true, "surface_sampler"), "mesh");
  EXPECT_FALSE(fits("mesh_source", "mesh", true, "relu"));
  EXPECT_EQ(fits("surface_sampler", "mesh", false, "mesh_source"), "mesh");
  EXPECT_FALSE(fits("mlp", "x", false, "hash_grid")) << "its default dtype is f16";
  EXPECT_FALSE(fits("mlp", "x", false, "mesh_source"));
}

TEST(Validate, WhatFitsByOneCastIsOfferedWithIt) {
  const Graph graph = test::neural_texture();
  const Validator v = checked(graph);
  const auto fits = [&](const char* n, const char* socket, bool output, const char* type) {
    return fitting_by_cast(graph, v, n, socket, output, *Registry::instance().find(type));
  };
  EXPECT_EQ(fits("hash_grid", "features", true, "mlp"), (FitByCast{"x", DType::f32}));
  EXPECT_EQ(fits("mlp", "x", false, "hash_grid"), (FitByCast{"features", DType::f32}));
  EXPECT_FALSE(fits("mesh_source", "mesh", true, "mlp")) << "a mesh is no tensor";
  EXPECT_FALSE(fits("hash_grid", "features", true, "surface_sampler"));
  EXPECT_FALSE(fits("mlp", "x", false, "mesh_source"));
}

}  // namespace
}  // namespace hw
