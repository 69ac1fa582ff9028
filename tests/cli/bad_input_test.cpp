// What goes wrong: the exit code says what kind, stderr says code, place, reason and remedy.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/core/codes.h"
#include "engine/io/media/image_file.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"
#include "tests/engine/idx_files.h"

namespace hw {
namespace {

using test::cli;
using test::example_with;
using test::kExample;
using test::Outcome;
using test::small;
using test::TempFolder;
using ::testing::HasSubstr;

/// One line "code at where: reason remedy", and the exit code.
void expect_error(const Outcome& o, int exit, const std::string& code, const std::string& where,
                  const std::string& reason) {
  EXPECT_EQ(o.exit, exit) << o.err;
  EXPECT_THAT(o.err, HasSubstr(code + (where.empty() ? ": " : " at "))) << o.err;
  EXPECT_THAT(o.err, HasSubstr(where));
  EXPECT_THAT(o.err, HasSubstr(reason));
  const size_t first_sentence = o.err.find(". ");
  EXPECT_NE(first_sentence, std::string::npos) << "no remedy: " << o.err;
}

TEST(CliBad, Usage) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{},
                                               {"train"},
                                               {"train", kExample, "--steps", "0"},
                                               {"train", kExample, "-x"},
                                               {"train", kExample, "--seed", "-1"},
                                               {"train", kExample, "--seed", "9007199254740993"},
                                               {"run", kExample, "--output", "mlp.y", "--seed", "-1"},
                                               {"run", kExample, "--output", "mlp.y", "--seed", "9007199254740993"},
                                               {"run", kExample},
                                               {"inspect", kExample},
                                               {"inspect", kExample, "--node", "mlp", "--steps", "many"},
                                               {"render", kExample},
                                               {"nodes", "--json", "--markdown"}}) {
    expect_error(cli(args), 2, codes::bad_usage, "", "");
  }
  expect_error(cli({"paint"}), 2, codes::bad_usage, "paint", "no such command");
  expect_error(cli({"help", "paint"}), 2, codes::bad_usage, "paint", "no such command");
}

TEST(CliBad, Sets) {
  const auto set = [](const std::string& text) { return cli({"train", kExample, "--set", text}); };
  expect_error(set("train.learning_rate=nan"), 2, codes::bad_parameter, "train.learning_rate", "nan");
  expect_error(set("train.learning_rate=-1"), 2, codes::bad_parameter, "train.learning_rate", "-1");
  expect_error(set("train.learning_rate=fast"), 2, codes::bad_parameter, "train.learning_rate", "fast");
  expect_error(set("sampler.points=0"), 2, codes::bad_parameter, "sampler.points", "got 0");
  // A double would round these.
  for (const char* seed : {"9007199254740993", "9007199254740993.0", "18446744073709551616"})
    expect_error(set(std::string("train.seed=") + seed), 2, codes::bad_parameter, "train.seed", seed);
  expect_error(set("train.optimiser=magic"), 2, codes::bad_parameter, "train.optimiser", "magic");
  expect_error(set("mlp.dtype=tf32"), 2, codes::bad_parameter, "mlp.dtype", "tf32");
  expect_error(set("train.rate=1"), 2, codes::unknown_parameter, "train.rate", "learning_rate");
  expect_error(set("trainer.learning_rate=1"), 2, codes::unknown_node, "trainer.learning_rate", "train");
  expect_error(set("train.learning_rate"), 2, codes::bad_usage, "--set", "NODE.PARAM=VALUE");
}

// Also where weights hang on the parameter, a count of layers would take long to make, and a parameter follows that is
// not known.
TEST(CliBad, ParametersInAFile) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  const std::pair<const char*, const char*> wrong[] = {{"hidden_layers", "\"three\""}, {"hidden_layers", "2.5"},
                                                       {"hidden_layers", "100000"},    {"bias", "\"yes\""},
                                                       {"out_features", "1e30"},       {"dtype", "\"f128\""}};
  for (const auto& [param, value] : wrong) {
    test::write_bytes(
        file, R"({"halfwire": 1, "nodes": [{"id": "x", "type": "random"}, {"id": "m", "type": "mlp", "params": {")" +
                  std::string(param) + "\": " + value + R"(, "zzz": 1}}], "links": [["x.y", "m.x"]]})");
    const auto o = cli({"validate", file});
    EXPECT_EQ(o.exit, 1) << value << o.err;
    EXPECT_THAT(o.out + o.err, HasSubstr(codes::bad_parameter)) << value;
    EXPECT_THAT(o.out + o.err, HasSubstr("m." + std::string(param))) << value;
    EXPECT_THAT(o.out + o.err, HasSubstr(std::string(codes::unknown_parameter) + " at m.zzz: ")) << value;
  }
}

