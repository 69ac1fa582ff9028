// Graph files: nothing is lost, nothing is half-loaded, errors name the place.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/core/codes.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Node node(const std::string& id, const std::string& type, double x = 0, double y = 0) {
  Node n;
  n.id = id;
  n.type = type;
  n.x = x;
  n.y = y;
  return n;
}

/// Every kind of value, none of them of a registered type.
Graph sample() {
  Graph g;
  Node a = node("a", "type_of_tomorrow", -12, 0.5);
  a.label = "Größe \"a\"\n";
  a.params = {{"whole", int64_t{9007199254740993}},
              {"real", 1.0},
              {"tiny", 5e-324},
              {"third", 1.0 / 3},
              {"on", true},
              {"text", std::string("f16\t\\")},
              {"list", std::vector<double>{0, 1, -0.1}},
              {"none", std::vector<double>{}},
              {"big", 1e300},
              {"minus", int64_t{-3}}};
  a.collapsed = true;
  a.preview = false;
  g.add_node(a);
  Node b = node("b", "type_of_tomorrow", 1e7, 300);
  b.bypassed = true;
  b.preview = true;
  b.extra = R"({"future": {"k": [1, 2.5, null]}, "params": {"nested": {"x": 1}, "void": null}})";
  g.add_node(b);
  g.add_link({"a", "out", "b", "in"});
  g.add_link({"a", "out", "b", "in.2"});
  g.add_link({"b", "y", "gone", "x"});  // dangling
  g.set_frame({"f", "Frame", 1, 2, 300.25, 4, "red", std::nullopt, R"({"tint": "red"})"});
  g.set_frame({"n", "", -8, 0, 240, 128, "colour of tomorrow", "Two lines\nand \"quotes\"", ""});
  g.set_frame({"n2", "Note", 0, 0, 0, 0, "", "", ""});
  g.extra = R"({"made_with": "9.9", "notes": {"block": {"links": [], "nodes": [{"id": "n"}]}}})";
  return g;
}

TEST(GraphFile, WriteThenReadIsTheSameGraph) {
  const Graph g = sample();
  const std::string text = write_graph(g);
  const Result<Graph> back = parse_graph(text, "g");
  ASSERT_TRUE(back) << back.error().text() << "\n" << text;
  EXPECT_TRUE(*back == g) << text;
  EXPECT_EQ(write_graph(*back), text);
}

TEST(GraphFile, OneNodeALine) {
  const std::string text = write_graph(sample());
  EXPECT_THAT(text, HasSubstr("\n    {\"id\": \"a\", \"type\": \"type_of_tomorrow\", \"at\": [-12, 0.5], "));
  EXPECT_THAT(text, HasSubstr("\n    [\"a.out\", \"b.in\"],\n"));
  EXPECT_THAT(text, HasSubstr("\"real\": 1.0"));
  EXPECT_THAT(text, HasSubstr("\"third\": 0.3333333333333333,"));
  EXPECT_THAT(text, HasSubstr("\"minus\": -3"));
}

TEST(GraphFile, ForeignFormattingBecomesStable) {
  const std::string text = R"({"links":[["b.y","a.x"]],"zeta":[1,{"b":2.0,"a":1}],"nodes":[
    {"type":"t2","id":"b","params":{"q":1,"p":[1,"x"]},"colour":7},{"id":"a","at":[3,4],"type":"t1"}],"halfwire":1})";
  const Result<Graph> g = parse_graph(text, "g");
  ASSERT_TRUE(g) << g.error().text();
  const std::string once = write_graph(*g);
  EXPECT_EQ(once,
            "{\n  \"halfwire\": 1,\n  \"nodes\": [\n"
            "    {\"id\": \"a\", \"type\": \"t1\", \"at\": [3, 4]},\n"
            "    {\"id\": \"b\", \"type\": \"t2\", \"at\": [0, 0], \"params\": {\"p\": [1, \"x\"], \"q\": 1}, "
            "\"colour\": 7}\n  ],\n  \"links\": [\n    [\"b.y\", \"a.x\"]\n  ],\n"
            "  \"zeta\": [1, {\"a\": 1, \"b\": 2.0}]\n}\n");
  const Result<Graph> again = parse_graph(once, "g");
  ASSERT_TRUE(again);
  EXPECT_EQ(write_graph(*again), once);
}

TEST(GraphFile, EmptyGraph) {
  const Result<Graph> g = parse_graph(write_graph(Graph()), "g");
  ASSERT_TRUE(g);
  EXPECT_TRUE(*g == Graph());
}

TEST(GraphFile, CutAnywhereIsRefusedWithThePlace) {
  std::string text = write_graph(sample());
  text.pop_back();  // the final newline alone may go
  for (size_t n = 0; n < text.size(); ++n) {
    const Result<Graph> g = parse_graph(std::string_view(text).substr(0, n), "cut.halfwire");
    ASSERT_FALSE(g) << n;
    EXPECT_EQ(g.error().code, codes::file_syntax);
    EXPECT_THAT(g.error().where, ::testing::MatchesRegex("cut.halfwire:[0-9]+:[0-9]+")) << n;
    EXPECT_FALSE(g.error().remedy.empty());
  }
}

