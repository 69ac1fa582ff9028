// Groups: their files and the flattened graph that runs.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/check_groups.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/lower/parameter_count.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/graph/graph_file.h"
#include "engine/train/session.h"
#include "tests/engine/group_graphs.h"
#include "tests/engine/quad_assets.h"

namespace hw::groups_test {
namespace {

using test::block;
using test::built;
using test::grouped;
using test::link;
using test::node;
using test::normal_numbers;
using test::unit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What grouped() means, written down by hand without groups.
Graph twin() {
  Graph flat;
  flat.add_node(normal_numbers("data", {64, 3}, "N C"));
  std::string from = "data";
  for (const std::string tower : {"one", "two"}) {
    for (const std::string block : {"a", "b"}) {
      for (const std::string unit : {"first", "second"}) {
        const std::string path = tower + "/" + block + "/" + unit + "/";
        const bool narrow = path == "two/b/second/";
        flat.add_node(node(path + "linear", "linear", {{"out_features", int64_t{narrow ? 5 : 8}}}));
        flat.add_node(node(path + "relu", "relu"));
        flat.add_node(node(path + "dropout", "dropout", unit == "first" ? ParamMap{{"p", 0.25}} : ParamMap{}));
        flat.add_link({from, "y", path + "linear", "x"});
        flat.add_link({path + "linear", "y", path + "relu", "x"});
        flat.add_link({path + "relu", "y", path + "dropout", "x"});
        from = path + "dropout";
      }
    }
  }
  flat.add_node(node("sin", "sin"));
  flat.add_node(node("head", "linear", {{"out_features", int64_t{3}}}));
  flat.add_node(node("mse", "mse"));
  flat.add_node(node("train", "train", {{"steps", int64_t{30}}}));
  flat.add_link(link("data.y", "sin.x"));
  flat.add_link({from, "y", "head", "x"});
  flat.add_link(link("head.y", "mse.prediction"));
  flat.add_link(link("sin.y", "mse.target"));
  flat.add_link(link("mse.loss", "train.loss"));
  return flat;
}

std::shared_ptr<const RunSnapshot> trained(Graph graph) {
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(std::move(graph), "cpu");
  session.wait();
  return session.snapshot();
}

TEST(Groups, RunAsTheirTwinWithoutGroups) {
  const Graph flat = flatten(grouped());
  EXPECT_EQ(test::problems(flat), "");
  const auto grouped = trained(flat), plain = trained(twin());
  ASSERT_EQ(grouped->state, RunState::finished) << (grouped->error ? grouped->error->text() : "");
  EXPECT_EQ(*grouped->losses, *plain->losses);
  ASSERT_EQ(grouped->weights->size(), plain->weights->size());
  EXPECT_TRUE(grouped->weights->contains("two/b/second/linear.weight"));
  for (const auto& [name, tensor] : *plain->weights) {
    ASSERT_TRUE(grouped->weights->contains(name)) << name;
    EXPECT_EQ(grouped->weights->at(name).dims(), tensor.dims()) << name;
    EXPECT_EQ(grouped->weights->at(name).to_f64(), tensor.to_f64()) << name;
  }
}

TEST(Groups, SurviveTheirFile) {
  Graph g = grouped();
  Group extra = unit();
  extra.id = "unused";
  extra.graph.set_frame({"f", "Frame", 1, 2, 3, 4, "", std::nullopt, ""});
  extra.extra = R"({"colour": "red"})";
  g.set_group(extra);
  const std::string text = write_graph(g);
  const auto back = parse_graph(text, "g");
  ASSERT_TRUE(back) << back.error().text() << "\n" << text;
  EXPECT_TRUE(*back == g) << text;
  EXPECT_EQ(write_graph(*back), text);
  EXPECT_THAT(
      text,
      HasSubstr("\n    \"block\": {\n      \"title\": \"Block\",\n      \"params\": [\n        {\"id\": \"width\""));
}

TEST(Groups, OfAFileAreRefusedWithTheirPlace) {
  const auto error = [](const std::string& groups) {
    const auto read = parse_graph(R"({"halfwire": 1, "nodes": [], "links": [], "subgraphs": )" + groups + "}", "g");
    return read ? std::string("read") : read.error().text();
  };
  EXPECT_EQ(error(R"({"a": {"nodes": []}})"), "read");
  EXPECT_THAT(error("[]"), HasSubstr("subgraphs: expected an object"));
  EXPECT_THAT(error(R"({"A": {}})"), HasSubstr("subgraphs.A: an id has only"));
  EXPECT_THAT(error(R"({"a": 1})"), HasSubstr("subgraphs.a: expected an object"));
  EXPECT_THAT(error(R"({"a": {"nodes": [{"id": "n"}]}})"), HasSubstr("subgraphs.a.nodes[0]: \"type\" is missing"));
  EXPECT_THAT(error(R"({"a": {"params": [{"id": "p", "node": "n", "param": "q"}]}})"),
              HasSubstr("subgraphs.a.params[0].node: the group has no node \"n\""));
  EXPECT_THAT(
      error(R"({"a": {"nodes": [{"id": "n", "type": "group:b"}]}, "b": {"nodes": [{"id": "n", "type": "group:a"}]}})"),
      HasSubstr("contains itself"));
}

TEST(Groups, ThatWouldExplodeAreRefused) {
  std::string groups = R"("g0": {"nodes": [{"id": "n", "type": "relu"}]})";
  for (int i = 1; i < 64; ++i) {
    const std::string inner = "group:g" + std::to_string(i - 1);
    groups += ", \"g" + std::to_string(i) + R"(": {"nodes": [{"id": "a", "type": ")" + inner +
              R"("}, {"id": "b", "type": ")" + inner + R"("}]})";
  }
  const auto read = parse_graph(R"({"halfwire": 1, "nodes": [], "subgraphs": {)" + groups + "}}", "g");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(), HasSubstr("more than 1048576 nodes"));
}

