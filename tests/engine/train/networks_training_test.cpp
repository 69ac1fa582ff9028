// The networks among the examples as wholes: their gradients, and some steps of training on ref and cpu. On small
// pictures, with few classes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/gradient/grad_check.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/scope.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/pass_comparison.h"

namespace hw::networks_training_test {
namespace {

/// `side`: of the pictures, so that a few numbers are left for the last batch norms. `is_light`: checked in every run;
/// the others take minutes and are checked where HALFWIRE_ALL_NETWORKS is set. `loss_rtol`: of the first loss in f32.
/// `learning_rate`: of plain SGD, small enough that three steps on four pictures go downhill.
struct Network {
  const char* name;
  double side;
  bool is_light = false;
  double loss_rtol = 1e-5;
  double learning_rate = 1e-3;
};
/// Inception-v3's weights begin with a deviation of 0.1 at every width, so that its batch norms divide by small
/// deviations. Its loss is as well conditioned as PyTorch's: over six seeds f32 and f64 differ by 3e-6 to 2.2e-5 there,
/// by 1e-5 to 2.6e-5 here; seed 0 has 5.2e-5. The tolerance is that of its longest sums, 3·3·448
/// products: 1.3e-6·√4032.
constexpr double kInceptionRtol = 8.3e-5;
constexpr Network kNetworks[] = {
    {"ConvNeXt-T", 64},
    {"Darknet-53", 64},
    {"EfficientNet-B0", 64},
    {"GoogLeNet", 64},
    {"Inception-v3", 107, false, kInceptionRtol, 1e-4},
    {"MobileNetV2", 64, true},
    {"MobileNetV3-Large", 64, true},
    {"ResNet-18", 64},
    {"ResNet-20-CIFAR", 32, true},
    {"ResNet-50", 64},
    {"VGG-16", 64},
};
constexpr int kSteps = 3;

/// The network with four pictures and four targets that stay, and a mean squared error of ten outputs.
Result<Graph> trainable(const Network& network) {
  const auto file = std::filesystem::path(HALFWIRE_EXAMPLES) / "networks" / (std::string(network.name) + ".halfwire");
  HW_TRY(const Graph document, read_graph(file));
  Graph graph = flatten(document);
  const auto numbers = [](const char* id, std::vector<double> shape, const char* axes) {
    return test::node(id, "parameter",
                      {{"shape", std::move(shape)}, {"axes", std::string(axes)}, {"scale", 1.0}, {"trainable", false}});
  };
  HW_CHECK(apply_edits(
      graph,
      {RemoveNode{"picture"}, RemoveNode{"scores"}, SetParam{"classifier", "out_features", ParamValue(int64_t{10})},
       AddNode{numbers("pictures", {4, 3, network.side, network.side}, "N C H W")},
       AddNode{numbers("targets", {4, 10}, "N C")}, AddNode{test::node("mse", "mse")},
       AddNode{test::node("train", "train",
                          {{"steps", int64_t{kSteps}},
                           {"optimiser", std::string("sgd")},
                           {"learning_rate", network.learning_rate},
                           {"schedule", std::string("constant")}})},
       AddLink{test::link("classifier.y", "mse.prediction")}, AddLink{test::link("targets.y", "mse.target")},
       AddLink{test::link("mse.loss", "train.loss")}}));
  for (const Link& link : document.links_from("picture")) {
    const Link inside = flat_link(document_scope(document), link);
    HW_CHECK(apply_edits(graph, {AddLink{{"pictures", "y", inside.to, inside.to_socket}}}));
  }
  return graph;
}

class NetworkTraining : public testing::TestWithParam<Network> {
 protected:
  void SetUp() override {
    if (!GetParam().is_light && !std::getenv("HALFWIRE_ALL_NETWORKS"))
      GTEST_SKIP() << "HALFWIRE_ALL_NETWORKS is not set";
  }
};

TEST_P(NetworkTraining, GradientIsTheSlopeOfTheLoss) {
  const auto graph = trainable(GetParam());
  ASSERT_TRUE(graph) << graph.error().text();
  FileAssets assets("");
  const auto subject = grad_subject(*graph, assets);
  ASSERT_TRUE(subject) << subject.error().text();
  GradCheckOptions options;
  options.device = "cpu";
  options.epsilon = 1e-9;  // so near that hardly any of the activations has a kink between
  const auto slope = check_gradient_along_all(*subject, options);
  ASSERT_TRUE(slope) << slope.error().text();
  EXPECT_NE(slope->adjoint, 0);
  EXPECT_LE(slope->error, 1) << slope->adjoint << " by the adjoint, " << slope->difference << " by differences";
}

TEST_P(NetworkTraining, LossFallsAlikeOnRefAndCpu) {
  const auto graph = trainable(GetParam());
  ASSERT_TRUE(graph) << graph.error().text();
  std::vector<std::vector<float>> losses;
  for (const char* device : {"ref", "cpu"}) {
    Session session(std::make_shared<FileAssets>(""), nullptr);
    session.start(*graph, device);
    session.wait();
    const auto run = session.snapshot();
    ASSERT_EQ(run->state, RunState::finished) << (run->error ? run->error->text() : "");
    losses.push_back(*run->losses);
    EXPECT_LT(losses.back().back(), losses.back().front()) << device;
  }
  // Later ones part: each update moves a batch norm of few numbers, which is divided by a small deviation.
  EXPECT_NEAR(losses[0].front() / losses[1].front(), 1, GetParam().loss_rtol);
}

TEST_P(NetworkTraining, PassesKeepWhatItComputes) {
  const auto graph = trainable(GetParam());
  ASSERT_TRUE(graph) << graph.error().text();
  FileAssets assets("");
  const SocketRef scores[] = {{"classifier", "y"}};
  const auto lowered = lower(*graph, scores, {}, assets);
  ASSERT_TRUE(lowered) << lowered.error().text();
  lowered->program->outputs.push_back({"scores", std::get<Val>(lowered->sockets.at(scores[0])).id});
  const auto is_norm = [](const auto& entry) { return entry.second.type == "batch_norm"; };
  EXPECT_EQ(test::expect_passes_keep(lowered->program) > 0, std::ranges::any_of(graph->nodes(), is_norm));
  const auto planned = plan_training(*graph, assets);
  ASSERT_TRUE(planned) << planned.error().text();
  test::expect_layouts_keep(*planned);
}

INSTANTIATE_TEST_SUITE_P(All, NetworkTraining, testing::ValuesIn(kNetworks), [](const auto& tested) {
  std::string name = tested.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace hw::networks_training_test
