// Precision from the terminal: xray, and train --halt-on-nonfinite.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::kExample;
using test::small;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CliXray, PrintsWhereTheErrorsArise) {
  const auto o = cli(small({"xray", kExample, "--steps", "3"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("training mode on cpu, step 3"));
  for (const char* value : {"encoder.features", "mlp.y", "grad(encoder.table)", "<< worst introduced"})
    EXPECT_THAT(o.out, HasSubstr(value));
  EXPECT_THAT(o.out, HasSubstr("worst introduced error: "));
}

TEST(CliXray, JsonHasEveryValue) {
  const auto o = cli(small({"xray", kExample, "--json", "--worst", "1"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_EQ(j["mode"], "training");
  std::map<std::string, json> values;
  for (const json& value : j["values"]) values[value["name"]] = value;
  const json& features = values.at("encoder.features");
  EXPECT_EQ(features["dtype"], "f16");
  EXPECT_EQ(features["pass"], "forward");
  EXPECT_GE(features["introduced"]["max_ulps"].get<double>(), 0.4);
  EXPECT_EQ(features["worst_introduced"].size(), 1u);
  EXPECT_EQ(values.at("sampler.position")["total"]["max_ulps"], 0);
  EXPECT_EQ(values.at("cast.y")["introduced"]["max_ulps"], 0) << "f16 to f32 is exact";
  EXPECT_EQ(values.at("grad(encoder.features)")["pass"], "backward");
  EXPECT_EQ(j["values"][j["worst"].get<size_t>()]["name"].get<std::string>().empty(), false);
}

TEST(CliXray, SaysWhatIsWrong) {
  const auto device = cli(small({"xray", kExample, "--shadow", "moon"}));
  EXPECT_EQ(device.exit, 2);
  EXPECT_THAT(device.err, HasSubstr("HW-C001 at moon"));
  const auto weights = cli(small({"xray", kExample, "--weights", "none.safetensors"}));
  EXPECT_EQ(weights.exit, 3);
  EXPECT_THAT(weights.err, HasSubstr("HW-F001"));
}

TEST(CliXray, AnInterruptEndsTheTrainingBeforeItAndIsReported) {
  const auto o = test::cli_interrupted(small({"xray", kExample, "--steps", "1000000000"}));
  EXPECT_EQ(o.exit, 128 + SIGINT) << o.err;
  EXPECT_THAT(o.out, HasSubstr("introduced")) << "of the step that it came to";
}

TEST(CliTrain, HaltsOnTheFirstBadValue) {
  const test::TempFolder folder;
  const std::string out = (folder / "out").string();
  // The encoder's f16 gradient, a mean over few points, scaled until it overflows in the first step.
  std::vector<std::string> run{"train", kExample, "--steps", "6", "--halt-on-nonfinite", "--out", out};
  for (const char* set : {"scale.factor=16777216", "sampler.points=16", "encoder.log2_table=10", "encoder.levels=4"})
    run.insert(run.end(), {"--set", set});
  const auto o = cli(run);
  EXPECT_EQ(o.exit, 1) << o.out;
  EXPECT_THAT(o.err, HasSubstr("HW-R003 at cast: "));
  EXPECT_THAT(o.err, HasSubstr("first bad value: grad(encoder.features) of node cast, in the backward pass"));
  EXPECT_THAT(o.err, HasSubstr("run again from the states before it"));
  const json report = json::parse(test::read_bytes(std::filesystem::path(out) / "report.json"));
  const json& bad = report["first_bad_value"];
  EXPECT_EQ(bad["node"], "cast");
  EXPECT_EQ(bad["value"], "grad(encoder.features)");
  EXPECT_EQ(bad["pass"], "backward");
  EXPECT_EQ(bad["dtype"], "f16");
  EXPECT_TRUE(bad["replayed"].get<bool>());
  EXPECT_THAT(bad["element"].get<std::string>(), HasSubstr("Inf"));
  EXPECT_EQ(bad["inputs"][0]["count"], 1);
  EXPECT_GE(std::abs(bad["inputs"][0]["elements"][0]["value"].get<double>()), 65520);
  EXPECT_GE(bad["history"].size(), 1u);
  EXPECT_EQ(report["errors"][0]["code"], "HW-R003");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(out) / "weights.safetensors"));
}

TEST(CliTrain, WatchingChangesNothing) {
  const test::TempFolder folder;
  const std::string plain = (folder / "plain").string(), watched = (folder / "watched").string();
  ASSERT_EQ(cli(small({"train", kExample, "--steps", "10", "--out", plain})).exit, 0);
  const auto o = cli(small({"train", kExample, "--steps", "10", "--halt-on-nonfinite", "--out", watched}));
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_EQ(test::read_bytes(plain + "/weights.safetensors"), test::read_bytes(watched + "/weights.safetensors"));
  EXPECT_EQ(test::without_times(test::read_bytes(plain + "/loss.csv")),
            test::without_times(test::read_bytes(watched + "/loss.csv")));
  EXPECT_THAT(test::read_bytes(std::filesystem::path(watched) / "report.json"), Not(HasSubstr("first_bad_value")));
}

TEST(CliTrain, InstrumentsNameTheGradientsThatUnderflow) {
  const test::TempFolder folder;
  const auto trained = [&](const std::string& name) {
    const std::string graph = std::string(HALFWIRE_EXAMPLES) + "/precision/" + name + ".halfwire";
    return cli({"train", graph, "--steps", "8", "--instruments-every", "1", "--set", "encoder.log2_table=12", "--out",
                (folder / name).string()});
  };
  const auto f16 = trained("all_f16");
  ASSERT_EQ(f16.exit, 0) << f16.err;
  EXPECT_THAT(f16.out, HasSubstr("most is lost here:\n  "));
  EXPECT_THAT(f16.out, HasSubstr("underflows f16"));
  std::map<std::string, json> values;
  const json report = json::parse(test::read_bytes(folder / "all_f16" / "report.json"));
  EXPECT_GE(report["instruments"]["looked_at"], 1);
  for (const json& v : report["instruments"]["values"])
    values[v["pass"].get<std::string>() + " " + v["node"].get<std::string>() + "." + v["name"].get<std::string>()] = v;
  EXPECT_GT(values.at("backward mlp.y")["underflow"], 0.005);
  EXPECT_LT(values.at("forward mlp.y")["underflow"], 0.005);
  EXPECT_EQ(values.at("backward encoder.table")["dtype"], "f32");
  EXPECT_EQ(values.at("backward encoder.table")["infs"], 0);
  const auto lost = [](const test::Outcome& o) { return o.out.substr(o.out.find("most is lost here")); };
  EXPECT_THAT(lost(f16), HasSubstr("mlp: matmul (backward)"));
  EXPECT_THAT(lost(f16), HasSubstr("grad(mlp.y)"));
  const auto mixed = trained("mixed");
  ASSERT_EQ(mixed.exit, 0) << mixed.err;
  EXPECT_THAT(lost(mixed), Not(HasSubstr("mlp"))) << "computed in f32";
  EXPECT_THAT(lost(mixed), HasSubstr("grad(encoder.features)")) << "and hands the last of them on in f16";
}

}  // namespace
}  // namespace hw
