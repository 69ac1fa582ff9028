// Graphs with groups from the terminal: every command names nodes in them by path.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/graph/groups/flatten.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"
#include "tests/engine/group_graphs.h"

namespace hw {
namespace {

using test::cli;
using test::link;
using test::node;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;

class CliGroups : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(save_graph(test::grouped(), file_)); }
  const TempFolder folder_;
  const std::string file_ = (folder_ / "g.halfwire").string(), out_ = (folder_ / "out").string();
};

TEST_F(CliGroups, ValidateTrainAndResume) {
  const Outcome valid = cli({"validate", file_});
  EXPECT_EQ(valid.exit, 0) << valid.err;
  EXPECT_THAT(valid.out, HasSubstr("0 errors"));
  const Outcome first = cli({"train", file_, "--steps", "5", "--out", out_, "--checkpoint-every", "5"});
  ASSERT_EQ(first.exit, 0) << first.err;
  const auto weights = read_weights(out_ + "/weights.safetensors");
  ASSERT_TRUE(weights) << weights.error().text();
  EXPECT_TRUE(weights->tensors.contains("one/a/first/linear.weight"));
  EXPECT_EQ(weights->tensors.at("two/b/second/linear.weight").dims(), (Dims{5, 8}));
  const Outcome on = cli({"train", file_, "--resume", out_, "--steps", "10"});
  EXPECT_EQ(on.exit, 0) << on.err;
  const Outcome fits = cli({"validate", file_, "--weights", out_ + "/weights.safetensors"});
  EXPECT_EQ(fits.exit, 0) << fits.err;
}

TEST_F(CliGroups, ChecksNameNodesByPath) {
  const Outcome gradients = cli({"gradcheck", file_, "--json"});
  EXPECT_EQ(gradients.exit, 0) << gradients.err;
  EXPECT_THAT(gradients.out, HasSubstr("two/b/second/linear"));
  const Outcome parity = cli({"parity", file_, "--a", "ref", "--b", "cpu", "--json"});
  EXPECT_EQ(parity.exit, 0) << parity.err;
  EXPECT_THAT(parity.out, HasSubstr("two/b/second/linear"));
  const Outcome xray = cli({"xray", file_, "--json"});
  EXPECT_EQ(xray.exit, 0) << xray.err;
  EXPECT_THAT(xray.out, HasSubstr("two/b/second/linear"));
  const Outcome inspect = cli({"inspect", file_, "--node", "two/b/second/linear"});
  EXPECT_EQ(inspect.exit, 0) << inspect.err;
}

TEST_F(CliGroups, WhatAnInstanceSaysInVainBlocksWhatDependsOnIt) {
  using nlohmann::json;
  const json sound = json::parse(test::read_bytes(file_));
  ASSERT_EQ(cli({"run", file_, "--output", "two.y"}).exit, 0);
  const std::string promotes = "promotes no parameter \"widht\". Nearest: width.";
  for (const auto& [merged, said] :
       {std::pair(R"({"param": {"height": 3}})", std::string("A node has no field \"param\"")),
        std::pair(R"({"params": {"widht": 3}})", promotes), std::pair(R"({"params": {"widht": [1, null]}})", promotes),
        std::pair(R"({"params": {"width": {"a": 1}}})", std::string("HW-P001 at two.width"))}) {
    json graph = sound;
    for (json& node : graph["nodes"])
      if (node["id"] == "two") node.merge_patch(json::parse(merged));
    test::write_bytes(file_, graph.dump());
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"run", file_, "--output", "two.y"},
                                               {"train", file_, "--out", out_},
                                               {"first-bad", file_, "--steps", "1"},
                                               {"xray", file_}}) {
      const Outcome o = cli(words);
      EXPECT_EQ(o.exit, 1) << words.front() << merged;
      EXPECT_THAT(o.err, HasSubstr(said)) << words.front();
    }
    EXPECT_EQ(cli({"run", file_, "--output", "one.y"}).exit, 0) << "it does not depend on it";
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
}

