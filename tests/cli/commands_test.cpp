// What each command does when all is well.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/checks.h"
#include "engine/backend/cuda/gpus.h"
#include "engine/devices/devices.h"
#include "engine/io/media/image_file.h"
#include "engine/io/tensor/npy.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::kExample;
using test::Outcome;
using test::small;
using ::testing::HasSubstr;

TEST(Cli, HelpAndVersion) {
  const Outcome help = cli({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* command : {"nodes", "devices", "dtypes", "validate", "train", "run", "inspect", "bake", "render"}) {
    EXPECT_THAT(help.out, HasSubstr(command));
    EXPECT_EQ(cli({command, "--help"}).exit, 0);
  }
  for (const CheckInfo* check : kChecks) EXPECT_THAT(help.out, HasSubstr(check->command));
  EXPECT_EQ(cli({"--version"}).exit, 0);
}

TEST(Cli, MeshInfo) {
  const Outcome text = cli({"mesh-info", "asset:Collada/duck.dae"});
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("triangles  4212"));
  const json duck = json::parse(cli({"mesh-info", "asset:Collada/duck.dae", "--json"}).out);
  EXPECT_EQ(duck["triangles"], 4212);
  EXPECT_EQ(duck["textures"][0]["width"], 512);
  EXPECT_EQ(duck["textures"][0]["state"], "file");
  EXPECT_EQ(duck["warnings"].size(), 0u);
  EXPECT_LT(duck["bounds"]["min"][0], duck["bounds"]["max"][0]);

  const test::TempFolder folder;
  test::write_bytes(folder / "bad.dae", "not a model");
  for (const std::string& file : {(folder / "bad.dae").string(), (folder / "none.obj").string()}) {
    const Outcome bad = cli({"mesh-info", file, "--json"});
    EXPECT_EQ(bad.exit, 3);
    EXPECT_THAT(bad.err, HasSubstr(file));
    EXPECT_EQ(json::parse(bad.out)["error"]["code"], "HW-A002");
  }
}

TEST(Cli, Nodes) {
  const Outcome text = cli({"nodes"});
  EXPECT_EQ(text.exit, 0);
  EXPECT_THAT(text.out, HasSubstr("hash_grid"));
  const json list = json::parse(cli({"nodes", "--json"}).out);
  bool found = false;
  for (const json& type : list) {
    if (type["id"] != "train") continue;
    found = true;
    EXPECT_EQ(type["role"], "train");
    EXPECT_EQ(type["inputs"][0]["id"], "loss");
  }
  EXPECT_TRUE(found);
  EXPECT_THAT(cli({"nodes", "--markdown"}).out, HasSubstr("(`surface_sampler`)"));
}

TEST(Cli, DevicesNamesTheReference) {
  const Outcome o = cli({"devices"});
  EXPECT_EQ(o.exit, 0);
  EXPECT_THAT(o.out, HasSubstr("ref "));
  EXPECT_THAT(o.out, HasSubstr("cpu "));
  const json list = json::parse(cli({"devices", "--json"}).out);
  ASSERT_GE(list.size(), 3u);
  EXPECT_EQ(list[0]["id"], "cpu");
  EXPECT_EQ(list[0]["available"], true);
  EXPECT_THAT(list[0]["description"].get<std::string>(), HasSubstr("thread"));
  EXPECT_EQ(list[1]["id"], "ref");
  for (const auto& [kind, why] : absent_devices()) {
    EXPECT_THAT(list, testing::Contains(json({{"id", kind},
                                              {"available", false},
                                              {"description", ""},
                                              {"reason", why.reason},
                                              {"remedy", why.remedy}})));
    EXPECT_THAT(o.out, HasSubstr(why.reason + " " + why.remedy));
  }
}

