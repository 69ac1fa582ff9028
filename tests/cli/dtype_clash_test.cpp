// Dtype clashes on the command line: reported on wiring and on loading weights, mended by --fix; the precision matrix.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/core/codes.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::kExample;
using test::Outcome;
using test::small;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

/// A pipeline in bf16 whose second layer's weights are stored in float8: the DiffSynth clash.
const std::string kClash = std::string(HALFWIRE_EXAMPLES) + "/precision/dtype_clash.halfwire";

Tensor halves(DType dtype, Dims dims) {
  return Tensor::from_f64(dtype, dims, std::vector<double>(static_cast<size_t>(element_count(dims)), 0.5));
}

/// Weights of the graph, with the second layer in this dtype.
void write_weights_of_clash(const std::string& file, DType second) {
  WeightsFile w;
  w.tensors["embed.weight"] = halves(DType::bf16, {16, 8});
  w.tensors["embed.bias"] = halves(DType::bf16, {16});
  w.tensors["block.weight"] = halves(second, {16, 16});
  w.tensors["block.bias"] = halves(second, {16});
  w.tensors["head.weight"] = halves(DType::bf16, {4, 16});
  w.tensors["head.bias"] = halves(DType::bf16, {4});
  ASSERT_TRUE(save_weights(w, file));
}

TEST(CliPrecision, TheClashIsReportedWithNodeParameterAndBothDtypes) {
  const Outcome o = cli({"validate", "--json", kClash});
  EXPECT_EQ(o.exit, 1);
  const json report = json::parse(o.out);
  EXPECT_EQ(report["errors"], 2);
  for (const json& d : report["diagnostics"]) {
    EXPECT_EQ(d["code"], codes::weight_dtype);
    EXPECT_EQ(d["node"], "block");
    EXPECT_EQ(d["expected"], "bf16");
    EXPECT_EQ(d["got"], "f8e4m3");
    EXPECT_GE(d["remedies"].size(), 4u);
  }
  EXPECT_EQ(report["diagnostics"][0]["socket"], "bias");
  EXPECT_THAT(cli({"validate", kClash}).err, HasSubstr("Negotiate"));
}

TEST(CliPrecision, EachFixWritesAGraphThatValidates) {
  const TempFolder folder;
  const std::string out = (folder / "mended.halfwire").string();
  const std::string before = test::read_bytes(kClash);
  for (const char* how : {"insert-cast", "unify=bf16", "unify=f32", "negotiate"}) {
    SCOPED_TRACE(how);
    const Outcome fixed = cli({"validate", kClash, "--fix", how, "-o", out});
    EXPECT_EQ(fixed.exit, 0) << fixed.err;
    EXPECT_THAT(fixed.err, HasSubstr("note: "));
    const Outcome again = cli({"validate", out});
    EXPECT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(again.err, "");
    EXPECT_EQ(cli({"run", out, "--output", "head.y"}).exit, 0);
    std::filesystem::remove(out);
  }
  EXPECT_EQ(test::read_bytes(kClash), before) << "the graph that was given is left alone";
}

TEST(CliPrecision, AWireClashIsFixedToo) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string(), out = (folder / "mended.halfwire").string();
  test::write_bytes(file, test::example_with("\"type\": \"cast\"", "\"type\": \"cast\", \"bypassed\": true"));
  EXPECT_EQ(cli({"validate", file}).exit, 1);
  for (const char* how : {"insert-cast", "unify=f32", "negotiate"}) {
    SCOPED_TRACE(how);
    EXPECT_EQ(cli({"validate", file, "--fix", how, "-o", out}).exit, 0);
    EXPECT_EQ(cli({"validate", out}).err, "");
  }
}

TEST(CliPrecision, LoadingF8WeightsIntoABf16GraphIsRefusedAndFixed) {
  const TempFolder folder;
  const std::string w = (folder / "w.safetensors").string(), out = (folder / "mended.halfwire").string(),
                    bf16 = (folder / "bf16.halfwire").string();
  std::string text = test::read_bytes(kClash);
  for (size_t at = 0; (at = text.find("f8e4m3", at)) != std::string::npos;) text.replace(at, 6, "bf16");
  test::write_bytes(bf16, text);
  ASSERT_EQ(cli({"validate", bf16}).exit, 0);
  write_weights_of_clash(w, DType::f8e4m3);
  for (const std::vector<std::string>& args : {std::vector<std::string>{"validate", bf16, "--weights", w},
                                               {"run", bf16, "--output", "head.y", "--weights", w}}) {
    const Outcome o = cli(args);
    EXPECT_EQ(o.exit, 1);
    EXPECT_THAT(o.err, HasSubstr("HW-D003 at block.bias: "));
    EXPECT_THAT(o.err, HasSubstr("f8e4m3"));
    EXPECT_THAT(o.err, HasSubstr("bf16"));
    EXPECT_THAT(o.err, HasSubstr("Negotiate"));
  }
  for (const char* how : {"insert-cast", "unify=bf16", "negotiate"}) {
    SCOPED_TRACE(how);
    const Outcome fixed = cli({"validate", bf16, "--weights", w, "--fix", how, "-o", out});
    EXPECT_EQ(fixed.exit, 0) << fixed.err;
    const Outcome run = cli({"run", out, "--output", "head.y", "--weights", w});
    EXPECT_EQ(run.exit, 0) << run.err;
  }
  write_weights_of_clash(w, DType::bf16);
  const Outcome fits = cli({"run", bf16, "--output", "head.y", "--weights", w});
  EXPECT_EQ(fits.exit, 0) << fits.err;
}

