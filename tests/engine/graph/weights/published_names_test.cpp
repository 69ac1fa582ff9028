// Published networks: the names of torchvision and timm on the networks and blocks that come with the program.
#include "engine/graph/weights/published_names.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>

#include "engine/graph/check/check_tie.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/graph/weights/map_weights.h"
#include "engine/graph/weights/published_tables.h"
#include "engine/io/graph/graph_file.h"

namespace hw::published_names_test {
namespace {

using File = std::map<std::string, Tensor>;

/// Flattened. `file`: beside the examples.
Graph flat_graph(const std::string& file) {
  auto graph = read_graph(std::string(HALFWIRE_EXAMPLES) + "/" + file + ".halfwire");
  EXPECT_TRUE(graph);
  return graph ? flatten(*graph) : Graph();
}
Graph network(const std::string& name) {
  return flat_graph("networks/" + name);
}

Validator validator_of(const Graph& graph) {
  Validator validator;
  validator.reset(graph);
  return validator;
}

void add(File& file, const std::string& name, const Dims& dims) {
  EXPECT_TRUE(file.emplace(name, Tensor::zeros(DType::f32, dims)).second) << name;
}

/// A convolution without bias, a linear layer and norms as PyTorch's modules have them.
void add_linear(File& file, const std::string& module, const Dims& weight) {
  add(file, module + ".weight", weight);
  add(file, module + ".bias", {weight[0]});
}
void add_layer_norm(File& file, const std::string& module, int64_t size) {
  for (const char* weight : {".weight", ".bias"}) add(file, module + weight, {size});
}
void add_batch_norm(File& file, const std::string& module, int64_t size) {
  add_layer_norm(file, module, size);
  for (const char* weight : {".running_mean", ".running_var"}) add(file, module + weight, {size});
  file.emplace(module + ".num_batches_tracked", Tensor::zeros(DType::i64, {}));
}
void add_conv(File& file, const std::string& conv, const std::string& norm, const Dims& weight) {
  add(file, conv + ".weight", weight);
  add_batch_norm(file, norm, weight[0]);
}

File resnet18(const std::string& prefix = "") {
  File file;
  add_conv(file, prefix + "conv1", prefix + "bn1", {64, 3, 7, 7});
  for (int64_t stage = 1, before = 64; stage <= 4; ++stage) {
    const int64_t width = 32 << stage;
    for (int64_t block = 0; block < 2; ++block) {
      const std::string module = prefix + "layer" + std::to_string(stage) + "." + std::to_string(block) + ".";
      add_conv(file, module + "conv1", module + "bn1", {width, before, 3, 3});
      add_conv(file, module + "conv2", module + "bn2", {width, width, 3, 3});
      if (width != before) add_conv(file, module + "downsample.0", module + "downsample.1", {width, before, 1, 1});
      before = width;
    }
  }
  add_linear(file, prefix + "fc", {1000, 512});
  return file;
}

File timms_convnext() {
  File file;
  add_linear(file, "stem.0", {96, 3, 4, 4});
  add_layer_norm(file, "stem.1", 96);
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t width = 96 << stage;
    const std::string of = "stages." + std::to_string(stage) + ".";
    if (stage > 0) add_layer_norm(file, of + "downsample.0", width / 2);
    if (stage > 0) add_linear(file, of + "downsample.1", {width, width / 2, 2, 2});
    for (int block = 0; block < (stage == 2 ? 9 : 3); ++block) {
      const std::string module = of + "blocks." + std::to_string(block) + ".";
      add(file, module + "gamma", {width});
      add_linear(file, module + "conv_dw", {width, 1, 7, 7});
      add_layer_norm(file, module + "norm", width);
      add_linear(file, module + "mlp.fc1", {4 * width, width});
      add_linear(file, module + "mlp.fc2", {width, 4 * width});
    }
  }
  add_layer_norm(file, "head.norm", 768);
  add_linear(file, "head.fc", {1000, 768});
  return file;
}

File googlenet() {
  File file;
  add_conv(file, "conv1.conv", "conv1.bn", {64, 3, 7, 7});
  add_conv(file, "conv2.conv", "conv2.bn", {64, 64, 1, 1});
  add_conv(file, "conv3.conv", "conv3.bn", {192, 64, 3, 3});
  struct Row {
    const char* name;
    int64_t in, one, three_reduce, three, five_reduce, five, pool;
  };
  for (const Row& r : std::vector<Row>{{"3a", 192, 64, 96, 128, 16, 32, 32},
                                       {"3b", 256, 128, 128, 192, 32, 96, 64},
                                       {"4a", 480, 192, 96, 208, 16, 48, 64},
                                       {"4b", 512, 160, 112, 224, 24, 64, 64},
                                       {"4c", 512, 128, 128, 256, 24, 64, 64},
                                       {"4d", 512, 112, 144, 288, 32, 64, 64},
                                       {"4e", 528, 256, 160, 320, 32, 128, 128},
                                       {"5a", 832, 256, 160, 320, 32, 128, 128},
                                       {"5b", 832, 384, 192, 384, 48, 128, 128}}) {
    const auto branch = [&](const std::string& which, const Dims& weight) {
      const std::string module = "inception" + std::string(r.name) + ".branch" + which;
      add_conv(file, module + ".conv", module + ".bn", weight);
    };
    branch("1", {r.one, r.in, 1, 1});
    branch("2.0", {r.three_reduce, r.in, 1, 1});
    branch("2.1", {r.three, r.three_reduce, 3, 3});
    branch("3.0", {r.five_reduce, r.in, 1, 1});
    branch("3.1", {r.five, r.five_reduce, 3, 3});
    branch("4.1", {r.pool, r.in, 1, 1});
  }
  add_linear(file, "fc", {1000, 1024});
  return file;
}

File timms_mobilenet_v3() {
  File file;
  add_conv(file, "conv_stem", "bn1", {16, 3, 3, 3});
  add_conv(file, "blocks.0.0.conv_dw", "blocks.0.0.bn1", {16, 1, 3, 3});
  add_conv(file, "blocks.0.0.conv_pw", "blocks.0.0.bn2", {16, 16, 1, 1});
  struct Row {
    const char* name;
    int64_t kernel, in, wide, out, squeezed;
  };
  for (const Row& r : std::vector<Row>{{"1.0", 3, 16, 64, 24, 0},
                                       {"1.1", 3, 24, 72, 24, 0},
                                       {"2.0", 5, 24, 72, 40, 24},
                                       {"2.1", 5, 40, 120, 40, 32},
                                       {"2.2", 5, 40, 120, 40, 32},
                                       {"3.0", 3, 40, 240, 80, 0},
                                       {"3.1", 3, 80, 200, 80, 0},
                                       {"3.2", 3, 80, 184, 80, 0},
                                       {"3.3", 3, 80, 184, 80, 0},
                                       {"4.0", 3, 80, 480, 112, 120},
                                       {"4.1", 3, 112, 672, 112, 168},
                                       {"5.0", 5, 112, 672, 160, 168},
                                       {"5.1", 5, 160, 960, 160, 240},
                                       {"5.2", 5, 160, 960, 160, 240}}) {
    const std::string module = "blocks." + std::string(r.name) + ".";
    add_conv(file, module + "conv_pw", module + "bn1", {r.wide, r.in, 1, 1});
    add_conv(file, module + "conv_dw", module + "bn2", {r.wide, 1, r.kernel, r.kernel});
    if (r.squeezed) add_linear(file, module + "se.conv_reduce", {r.squeezed, r.wide, 1, 1});
    if (r.squeezed) add_linear(file, module + "se.conv_expand", {r.wide, r.squeezed, 1, 1});
    add_conv(file, module + "conv_pwl", module + "bn3", {r.out, r.wide, 1, 1});
  }
  add_conv(file, "blocks.6.0.conv", "blocks.6.0.bn1", {960, 160, 1, 1});
  add_linear(file, "conv_head", {1280, 960, 1, 1});
  add_linear(file, "classifier", {1000, 1280});
  return file;
}

WeightMapping map(const Graph& graph, const File& file) {
  return map_weights(graph, validator_of(graph), file, {}, MappedBy::similar_name);
}

FittedWeights fitted(Graph graph, const WeightMapping& mapping, const File& file) {
  graph.weight_names = mapping.names(graph);
  return fit_weights(graph, validator_of(graph), file);
}
FittedWeights fitted(const Graph& graph, const File& file) {
  return fitted(graph, map(graph, file), file);
}

std::string tensor_of(const WeightMapping& mapping, const std::string& parameter) {
  const auto row = std::ranges::find(mapping.parameters, parameter, &MappedWeight::parameter);
  return row == mapping.parameters.end() ? "no such parameter" : row->tensor;
}

/// Every parameter has a tensor by the table, no tensor two, and all is loaded.
void expect_all(const Graph& graph, const File& file, const std::string& name) {
  const WeightMapping mapping = map(graph, file);
  EXPECT_EQ(mapping.network, name);
  std::set<std::string> tensors;
  for (const MappedWeight& m : mapping.parameters) {
    EXPECT_EQ(m.by, MappedBy::published) << m.parameter;
    EXPECT_TRUE(tensors.insert(m.tensor).second) << m.tensor;
  }
  EXPECT_TRUE(mapping.unused.empty()) << testing::PrintToString(mapping.unused);
  const FittedWeights fit = fitted(graph, mapping, file);
  EXPECT_TRUE(fit.problems.empty()) << as_error(fit.problems).reason;
  EXPECT_EQ(fit.tensors.size(), mapping.parameters.size());
}

TEST(PublishedNames, WeightsOfTorchvisionAndTimmFit) {
  expect_all(network("ResNet-18"), resnet18(), "ResNet-18 (torchvision, timm)");
  expect_all(network("ConvNeXt-T"), timms_convnext(), "ConvNeXt-T (timm)");
  expect_all(network("GoogLeNet"), googlenet(), "GoogLeNet (torchvision)");
  expect_all(network("MobileNetV3-Large"), timms_mobilenet_v3(), "MobileNetV3-Large (timm)");
}

TEST(PublishedNames, TheNamesOfTheTableCountMoreThanTheGraphsOwn) {
  const WeightMapping mapping = map(network("MobileNetV3-Large"), timms_mobilenet_v3());
  EXPECT_EQ(tensor_of(mapping, "hidden.weight"), "conv_head.weight");  // which the graph has a node of, too
  EXPECT_EQ(tensor_of(mapping, "conv_head.weight"), "blocks.6.0.conv.weight");
}

TEST(PublishedNames, WhatStandsBeforeAllNamesIsNoMatter) {
  const Graph graph = network("ResNet-18");
  for (const char* prefix : {"module.", "_orig_mod.", "module._orig_mod.", "state_dict.model."})
    expect_all(graph, resnet18(prefix), "ResNet-18 (torchvision, timm)");
}

TEST(PublishedNames, OfTwoCopiesThatWithoutPrefixIsTaken) {
  const Graph graph = network("ResNet-18");
  File both = resnet18(), two = resnet18("model.");
  both.merge(resnet18("ema."));
  const WeightMapping mapping = map(graph, both);
  EXPECT_EQ(tensor_of(mapping, "block_1_1/conv_1.weight"), "layer1.0.conv1.weight");
  EXPECT_EQ(mapping.unused.size(), mapping.parameters.size());
  two.merge(resnet18("ema."));
  EXPECT_TRUE(map(graph, two).network.empty());
}

TEST(PublishedNames, AHeadOfOtherClassesIsRecognisedBySize) {
  const Graph graph = network("ResNet-18");
  File file = resnet18();
  file["fc.weight"] = Tensor::zeros(DType::f32, {10, 512});
  file["fc.bias"] = Tensor::zeros(DType::f32, {10});
  const auto problems = fitted(graph, file).problems;
  ASSERT_EQ(problems.size(), 2u);
  for (const Diagnostic& d : problems) EXPECT_EQ(d.node, "classifier");
  for (const char* weight : {"fc.weight", "fc.bias"}) file.erase(weight);
  EXPECT_EQ(fitted(graph, file).problems.size(), 2u);  // missing
}

TEST(PublishedNames, AuxiliaryHeadsAreLeftOutAndSaid) {
  const Graph graph = network("GoogLeNet");
  File file = googlenet();
  add_linear(file, "aux1.fc1", {1024, 2048});
  add_conv(file, "aux1.conv.conv", "aux1.conv.bn", {128, 512, 1, 1});
  const FittedWeights fit = fitted(graph, file);
  EXPECT_TRUE(fit.problems.empty());
  EXPECT_THAT(fit.notes, testing::ElementsAre(testing::HasSubstr("aux1 is left out")));
  add_linear(file, "auxiliary.fc", {10, 10});
  EXPECT_EQ(fitted(graph, file).problems.size(), 2u);
}

TEST(PublishedNames, AnotherNetworkIsRefused) {
  EXPECT_TRUE(map(network("ResNet-18"), timms_convnext()).network.empty());
  EXPECT_TRUE(map(network("ConvNeXt-T"), resnet18()).network.empty());
}

TEST(PublishedNames, ABlockIsFoundByTheNamesInsideIt) {
  const Graph flat = flat_graph("../blocks/residual_basic_down");
  File file;
  add_conv(file, "layer2.0.conv1", "layer2.0.bn1", {6, 4, 3, 3});
  add_conv(file, "layer2.0.conv2", "layer2.0.bn2", {6, 6, 3, 3});
  add_conv(file, "layer2.0.downsample.0", "layer2.0.downsample.1", {6, 4, 1, 1});
  const WeightMapping mapping = map(flat, file);
  EXPECT_EQ(tensor_of(mapping, "residual_basic_down/norm_shortcut.running_var"), "layer2.0.downsample.1.running_var");
  EXPECT_TRUE(mapping.unused.empty());
  EXPECT_TRUE(fitted(flat, mapping, file).problems.empty());
  File second;  // another such module: nothing says which
  for (const auto& [name, tensor] : file) second["layer3" + name.substr(6)] = tensor;
  file.merge(second);
  EXPECT_EQ(map(flat, file).unused.size(), 30u);
}

TEST(PublishedNames, TablesNameAllNodesThatHaveParametersOnce) {
  for (const PublishedNetwork& table : published_network_tables()) {
    const Graph graph = network(std::string(table.network));
    const Validator validator = validator_of(graph);
    std::set<std::string> ids, named, modules;
    for (const auto& [id, node] : graph.nodes()) {
      const auto parameters = parameters_of(node, validator.input_types(graph, node));
      if (parameters && !parameters->empty()) ids.insert(id.substr(0, id.find('/')));
    }
    std::istringstream words{std::string(table.nodes)};
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      EXPECT_TRUE(named.insert(word.substr(0, equals)).second) << table.network << " " << word;
      EXPECT_TRUE(modules.insert(word.substr(equals + 1)).second) << table.network << " " << word;
    }
    EXPECT_EQ(ids, named) << table.network << " " << table.source;
  }
}

TEST(PublishedNames, SameLayoutHasTheSameElementsInTheSameOrder) {
  EXPECT_TRUE(same_layout({96}, {96, 1, 1}));
  EXPECT_TRUE(same_layout({1280, 960, 1, 1}, {1280, 960}));
  EXPECT_TRUE(same_layout({4096, 512, 7, 7}, {4096, 25088}));
  EXPECT_FALSE(same_layout({25088, 4096}, {4096, 25088}));
  EXPECT_FALSE(same_layout({64, 3, 7, 7}, {64, 7, 7, 3}));
  EXPECT_FALSE(same_layout({6}, {2, 3}));
  EXPECT_FALSE(same_layout({2, 3, 4}, {6, 4}));
}

}  // namespace
}  // namespace hw::published_names_test