/// g0, in g1, in g2 …, each with so many instances of the one before.
std::string chain(int groups, int instances, const std::string& innermost) {
  std::string all = R"({"halfwire": 1, "nodes": [], "subgraphs": {"g0": {"nodes": [)" + innermost + "]}";
  for (int i = 1; i < groups; ++i) {
    all += ", \"g" + std::to_string(i) + "\": {\"nodes\": [";
    for (int k = 0; k < instances; ++k)
      all += (k ? ", " : "") + ("{\"id\": \"n" + std::to_string(k)) + R"(", "type": "group:g)" + std::to_string(i - 1) +
             "\"}";
    all += "]}";
  }
  return all + "}}";
}

TEST(Groups, OfNothingExplodeToo) {
  const auto read = parse_graph(chain(40, 2, ""), "g");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text(), HasSubstr("more than 1048576 nodes"));
}

TEST(Groups, AreRefusedWhereTheyLieTooDeep) {
  EXPECT_TRUE(parse_graph(chain(64, 1, ""), "g"));
  for (const int groups : {70, 5000}) {
    const auto read = parse_graph(chain(groups, 1, ""), "g");
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().text(), HasSubstr("64 deep"));
  }
}

TEST(Groups, KeepWhatThisVersionDoesNotKnow) {
  const std::string text = R"({"halfwire": 1, "nodes": [{"id": "one", "type": "group:a", "params": {"size": [64, 3]}}],
    "subgraphs": {"a": {"colour": "red", "nodes": [{"id": "n", "type": "random"}],
    "params": [{"id": "size", "node": "n", "param": "shape", "min": 1}]}}})";
  const auto read = parse_graph(text, "g");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_THAT(write_graph(*read), HasSubstr(R"("param": "shape", "min": 1)"));
  EXPECT_THAT(write_graph(*read), HasSubstr(R"("colour": "red")"));
  EXPECT_EQ(std::get<std::vector<double>>(flatten(*read).find("one/n")->params.at("shape")),
            (std::vector<double>{64, 3}));
}

TEST(Groups, ThatContainThemselvesAreRefusedAsEdits) {
  Graph g = grouped();
  const Graph before = g;
  Group bad = unit();
  bad.graph.add_node(node("inner", "group:tower"));
  const auto applied = apply_edits(g, {SetParam{"two", "width", ParamValue(int64_t{4})}, SetGroup{bad}});
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, codes::bad_group);
  EXPECT_THAT(applied.error().reason, HasSubstr("contains itself"));
  EXPECT_TRUE(g == before);
}

TEST(Groups, ErrorsAreReportedByPathOncePerInstance) {
  Graph g = grouped();
  Group broken = block();
  EXPECT_TRUE(apply_edits(broken.graph, {RemoveLink{link("first.y", "second.x")}}));
  ASSERT_TRUE(apply_edits(g, {SetGroup{broken}}));
  Validator v;
  v.reset(flatten(g));
  std::vector<std::string> at;
  for (const Diagnostic& d : v.all()) at.push_back(d.code + " " + d.node + "." + d.socket);
  EXPECT_THAT(at, ElementsAre("HW-G001 one/a/second/x.x", "HW-G001 one/b/second/x.x", "HW-G001 two/a/second/x.x",
                              "HW-G001 two/b/second/x.x"));
}

