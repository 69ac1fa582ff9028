// export --field: a wire as a shader. That it computes what the graph does: tests/shader.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/io/media/image_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::kExample;
using test::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const std::filesystem::path& file) {
  std::string text;
  std::getline(std::ifstream(file), text, '\0');
  return text;
}

TEST(CliExportField, WritesTheFunctionAndItsWeights) {
  const test::TempFolder folder;
  const std::string glsl = (folder / "duck.glsl").string();
  const Outcome made = cli({"export", kExample, "--field", "sigmoid.y", "-o", glsl});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("initial ones"));
  EXPECT_THAT(made.out, HasSubstr("field of position [3], 3 channels"));
  const std::string text = text_of(glsl);
  EXPECT_THAT(text, HasSubstr("// sigmoid.y: vec3 field(vec3 position)"));
  EXPECT_THAT(text, HasSubstr("duck.bin, "));
  EXPECT_THAT(text, HasSubstr("encoder.table"));
  EXPECT_THAT(text, HasSubstr("\n  // mlp\n"));
  const auto bytes = std::filesystem::file_size(folder / "duck.bin");
  EXPECT_EQ(bytes, 2u * 12'599'920 + 4u * 2144);
  EXPECT_THAT(text, HasSubstr(std::to_string(bytes) + " bytes"));

  const Outcome again = cli({"export", kExample, "--field", "sigmoid.y", "-o", glsl});
  EXPECT_EQ(again.exit, 3) << "never over a file";
  const Outcome slang = cli({"export", kExample, "--field", "sigmoid.y", "-o", (folder / "duck.slang").string()});
  ASSERT_EQ(slang.exit, 0) << "the same weights: " << slang.err;
  EXPECT_THAT(text_of(folder / "duck.slang"), HasSubstr("StructuredBuffer<uint> weights;"));
  EXPECT_THAT(text_of(folder / "duck.slang"), Not(HasSubstr("vec3")));
  std::ofstream(folder / "other.bin") << "something else";
  const Outcome other = cli({"export", kExample, "--field", "sigmoid.y", "-o", (folder / "other.hlsl").string()});
  EXPECT_EQ(other.exit, 3);
  EXPECT_EQ(text_of(folder / "other.bin"), "something else");
  EXPECT_FALSE(std::filesystem::exists(folder / "other.hlsl"));
}

TEST(CliExportField, StandsBesideTheTextureItReplaces) {
  const test::TempFolder folder;
  // 128 × 64 texels, of which a field without weights knows nothing.
  Image picture{128, 64, std::vector<uint8_t>(128 * 64 * 4, 255)};
  for (size_t i = 0; i < picture.rgba.size(); i += 4) picture.rgba[i] = static_cast<uint8_t>(i / 4 * 7);
  ASSERT_TRUE(save_png(picture, folder / "picture.png"));
  const std::string graph = std::string(HALFWIRE_EXAMPLES) + "/photograph.halfwire";
  const std::string shown = "photo.path=" + (folder / "picture.png").string();
  const Outcome made =
      cli({"export", graph, "--set", shown, "--set", "encoder.levels=2", "--set", "encoder.log2_table=8", "--field",
           "sigmoid.y", "--json", "-o", (folder / "photo.glsl").string()});
  ASSERT_EQ(made.exit, 0) << made.err;
  const auto all = nlohmann::json::parse(made.out);
  const auto& texture = all["texture"];
  ASSERT_TRUE(texture.is_object()) << made.out << made.err;
  EXPECT_EQ(texture["viewer"], "view");
  EXPECT_EQ(texture["texels"], 128 * 64);
  EXPECT_EQ(texture["bc7_bytes"], 128 * 64);
  EXPECT_EQ(texture["png_bytes"], std::filesystem::file_size(folder / "picture.png"));
  EXPECT_DOUBLE_EQ(texture["bits_per_texel"], 8.0 * all["weight_bytes"].get<double>() / (128 * 64));
  const Outcome drawn = cli({"render", graph, "--set", shown, "--set", "encoder.levels=2", "--set",
                             "encoder.log2_table=8", "--compare", "--json", "-o", (folder / "shown.png").string()});
  ASSERT_EQ(drawn.exit, 0) << drawn.err;
  EXPECT_DOUBLE_EQ(texture["psnr"], nlohmann::json::parse(drawn.out)["psnr"]);

  const Outcome duck = cli({"export", kExample, "--field", "sigmoid.y", "-o", (folder / "duck.glsl").string()});
  EXPECT_THAT(duck.out, HasSubstr("a texture of 262144 texels: "));
  EXPECT_THAT(duck.out, HasSubstr(" dB: the field's colours against the mesh's at 65536 points of its surface"));
  const Outcome tail =
      cli({"export", kExample, "--field", "sigmoid.y", "--point", "cast.y", "-o", (folder / "tail.glsl").string()});
  EXPECT_EQ(tail.exit, 0) << tail.err;
  EXPECT_THAT(tail.out, Not(HasSubstr("texel"))) << "the table is not in its weights";
  const Outcome inside = cli({"export", kExample, "--field", "mlp.y", "-o", (folder / "mlp.glsl").string()});
  EXPECT_EQ(inside.exit, 0) << inside.err;
  EXPECT_THAT(inside.out, Not(HasSubstr("texel"))) << "no viewer shows this wire";
}