TEST(GraphFile, AnyByteChangedNeverCrashes) {
  const std::string text = write_graph(sample());
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '"', '{', ']', '9', '\xFF'}) {
      std::string bad = text;
      bad[i] = c;
      const Result<Graph> g = parse_graph(bad, "g");
      if (g) {
        const std::string once = write_graph(*g);
        const Result<Graph> again = parse_graph(once, "g");
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(write_graph(*again), once);
      } else {
        EXPECT_FALSE(g.error().reason.empty());
      }
    }
  }
}

TEST(GraphFile, SyntaxErrorsGiveLineAndColumn) {
  const Result<Graph> g = parse_graph("{\n  \"halfwire\": 1,\n  \"nodes\": [}\n}", "g.halfwire");
  ASSERT_FALSE(g);
  EXPECT_EQ(g.error().where, "g.halfwire:3:13");
  const Result<Graph> conflict = parse_graph("{\n<<<<<<< ours\n", "g");
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().where, "g:2:1");
}

TEST(GraphFile, FutureVersionNamesBoth) {
  const Result<Graph> g = parse_graph(R"({"halfwire": 7, "nodes": {"other": "shape"}})", "g");
  ASSERT_FALSE(g);
  EXPECT_EQ(g.error().code, codes::file_future);
  EXPECT_THAT(g.error().reason, HasSubstr("version 7"));
  EXPECT_THAT(g.error().reason, HasSubstr(std::to_string(kGraphFormatVersion)));
}

struct Bad {
  const char* text;
  const char* where;
};

TEST(GraphFile, StructureErrorsGiveThePath) {
  const Bad cases[] = {
      {R"([])", "g"},
      {R"({"nodes": []})", "g"},
      {R"({"halfwire": "1"})", "g: halfwire"},
      {R"({"halfwire": 0})", "g: halfwire"},
      {R"({"halfwire": 1, "nodes": {}})", "g: nodes"},
      {R"({"halfwire": 1, "nodes": [3]})", "g: nodes[0]"},
      {R"({"halfwire": 1, "nodes": [{"type": "t"}]})", "g: nodes[0]"},
      {R"({"halfwire": 1, "nodes": [{"id": "A b", "type": "t"}]})", "g: nodes[0].id"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": ""}]})", "g: nodes[0].type"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t"}, {"id": "a", "type": "t"}]})", "g: nodes[1].id"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "at": [1]}]})", "g: nodes[0].at"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "label": 1}]})", "g: nodes[0].label"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "collapsed": 1}]})", "g: nodes[0].collapsed"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "preview": 1}]})", "g: nodes[0].preview"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "params": []}]})", "g: nodes[0].params"},
      {R"({"halfwire": 1, "nodes": [], "links": [["a.x"]]})", "g: links[0]"},
      {R"({"halfwire": 1, "nodes": [], "links": [["a.x", "b"]]})", "g: links[0][1]"},
      {R"({"halfwire": 1, "nodes": [], "links": [["a.x", 4]]})", "g: links[0][1]"},
      {R"({"halfwire": 1, "links": [["a.x", "b.y"], ["a.x", "b.y"]]})", "g: links[1]"},
      {R"({"halfwire": 1, "frames": [{"title": "t"}]})", "g: frames[0]"},
      {R"({"halfwire": 1, "frames": [{"id": "f"}, {"id": "f"}]})", "g: frames[1].id"},
      {R"({"halfwire": 1, "frames": [{"id": "f", "size": [-1, 4]}]})", "g: frames[0].size"},
      {R"({"halfwire": 1, "frames": [{"id": "f", "size": [1e308, 4]}]})", "g: frames[0].size"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "at": [1, -1e300]}]})", "g: nodes[0].at"},
      {R"({"halfwire": 1, "frames": [{"id": "f", "at": [0, -1e308]}]})", "g: frames[0].at"},
      {R"({"halfwire": 1, "frames": [{"id": "f", "at": [0, null]}]})", "g: frames[0].at"},
      {R"({"halfwire": 1, "frames": [{"id": "f", "colour": 4}]})", "g: frames[0].colour"},
      {R"({"halfwire": 1, "frames": [{"id": "f", "text": ["a"]}]})", "g: frames[0].text"},
      {R"({"halfwire": 1, "subgraphs": {"a": {"title": "A", "nodes": [], "frames": [{"id": "f", "size": [0, -1]}]}}})",
       "g: subgraphs.a.frames[0].size"},
      {R"({"halfwire": 1, "nodes": [{"id": "a", "id": "b", "type": "t"}]})", "g: nodes[0].id"},
  };
  for (const Bad& bad : cases) {
    const Result<Graph> g = parse_graph(bad.text, "g");
    ASSERT_FALSE(g) << bad.text;
    EXPECT_EQ(g.error().code, codes::file_syntax) << bad.text;
    EXPECT_EQ(g.error().where, bad.where) << bad.text;
  }
}