TEST_F(CliGroups, SummaryOpensThemAsDeepAsAsked) {
  const auto paths = [&](const std::string& depth) {
    const Outcome o = cli({"summary", file_, "--json", "--depth", depth});
    EXPECT_EQ(o.exit, 0) << o.err;
    std::vector<std::string> found;
    const nlohmann::json table = nlohmann::json::parse(o.out);
    for (const auto& row : table["rows"]) found.push_back(row["path"]);
    return found;
  };
  EXPECT_EQ(paths("0"), (std::vector<std::string>{"data", "sin", "one", "two", "head", "mse", "train"}));
  const auto inside = paths("2");
  EXPECT_TRUE(std::ranges::count(inside, "two/b/second"));
  EXPECT_FALSE(std::ranges::count(inside, "two/b/second/linear"));
  const Outcome text = cli({"summary", file_});
  EXPECT_THAT(text.out, HasSubstr("527 trainable parameters, 2.1 KiB; 29632 multiply-adds a pass"));
  EXPECT_EQ(cli({"summary", file_, "--set", "head.out_features=4"}).exit, 1) << "MSE's inputs differ";
}

TEST_F(CliGroups, SetsReachWhatAGroupPromotes) {
  const auto train = [&](const std::string& set) {
    return cli({"train", file_, "--steps", "1", "--out", out_, "--set", set});
  };
  ASSERT_EQ(train("two.width=4").exit, 0) << train("two.width=4").err;
  const auto weights = read_weights(out_ + "/weights.safetensors");
  ASSERT_TRUE(weights);
  EXPECT_EQ(weights->tensors.at("two/b/second/linear.weight").dims(), (Dims{4, 8}));
  EXPECT_EQ(train("one/a/first/linear.bias=false").exit, 0);
  const Outcome unknown = train("two.height=4");
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_THAT(unknown.err, HasSubstr("HW-P002"));
  EXPECT_THAT(unknown.err, HasSubstr("It promotes width."));
}

TEST_F(CliGroups, AreMendedInTheirDefinitions) {
  Graph g = test::grouped();
  ASSERT_TRUE(apply_edits(g, {AddNode{node("half", "cast", {{"to", std::string("f16")}})},
                              AddLink{link("data.y", "half.x")}, AddLink{link("half.y", "one.x")}}));
  ASSERT_TRUE(save_graph(g, file_));
  EXPECT_EQ(cli({"validate", file_}).exit, 1);
  const std::string mended = out_ + ".halfwire";
  const Outcome o = cli({"validate", file_, "--fix", "insert-cast", "-o", mended});
  EXPECT_EQ(o.exit, 0) << o.err << o.out;
  const auto read = read_graph(mended);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->find_group("unit")->graph.find("cast"));
}

TEST_F(CliGroups, InstancesThatChangeApartGetGroupsOfTheirOwn) {
  const std::string changed = out_ + "2.halfwire";
  const Outcome o =
      cli({"what-if", file_, "--nodes", "one/a/first/linear", "--dtype", "bf16", "--steps", "1", "-o", changed});
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto read = read_graph(changed);
  ASSERT_TRUE(read) << read.error().text();
  const Graph before = flatten(*read_graph(file_)), after = flatten(*read);
  for (const auto& [id, node] : before.nodes()) {
    ASSERT_TRUE(after.find(id)) << id;
    const bool is_changed = id == "one/a/first/linear";
    EXPECT_EQ(after.find(id)->params == node.params, !is_changed) << id;
  }
  EXPECT_GT(read->groups().size(), read_graph(file_)->groups().size());
  EXPECT_EQ(cli({"validate", changed}).exit, 0);
}