/// f8 values are bf16 values: the negotiated graph with f8 weights gives what the bf16 graph gives with them in bf16.
TEST(CliPrecision, NegotiatedWeightsLoseNothing) {
  const TempFolder folder;
  const auto at = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(cli({"validate", kClash, "--fix", "negotiate", "-o", at("n.halfwire")}).exit, 0);
  ASSERT_EQ(cli({"validate", kClash, "--fix", "unify=bf16", "-o", at("u.halfwire")}).exit, 0);
  write_weights_of_clash(at("f8.safetensors"), DType::f8e4m3);
  write_weights_of_clash(at("bf16.safetensors"), DType::bf16);
  const Outcome f8 =
      cli({"run", at("n.halfwire"), "--output", "head.y=" + at("a.npy"), "--weights", at("f8.safetensors")});
  const Outcome same =
      cli({"run", at("u.halfwire"), "--output", "head.y=" + at("b.npy"), "--weights", at("bf16.safetensors")});
  ASSERT_EQ(f8.exit, 0) << f8.err;
  ASSERT_EQ(same.exit, 0) << same.err;
  EXPECT_EQ(test::read_bytes(at("a.npy")), test::read_bytes(at("b.npy")));
}

TEST(CliPrecision, AGraphsOwnPolicy) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string(), out = (folder / "mended.halfwire").string();
  test::write_bytes(file, test::example_with("\"halfwire\": 1", "\"halfwire\": 1, \"policy\": \"autocast\""));
  EXPECT_EQ(cli({"validate", file, "--fix", "policy", "-o", out}).exit, 0);
  const std::string text = test::read_bytes(out);
  EXPECT_THAT(text, HasSubstr("\"policy\": \"autocast\""));
  EXPECT_THAT(text, HasSubstr("\"dtype\": \"bf16\""));
  const Outcome trained = cli(small({"train", out, "--steps", "3", "--out", (folder / "out").string()}));
  EXPECT_EQ(trained.exit, 0) << trained.err;
}

TEST(CliPrecision, BadFixes) {
  const TempFolder folder;
  const std::string out = (folder / "mended.halfwire").string();
  for (const std::vector<std::string>& args : {std::vector<std::string>{"--fix", "glue", "-o", out},
                                               {"--fix", "unify=f99", "-o", out},
                                               {"--fix", "negotiate"},
                                               {"-o", out}}) {
    std::vector<std::string> all{"validate", kClash};
    all.insert(all.end(), args.begin(), args.end());
    const Outcome o = cli(all);
    EXPECT_EQ(o.exit, 2) << o.err;
    EXPECT_THAT(o.err, HasSubstr(codes::bad_usage));
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST(CliPrecision, Matrix) {
  const Outcome o = cli({"matrix", "linear"});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("native"));
  EXPECT_THAT(o.out, HasSubstr("bf16 × f8e4m3: via cast: weights f8e4m3 → bf16: exact"));
  EXPECT_THAT(o.out, HasSubstr("tf32 × f32: refused: "));
  const json m = json::parse(cli({"matrix", "linear", "--json"}).out);
  EXPECT_EQ(m["cells"].size(), 49u);
  size_t native = 0;
  for (const json& cell : m["cells"]) native += cell["verdict"] == "native";
  EXPECT_GE(native, 4u);
  EXPECT_EQ(json::parse(cli({"matrix", "relu", "--json", "--device", "ref"}).out)["cells"].size(), 7u);
  EXPECT_EQ(cli({"matrix", "nobody"}).exit, 2);
}

/// Files of weights that do not fit, or are no such files: a reason, and nothing is loaded.
TEST(CliPrecision, BrokenWeights) {
  const TempFolder folder;
  const std::string w = (folder / "w.safetensors").string(), out = (folder / "out").string();
  const auto file_of = [](const std::string& header, size_t data) {
    std::string bytes(8, '\0');
    for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
    return bytes + header + std::string(data, '\0');
  };
  const std::pair<std::string, const char*> cases[] = {
      {file_of(R"({"mlp.layer_0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})", 4), "ask for 8"},
      {file_of(R"({"mlp.layer_0": {"dtype": 12, "shape": [1], "data_offsets": [0, 4]}})", 4), "dtype is missing"},
      {file_of(R"({"mlp.layer_0": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}})", 4), "end at 16"},
      {file_of(R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}, )"
               R"("b": {"dtype": "U8", "shape": [4], "data_offsets": [2, 6]}})",
               6),
       "overlap"},
      {file_of(R"({"a": {"dtype": "U8", "shape": [1], )"
               R"("data_offsets": [18446744073709551614, 18446744073709551615]}})",
               4),
       "end at 18446744073709551615"},
      {file_of(R"({"a": {"dtype": "F32", "shape": [4611686018427387904], "data_offsets": [0, 0]}})", 0), "any memory"},
      {std::string(7, 'x'), "8 bytes"},
  };
  for (const auto& [bytes, reason] : cases) {
    test::write_bytes(w, bytes);
    for (const Outcome& o : {cli(small({"train", kExample, "--weights", w, "--out", out, "--steps", "1"})),
                             cli({"validate", kExample, "--weights", w})}) {
      EXPECT_EQ(o.exit, 3) << reason;
      EXPECT_THAT(o.err, HasSubstr(codes::file_syntax));
      EXPECT_THAT(o.err, HasSubstr(reason));
      EXPECT_EQ(o.out, "") << "nothing ran";
    }
  }
}

}  // namespace
}  // namespace hw