TEST(Groups, WrongUsesAreDiagnosed) {
  EXPECT_THAT(test::problems(flatten(built({AddNode{node("n", "group:none")}}))), HasSubstr("no group \"none\""));
  Graph g = grouped();
  EXPECT_TRUE(apply_edits(g, {AddLink{link("data.y", "two.nothing")}, AddLink{link("one.nothing", "two.x")}}));
  const std::string said = test::problems(flatten(g));
  EXPECT_THAT(said, HasSubstr("\"two\" has no input \"nothing\""));
  EXPECT_THAT(said, HasSubstr("\"one\" has no output \"nothing\""));
  EXPECT_TRUE(apply_edits(g, {SetParam{"one", "height", ParamValue(int64_t{1})}}));
  const auto found = check_instances(g);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].node + "." + found[0].socket, "one.height");
  EXPECT_EQ(found[0].severity, Severity::error);
}

TEST(Groups, AnInputThatChecksRefusesAnotherDtypeOrSize) {
  const auto said = [](const ParamMap& declared) {
    Group picky{"picky", "", {}, {}, ""};
    picky.graph =
        built({AddNode{node("x", "input", declared)}, AddNode{node("y", "output")}, AddLink{link("x.y", "y.x")}});
    Validator v;
    v.reset(flatten(
        built({SetGroup{picky}, AddNode{normal_numbers("data", {64, 3}, "N C")}, AddNode{node("one", "group:picky")},
               AddNode{node("out", "output")}, AddLink{link("data.y", "one.x")}, AddLink{link("one.y", "out.x")}})));
    std::vector<std::string> at;
    for (const Diagnostic& d : v.all()) at.push_back(d.code + " " + d.node + "." + d.socket);
    return at;
  };
  EXPECT_THAT(said({{"check", true}}), ElementsAre());
  EXPECT_THAT(said({{"check", true}, {"dtype", std::string("f16")}}), ElementsAre("HW-D001 one/x.x"));
  EXPECT_THAT(said({{"check", true}, {"shape", std::vector<double>{64, 4}}}), ElementsAre("HW-S002 one/x.x"));
  EXPECT_THAT(said({{"shape", std::vector<double>{64, 4}}}), ElementsAre());
}

TEST(Groups, FlagsOfAnInstanceAreThoseOfItsNodes) {
  Graph g = grouped();
  EXPECT_TRUE(apply_edits(g, {SetFrozen{"one", true}, SetDevice{"two", "ref"}, SetFlags{"two", false, true}}));
  const Graph flat = flatten(g);
  EXPECT_TRUE(flat.find("one/a/first/linear")->frozen);
  EXPECT_FALSE(flat.find("head")->frozen);
  EXPECT_EQ(flat.find("two/x")->device, "ref");
  EXPECT_EQ(flat.find("two/a/first/linear"), nullptr) << "a bypassed group does not run";
  EXPECT_THAT(flat.links_into("two/y"), ElementsAre(link("two/x.y", "two/y.x")));
  EXPECT_EQ(test::problems(flat), "");
}

TEST(Groups, ABypassedGroupLeavesNoNodesOfGroupsInIt) {
  Group mixed{"mixed", "", {}, {}, ""};
  mixed.graph =
      built({AddNode{node("x", "input")}, AddNode{node("linear", "linear")}, AddNode{node("inner", "group:unit")},
             AddNode{node("y", "output")}, AddLink{link("x.y", "linear.x")}, AddLink{link("linear.y", "inner.x")},
             AddLink{link("inner.y", "y.x")}});
  Graph g =
      built({SetGroup{unit()}, SetGroup{mixed}, AddNode{node("data", "input")}, AddNode{node("one", "group:mixed")},
             AddNode{node("out", "output")}, AddLink{link("data.y", "one.x")}, AddLink{link("one.y", "out.x")}});
  EXPECT_TRUE(apply_edits(g, {SetFlags{"one", false, true}}));
  EXPECT_EQ(test::problems(flatten(g)), "");
  EXPECT_EQ(flatten(g).nodes().size(), 4u);
}