TEST(Cli, AGpuThatIsNotHereIsNoBadUsageAndANameThatNoDeviceHasIs) {
  const auto& gpus = cuda::gpus();
  const std::string why = gpus ? "GPU" : gpus.error().reason;
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"train", kExample, "--device", "cuda:99"},
                                             {"train", kExample, "--pin", "mlp=cuda:99"},
                                             {"run", kExample, "--output", "mlp.y", "--pin", "mlp=cuda:99"},
                                             {"run", kExample, "--output", "mlp.y", "--device", "cuda:99"},
                                             {"inspect", kExample, "--node", "mlp", "--device", "cuda:99"},
                                             {"xray", kExample, "--device", "cuda:99"},
                                             {"gradcheck", kExample, "--device", "cuda:99"},
                                             {"jacobian", kExample, "--node", "sigmoid", "--device", "cuda:99"},
                                             {"matrix", "relu", "--device", "cuda:99"},
                                             {"render", kExample, "-o", "a.png", "--device", "cuda:99"},
                                             {"render", kExample, "-o", "a.png", "--pin", "mlp=cuda:99"},
                                             {"bake", kExample, "-o", "a.glb", "--device", "cuda:99"}}) {
    const Outcome o = cli(args);
    EXPECT_EQ(o.exit, 1) << o.err;
    EXPECT_THAT(o.err, HasSubstr("HW-R006 at " + args[args.size() - 2] + " " + args.back())) << args.front();
    EXPECT_THAT(o.err, HasSubstr(why));
  }
  for (const char* nonsense : {"CPU", "cpu:1", "", "cuda:", "cuda:x", "cudas"}) {
    for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
             {"train", kExample}, {"render", kExample, "-o", "a.png"}, {"bake", kExample, "-o", "a.glb"}}) {
      std::vector<std::string> asked = args;
      asked.insert(asked.end(), {"--device", nonsense});
      const Outcome o = cli(asked);
      EXPECT_EQ(o.exit, 2) << nonsense;
      EXPECT_THAT(o.err, HasSubstr("HW-C001 at --device ")) << nonsense;
    }
  }
}

TEST(Cli, ADeviceOfANodeThatIsNotHereSaysWhy) {
  const test::TempFolder folder;
  const auto& gpus = cuda::gpus();
  for (const auto& [device, why] : std::map<std::string, std::string>{{"cuda:99", gpus ? "GPU" : gpus.error().reason},
                                                                      {"banana", "There is no such device."}}) {
    json graph = json::parse(test::read_bytes(std::string(HALFWIRE_EXAMPLES) + "/sine.halfwire"));
    for (json& node : graph["nodes"])
      if (node["id"] == "mlp") node["device"] = device;
    const std::string file = (folder / "pinned.halfwire").string();
    test::write_bytes(file, graph.dump());
    EXPECT_THAT(cli({"train", file, "--out", (folder / "out").string()}).err, HasSubstr(why));
    const json report = json::parse(cli({"validate", file, "--json"}).out);
    EXPECT_THAT(report["diagnostics"][0]["reason"].get<std::string>(), HasSubstr(why));
  }
}

TEST(Cli, ThatAPictureLeavesDevicesOfNodesOutIsSaid) {
  const test::TempFolder folder;
  json graph = json::parse(test::read_bytes(kExample));
  for (json& node : graph["nodes"])
    if (node["id"] == "mlp") node["device"] = "cuda:99";
  const std::string file = (folder / "pinned.halfwire").string(), png = (folder / "a.png").string();
  test::write_bytes(file, graph.dump());
  const Outcome o = cli(small({"render", file, "-o", png, "--size", "32x32"}));
  if (HALFWIRE_HAS_VIEWPORT) {
    EXPECT_EQ(o.exit, 0) << o.err;
  }
  EXPECT_THAT(o.err, HasSubstr("evaluated on the cpu; not used: the device of mlp (cuda:99)"));
  EXPECT_THAT(cli(small({"render", kExample, "-o", png, "--size", "32x32"})).err, Not(HasSubstr("not used")));
  const Outcome baked = cli(small({"bake", file, "-o", (folder / "a.glb").string(), "--size", "64"}));
  EXPECT_EQ(baked.exit, 0) << baked.err;
  EXPECT_THAT(baked.err, HasSubstr("not used: the device of mlp (cuda:99)"));
}

