// What people type who come from other tools: the node they mean is found first.
#include "app/models/palette/node_ranking.h"

#include <gtest/gtest.h>

#include "app/document/text.h"
#include "app/models/palette/fuzzy_match.h"
#include "app/models/palette/placeable.h"

namespace hw::app::testing {
namespace {

std::vector<std::string> found(const char* query) {
  std::vector<std::string> ids;
  for (const Placeable& one : ranked(QString::fromUtf8(query), placeables({}, {}))) ids.push_back(one.key());
  return ids;
}

struct Query {
  const char* typed;
  const char* first;
};

TEST(NodeRanking, KnowsTheNamesOfOtherTools) {
  constexpr Query queries[] = {
      // PyTorch
      {"nn.Linear", "linear"},
      {"torch.nn.Linear", "linear"},
      {"Conv2d", "conv2d"},
      {"ConvTranspose2d", "conv_transpose2d"},
      {"MaxPool2d", "max_pool"},
      {"AvgPool2d", "avg_pool"},
      {"AdaptiveAvgPool2d", "adaptive_avg_pool"},
      {"BatchNorm2d", "batch_norm"},
      {"BatchNorm1d", "batch_norm"},
      {"LayerNorm", "layer_norm"},
      {"GroupNorm", "group_norm"},
      {"InstanceNorm2d", "instance_norm"},
      {"RMSNorm", "rms_norm"},
      {"Dropout2d", "dropout"},
      {"Embedding", "embedding"},
      {"MultiheadAttention", "attention"},
      {"scaled_dot_product_attention", "scaled_dot_product_attention"},
      {"F.relu", "relu"},
      {"LeakyReLU", "leaky_relu"},
      {"SiLU", "silu"},
      {"MSELoss", "mse"},
      {"loss", "mse"},
      {"L1Loss", "l1"},
      {"SmoothL1Loss", "huber"},
      {"HuberLoss", "huber"},
      {"BCELoss", "bce"},
      {"BCEWithLogitsLoss", "bce_with_logits"},
      {"CrossEntropyLoss", "cross_entropy"},
      {"NLLLoss", "cross_entropy"},
      {"Flatten", "flatten"},
      {"permute", "transpose"},
      {"torch.cat", "concat"},
      {"bmm", "matmul"},
      {"Conv1d", "conv1d"},
      {"Conv3d", "conv3d"},
      {"MaxPool1d", "max_pool1d"},
      {"PReLU", "prelu"},
      {"Hardswish", "hard_swish"},
      {"LogSoftmax", "log_softmax"},
      {"ReLU6", "relu6"},
      {"torch.einsum", "einsum"},
      {"topk", "top_k"},
      {"GRU", "gru"},
      {"StochasticDepth", "drop_path"},
      {"randn", "random"},
      {"interpolate", "resize"},
      {"detach", "stop_gradient"},
      {"torch.autograd.grad", "gradient"},
      {"DataLoader", "batch"},
      {"one_hot", "one_hot"},
      // Keras
      {"Dense", "linear"},
      {"Conv2DTranspose", "conv_transpose2d"},
      {"MaxPooling2D", "max_pool"},
      {"AveragePooling2D", "avg_pool"},
      {"GlobalAveragePooling2D", "global_avg_pool"},
      {"BatchNormalization", "batch_norm"},
      {"LayerNormalization", "layer_norm"},
      {"UpSampling2D", "upsample"},
      {"Concatenate", "concat"},
      {"MeanSquaredError", "mse"},
      // ONNX
      {"Gemm", "linear"},
      {"MatMul", "matmul"},
      {"Conv", "conv2d"},
      {"AveragePool", "avg_pool"},
      {"GlobalAveragePool", "global_avg_pool"},
      {"InstanceNormalization", "instance_norm"},
      {"ReduceMean", "mean"},
      {"ReduceSum", "sum"},
      {"Gather", "gather"},
      {"Resize", "resize"},
      {"Clamp", "clip"},
      {"ReduceL2", "reduce_l2"},
      {"ReduceProd", "reduce_prod"},
      {"GridSample", "grid_sample"},
      {"CumSum", "cumsum"},
      {"Mul", "mul"},
      {"Unsqueeze", "unsqueeze"},
      // ComfyUI, and what people call things
      {"Load Image", "image_source"},
      {"Preview Image", "image_view"},
      {"FC", "linear"},
      {"fully connected", "linear"},
      {"fp16", "cast"},
      {"half", "cast"},
      {"bfloat16", "cast"},
      {"quantize", "quantize_linear"},
      {"positional encoding", "frequency"},
      {"fourier features", "frequency"},
      {"instant ngp", "hash_grid"},
      {"swish", "silu"},
      {"mae", "l1"},
      {"adam", "train"},
      {"optimizer", "train"},
      {"batch norm", "batch_norm"},
      {"norm batch", "batch_norm"},
      {"sdpa", "attention"},
  };
  for (const Query& query : queries) {
    const std::vector<std::string> ids = found(query.typed);
    EXPECT_TRUE(!ids.empty() && ids.front() == query.first)
        << query.typed << ": " << (ids.empty() ? "nothing" : ids.front());
  }
}

TEST(NodeRanking, AWordOfACategoryFindsItsMembersFirst) {
  for (const auto& [word, category] : {std::pair{"loss", "Loss"},
                                       {"losses", "Loss"},
                                       {"layer", "Layer"},
                                       {"layers", "Layer"},
                                       {"encoder", "Encoder"},
                                       {"source", "Source"},
                                       {"math", "Math"},
                                       {"shape", "Shape"},
                                       {"training", "Training"}}) {
    const std::vector<std::string> ids = found(word);
    const auto is_member = [&](const std::string& id) {
      return Registry::instance().find(id)->decl.category() == category;
    };
    ASSERT_FALSE(ids.empty()) << word;
    EXPECT_TRUE(is_member(ids.front())) << word << ": " << ids.front();
    EXPECT_TRUE(std::is_partitioned(ids.begin(), ids.end(), is_member)) << word;
  }
}

TEST(NodeRanking, ATitleIsFoundByItself) {
  for (const auto& [id, type] : Registry::instance().all()) {
    const std::vector<std::string> by_title = found(type.decl.title().c_str()), by_id = found(id.c_str());
    EXPECT_TRUE(!by_title.empty() && by_title.front() == id) << type.decl.title();
    EXPECT_TRUE(!by_id.empty() && by_id.front() == id) << id;
  }
}

TEST(NodeRanking, NonsenseFindsNothing) {
  EXPECT_TRUE(found("zzzz").empty());
  EXPECT_TRUE(found("xqj w").empty());
}

TEST(Fuzzy, Ranks) {
  EXPECT_GT(fuzzy_score("cast", "Cast"), fuzzy_score("cas", "Cast"));
  EXPECT_GT(fuzzy_score("gr", "Grid"), fuzzy_score("gr", "Hash Grid"));
  EXPECT_GT(fuzzy_score("gr", "Hash Grid"), fuzzy_score("as", "Hash Grid"));
  EXPECT_EQ(fuzzy_score("x", "Hash Grid"), 0);
}

}  // namespace
}  // namespace hw::app::testing
