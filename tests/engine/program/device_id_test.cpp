// A device has one name, however the user wrote it.
#include "engine/program/device_id.h"

#include <algorithm>

#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

TEST(DeviceId, OfTheSameDeviceAreOne) {
  const std::pair<const char*, const char*> ids[] = {
      {"cuda", "cuda:0"},     {"cuda:0", "cuda:0"}, {"cuda:00", "cuda:0"},  {"cuda:07", "cuda:7"},
      {"cuda:10", "cuda:10"}, {"cuda:", "cuda:"},   {"cuda:x", "cuda:x"},   {"cuda:1x", "cuda:1x"},
      {"cuda_0", "cuda_0"},   {"cpu", "cpu"},       {"ref", "ref"},         {"", ""},
      {"cpu@4", "cpu@4"},     {"cudas", "cudas"},   {"vulkan", "vulkan:0"}, {"vulkan:01", "vulkan:1"},
  };
  for (const auto& [written, canonical] : ids) {
    EXPECT_EQ(canonical_device_id(written), canonical) << written;
    EXPECT_EQ(canonical_device_id(canonical_device_id(written)), canonical) << written;
  }
}

TEST(DeviceId, IsTheSameInEditsAndFiles) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetDevice{"mlp", "cuda"}}));
  EXPECT_EQ(graph.find("mlp")->device, "cuda:0");
  std::string text = write_graph(graph);
  const size_t at = text.find("\"device\": \"cuda:0\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 18, "\"device\": \"cuda\"");
  const auto read = parse_graph(text, "written by hand");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->find("mlp")->device, "cuda:0");
  EXPECT_EQ(write_graph(*read), write_graph(graph));
}

TEST(DeviceId, ThatIsHereIsFoundByEitherName) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetDevice{"mlp", "cuda"}}));
  const auto is_reported = [&](const std::vector<std::string>& devices) {
    Validator validator;
    validator.set_devices([&](const std::string& id) { return std::ranges::count(devices, id) > 0; },
                          [&] { return devices; });
    validator.reset(graph);
    return std::ranges::any_of(validator.all(), [](const Diagnostic& d) { return d.code == codes::no_device; });
  };
  EXPECT_FALSE(is_reported({"cpu", "ref", "cuda:0"}));
  EXPECT_TRUE(is_reported({"cpu", "ref"}));
}

}  // namespace
}  // namespace hw