TEST(Cli, AParameterThatIsRefusedIsSaidOnce) {
  const test::TempFolder folder;
  json graph = json::parse(test::read_bytes(std::string(HALFWIRE_EXAMPLES) + "/sine.halfwire"));
  for (json& node : graph["nodes"])
    if (node["id"] == "train") node["params"]["learning_rate"] = 1e12;
  const std::string file = (folder / "large.halfwire").string();
  test::write_bytes(file, graph.dump());
  const std::string err = cli({"validate", file}).err;
  EXPECT_THAT(err, HasSubstr("got 1e+12."));
  EXPECT_THAT(err, Not(HasSubstr("Got ")));
}

const json& row_of(const json& list, const char* dtype) {
  return *std::find_if(list.begin(), list.end(), [&](const json& row) { return row["dtype"] == dtype; });
}

TEST(Cli, DtypesSayWhatTheFormatsAreAndWhatOneDnnMayRun) {
  const json all = json::parse(cli({"dtypes", "--json"}).out);
  const json &f8 = row_of(all, "f8e4m3"), &f16 = row_of(all, "f16");
  EXPECT_EQ(f8["bits"], 8);
  EXPECT_EQ(f8["max"], 448);
  EXPECT_EQ(f8["epsilon"], 0.125);
  EXPECT_EQ(f8["min_normal"], 0.015625);
  EXPECT_EQ(f8["min_subnormal"], 0.001953125);
  EXPECT_EQ(f8["inf"], false);
  EXPECT_EQ(f16["inf"], true);
  EXPECT_EQ(row_of(all, "tf32")["bits"], 19);
  EXPECT_EQ(row_of(all, "tf32")["product"]["compute"], "tf32");
  EXPECT_FALSE(row_of(all, "i8").contains("product"));
  ::setenv("ONEDNN_MAX_CPU_ISA", "SSE41", 1);
  const json least = json::parse(cli({"dtypes", "--json"}).out);
  ::unsetenv("ONEDNN_MAX_CPU_ISA");
  EXPECT_EQ(row_of(least, "bf16")["product"]["compute"], "f32");
  EXPECT_EQ(row_of(least, "bf16")["product"]["accumulate"], "f32");
  const std::string most_used = row_of(all, "f32")["product"]["implementation"];
  if (most_used.find("avx") != std::string::npos) {
    EXPECT_NE(row_of(least, "f32")["product"]["implementation"], most_used);
  }
  EXPECT_THAT(cli({"dtypes"}).out, HasSubstr("57344"));
}