TEST_F(CliGroups, InputsAndOutputsGoByTheirNames) {
  const Graph g =
      test::built({SetGroup{test::unit()}, AddNode{node("image", "input", {{"shape", std::vector<double>{4, 3}}})},
                   AddNode{node("unit", "group:unit")}, AddNode{node("result", "output")},
                   AddLink{link("image.y", "unit.x")}, AddLink{link("unit.y", "result.x")}});
  ASSERT_TRUE(save_graph(g, file_));
  const std::string in = (folder_ / "in.npy").string();
  const auto shape_of = [&](const std::string& name) {
    const std::string file = (folder_ / "y.npy").string();
    std::filesystem::remove(file);
    const Outcome o = cli({"run", file_, "--input", "image=" + in, "--output", name + "=" + file});
    EXPECT_EQ(o.exit, 0) << o.err;
    const auto y = read_npy(file);
    return y ? y->dims() : Dims{};
  };
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {7, 3}), in));  // N is symbolic
  for (const char* name : {"result", "result.y", "unit.y", "unit/dropout.y"})
    EXPECT_EQ(shape_of(name), (Dims{7, 8})) << name;
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {7, 4}), in));
  const Outcome wrong = cli({"run", file_, "--input", "image=" + in, "--output", "result"});
  EXPECT_NE(wrong.exit, 0);
  EXPECT_THAT(wrong.err, HasSubstr("[N 7, C 3]"));
}

TEST_F(CliGroups, AnInputNeedsNoExampleWhereItIsGiven) {
  const Graph g = test::built({AddNode{node("image", "input",
                                            {{"shape", std::vector<double>{2, 3, 8, 8}},
                                             {"axes", std::string("N C H W")},
                                             {"symbolic", std::string("H W")},
                                             {"example", std::string("none")}})},
                               AddNode{node("conv", "conv2d")}, AddLink{link("image.y", "conv.x")}});
  ASSERT_TRUE(save_graph(g, file_));
  const std::string in = (folder_ / "in.npy").string(), out = (folder_ / "y.npy").string();
  const Outcome without = cli({"run", file_, "--output", "conv.y"});
  EXPECT_NE(without.exit, 0);
  EXPECT_THAT(without.err, HasSubstr("HW-G001 at image"));
  EXPECT_THAT(without.err, HasSubstr("--input image=FILE.npy"));
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {2, 3, 5, 6}), in));
  const Outcome given = cli({"run", file_, "--input", "image=" + in, "--output", "conv.y=" + out});
  ASSERT_EQ(given.exit, 0) << given.err;
  EXPECT_EQ(read_npy(out)->dims()[3], 6) << "W is symbolic";
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {4, 3, 5, 6}), in));
  const Outcome rows = cli({"run", file_, "--input", "image=" + in, "--output", "conv.y"});
  EXPECT_NE(rows.exit, 0);
  EXPECT_THAT(rows.err, HasSubstr("HW-S002 at image")) << "N is not";
}

TEST_F(CliGroups, WhatIfTakesAGroupByItsNameBesideNodes) {
  const Outcome o = cli({"what-if", file_, "--nodes", "one/a,head", "--dtype", "bf16", "--steps", "1"});
  ASSERT_EQ(o.exit, 0) << o.err;
  for (const char* id : {"one/a/first/linear", "one/a/second/linear", "head"})
    EXPECT_THAT(o.out, HasSubstr(std::string(id) + " computes in bf16, before in f32."));
  EXPECT_EQ(o.out.find("one/b/first/linear computes"), o.out.npos);
}

TEST_F(CliGroups, WhatAnInstanceIsSetToIsAValue) {
  std::ifstream read(file_);
  nlohmann::json text = nlohmann::json::parse(read);
  for (const nlohmann::json& wrong :
       {nlohmann::json(), nlohmann::json::object({{"a", 1}}), nlohmann::json(uint64_t{1} << 63)}) {
    for (nlohmann::json& n : text["nodes"])
      if (n["type"].get<std::string>().starts_with("group:")) n["params"]["features"] = wrong;
    std::ofstream(file_) << text;
    const Outcome o = cli({"validate", file_});
    EXPECT_NE(o.exit, 0) << wrong;
    EXPECT_THAT(o.out + o.err, HasSubstr("HW-P002 at one.features")) << wrong;
    EXPECT_THAT(o.out + o.err, HasSubstr("Got " + wrong.dump())) << wrong;
  }
}

}  // namespace
}  // namespace hw