TEST(Groups, ABypassedGroupHandsThroughWhatFitsTheOutput) {
  Group mixed{"mixed", "", {}, {}, ""};
  const auto mesh = [](const char* id, const char* type) { return node(id, type, {{"kind", std::string("mesh")}}); };
  mixed.graph = built({AddNode{mesh("m", "input")}, AddNode{node("x", "input")}, AddNode{mesh("n", "output")},
                       AddNode{node("y", "output")}, AddLink{link("m.y", "n.x")}, AddLink{link("x.y", "y.x")}});
  Graph g = built({SetGroup{mixed}, AddNode{node("mesh", "mesh_source")}, AddNode{node("data", "input")},
                   AddNode{node("one", "group:mixed")}, AddLink{link("mesh.mesh", "one.m")},
                   AddLink{link("data.y", "one.x")}});
  EXPECT_TRUE(apply_edits(g, {SetFlags{"one", false, true}}));
  const Graph flat = flatten(g);
  EXPECT_THAT(flat.links_into("one/y"), ElementsAre(link("one/x.y", "one/y.x")));
  EXPECT_THAT(flat.links_into("one/n"), ElementsAre(link("one/m.y", "one/n.x")));
}

TEST(Groups, DanglingLinksAreKept) {
  Graph g = grouped();
  g.add_link(link("data.y", "nobody.x"));
  Group lost = unit();
  lost.graph.add_link(link("relu.y", "nothing.x"));
  g.set_group(lost);
  const std::string said = test::problems(flatten(g));
  EXPECT_THAT(said, HasSubstr("\"nobody\""));
  EXPECT_THAT(said, HasSubstr("\"one/a/first/nothing\""));
}

TEST(Groups, OnlyOutputsOfAGroupAreItsSockets) {
  Graph g = grouped();
  EXPECT_TRUE(apply_edits(g, {AddLink{link("one.a", "sin.x")}}));
  EXPECT_THAT(test::problems(flatten(g)), HasSubstr("\"one\" has no output \"a\""));
}

TEST(Groups, TiesInATiedInstanceLeadToTheOwner) {
  Group twice = block();
  twice.graph.node("second").tie = "first";
  Graph g =
      built({SetGroup{unit()}, SetGroup{twice}, AddNode{node("data", "input", {{"shape", std::vector<double>{4, 8}}})},
             AddNode{node("one", "group:block")}, AddNode{node("two", "group:block")}, AddLink{link("data.y", "one.x")},
             AddLink{link("one.y", "two.x")}, SetTie{"two", "one"}});
  const Graph flat = flatten(g);
  EXPECT_EQ(flat.find("one/second/linear")->tie, "one/first/linear");
  EXPECT_EQ(flat.find("two/first/linear")->tie, "one/first/linear");
  EXPECT_EQ(flat.find("two/second/linear")->tie, "one/first/linear");
  EXPECT_EQ(test::problems(flat), "");
}

TEST(Groups, ATiedInstanceUsesTheParametersOfTheOther) {
  Graph g = grouped();
  EXPECT_TRUE(apply_edits(g, {SetTie{"two", "one"}, SetParam{"two", "width", std::nullopt},
                              AddNode{node("wide", "linear", {{"out_features", int64_t{8}}})},
                              AddLink{link("data.y", "wide.x")}, AddLink{link("wide.y", "one.x")}}));
  const Graph flat = flatten(g);
  EXPECT_EQ(flat.find("two/a/first/linear")->tie, "one/a/first/linear");
  EXPECT_EQ(flat.find("two/a/first/relu")->tie, "");
  EXPECT_EQ(test::problems(flat), "");
  const auto s = trained(flat);
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_TRUE(s->weights->contains("one/a/first/linear.weight"));
  EXPECT_FALSE(s->weights->contains("two/a/first/linear.weight"));
}