TEST(Cli, TrainSaysWhatGoesBetweenDevices) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const Outcome o = cli(small({"train", kExample, "--steps", "3", "--pin", "mlp=ref", "--out", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("between devices: "));
  EXPECT_THAT(o.out, HasSubstr("cpu -> ref"));
  const json report = json::parse(test::read_bytes(out + "/report.json"));
  EXPECT_EQ(report["nodes"]["mlp"]["kernels"]["forward"]["implementation"], "ref");
  EXPECT_EQ(report["nodes"]["mlp"]["device"], "ref");
  EXPECT_NE(report["nodes"]["encoder"]["kernels"]["forward"]["implementation"], "ref");
  ASSERT_FALSE(report["transfers"].empty());
  double bytes = 0;
  for (const json& t : report["transfers"]) {
    EXPECT_NE(t["from"], t["to"]) << t["value"];
    EXPECT_GT(t["bytes_per_step"].get<double>(), 0);
    bytes += t["bytes_per_step"].get<double>();
  }
  // 256 points: 8 features forth and their gradients back, 3 colours back and their gradients forth, all f32.
  EXPECT_EQ(bytes, 256 * (8 + 8 + 3 + 3) * 4);
  EXPECT_THAT(o.out, AllOf(Not(HasSubstr("cpu -> cpu")), Not(HasSubstr("ref -> ref"))));
  const Outcome no_device = cli(small({"train", kExample, "--pin", "mlp=abacus", "--out", out}));
  EXPECT_EQ(no_device.exit, 2);
  EXPECT_THAT(no_device.err, HasSubstr("cpu, ref"));
  EXPECT_EQ(cli({"train", kExample, "--pin", "nobody=cpu", "--out", out}).exit, 2);
  EXPECT_EQ(cli({"train", kExample, "--pin", "mlp", "--out", out}).exit, 2);
  EXPECT_EQ(cli({"train", kExample, "--pin", "mlp=", "--out", out}).exit, 2);
}

TEST(Cli, APinToADeviceThatIsNotHereStopsOnlyWhatRunsThere) {
  const test::TempFolder folder;
  json graph = json::parse(test::read_bytes(std::string(HALFWIRE_EXAMPLES) + "/sine.halfwire"));
  for (json& node : graph["nodes"])
    if (node["id"] == "mlp") node["device"] = "cuda:31";
  const std::string file = (folder / "pinned.halfwire").string();
  test::write_bytes(file, graph.dump());
  for (const std::vector<std::string>& own : std::vector<std::vector<std::string>>{
           {"parity", file, "--samples", "8"},
           {"gradcheck", file, "--samples", "4"},
           {"jacobian", file, "--node", "sin"},
       }) {
    const Outcome o = cli(own);
    EXPECT_EQ(o.exit, 0) << own.front() << o.err;
  }
  for (const std::vector<std::string>& honours :
       std::vector<std::vector<std::string>>{{"train", file, "--steps", "2", "--out", (folder / "out").string()},
                                             {"xray", file},
                                             {"inspect", file, "--node", "mlp"}}) {
    const Outcome o = cli(honours);
    EXPECT_EQ(o.exit, 1) << honours.front();
    EXPECT_THAT(o.err, HasSubstr("HW-R007"));
    EXPECT_THAT(o.err, HasSubstr("mlp"));
  }
}

TEST(Cli, TrainWritesWeightsLossAndReport) {
  const test::TempFolder folder;
  const std::string out = (folder / "new/out").string();
  const Outcome o = cli(small({"train", kExample, "--steps", "12", "--seed", "3", "--out", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("12 steps"));
  EXPECT_THAT(o.err, ::testing::Not(HasSubstr("\r"))) << "a progress bar is for terminals";
  const auto weights = read_weights(out + "/weights.safetensors");
  ASSERT_TRUE(weights) << weights.error().text();
  EXPECT_EQ(weights->tensors.at("encoder.table").dtype(), DType::f16);
  EXPECT_EQ(weights->tensors.at("mlp.layer_0").dtype(), DType::f32);
  const std::string csv = test::read_bytes(out + "/loss.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 13);
  EXPECT_TRUE(csv.starts_with("step,loss,learning_rate,loss_scale,skipped,seconds\n1,"));
  const json report = json::parse(test::read_bytes(out + "/report.json"));
  EXPECT_EQ(report["steps"], 12);
  EXPECT_EQ(report["seed"], 3);
  EXPECT_EQ(report["device"], "cpu");
  EXPECT_EQ(report["interrupted"], false);
  EXPECT_GT(report["psnr"].get<double>(), 0);
  EXPECT_GT(report["samples_per_s"].get<double>(), 0);
  EXPECT_EQ(report["nodes"]["encoder"]["kernels"]["forward"]["storage"], "f16");
  EXPECT_GT(report["nodes"]["encoder"]["ms_per_step"].get<double>(), 0);

  // The same seed gives the same bytes, another seed others; a further run goes on from the weights.
  const std::string again = (folder / "again").string(), other = (folder / "other").string();
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "12", "--seed", "3", "--out", again})).exit, 0);
  EXPECT_EQ(test::read_bytes(out + "/weights.safetensors"), test::read_bytes(again + "/weights.safetensors"));
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "12", "--seed", "4", "--out", other})).exit, 0);
  EXPECT_NE(test::read_bytes(out + "/weights.safetensors"), test::read_bytes(other + "/weights.safetensors"));
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "200", "--seed", "3", "--out", again})).exit, 0);
  const double before = json::parse(test::read_bytes(again + "/report.json"))["mean_loss"];
  ASSERT_EQ(
      cli(small({"train", kExample, "--steps", "5", "--out", other, "--weights", again + "/weights.safetensors"})).exit,
      0);
  const double after = json::parse(test::read_bytes(other + "/report.json"))["mean_loss"];
  EXPECT_LT(after, report["mean_loss"].get<double>() / 2) << "after 200 steps: " << before;
}