TEST(CliBad, ASeedThatADoubleWouldRoundInAFile) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  for (const char* seed : {"9007199254740993", "9007199254740993.0", "9007199254740992.0", "18446744073709551617"}) {
    test::write_bytes(file, example_with(R"("params": {"beta2")",
                                         std::string(R"("params": {"seed": )") + seed + ", " + R"("beta2")"));
    for (const char* command : {"validate", "train"})
      expect_error(cli({command, file}), 1, codes::bad_parameter, "train.seed", "a whole number from 0 to");
  }
}

TEST(CliBad, AParameterThatDoesNotExistIsAnErrorWhateverItsValue) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  for (const char* value : {"64", "[64, 2]", "null", "{\"a\": 1}", "\"wide\"", "true"}) {
    const std::string params = R"("type": "mlp", "params": {"widht": )" + std::string(value) + "},";
    test::write_bytes(file, example_with(R"("type": "mlp",)", params));
    expect_error(cli({"validate", file}), 1, codes::unknown_parameter, "mlp.widht", "Nearest: width");
    expect_error(cli({"train", file, "--steps", "1", "--out", (folder / "out").string()}), 1, codes::unknown_parameter,
                 "mlp.widht", "Nearest: width");
  }
  test::write_bytes(file, example_with(R"("type": "mlp",)", R"("type": "mlp", "param": {"width": 64},)"));
  expect_error(cli({"validate", file}), 1, codes::unknown_parameter, "mlp.param", "Nearest: params");
}

TEST(CliBad, GraphFiles) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  expect_error(cli({"validate", file}), 3, codes::file_unreadable, "g.halfwire", "no such file");
  const std::string text = test::read_bytes(kExample);
  test::write_bytes(file, text.substr(0, text.size() / 2));
  for (const char* command : {"validate", "train"}) {
    expect_error(cli({command, file}), 3, codes::file_syntax, "g.halfwire:", "");
  }
  test::write_bytes(file, example_with("\"halfwire\": 1", "\"halfwire\": 2"));
  expect_error(cli({"validate", file}), 3, codes::file_future, "g.halfwire", "version 2");
  test::write_bytes(file, "");
  expect_error(cli({"render", file, "-o", file + ".png"}), 3, codes::file_syntax, "g.halfwire:1:1", "");
}

TEST(CliBad, GraphErrorsStopARun) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  // The encoder's f16 straight into the f32 MLP.
  test::write_bytes(file, example_with("\"scale.y\", \"mlp.x\"", "\"encoder.features\", \"mlp.x\""));
  for (const std::vector<std::string>& args : {std::vector<std::string>{"validate", file},
                                               {"train", file},
                                               {"run", file, "--output", "mlp.y"},
                                               {"inspect", file, "--node", "mlp"}}) {
    const Outcome o = cli(args);
    EXPECT_EQ(o.exit, 1) << o.err;
    EXPECT_THAT(o.err, HasSubstr(std::string(codes::dtype_mismatch) + " at mlp.x: "));
    EXPECT_THAT(o.err, HasSubstr("Remedy: ")) << o.err;
  }
  const auto report = nlohmann::json::parse(cli({"validate", "--json", file}).out);
  EXPECT_GE(report["errors"], 1);
  EXPECT_EQ(report["diagnostics"][0]["code"], codes::dtype_mismatch);
  EXPECT_EQ(report["diagnostics"][0]["node"], "mlp");

  test::write_bytes(file, example_with("\"type\": \"sigmoid\"", "\"type\": \"swirl\""));
  EXPECT_THAT(cli({"validate", file}).err, HasSubstr(std::string(codes::unknown_node) + " at sigmoid"));
  EXPECT_EQ(cli({"train", file}).exit, 1);
  test::write_bytes(file, example_with("\"type\": \"train\"", "\"type\": \"tensor_view\""));
  expect_error(cli({"train", file}), 1, codes::no_trainer, "", "");
}

