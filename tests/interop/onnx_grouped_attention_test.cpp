// GroupQueryAttention of ONNX Runtime: rows of several lengths behind past keys, beside the formula in f64.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_grouped_attention_test {
namespace {

using Values = std::vector<double>;

constexpr int64_t kBatch = 2, kHeads = 2, kPast = 3, kSize = 2;  // one head of keys and values for both of the queries
constexpr int64_t kParts = kHeads + 2;                           // queries, the key and the value side by side

double number(int64_t i) {
  return 0.25 * static_cast<double>((i * 5) % 7) - 0.6;
}
/// An element of x [batch, tokens, parts · size].
double part(int64_t tokens, int64_t row, int64_t token, int64_t part, int64_t d) {
  return number(((row * tokens + token) * kParts + part) * kSize + d);
}
/// An element of the past keys [batch, 1, past, size]; 1 more than it is the one of the past values.
double earlier(int64_t row, int64_t token, int64_t d) {
  return number(7 + (row * kPast + token) * kSize + d);
}

struct Asked {
  int64_t tokens = 1;
  std::vector<int64_t> before;  // past keys that each row has; none: there is no input for them
  int64_t window = -1;
  double softcap = 0;
  int64_t total = 0;  // 0: as the sizes are
  std::string output = "y";
  std::vector<int64_t> lengths = {};  // none: all keys of each row
  bool empty_past = false;            // past keys of length 0
  bool in_column = false;             // lengths [batch, 1]
};

onnx::ModelProto model_of(const Asked& asked) {
  onnx::ModelProto model = onnx_model(21);
  const bool past = !asked.before.empty();
  add_value(*model.mutable_graph()->mutable_input(), "x", {kBatch, asked.tokens, kParts * kSize});
  add_value(*model.mutable_graph()->mutable_output(), asked.output, {});
  std::vector<int64_t> lengths = asked.lengths;
  for (size_t row = 0; row < kBatch && asked.lengths.empty(); ++row)
    lengths.push_back((past ? asked.before[row] : 0) + asked.tokens - 1);
  add_integers(model, "lengths", lengths);
  if (asked.in_column) model.mutable_graph()->mutable_initializer()->rbegin()->add_dims(1);
  add_integers(model, "total", {asked.total > 0 ? asked.total : (past ? kPast : 0) + asked.tokens});
  for (const auto& [name, more] : {std::pair("keys", 0.F), {"values", 1.F}}) {
    std::vector<float> all;
    for (int64_t i = 0; i < kBatch * kPast * kSize; ++i) all.push_back(static_cast<float>(number(7 + i)) + more);
    if (past) add_floats(model, name, {kBatch, 1, kPast, kSize}, all);
    if (asked.empty_past) add_floats(model, name, {kBatch, 1, 0, kSize}, {});
  }
  const bool cache = past || asked.empty_past;
  onnx::NodeProto& node =
      add_node(model, "GroupQueryAttention",
               {"x", "", "", cache ? "keys" : "", cache ? "values" : "", "lengths", "total"}, {"y", "all_keys", ""});
  node.set_domain("com.microsoft");
  set_int(node, "num_heads", kHeads);
  set_int(node, "kv_num_heads", 1);
  set_int(node, "local_window_size", asked.window);
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("softcap");
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(static_cast<float>(asked.softcap));
  return model;
}

Values formula(const Asked& asked) {
  Values y;
  for (int64_t row = 0; row < kBatch; ++row) {
    const int64_t before = asked.before.empty() ? 0 : asked.before[static_cast<size_t>(row)];
    const auto key = [&](int64_t t, int64_t d, bool value) {
      return t < before ? earlier(row, t, d) + value : part(asked.tokens, row, t - before, kHeads + value, d);
    };
    for (int64_t token = 0; token < asked.tokens; ++token)
      for (int64_t head = 0; head < kHeads; ++head) {
        const int64_t last = before + token,
                      first = asked.window < 0 ? 0 : std::max<int64_t>(0, last + 1 - asked.window);
        double sum = 0, made[kSize] = {};
        for (int64_t t = first; t <= last; ++t) {
          double score = 0;
          for (int64_t d = 0; d < kSize; ++d) score += part(asked.tokens, row, token, head, d) * key(t, d, false);
          score /= std::sqrt(kSize);
          if (asked.softcap > 0) score = asked.softcap * std::tanh(score / asked.softcap);
          sum += std::exp(score);
          for (int64_t d = 0; d < kSize; ++d) made[d] += std::exp(score) * key(t, d, true);
        }
        for (const double value : made) y.push_back(value / sum);
      }
  }
  return y;
}

Values run(const Asked& asked) {
  const auto made = imported(model_of(asked));
  EXPECT_EQ(trouble_in(made), "");
  if (!made) return {};
  Values x;
  for (int64_t i = 0; i < kBatch * asked.tokens * kParts * kSize; ++i) x.push_back(number(i));
  return values_of(*made, Tensor::from_f64(DType::f32, {kBatch, asked.tokens, kParts * kSize}, x));
}

void expect_formula(const Asked& asked) {
  EXPECT_THAT(run(asked), testing::Pointwise(testing::DoubleNear(1e-6), formula(asked)));
}

TEST(OnnxGroupedAttention, SeesWhatIsBefore) {
  expect_formula({.tokens = 3, .before = {}});
  expect_formula({.tokens = 3, .before = {}, .window = 2});
  expect_formula({.before = {3, 3}});
}

TEST(OnnxGroupedAttention, KnowsHowManyKeysEachRowHas) {
  expect_formula({.before = {3, 1}});
  expect_formula({.before = {2, 1}, .window = 2, .softcap = 0.5});
  expect_formula({.before = {2, 1}, .in_column = true});
}

TEST(OnnxGroupedAttention, PutsNewKeysBehindThoseOfARow) {
  Values wanted;
  for (int64_t t = 0; t < 4; ++t)
    for (int64_t d = 0; d < kSize; ++d) wanted.push_back(t < 3 ? earlier(0, t, d) : part(1, 0, 0, kHeads, d));
  for (int64_t t = 0; t < 4; ++t)
    for (int64_t d = 0; d < kSize; ++d)
      wanted.push_back(t < 1 ? earlier(1, t, d) : t == 1 ? part(1, 1, 0, kHeads, d) : 0);
  EXPECT_THAT(run({.before = {3, 1}, .output = "all_keys"}), testing::Pointwise(testing::DoubleNear(1e-6), wanted));
}

TEST(OnnxGroupedAttention, RefusesAKvCacheWithRoomForMore) {
  EXPECT_THAT(trouble_in(imported(model_of({.before = {1, 1}, .total = 2}))),
              testing::HasSubstr("that is not that of its past keys, 3, and its tokens, 1"));
}

TEST(OnnxGroupedAttention, SaysThatTokensBeyondALengthMeanNothing) {
  const auto notes_of = [](const Asked& asked) {
    const auto made = imported(model_of(asked));
    EXPECT_EQ(trouble_in(made), "");
    return made ? made->notes : std::vector<std::string>{"not imported"};
  };
  const auto said = testing::ElementsAre(testing::HasSubstr("beyond the length of their row (seqlens_k)"));
  for (const bool empty_past : {false, true}) {
    EXPECT_THAT(notes_of({.tokens = 3, .before = {}, .empty_past = empty_past}), testing::IsEmpty());
    EXPECT_THAT(notes_of({.tokens = 3, .before = {}, .lengths = {2, 1}, .empty_past = empty_past}), said);
  }
  EXPECT_THAT(notes_of({.before = {3, 1}}), testing::IsEmpty());
}

TEST(OnnxGroupedAttention, RefusesHeadsThatDoNotFit) {
  const auto trouble_of = [](const std::string& name, int64_t value, bool apart) {
    onnx::ModelProto model = model_of({.before = {}});
    onnx::NodeProto& node = *model.mutable_graph()->mutable_node(0);
    for (const int i : {1, 2}) node.set_input(i, apart ? "x" : "");
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.name() == name) attribute.set_i(value);
    return trouble_in(imported(model));
  };
  for (const bool apart : {false, true})
    for (const char* name : {"num_heads", "kv_num_heads"})
      for (const int64_t value : {int64_t{1} << 62, INT64_MAX, int64_t{0}, INT64_MIN})
        EXPECT_THAT(trouble_of(name, value, apart), testing::HasSubstr("not both from 1 to 16777216"));
  EXPECT_THAT(trouble_of("kv_num_heads", 1 << 24, true), testing::HasSubstr("its keys or values do not fit"));
  EXPECT_THAT(trouble_of("kv_num_heads", 1 << 24, false), testing::HasSubstr("its input does not fit"));
}

}  // namespace
}  // namespace hw::test::onnx_grouped_attention_test