TEST(Cli, TrainSaysWhatItsFiguresAre) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const auto report = [&] { return json::parse(test::read_bytes(out + "/report.json")); };
  const Outcome texture = cli(small({"train", kExample, "--steps", "3", "--out", out}));
  ASSERT_EQ(texture.exit, 0) << texture.err;
  EXPECT_THAT(texture.out, HasSubstr(": mean of the last 3 training steps\n"));
  EXPECT_THAT(texture.out, HasSubstr(" dB: of the training loss, mean of the last 3 training steps, peak 1\n"));
  const double loss = report()["mean_loss"];
  EXPECT_NEAR(report()["psnr"].get<double>(), -10 * std::log10(loss), 1e-6);
  // A sine is no colour: nobody knows its peak.
  const Outcome sine = cli({"train", std::string(HALFWIRE_EXAMPLES) + "/sine.halfwire", "--steps", "3", "--out", out});
  ASSERT_EQ(sine.exit, 0) << sine.err;
  EXPECT_THAT(sine.out, HasSubstr("mean training loss "));
  EXPECT_THAT(sine.out, ::testing::Not(HasSubstr("PSNR")));
  EXPECT_TRUE(report()["psnr"].is_null());
  EXPECT_THAT(report()["psnr_is"].get<std::string>(), ::testing::StartsWith("none: "));
  EXPECT_THAT(report()["final_loss_is"].get<std::string>(), HasSubstr("before its update"));
}

TEST(Cli, InterruptStopsAndKeeps) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  const Outcome o = test::cli_interrupted(small({"train", kExample, "--steps", "1000000000", "--out", out}));
  EXPECT_EQ(o.exit, 128 + SIGINT) << o.err;
  const json report = json::parse(test::read_bytes(out + "/report.json"));
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_GT(report["steps"].get<int>(), 0);
  EXPECT_TRUE(read_weights(out + "/weights.safetensors"));
}