TEST(CliBad, MeshesAndTextures) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string(), out = (folder / "out").string();
  test::write_bytes(file, example_with("asset:Collada/duck.dae", "asset:lost.dae"));
  for (const char* command : {"validate", "train"}) {
    const Outcome o = cli({command, file});
    EXPECT_THAT(o.err, HasSubstr(codes::asset_missing)) << o.err;
    EXPECT_THAT(o.err, HasSubstr("mesh"));
    EXPECT_THAT(o.err, HasSubstr("HALFWIRE_ASSETS"));
    EXPECT_EQ(o.exit, *command == 'v' ? 1 : 3);
  }
  test::write_bytes(file, example_with("asset:Collada/duck.dae", "../up.obj"));
  expect_error(cli({"train", file, "--out", out}), 3, codes::asset_missing, "mesh.path", "no such file");
  test::write_bytes(file, example_with("asset:Collada/duck.dae", ""));
  expect_error(cli({"train", file, "--out", out}), 1, codes::bad_parameter, "mesh.path", "no file");

  test::write_bytes(file, example_with("asset:Collada/duck.dae", "quad.obj"));
  test::write_bytes(folder / "quad.obj",
                    "mtllib quad.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n");
  test::write_bytes(folder / "quad.mtl", "newmtl m\nmap_Kd lost.png\n");
  const Outcome untextured = cli(small({"train", file, "--steps", "1", "--out", out}));
  EXPECT_EQ(untextured.exit, 0) << untextured.err;  // it learns the plain colour, and says why
  EXPECT_THAT(untextured.err, AllOf(HasSubstr("warning"), HasSubstr("HW-A003 at mesh.path"), HasSubstr("lost.png")));
  test::write_bytes(folder / "quad.obj", "this is no model\n");
  expect_error(cli({"train", file, "--out", out}), 3, codes::asset_unreadable, "quad.obj", "cannot be read");
}

TEST(CliBad, FullDiskAndFoldersThatCannotBe) {
  const TempFolder folder;
  const std::string out = (folder / "out").string();
  const Outcome full = cli({"train", kExample, "--steps", "1", "--set", "sampler.points=256", "--out", out}, 8 << 20);
  expect_error(full, 3, codes::file_unwritable, "weights.safetensors", "File too large");
  EXPECT_THAT(full.err, HasSubstr("space"));
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(out)) left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"loss.csv", "report.json"}))
      << "what fits is written, no part of a file stays";
  const auto report = nlohmann::json::parse(test::read_bytes(out + "/report.json"));
  EXPECT_EQ(report["errors"][0]["code"], codes::file_unwritable);
  test::write_bytes(folder / "file", "");
  expect_error(cli({"train", kExample, "--out", (folder / "file/x").string()}), 3, codes::file_unwritable, "file/x",
               "Not a directory");
  expect_error(cli(small({"run", kExample, "--output", "mlp.y=" + (folder / "no/y.npy").string()})), 3,
               codes::file_unwritable, "y.npy", "No such file");
}

TEST(CliBad, AFullStandardOutputIsAnError) {
  const TempFolder folder;
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"nodes"},
        {"devices"},
        {"run", kExample, "--output", "mlp.y"},
        {"train", kExample, "--steps", "1", "--out", (folder / "out").string()}}) {
    const bool sets = args[0] == "run" || args[0] == "train";
    expect_error(cli(sets ? small(args) : args, 0, "/dev/full"), 3, codes::file_unwritable, "standard output", "");
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "out/weights.safetensors"));
}