TEST(Groups, WeightsGoByTheNamesOfTheToolTheyComeFrom) {
  Group named = unit();
  named.graph.node("linear").name = "0.fc";
  Graph g =
      built({SetGroup{named}, AddNode{node("data", "input")}, AddNode{node("one", "group:unit")},
             AddNode{node("two", "group:unit")}, AddLink{link("data.y", "one.x")}, AddLink{link("one.y", "two.x")}});
  g.node("one").name = "layer1";
  const Graph flat = flatten(g);
  EXPECT_EQ(flat.find("one/linear")->name, "layer1.0.fc");
  EXPECT_EQ(flat.find("two/linear")->name, "") << "its instance has none";
  std::map<std::string, Tensor> weights;
  for (const char* name : {"one/linear.weight", "one/linear.bias", "one/linear.weight#adam_m", "two/linear.weight"})
    weights.emplace(name, Tensor::zeros(DType::f32, {2}));
  const auto names = [](const std::map<std::string, Tensor>& of) {
    std::vector<std::string> all;
    for (const auto& [name, tensor] : of) all.push_back(name);
    return all;
  };
  const auto foreign = with_foreign_names(flat, weights);
  EXPECT_THAT(names(foreign),
              ElementsAre("layer1.0.fc.bias", "layer1.0.fc.weight", "layer1.0.fc.weight#adam_m", "two/linear.weight"));
  EXPECT_EQ(names(with_node_ids(flat, foreign)), names(weights));
  // Names that are other nodes' ids, and one that two have.
  Graph swapped = built({AddNode{node("a", "linear")}, AddNode{node("b", "linear")}, AddNode{node("c", "linear")},
                         AddNode{node("d", "linear")}});
  swapped.node("a").name = "z";
  swapped.node("b").name = "a";
  swapped.node("c").name = swapped.node("d").name = "twice";
  std::map<std::string, Tensor> own;
  for (const double k : {0.0, 1.0, 2.0, 3.0})
    own.emplace(std::string(1, static_cast<char>('a' + k)) + ".weight", Tensor::from_f64(DType::f32, {1}, {{k}}));
  const auto there = with_foreign_names(swapped, own), back_again = with_node_ids(swapped, there);
  EXPECT_EQ(there.at("z.weight").to_f64()[0], 0);
  EXPECT_EQ(there.at("a.weight").to_f64()[0], 1);
  ASSERT_EQ(names(back_again), names(own));
  for (const auto& [name, tensor] : own) EXPECT_EQ(back_again.at(name).to_f64(), tensor.to_f64()) << name;
  const std::string text = write_graph(g);
  const auto back = parse_graph(text, "g");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_TRUE(*back == g) << text;
}

TEST(Groups, ParametersAreCounted) {
  const Graph flat = flatten(grouped());
  Validator v;
  v.reset(flat);
  const auto counts = count_parameters(flat, v);
  // one: 3 → 8, then 8 → 8 three times; two: 8 → 8 three times, 8 → 5; head: 5 → 3.
  const int64_t one = 32 + 3 * 72, two = 3 * 72 + 45, head = 18;
  EXPECT_EQ(counts.at("one"), (ParameterCount{one, 4 * one, true}));
  EXPECT_EQ(counts.at("two"), (ParameterCount{two, 4 * two, true}));
  EXPECT_EQ(counts.at("two/b/second"), (ParameterCount{45, 180, true}));
  EXPECT_EQ(counts.at(""), (ParameterCount{one + two + head, 4 * (one + two + head), true}));
}

TEST(Groups, ParametersThatAreNotTrainedAreCountedApart) {
  Graph g;
  g.add_node(node("mask", "parameter", {{"shape", std::vector<double>{5}}, {"trainable", false}}));
  g.add_node(node("codes", "parameter", {{"shape", std::vector<double>{2, 3}}}));
  g.add_node(node("held", "parameter", {{"shape", std::vector<double>{7}}}));
  g.node("held").frozen = true;
  Validator v;
  v.reset(g);
  const ParameterCount all = count_parameters(g, v).at("");
  EXPECT_EQ(all, (ParameterCount{6, 4 * 18, true, 12}));
  EXPECT_EQ(parameters_text(all), "6 trainable parameters and 12 frozen, 72 B");
}

TEST(Groups, WhatIsPromotedInVainIsSaid) {
  Group group{"unit", "Unit", {}, {}, ""};
  for (const char* id : {"input", "output", "linear"}) group.graph.add_node(node(id, id));
  group.graph.add_link(link("input.y", "linear.x"));
  group.graph.add_link(link("linear.y", "output.x"));
  group.params = {{"width", "", "linear", "out_features"},
                  {"size", "", "linear", "out_features"},
                  {"gone", "", "linear", "out_feature"}};
  Group outer{"outer", "", {}, {{"w", "", "unit", "width"}, {"v", "", "unit", "nothing"}}, ""};
  outer.graph.add_node(node("unit", "group:unit"));
  Graph g;
  g.set_group(group);
  g.set_group(outer);
  std::string said;
  for (const Diagnostic& d : check_instances(g)) said += d.code + ": " + d.reason + "\n";
  EXPECT_EQ(
      said,
      "HW-P002: The group outer promotes \"nothing\" of \"unit\" as \"v\", which is not there.\n"
      "HW-P002: The group Unit promotes \"out_features\" of \"linear\" as \"size\", and as \"width\": only one of "
      "their values counts.\n"
      "HW-P002: The group Unit promotes \"out_feature\" of \"linear\" as \"gone\", which is not there. Nearest: "
      "out_features, in_features.\n");
}

}  // namespace
}  // namespace hw::groups_test
