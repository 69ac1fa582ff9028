// An untrusted graph reaches no file that the user did not name.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/core/codes.h"
#include "engine/io/media/image_file.h"
#include "tests/cli/process.h"
#include "tests/engine/idx_files.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using test::cli;
using test::Outcome;
using test::small;
using test::TempFolder;
using ::testing::HasSubstr;

constexpr char kQuad[] =
    "mtllib quad.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    "usemtl skin\nf 1/1 2/2 3/3 4/4\n";

class UntrustedGraph : public ::testing::Test {
 protected:
  UntrustedGraph() {
    fs::create_directories(folder_ / "graph");
    test::write_bytes(folder_ / "out.obj", kQuad);
    test::write_bytes(folder_ / "out.mtl", "newmtl skin\n");
    test::write_bytes(folder_ / "graph/quad.obj", kQuad);
    Image image{2, 1, {255, 0, 0, 255, 0, 0, 255, 255}};
    EXPECT_TRUE(save_png(image, folder_ / "secret.png"));
    test::write_bytes(folder_ / "graph/quad.mtl", "newmtl skin\nmap_Kd ../secret.png\n");
    fs::create_symlink("/", folder_ / "graph/root");
  }
  /// The neural texture of this mesh.
  std::string graph_of(const std::string& mesh) {
    const fs::path file = folder_ / "graph/g.halfwire";
    test::write_bytes(file, test::example_with("asset:Collada/duck.dae", mesh));
    return file.string();
  }
  Outcome train(const std::string& graph, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"train", graph, "--steps", "1", "--out", (folder_ / "out").string()};
    words.insert(words.end(), more.begin(), more.end());
    return cli(small(words));
  }
  TempFolder folder_;
};

TEST_F(UntrustedGraph, PathsThatLeadOutAreRefused) {
  const std::string out = (folder_ / "out.obj").string();
  for (const std::string& path : {"asset:root" + out, "root" + out, out, std::string("../out.obj")}) {
    const std::string graph = graph_of(path);
    const Outcome o = train(graph);
    EXPECT_EQ(o.exit, 3) << path << o.err;
    EXPECT_THAT(o.err, HasSubstr("HW-A006 at mesh.path: " + fs::canonical(out).string() + ": ")) << path;
    EXPECT_EQ(cli({"validate", graph}).exit, 1) << path;
    EXPECT_EQ(train(graph, {"--allow-path", out}).exit, 0) << "the file itself";
    EXPECT_EQ(train(graph, {"--allow-path", "/nowhere", "--allow-path", folder_.path().string()}).exit, 0);
    EXPECT_EQ(cli({"validate", graph, "--allow-path", folder_.path().string()}).exit, 0);
    EXPECT_EQ(train(graph, {"--set", "mesh.path=" + out}).exit, 0) << "what the user names may be read";
  }
}

TEST_F(UntrustedGraph, TexturesThatLeadOutAreLeftOutAndReported) {
  const std::string graph = graph_of("quad.obj"), secret = fs::canonical(folder_ / "secret.png").string();
  const Outcome o = train(graph);
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.err, HasSubstr("warning: HW-A006 at mesh.path: " + secret));
  const Outcome info = cli({"mesh-info", (folder_ / "graph/quad.obj").string(), "--json"});
  const auto j = nlohmann::json::parse(info.out);
  EXPECT_EQ(j["refused"], nlohmann::json{secret});
  EXPECT_EQ(j["textures"][0]["state"], "refused");
  const auto allowed = nlohmann::json::parse(
      cli({"mesh-info", (folder_ / "graph/quad.obj").string(), "--json", "--allow-path", secret}).out);
  EXPECT_EQ(allowed["textures"][0]["state"], "file");
  EXPECT_EQ(train(graph, {"--allow-path", secret}).err.find("HW-A006"), std::string::npos);
}

TEST_F(UntrustedGraph, WeightsBesideItMayBeNoLinkThatLeadsOut) {
  const std::string graph = graph_of("asset:OBJ/box.obj");
  ASSERT_EQ(train(graph).exit, 0);
  fs::create_symlink(folder_ / "out/weights.safetensors", folder_ / "graph/g.safetensors");
  const std::vector<std::string> run = small({"run", graph, "--output", "mlp.y"});
  const Outcome refused = cli(run);
  EXPECT_EQ(refused.exit, 3);
  EXPECT_THAT(refused.err, HasSubstr("HW-A006 at " + fs::canonical(folder_ / "out/weights.safetensors").string()));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--allow-path", (folder_ / "out").string()},
        std::vector<std::string>{"--weights", (folder_ / "graph/g.safetensors").string()}}) {
    std::vector<std::string> words = run;
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(cli(words).exit, 0) << more[0];
  }
}

TEST_F(UntrustedGraph, DataSetsThatLeadOutAreRefused) {
  fs::create_directories(folder_ / "set");
  test::write_idx_set(folder_ / "set", {64, 64}, {28, 28}, 10);
  std::string text = test::read_bytes(std::string(HALFWIRE_EXAMPLES) + "/digits.halfwire");
  const size_t at = text.find("asset:mnist");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 11, "../set");
  const std::string graph = (folder_ / "graph/digits.halfwire").string();
  test::write_bytes(graph, text);
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", graph, "--output", "batch.x"};
    words.insert(words.end(), more.begin(), more.end());
    return cli(words);
  };
  const Outcome refused = run({});
  EXPECT_EQ(refused.exit, 3);
  EXPECT_THAT(refused.err, HasSubstr("HW-A006 at data.path: " + fs::canonical(folder_ / "set").string()));
  EXPECT_EQ(run({"--allow-path", (folder_ / "set").string()}).exit, 0);
  EXPECT_EQ(run({"--set", "data.path=" + (folder_ / "set/train-images-idx3-ubyte").string()}).exit, 0);
}

}  // namespace
}  // namespace hw