TEST(CliBad, AFailedTrainingIsReportedAndOldWeightsAreSetAside) {
  const TempFolder folder;
  const std::string out = folder.path();
  test::write_bytes(folder / "weights.safetensors", "of an earlier run");
  test::write_bytes(folder / "g.halfwire",
                    example_with("[\"sigmoid.y\", \"loss.prediction\"]", "[\"mlp.y\", \"loss.prediction\"]"));
  expect_error(
      cli(small({"train", (folder / "g.halfwire").string(), "--steps", "500", "--out", out, "--set",
                 "train.optimiser=sgd", "--set", "train.learning_rate=100", "--set", "train.schedule=constant"})),
      1, codes::not_finite, "encoder.table", "the update of step");
  EXPECT_EQ(test::read_bytes(folder / "weights.previous.safetensors"), "of an earlier run");
  const auto report = nlohmann::json::parse(test::read_bytes(folder / "report.json"));
  const auto weights = read_weights(folder / "weights.safetensors");
  ASSERT_TRUE(weights) << weights.error().text();
  EXPECT_EQ(weights->metadata.at("step"), report["steps"].dump());
  EXPECT_THAT(report["weights_are"].get<std::string>(), HasSubstr("the last sound ones"));
  for (const auto& [name, tensor] : weights->tensors)
    for (const double w : tensor.to_f64()) ASSERT_TRUE(std::isfinite(w)) << name;
  EXPECT_EQ(report["errors"][0]["code"], codes::not_finite);
  EXPECT_GT(report["steps"], 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "loss.csv"));
}

TEST(CliBad, DevicesNodesAndSockets) {
  expect_error(cli({"train", kExample, "--device", "tpu"}), 2, codes::bad_usage, "tpu", "no such device");
  expect_error(cli({"inspect", kExample, "--node", "nobody"}), 2, codes::unknown_node, "nobody", "no such node");
  expect_error(cli({"run", kExample, "--output", "mlp.z"}), 2, codes::unknown_socket, "mlp.z", "outputs are y");
  for (const char* input : {"nope.y=x.npy", "mlp.nope=x.npy"})
    EXPECT_EQ(cli({"run", kExample, "--input", input, "--output", "mlp.y"}).exit, 2) << input;
  expect_error(cli({"run", kExample, "--output", "mlp"}), 2, codes::bad_usage, "mlp", "NODE.SOCKET");
  expect_error(cli({"run", kExample, "--output", "mesh.mesh"}), 1, codes::kind_mismatch, "mesh.mesh", "carries a mesh");
}

TEST(CliBad, WhatIsReadIsNotOverwritten) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  const std::string text = example_with("\"halfwire\"", "\"halfwire\"");
  test::write_bytes(file, text);
  expect_error(cli({"run", file, "--output", "mlp.y=" + file}), 2, codes::bad_usage, "g.halfwire", "destroy");
  expect_error(cli({"render", file, "-o", file}), 2, codes::bad_usage, "g.halfwire", "destroy");
  expect_error(cli({"validate", file, "--fix", "negotiate", "-o", file}), 2, codes::bad_usage, "g.halfwire", "destroy");
  EXPECT_EQ(cli({"validate", file}).exit, 0);
}

TEST(CliBad, ArraysHaveAFileEach) {
  const TempFolder folder;
  const std::string y = (folder / "y.npy").string();
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"run", kExample, "--output", "aabb.y=" + y};
    all.insert(all.end(), more.begin(), more.end());
    return cli(small(all));
  };
  expect_error(run({"--output", "mlp.y=" + y}), 2, codes::bad_usage, "mlp.y", "another --output");
  expect_error(run({"--output", "mlp.y=" + (folder / "." / "y.npy").string()}), 2, codes::bad_usage, "mlp.y",
               "another --output");
  const std::string bare = std::filesystem::relative(folder / "bare.npy").string();
  expect_error(run({"--output", "mlp.y=" + bare, "--output", "encoder.features=./" + bare}), 2, codes::bad_usage,
               "encoder", "another --output");
  EXPECT_FALSE(std::filesystem::exists(y));
  expect_error(run({"--output", "mlp.y="}), 2, codes::bad_usage, "mlp.y=", "NODE.SOCKET=FILE.npy");
  ASSERT_EQ(run({}).exit, 0);
  const std::string input = "encoder.x=" + y;
  expect_error(run({"--input", input, "--input", input}), 2, codes::bad_usage, input, "given twice");
}