TEST(Cli, RunWritesArraysAndTakesThem) {
  const test::TempFolder folder;
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string(), z = (folder / "z.npy").string();
  Outcome o = cli(small({"run", kExample, "--output", "aabb.y=" + x, "--output", "sigmoid.y=" + y}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("sigmoid.y\n  f32 [256, 3]"));
  const auto position = read_npy(x), colour = read_npy(y);
  ASSERT_TRUE(position && colour);
  for (const double v : position->to_f64()) EXPECT_TRUE(v >= 0 && v <= 1);
  // Given those positions, the network says the same; the input socket's name stands for its source.
  o = cli(small({"run", kExample, "--input", "encoder.x=" + x, "--output", "loss.prediction=" + z}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(test::read_bytes(z), test::read_bytes(y));
}

TEST(Cli, InspectPrintsAndWrites) {
  const test::TempFolder folder;
  const Outcome o =
      cli(small({"inspect", kExample, "--node", "mlp", "--steps", "3", "--grad", "--npy", folder.path()}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("mlp at step 3, before its update\n  forward: stored f32"));
  EXPECT_THAT(o.out, HasSubstr("mlp.layer_1 (parameter)\n  f32 [32, 32]\n  min "));
  EXPECT_THAT(o.out, HasSubstr("|x| 2^"));
  const auto value = read_npy(folder / "mlp.y.npy"), gradient = read_npy(folder / "mlp.layer_0.grad.npy");
  ASSERT_TRUE(value && gradient);
  EXPECT_EQ(value->dims(), (Dims{256, 3}));
  EXPECT_EQ(gradient->dims(), (Dims{32, 8}));
}

#if HALFWIRE_HAS_VIEWPORT
TEST(Cli, RenderDrawsTheTrainedNetwork) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string(), png = (folder / "p.png").string();
  ASSERT_EQ(cli({"train", kExample, "--steps", "60", "--out", out, "--set", "sampler.points=4096"}).exit, 0);
  const Outcome o = cli({"render", kExample, "-o", png, "--size", "160x120", "--camera", "-40,10,1.5,30", "--weights",
                         out + "/weights.safetensors", "--compare"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(o.err, "");
  ASSERT_THAT(o.out, HasSubstr("\nPSNR "));
  EXPECT_THAT(o.out, HasSubstr("sRGB-encoded"));
  const double psnr = std::stod(o.out.substr(o.out.find("PSNR ") + 5));
  EXPECT_GT(psnr, 20);
  const auto picture = load_image(png);
  ASSERT_TRUE(picture) << picture.error().text();
  EXPECT_EQ(picture->width, 160);
  EXPECT_EQ(picture->height, 120);
  int yellow = 0;  // the duck
  for (size_t i = 0; i < picture->rgba.size(); i += 4)
    yellow += picture->rgba[i] > 150 && picture->rgba[i + 1] > 120 && picture->rgba[i + 2] < 90;
  EXPECT_GT(yellow, 1000);
  // Without weights the picture is another, and it is said.
  const Outcome raw =
      cli({"render", kExample, "-o", png, "--size", "160x120", "--camera", "-40,10,1.5,30", "--compare"});
  ASSERT_EQ(raw.exit, 0) << raw.err;
  EXPECT_THAT(raw.err, HasSubstr("untrained"));
  EXPECT_LT(std::stod(raw.out.substr(raw.out.find("PSNR ") + 5)), psnr - 5);
}

TEST(Cli, ThePictureIsTheNetwork) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string(), png = (folder / "p.png").string();
  ASSERT_EQ(cli({"train", kExample, "--steps", "30", "--out", out, "--set", "sampler.points=4096"}).exit, 0);
  const auto colours = [&](const std::string& weights) {
    const Outcome o = cli({"render", kExample, "-o", png, "--size", "160x120", "--weights", weights});
    EXPECT_EQ(o.exit, 0) << o.err;
    const auto picture = load_image(png);
    EXPECT_TRUE(picture);
    std::set<std::array<uint8_t, 3>> found;
    for (size_t i = 160 * 40 * 4; i < 160 * 80 * 4;
         i += 4) {  // the middle rows; background and softened edges are darker
      const auto* c = &picture->rgba[i];
      if (c[0] > 120) found.insert({c[0], c[1], c[2]});
    }
    return found;
  };
  EXPECT_GT(colours(out + "/weights.safetensors").size(), 100u);
  // All weights zero: sigmoid(0) everywhere, nothing of the texture is left.
  auto weights = read_weights(out + "/weights.safetensors");
  ASSERT_TRUE(weights);
  for (auto& [name, tensor] : weights->tensors) tensor = Tensor::zeros(tensor.dtype(), tensor.dims());
  ASSERT_TRUE(save_weights(*weights, out + "/zero.safetensors"));
  EXPECT_EQ(colours(out + "/zero.safetensors"), (std::set<std::array<uint8_t, 3>>{{128, 128, 128}}));
}
#endif

}  // namespace
}  // namespace hw
