// The networks among the examples have the parameters and multiply–adds that are published for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/core/codes.h"
#include "engine/graph/check/structure_hints.h"
#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/lower/summary.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "engine/node/windows.h"

namespace hw {
namespace {

/// Figures for one picture. Parameters: torchvision's model pages, without auxiliary classifiers; darknet53.cfg with a
/// classifier of 1000; He et al. 2015 (0.27 M). Multiply–adds: the same pages, to the digits that they give.
struct Published {
  const char* name;
  int64_t parameters;
  double giga_multiply_adds, within;
};
constexpr Published kNetworks[] = {
    {"ConvNeXt-T", 28'589'128, 4.456, 0.0005},       {"Darknet-53", 41'609'928, 9.285, 0.005},
    {"EfficientNet-B0", 5'288'548, 0.39, 0.005},     {"GoogLeNet", 6'624'904, 1.50, 0.005},
    {"Inception-v3", 23'834'568, 5.71, 0.005},       {"MobileNetV2", 3'504'872, 0.30, 0.005},
    {"MobileNetV3-Large", 5'483'032, 0.217, 0.0005}, {"ResNet-18", 11'689'512, 1.81, 0.005},
    {"ResNet-20-CIFAR", 272'474, 0.041, 0.0005},     {"ResNet-50", 25'557'032, 4.09, 0.005},
    {"VGG-16", 138'357'544, 15.47, 0.005},
};
const std::filesystem::path kFolder = std::filesystem::path(HALFWIRE_EXAMPLES) / "networks";

class Networks : public testing::TestWithParam<Published> {};

TEST_P(Networks, HaveThePublishedCounts) {
  const Published& published = GetParam();
  const auto document = read_graph(kFolder / (std::string(published.name) + ".halfwire"));
  ASSERT_TRUE(document) << document.error().text();
  const Graph flat = flatten(*document);
  Validator validator;
  validator.reset(flat);
  for (const Diagnostic& d : validator.all()) ADD_FAILURE() << to_string(d);
  for (const Diagnostic& d : structure_hints(flat)) ADD_FAILURE() << to_string(d);
  FileAssets assets("");
  const auto summary = summarise(flat, validator, assets);
  ASSERT_TRUE(summary) << summary.error().text();
  EXPECT_EQ(summary->parameters.at("").parameters, published.parameters);
  EXPECT_NEAR(summary->multiply_adds.at("") / 1e9, published.giga_multiply_adds, published.within);
}

INSTANTIATE_TEST_SUITE_P(All, Networks, testing::ValuesIn(kNetworks), [](const auto& tested) {
  std::string name = tested.param.name;
  std::erase(name, '-');
  return name;
});

/// The pools are square. One that rounds its size up, as ceil_mode of PyTorch does, has more padding at the end.
TEST_P(Networks, PadTheirPoolsAsPublished) {
  const auto document = read_graph(kFolder / (std::string(GetParam().name) + ".halfwire"));
  ASSERT_TRUE(document) << document.error().text();
  const Graph flat = flatten(*document);
  for (const auto& [id, node] : flat.nodes()) {
    if (node.type != "max_pool" && node.type != "avg_pool") continue;
    const NodeDecl& decl = Registry::instance().find(node.type)->decl;
    const auto padding = windows::padding_of(Params(decl, node.params), "padding");
    ASSERT_TRUE(padding) << id << ": " << padding.error().text();
    EXPECT_EQ(padding->begin[0], padding->begin[1]) << id;
    EXPECT_EQ(padding->end[0], padding->end[1]) << id;
    EXPECT_LE(padding->begin[0], padding->end[0]) << id;
  }
}

TEST(NetworkFiles, AreAllInTheTable) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    files += entry.path().extension() == ".halfwire";
  EXPECT_EQ(files, std::size(kNetworks));
}

/// Darknet-53 as one finds it written down: nothing is added back, a layer that does not exist, biases before batch
/// norms, no classifier.
TEST(NetworkFiles, MistakesAreSaid) {
  const auto document = read_graph(kFolder.parent_path() / "mistakes" / "Darknet-53.halfwire");
  ASSERT_TRUE(document) << document.error().text();
  Graph mended = *document;
  Validator validator;
  validator.reset(flatten(*document));
  std::vector<Diagnostic> errors = validator.all();
  std::erase_if(errors, [](const Diagnostic& d) { return d.severity != Severity::error || d.node != "selfconv3"; });
  ASSERT_EQ(errors.size(), 1u);
  const auto conv2d = std::ranges::find(errors[0].remedies, "Replace it with Conv2d", &Remedy::label);
  ASSERT_NE(conv2d, errors[0].remedies.end());
  ASSERT_TRUE(apply_flat_edits(mended, conv2d->edits));
  const Graph flat = flatten(mended);
  validator.reset(flat);
  for (const Diagnostic& d : validator.all()) ADD_FAILURE() << to_string(d);
  std::map<std::string, int> hints;
  for (const Diagnostic& d : structure_hints(flat)) {
    ++hints[d.code];
    if (d.code != codes::idle_bias) continue;
    EXPECT_EQ(d.remedies.at(0).edits.size(), 52u) << "every convolution";
    ASSERT_TRUE(apply_flat_edits(mended, d.remedies[0].edits));
  }
  EXPECT_EQ(hints,
            (std::map<std::string, int>{{codes::no_shortcut, 1}, {codes::no_classifier, 1}, {codes::idle_bias, 1}}));
  EXPECT_EQ(structure_hints(flatten(mended)).size(), 2u) << "no bias is left";
}

}  // namespace
}  // namespace hw