TEST(CliBad, NaNIsInNoRange) {
  for (const char* option : {"--fov", "--split"}) {
    const Outcome o = cli({"render", kExample, "-o", "nan.png", option, "nan"});
    EXPECT_EQ(o.exit, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("expected a number, got nan"));
  }
}

TEST(CliBad, NoInputIsOverwrittenUnderAnyName) {
  const TempFolder folder;
  const auto at = [&](const char* name) { return (folder / name).string(); };
  const std::string file = at("g.halfwire");
  test::write_bytes(file, example_with("asset:Collada/duck.dae", "quad.obj"));
  test::write_bytes(folder / "quad.obj",
                    "mtllib quad.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n");
  test::write_bytes(folder / "quad.mtl", "newmtl m\nmap_Kd tiles.png\n");
  ASSERT_TRUE(save_png(Image{2, 2, std::vector<uint8_t>(16, 200)}, folder / "tiles.png"));
  ASSERT_EQ(cli(small({"train", file, "--steps", "1", "--out", folder.path()})).exit, 0);
  std::filesystem::rename(folder / "weights.safetensors", folder / "g.safetensors");
  std::filesystem::create_symlink("tiles.png", folder / "link.png");
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {4, 3}), folder / "x.npy"));

  std::map<std::string, std::string> before;
  for (const char* name : {"g.halfwire", "g.safetensors", "quad.obj", "tiles.png", "x.npy"})
    before[name] = test::read_bytes(folder / name);
  for (const char* name : {"g.safetensors", "quad.obj", "tiles.png", "link.png"}) {
    expect_error(cli(small({"run", file, "--output", "mlp.y=" + at(name)})), 2, codes::bad_usage, name, "destroy");
    expect_error(cli(small({"render", file, "-o", at(name)})), 2, codes::bad_usage, name, "destroy");
  }
  expect_error(cli(small({"bake", file, "-o", at("quad.obj")})), 2, codes::bad_usage, "quad.obj", "destroy");
  expect_error(cli(small({"bake", file, "-o", at("tiles.obj")})), 2, codes::bad_usage, "tiles.png", "destroy");
  expect_error(cli(small({"run", file, "--input", "aabb.y=" + at("x.npy"), "--output", "mlp.y=" + at("x.npy")})), 2,
               codes::bad_usage, "x.npy", "destroy");
  for (const auto& [name, bytes] : before) EXPECT_EQ(test::read_bytes(folder / name), bytes) << name;
}

TEST(CliBad, NoDataSetIsOverwritten) {
  const TempFolder folder;
  test::write_idx_set(folder.path(), {32, 8}, {28, 28}, 10);
  const std::string images = (folder / "train-images-idx3-ubyte").string(),
                    digits = std::string(HALFWIRE_EXAMPLES) + "/digits.halfwire";
  const std::vector<std::string> args{
      "run", digits, "--set", "data.path=" + folder.path().string(), "--output", "batch.x=" + images};
  const std::string before = test::read_bytes(images);
  expect_error(cli(args), 2, codes::bad_usage, "train-images-idx3-ubyte", "destroy");
  EXPECT_EQ(test::read_bytes(images), before);
}

TEST(CliBad, AWireToNowhere) {
  const TempFolder folder;
  const std::string file = (folder / "g.halfwire").string();
  test::write_bytes(file, example_with("[\"sigmoid.y\", \"viewport.field\"]", "[\"sigmoid.y\", \"nobody.field\"]"));
  const Outcome o = cli({"validate", file});
  EXPECT_EQ(o.exit, 1);
  EXPECT_THAT(o.out + o.err, HasSubstr("nobody"));
}

