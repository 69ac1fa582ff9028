// Parameters that a node does not have, and values that none can have: an error each, with the nearest name, and the
// file keeps what it says.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/graph/check/check_fields.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/precision/remedy.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw::check_params_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// An Adaptive Average Pool whose parameters, and other fields, are `json`.
std::string file_with(const std::string& json) {
  return R"({
  "halfwire": 1,
  "nodes": [
    {"id": "x", "type": "random", "at": [0, 0], "params": {"shape": [2.0, 4.0, 8.0, 8.0], "axes": "N C H W"}},
    {"id": "pool", "type": "adaptive_avg_pool", "at": [256, 0], )" +
         json + R"(}
  ],
  "links": [
    ["x.y", "pool.x"]
  ]
})";
}

Graph read(const std::string& json) {
  auto graph = parse_graph(file_with(json), "g.halfwire");
  EXPECT_TRUE(graph) << graph.error().text();
  return graph ? std::move(*graph) : Graph();
}

std::vector<Diagnostic> said(const Graph& graph) {
  Validator validator;
  validator.reset(graph);
  return validator.of("pool");
}

TEST(NearestNames, AreSlipsFirstThenSharedRuns) {
  const std::vector<std::string> names{"stride", "output_size", "padding", "dtype", "out_channels"};
  const auto near = [&](std::string_view name) { return nearest_names(name, names, 2); };
  EXPECT_THAT(near("strides"), ElementsAre("stride"));
  EXPECT_THAT(near("size"), ElementsAre("output_size"));
  EXPECT_THAT(near("dytpe"), ElementsAre("dtype"));
  EXPECT_THAT(near("Channels"), ElementsAre("out_channels"));
  EXPECT_THAT(near("zzz"), IsEmpty());
  EXPECT_THAT(near(""), IsEmpty());
  EXPECT_TRUE(is_misspelling("param", "params"));
  EXPECT_TRUE(is_misspelling("wieghts", "weights"));
  EXPECT_FALSE(is_misspelling("note", "at"));
  EXPECT_FALSE(is_misspelling("id", "at"));
}

TEST(CheckParams, WhatDoesNotExistIsAnErrorWhateverItsValue) {
  for (const char* value : {"[3, 5]", "[3.0, 5.0]", "3", "\"3\"", "true", "null", R"({"a": 1})", R"([1, "a"])"}) {
    const std::string json = R"("params": {"size": )" + std::string(value) + "}";
    const Graph graph = read(json);
    const auto found = said(graph);
    ASSERT_EQ(found.size(), 1u) << value;
    EXPECT_EQ(found[0].code, codes::unknown_parameter);
    EXPECT_EQ(found[0].severity, Severity::error) << value;
    EXPECT_EQ(found[0].socket, "size");
    EXPECT_THAT(found[0].reason, HasSubstr("Nearest: output_size")) << value;
    EXPECT_EQ(found[0].remedies.back().label, "Remove it");
    const auto again = parse_graph(write_graph(graph), "again");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, graph) << value;
    EXPECT_THAT(write_graph(graph), HasSubstr("\"size\": " + std::string(value))) << "kept as it stands";
  }
}

TEST(CheckParams, RemediesRenameOrRemoveAndCanBeUndone) {
  const Graph graph = read(R"("params": {"size": [3, 5], "foo": {"a": 1}}, "_later": [1])");
  const std::string before = write_graph(graph);
  const auto found = said(graph);
  ASSERT_EQ(found.size(), 2u);
  const auto& size = found[0].socket == "size" ? found[0] : found[1];
  const auto& foo = found[0].socket == "size" ? found[1] : found[0];
  EXPECT_EQ(foo.reason.find("Nearest"), std::string::npos);
  ASSERT_EQ(size.remedies.front().label, "Rename it to output_size");
  Graph mended = graph;
  std::vector<Edits> inverses;
  for (const Remedy& remedy : {size.remedies.front(), foo.remedies.front()}) {
    auto inverse = apply_edits(mended, remedy_edits(mended, remedy));
    ASSERT_TRUE(inverse) << inverse.error().text();
    inverses.push_back(std::move(*inverse));
  }
  EXPECT_THAT(said(mended), IsEmpty());
  const auto value = std::get<std::vector<double>>(mended.find("pool")->params.at("output_size"));
  EXPECT_EQ(value, (std::vector<double>{3, 5}));
  EXPECT_THAT(write_graph(mended), HasSubstr("\"_later\": [1]"));
  EXPECT_EQ(write_graph(mended).find("foo"), std::string::npos);
  for (auto inverse = inverses.rbegin(); inverse != inverses.rend(); ++inverse) undo_edits(mended, *inverse);
  EXPECT_EQ(write_graph(mended), before);
  EXPECT_EQ(mended, graph);
}

TEST(CheckParams, AValueThatNoParameterCanHaveCostsItsNodeAlone) {
  for (const char* value : {"null", "{}", R"([1,"a"])"}) {
    const auto found = said(read(R"("params": {"output_size": )" + std::string(value) + "}"));
    ASSERT_EQ(found.size(), 1u) << value;
    EXPECT_EQ(found[0].code, codes::bad_parameter);
    EXPECT_EQ(found[0].socket, "output_size");
    EXPECT_EQ(found[0].got, value);
    EXPECT_THAT(found[0].remedies.front().label, HasSubstr("Reset"));
  }
}

// A node that is to stay as it is, but says "freeze", would be trained.
TEST(CheckParams, AFieldThatIsNotReadIsSaid) {
  for (const char* near : {"param", "parms", "Params", "parameters"}) {
    const auto found = said(read("\"" + std::string(near) + R"(": {"output_size": [3, 5]})"));
    ASSERT_EQ(found.size(), 1u) << near;
    EXPECT_EQ(found[0].severity, Severity::error);
    EXPECT_THAT(found[0].reason, HasSubstr("Nearest: params"));
  }
  const auto other = said(read(R"("freeze": true, "comment": "ours", "_mine": 1)"));
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].severity, Severity::warning);
  EXPECT_THAT(other[0].reason, HasSubstr("no field \"freeze\""));
}

TEST(CheckParams, FieldsOfTheFileItsGroupsAndFramesAreSaid) {
  const auto graph = parse_graph(R"({"halfwire": 1, "Nodes": [], "link": [], "description": "ours",
    "frames": [{"id": "f", "color": "red"}],
    "subgraphs": {"g": {"nodes": [{"id": "a", "type": "conv2d"}], "parms": [],
                        "params": [{"id": "k", "node": "a", "param": "kernel_size", "later": 1}]}}})",
                                 "test");
  ASSERT_TRUE(graph) << graph.error().text();
  std::vector<std::string> errors, warnings;
  for (const Diagnostic& d : check_document_fields(*graph))
    (d.severity == Severity::error ? errors : warnings).push_back(d.reason);
  EXPECT_THAT(errors, UnorderedElementsAre(HasSubstr("Nearest: nodes"), HasSubstr("Nearest: links"),
                                           HasSubstr("Nearest: colour"), HasSubstr("Nearest: params")));
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no field \"later\"")));
}

}  // namespace
}  // namespace hw::check_params_test
