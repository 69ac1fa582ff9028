// Attention of opset 23 and newer, as one node and step by step, beside the formula in f64.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_attention_test {
namespace {

using Values = std::vector<double>;

constexpr int64_t kTokens = 3, kHeads = 2, kSize = 2;  // q, k and v are all x [1, tokens, heads · size]

Values example() {
  Values x;
  for (int i = 0; i < kTokens * kHeads * kSize; ++i) x.push_back(0.25 * ((i * 5) % 7) - 0.6);
  return x;
}

struct Asked {
  bool causal = false;
  double scale = 1 / std::sqrt(2.0), softcap = 0;
  Values mask;       // [tokens, tokens], added
  Values past = {};  // a key and a value before x, [heads, 1, size]
  int64_t kv_heads = kHeads;
};

/// softmax(scale · q kᵀ …) v, head by head. With one head of keys, that is the first of x.
Values formula(const Values& x, const Asked& asked) {
  Values y(x.size(), 0);
  const int64_t before = asked.past.empty() ? 0 : 1;
  for (int64_t head = 0; head < kHeads; ++head) {
    const int64_t from = asked.kv_heads == 1 ? 0 : head;
    const auto key = [&](int64_t t, int64_t d) {
      return t < before ? asked.past[static_cast<size_t>(from * kSize + d)]
                        : x[static_cast<size_t>(((t - before) * kHeads + from) * kSize + d)];
    };
    for (int64_t i = 0; i < kTokens; ++i) {
      Values scores;
      for (int64_t j = 0; j < kTokens + before; ++j) {
        double dot = 0;
        for (int64_t d = 0; d < kSize; ++d) dot += x[static_cast<size_t>((i * kHeads + head) * kSize + d)] * key(j, d);
        dot *= asked.scale;
        if (asked.softcap > 0) dot = asked.softcap * std::tanh(dot / asked.softcap);
        if (!asked.mask.empty()) dot += asked.mask[static_cast<size_t>(i * kTokens + j)];
        if (asked.causal && j > i + before) dot = -std::numeric_limits<double>::infinity();
        scores.push_back(dot);
      }
      double sum = 0;
      for (const double s : scores) sum += std::exp(s);
      for (int64_t d = 0; d < kSize && sum > 0; ++d)
        for (int64_t j = 0; j < kTokens + before; ++j)
          y[static_cast<size_t>((i * kHeads + head) * kSize + d)] +=
              std::exp(scores[static_cast<size_t>(j)]) / sum * key(j, d);
    }
  }
  return y;
}

onnx::ModelProto model_of(const Asked& asked) {
  onnx::ModelProto model = onnx_model(24);
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, kTokens, kHeads * kSize});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  std::vector<std::string> inputs{"x", "x", "x"};
  if (asked.kv_heads == 1) {
    for (const auto& [name, at] : {std::pair("zero", 0), {"size", static_cast<int>(kSize)}, {"axis", 2}})
      add_integers(model, name, {at});
    add_node(model, "Slice", {"x", "zero", "size", "axis"}, {"first"});
    inputs = {"x", "first", "first"};
  }
  const auto add = [&](const std::string& name, const std::vector<int64_t>& dims, const Values& values) {
    add_floats(model, name, dims, {values.begin(), values.end()});
    return name;
  };
  if (!asked.mask.empty()) inputs.push_back(add("mask", {kTokens, kTokens}, asked.mask));
  if (!asked.past.empty()) {
    inputs.resize(4);
    inputs.push_back(add("past_key", {1, kHeads, 1, kSize}, asked.past));
    inputs.push_back(add("past_value", {1, kHeads, 1, kSize}, asked.past));
  }
  onnx::NodeProto& node = add_node(model, "Attention", inputs, {"y"});
  set_int(node, "q_num_heads", kHeads);
  set_int(node, "kv_num_heads", asked.kv_heads);
  set_int(node, "is_causal", asked.causal);
  for (const auto& [name, value] : {std::pair("scale", asked.scale), {"softcap", asked.softcap}}) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(value));
  }
  return model;
}

/// The type of the node that does it, "" where none of its own.
std::string expect_formula(const Asked& asked) {
  const auto made = imported(model_of(asked));
  EXPECT_TRUE(made) << made.error().text();
  if (!made) return "";
  for (const auto& m : made->missing) ADD_FAILURE() << m.op << ": " << m.reason;
  const Values x = example(), wanted = formula(x, asked);
  const Values y = values_of(*made, Tensor::from_f64(DType::f32, {1, kTokens, kHeads * kSize}, x));
  EXPECT_EQ(y.size(), wanted.size());
  for (size_t i = 0; i < std::min(y.size(), wanted.size()); ++i) EXPECT_NEAR(y[i], wanted[i], 1e-6) << i;
  for (const auto& [id, node] : made->graph.nodes())
    if (node.type == "scaled_dot_product_attention") return node.type;
  return "";
}

TEST(OnnxAttention, IsTheNodeWhereItCanBe) {
  EXPECT_NE(expect_formula({}), "");
  EXPECT_NE(expect_formula({.causal = true, .mask = {}}), "");
  EXPECT_NE(expect_formula({.scale = 0.3, .mask = {}}), "");
  EXPECT_NE(expect_formula({.mask = {}, .kv_heads = 1}), "") << "queries share the head of their keys";
}

TEST(OnnxAttention, IsMadeStepByStepElse) {
  const double none = -std::numeric_limits<double>::infinity();
  const Values mask{0, -1, 2, none, 0.5, 0, none, none, none};
  EXPECT_EQ(expect_formula({.mask = mask}), "") << "and a query that sees no key gives 0";
  EXPECT_EQ(expect_formula({.causal = true, .mask = {0, 1, 2, 1, 0, 1, 2, 1, 0}}), "");
  EXPECT_EQ(expect_formula({.softcap = 0.5, .mask = {}}), "");
  EXPECT_EQ(expect_formula({.causal = true, .mask = {}, .past = {0.5, -1, 2, 0.25}}), "");
}

}  // namespace
}  // namespace hw::test::onnx_attention_test