TEST(CliExportField, OtherWiresCanBeItsVariables) {
  const test::TempFolder folder;
  const std::string graph = std::string(HALFWIRE_EXAMPLES) + "/sphere.halfwire";
  const Outcome alone = cli({"export", graph, "--field", "distance.y", "-o", (folder / "a.glsl").string()});
  EXPECT_EQ(alone.exit, 1);
  EXPECT_THAT(alone.err, HasSubstr("does not depend on where a point lies"));
  const Outcome idle = cli({"export", graph, "--field", "distance.y", "--point", "points.y", "--point", "truth.d", "-o",
                            (folder / "a.glsl").string()});
  EXPECT_EQ(idle.exit, 1);
  EXPECT_THAT(idle.err, HasSubstr("truth.d"));
  const Outcome made =
      cli({"export", graph, "--field", "distance.y", "--point", "points.y", "-o", (folder / "a.glsl").string()});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_THAT(text_of(folder / "a.glsl"), HasSubstr("float field(vec3 points_y)\n// points_y: the wire points.y\n"));
}

// glslang's front end of HLSL knows all that fields of f32 need.
TEST(CliExportField, WritesHlslThatCompiles) {
  const std::string compiler = HALFWIRE_GLSLANG;
  if (compiler.empty()) GTEST_SKIP() << "There is no glslangValidator.";
  struct Field {
    std::string graph;
    std::vector<std::string> options;
    std::string declares, call;
  };
  const std::string at3 = "float3(at, at, at)";
  const std::vector<Field> fields{
      {"neural_texture", {"--field", "sigmoid.y", "--set", "encoder.log2_table=8"}, "", at3},
      {"neural_texture",
       {"--field", "sigmoid.y", "--point", "cast.y"},
       "float given[32];\n  for (int i = 0; i < 32; ++i) given[i] = at;",
       "given"},
      {"sphere", {"--field", "distance.y", "--point", "points.y"}, "", at3},
      {"rotation", {"--field", "turn.y", "--point", "points.y"}, "", at3},
      {"image_to_3d", {"--field", "surface_field.colour"}, "", at3}};
  for (const Field& field : fields) {
    SCOPED_TRACE(field.graph + " " + field.call);
    const test::TempFolder folder;
    std::vector<std::string> args{"export", std::string(HALFWIRE_EXAMPLES) + "/" + field.graph + ".halfwire", "-o",
                                  (folder / "field.hlsl").string()};
    args.insert(args.end(), field.options.begin(), field.options.end());
    const Outcome made = cli(args);
    ASSERT_EQ(made.exit, 0) << made.err;
    std::ofstream(folder / "main.hlsl") << "#include \"field.hlsl\"\n\nRWStructuredBuffer<float> results;\n\n"
                                           "[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {\n"
                                           "  float at = float(id.x);\n  "
                                        << field.declares << "\n  results[id.x] = dot(field(" << field.call
                                        << "), 1.0);\n}\n";
    const std::string log = (folder / "log").string();
    const std::string command = compiler + " -D -S comp -e main -V " + (folder / "main.hlsl").string() + " -o " +
                                (folder / "main.spv").string() + " > " + log;
    EXPECT_EQ(std::system(command.c_str()), 0) << text_of(log) << text_of(folder / "field.hlsl");
    EXPECT_TRUE(std::filesystem::exists(folder / "main.spv"));
  }
}

TEST(CliExportField, SaysWhatIsWrong) {
  const test::TempFolder folder;
  const auto error = [&](std::vector<std::string> more, int exit) {
    std::vector<std::string> args{"export", kExample};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome o = cli(args);
    EXPECT_EQ(o.exit, exit) << o.err;
    return o.err;
  };
  const std::string glsl = (folder / "a.glsl").string();
  EXPECT_THAT(error({"--field", "sigmoid.y", "-o", (folder / "a.wgsl").string()}, 2), HasSubstr(".slang"));
  EXPECT_THAT(error({"--field", "sigmoid.z", "-o", glsl}, 2), HasSubstr("--field"));
  EXPECT_THAT(error({"--field", "sigmoid.y", "--opset", "18", "-o", glsl}, 2), HasSubstr("--opset"));
  EXPECT_THAT(error({"--field", "mesh.mesh", "-o", glsl}, 1), HasSubstr("tensor"));
  EXPECT_THAT(error({"--field", "sampler.color", "-o", glsl}, 1), HasSubstr("sampler"));
  EXPECT_THAT(error({"--field", "", "-o", glsl}, 2), HasSubstr("--field"));
  EXPECT_THAT(error({"-o", glsl}, 2), HasSubstr("--field"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  std::filesystem::create_directory(folder / "a.bin");
  EXPECT_THAT(error({"--field", "sigmoid.y", "-o", glsl}, 3), HasSubstr("a.bin"));
  EXPECT_FALSE(std::filesystem::exists(glsl));
}

}  // namespace
}  // namespace hw