TEST(GraphFile, SaysWhereTheFileEndsInTheMiddle) {
  EXPECT_THAT(parse_graph(R"({"halfwire": 1, "nodes": [)", "g").error().reason, HasSubstr("ends in the middle"));
  for (const char* other : {"", R"({"halfwire": 1, "nodes": })"})
    EXPECT_THAT(parse_graph(other, "g").error().reason, Not(HasSubstr("ends in the middle"))) << other;
}

TEST(GraphFile, NumbersThatAreNotNumbers) {
  for (const char* value : {"NaN", "Infinity", "-Infinity", "1e999", "nan"}) {
    const std::string text =
        R"({"halfwire": 1, "nodes": [{"id": "a", "type": "t", "params": {"v": )" + std::string(value) + "}}]}";
    const Result<Graph> g = parse_graph(text, "g");
    ASSERT_FALSE(g) << value;
    EXPECT_EQ(g.error().code, codes::file_syntax);
    EXPECT_THAT(g.error().where, HasSubstr("g:1:")) << value;
    const auto frame =
        parse_graph(R"({"halfwire": 1, "frames": [{"id": "f", "size": [)" + std::string(value) + ", 1]}]}", "g");
    ASSERT_FALSE(frame) << value;
    EXPECT_EQ(frame.error().code, codes::file_syntax);
  }
  const test::TempFolder folder;
  Graph g;
  Node n = node("a", "t");
  n.params["v"] = std::nan("");
  g.add_node(n);
  const Status saved = save_graph(g, folder / "g.halfwire");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().where, "a.v");
  EXPECT_EQ(folder.count(), 0u);
}

TEST(GraphFile, DepthIsLimited) {
  const std::string deep(1'000'000, '[');
  const Result<Graph> g = parse_graph(R"({"halfwire": 1, "x": )" + deep, "g");
  ASSERT_FALSE(g);
  EXPECT_THAT(g.error().reason, HasSubstr("deeper than 64"));
}

TEST(GraphFile, CountOfValuesIsLimited) {
  std::string many = R"({"halfwire": 1, "x": [)";
  for (int i = 0; i < 2'000'001; ++i) many += "{},";
  const Result<Graph> g = parse_graph(many + "0]}", "g");
  ASSERT_FALSE(g);
  EXPECT_EQ(g.error().code, codes::file_syntax);
  EXPECT_THAT(g.error().reason, HasSubstr("more than 2000000 values"));
}

TEST(GraphFile, KeepsTheDeclaredKindOfNumbers) {
  ASSERT_FALSE(Registry::instance().all().empty());
  // Over every registered type: reals written as whole numbers stay reals, integers stay integers.
  for (const auto& [id, type] : Registry::instance().all()) {
    Graph g;
    Node n = node("n", id);
    std::string params;
    for (const ParamDecl& p : type.decl.params()) {
      if (p.type == ParamDecl::Type::real) n.params[p.id] = 3.0;
      if (p.type == ParamDecl::Type::integer) n.params[p.id] = int64_t{3};
      if (p.type == ParamDecl::Type::vector) n.params[p.id] = std::vector<double>{3, 4};
    }
    for (const auto& [key, value] : n.params) {
      params += (params.empty() ? "\"" : ", \"") + key + "\": " + (value.index() == 4 ? "[3, 4]" : "3");
    }
    g.add_node(n);
    const Result<Graph> read = parse_graph(
        R"({"halfwire": 1, "nodes": [{"id": "n", "type": ")" + id + R"(", "params": {)" + params + "}}]}", id);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(*read == g) << write_graph(*read);
  }
}

TEST(GraphFile, IsNotWrittenWhereWeightsLie) {
  const test::TempFolder folder;
  test::write_bytes(folder / "g.safetensors", "weights");
  const Status saved = save_graph(sample(), folder / "g.safetensors");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, codes::file_unwritable);
  EXPECT_EQ(test::read_bytes(folder / "g.safetensors"), "weights");
}

TEST(GraphFile, HasNoNameWhoseWeightsAnotherGraphTakesForItsOptimisersState) {
  const test::TempFolder folder;
  const Status saved = save_graph(sample(), folder / "net.optimiser.halfwire");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, codes::file_unwritable);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(GraphFile, SavesAndReads) {
  const test::TempFolder folder;
  const Status saved = save_graph(sample(), folder / "g.halfwire");
  ASSERT_TRUE(saved) << saved.error().text();
  const Result<Graph> g = read_graph(folder / "g.halfwire");
  ASSERT_TRUE(g) << g.error().text();
  EXPECT_TRUE(*g == sample());
  EXPECT_EQ(folder.count(), 1u);
  const Result<Graph> none = read_graph(folder / "none.halfwire");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, codes::file_unreadable);
  const Result<Graph> dir = read_graph(folder.path());
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().code, codes::file_unreadable);
}

}  // namespace
}  // namespace hw