TEST(CliBad, ArraysAndWeightsThatDoNotFit) {
  const TempFolder folder;
  const std::string x = (folder / "x.npy").string(), w = (folder / "w.safetensors").string();
  expect_error(cli({"run", kExample, "--input", "aabb.y", "--output", "mlp.y"}), 2, codes::bad_usage, "aabb.y", ".npy");
  for (const Dims& dims : {Dims{}, Dims{3}, Dims{4, 2}, Dims{4, 3, 1}}) {
    ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, dims), x));
    expect_error(cli({"run", kExample, "--input", "aabb.y=" + x, "--output", "mlp.y"}), 1, codes::size_mismatch,
                 "aabb.y", to_string(dims));
  }
  test::write_bytes(x, "not numpy");
  expect_error(cli({"run", kExample, "--input", "aabb.y=" + x, "--output", "mlp.y"}), 3, codes::file_syntax, "x.npy",
               "");
  WeightsFile weights;
  weights.tensors["mlp.layer_0"] = Tensor::zeros(DType::f32, {5, 5});
  ASSERT_TRUE(save_weights(weights, w));
  expect_error(cli(small({"run", kExample, "--output", "mlp.y", "--weights", w})), 3, codes::weights_mismatch,
               "mlp.layer_0", "[5, 5]");
  weights.tensors = {{"other.layer_0", Tensor::zeros(DType::f32, {5, 5})}};
  ASSERT_TRUE(save_weights(weights, w));
  expect_error(cli(small({"run", kExample, "--output", "mlp.y", "--weights", w})), 3, codes::weights_mismatch,
               "encoder.table", "no such parameter");
  test::write_bytes(w, "short");
  expect_error(cli(small({"train", kExample, "--weights", w, "--out", folder.path()})), 3, codes::file_syntax,
               "w.safetensors", "8 bytes");
}

#if HALFWIRE_HAS_VIEWPORT
TEST(CliBad, Render) {
  const TempFolder folder;
  const std::string png = (folder / "p.png").string(), file = (folder / "g.halfwire").string();
  expect_error(cli({"render", kExample, "-o", png, "--size", "0x10"}), 2, codes::bad_usage, "0x10", "WIDTHxHEIGHT");
  for (const char* name : {"p.xyz", "p.jpg", "p"}) {
    expect_error(cli({"render", kExample, "-o", (folder / name).string()}), 2, codes::bad_usage, name, ".png");
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
  expect_error(cli({"render", kExample, "-o", png, "--size", "big"}), 2, codes::bad_usage, "big", "WIDTHxHEIGHT");
  expect_error(cli({"render", kExample, "-o", png, "--camera", "1,2"}), 2, codes::bad_camera, "1,2", "");
  expect_error(cli({"render", kExample, "-o", png, "--split", "2"}), 2, codes::bad_usage, "", "--split");
  expect_error(cli({"render", kExample, "-o", (folder / "no/p.png").string(), "--size", "32x32"}), 3,
               codes::file_unwritable, "p.png", "No such file");
  WeightsFile weights;
  const std::string out = (folder / "out").string(), w = (folder / "nan.safetensors").string();
  ASSERT_EQ(cli({"train", kExample, "--steps", "1", "--out", out, "--set", "sampler.points=1024"}).exit, 0);
  weights = *read_weights(out + "/weights.safetensors");
  const std::vector<double> nan(32 * 32, std::nan(""));
  weights.tensors["mlp.layer_1"] = Tensor::from_f64(DType::f32, {32, 32}, nan);
  ASSERT_TRUE(save_weights(weights, w));
  expect_error(cli({"render", kExample, "-o", png, "--size", "64x64", "--weights", w, "--compare"}), 1,
               codes::not_finite, "viewport", "NaN");
  std::filesystem::remove(png);
  test::write_bytes(file, example_with("\"type\": \"viewport\"", "\"type\": \"tensor_view\""));
  EXPECT_EQ(cli({"render", file, "-o", png}).exit, 1);
  EXPECT_FALSE(std::filesystem::exists(png));
}
#endif

TEST(CliBad, MoreClassesThanTheNetworkDistinguishes) {
  const TempFolder folder;
  test::write_idx_set(folder.path(), {64, 16}, {28, 28}, 12);
  const auto o =
      cli({"train", std::string(HALFWIRE_EXAMPLES) + "/digits.halfwire", "--set", "data.path=" + folder.path().string(),
           "--set", "data.classes=12", "--steps", "1", "--out", (folder / "out").string()});
  EXPECT_EQ(o.exit, 1) << o.err;
  EXPECT_THAT(o.err, HasSubstr("HW-S002 at loss.labels: The data set has 12 classes or characters, but there are 10"));
  EXPECT_THAT(o.err, HasSubstr("Make 12 logits a sample"));
}

}  // namespace
}  // namespace hw
