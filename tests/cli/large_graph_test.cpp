// Graphs that no machine can hold are refused by every command, with the node and the size, before anything is taken.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/io/graph/graph_file.h"
#include "tests/cli/process.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::cli;
using test::link;
using test::node;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using List = std::vector<double>;

/// 2^64 elements, which wrap to none: 16 × 16 pictures enlarged 2^20 times along both axes, with 2^16 channels.
Graph wrapping(const std::string& dtype) {
  return test::built(
      {AddNode{node("random", "random", {{"shape", List{1, 1, 16, 16}}, {"axes", std::string()}, {"dtype", dtype}})},
       AddNode{node("conv", "conv_transpose2d",
                    {{"out_channels", int64_t{65536}},
                     {"kernel_size", List{1}},
                     {"stride", List{1048576}},
                     {"output_padding", List{1048575}},
                     {"bias", false},
                     {"dtype", dtype}})},
       AddNode{node("mean", "mean")}, AddNode{node("train", "train")}, AddLink{link("random.y", "conv.x")},
       AddLink{link("conv.y", "mean.x")}, AddLink{link("mean.y", "train.loss")}});
}

TEST(CliLarge, ASizeThatWrapsIsRefusedByEveryCommand) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string(), out = (folder / "out").string();
  for (const char* dtype : {"f64", "f32"}) {
    ASSERT_TRUE(save_graph(wrapping(dtype), file));
    for (const std::vector<std::string>& args : {std::vector<std::string>{"validate", file},
                                                 {"train", file, "--steps", "1", "--out", out},
                                                 {"gradcheck", file},
                                                 {"run", file, "--output", "mean.y"},
                                                 {"run", file, "--output", "conv.y"},
                                                 {"inspect", file, "--node", "conv"},
                                                 {"xray", file},
                                                 {"parity", file, "--a", "ref", "--b", "cpu"},
                                                 {"determinism", file}}) {
      const Outcome o = cli(args);
      EXPECT_EQ(o.exit, 1) << args[0] << ": " << o.err;
      EXPECT_THAT(o.err, HasSubstr(codes::out_of_memory)) << args[0];
      EXPECT_THAT(o.err, HasSubstr("conv")) << args[0];
      EXPECT_THAT(o.err, HasSubstr("[1, 65536, 16777216, 16777216]")) << args[0];
    }
  }
}

TEST(CliLarge, RunLooksForRoomFirst) {
  // Each fits, all that are asked for together do not: 2 GiB each.
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  Edits edits;
  std::vector<std::string> args{"run", file};
  for (int i = 0; i < 400; ++i) {
    const std::string id = "r" + std::to_string(i);
    edits.push_back(AddNode{node(id, "random", {{"shape", List{16384, 16384}}, {"dtype", std::string("f64")}})});
    args.insert(args.end(), {"--output", id + ".y"});
  }
  ASSERT_TRUE(save_graph(test::built(edits), file));
  const Outcome o = cli(args);
  EXPECT_EQ(o.exit, 1) << o.err;
  EXPECT_THAT(o.err, HasSubstr(codes::out_of_memory));
  EXPECT_THAT(o.err, HasSubstr("800 GiB"));
  EXPECT_LT(o.cpu_seconds, 20) << "nothing was computed";
}

TEST(CliLarge, ValidateCountsTheProgramToo) {
  const Outcome o = cli({"validate", test::kExample, "--json"});
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto memory = nlohmann::json::parse(o.out)["memory_bytes"];
  size_t sum = 0;
  for (const char* part : {"parameters", "optimiser", "activations", "data", "copies", "program"}) {
    EXPECT_GT(memory[part].get<size_t>(), 0u) << part;
    sum += memory[part].get<size_t>();
  }
  EXPECT_EQ(memory["total"].get<size_t>(), sum);
}

TEST(CliLarge, ValidateWarnsOfWhatAllValuesTakeTogether) {
  // 1 GiB each, which fits; all of them and their moments do not.
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  Edits edits{AddNode{node("train", "train")}};
  std::string last;
  for (size_t i = 0; i < (machine_memory() >> 31) + 2; ++i) {
    const std::string id = "p" + std::to_string(i), add = "add" + std::to_string(i);
    edits.push_back(AddNode{node(id, "parameter", {{"shape", List{1 << 28}}})});
    if (!last.empty()) {
      edits.push_back(AddNode{node(add, "add")});
      edits.push_back(AddLink{link(last, add + ".a")});
      edits.push_back(AddLink{link(id + ".y", add + ".b")});
    }
    last = last.empty() ? id + ".y" : add + ".y";
  }
  edits.push_back(AddNode{node("mean", "mean")});
  edits.push_back(AddLink{link(last, "mean.x")});
  edits.push_back(AddLink{link("mean.y", "train.loss")});
  ASSERT_TRUE(save_graph(test::built(edits), file));
  const Outcome o = cli({"validate", file});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("warning: HW-R001"));
  EXPECT_THAT(o.err, HasSubstr("this machine has " + memory_text(machine_memory())));
  const Outcome printed = cli({"validate", file, "--json"});
  EXPECT_EQ(nlohmann::json::parse(printed.out)["diagnostics"][0]["code"], codes::out_of_memory);
}

}  // namespace
}  // namespace hw
