// What nodes make of samples is that of the whole batch in micro-batches too, or it is warned of: op form by op form.
#include "engine/plan/mixed_nodes.h"

#include <gmock/gmock.h>

#include <cctype>
#include <cmath>
#include <list>

#include "engine/plan/check_parts.h"
#include "tests/engine/batch_parts.h"

namespace hw::test {
namespace {

struct Form {
  const char* name;
  Edits edits;            // from batch.x [N, 4], batch.labels [N], scores.y [N, 3] to train.loss
  const char* op = "";    // warned of; empty: nothing is
  bool permutes = false;  // warned of, although the loss is that of one batch
  int64_t fewest = 1;     // samples of a micro-batch that it takes
};

std::ostream& operator<<(std::ostream& out, const Form& form) {
  return out << form.name;
}

Edit n(const char* id, const char* type, ParamMap params = {}) {
  return AddNode{node(id, type, std::move(params))};
}
Edit l(const char* from, const char* to) {
  return AddLink{link(from, to)};
}
ParamMap axis(int64_t of) {
  return {{"axis", of}};
}
ParamMap axes(Vector of, bool keep = false) {
  return {{"axes", std::move(of)}, {"keep", keep}};
}
ParamMap text(const char* id, const char* value) {
  return {{id, std::string(value)}};
}

/// The mean of exp of `from`: no sum of squares, which turning or normalising leaves alone.
Edits mean_exp(const char* from) {
  return {n("exp", "exp"), n("end", "mean"), l(from, "exp.x"), l("exp.y", "end.x"), l("end.y", "train.loss")};
}

/// `type` of the scores, then a loss of each sample's own.
Edits of_scores(const char* type, ParamMap params = {}, const char* out = "over.y") {
  return joined({{n("over", type, std::move(params)), l("scores.y", "over.x")}, mean_square(out)});
}

/// A node on x, in the sizes that `shape` gives it.
Edits of_x(Vector shape, const char* names, Edits layers, const char* out) {
  return joined(
      {{n("shaped", "reshape", {{"shape", std::move(shape)}, {"axes", std::string(names)}}), l("batch.x", "shaped.x")},
       std::move(layers),
       mean_square(out)});
}
Edits layer(const char* type, ParamMap params, const char* from) {
  return {n("layer", type, std::move(params)), l(from, "layer.x")};
}
Edits of_pictures(const char* type, ParamMap params = {}) {
  return of_x({-1, 1, 2, 2}, "N C H W",
              joined({{n("conv", "conv2d", {{"out_channels", int64_t{4}}}), l("shaped.y", "conv.x")},
                      layer(type, std::move(params), "conv.y")}),
              "layer.y");
}
Edits of_tokens(const char* type, ParamMap params = {}) {
  return of_x({-1, 2, 2}, "batch seq hidden",
              joined({{n("wide", "linear", {{"out_features", int64_t{4}}}), l("shaped.y", "wide.x")},
                      layer(type, std::move(params), "wide.y")}),
              "layer.y");
}

/// Two of the scores' wires into one node.
Edits pair(const char* type, ParamMap params, const char* a = "scores.y", const char* b = "scores.y") {
  return {n("over", type, std::move(params)), l(a, "over.a"), l(b, "over.b")};
}

Edits normalised(const char* type, const char* by) {
  return joined({{n("all", type, axes({0}, true)), n("each", by), l("scores.y", "all.x"), l("scores.y", "each.a"),
                  l("all.y", "each.b")},
                 mean_exp("each.y")});
}

/// Names of axes are lost, the samples are not.
Edits nameless(const char* type, ParamMap params, double weight = 1) {
  return joined({{n("nameless", "reshape", {{"shape", Vector{-1, 3}}}), n("over", type, std::move(params)),
                  l("scores.y", "nameless.x"), l("nameless.y", "over.x")},
                 mean_square("over.y", weight)});
}

std::vector<Form> forms() {
  std::vector<Form> all;
  const auto add = [&](Form form) { all.push_back(std::move(form)); };
  // ---- what is made of several samples
  add({.name = "contrastive",
       .edits = joined({pair("matmul", {{"transpose_b", true}}), mean_exp("over.y")}),
       .op = "matmul"});
  add({.name = "pairs by broadcasting",
       .edits = joined({{n("row", "unsqueeze", {{"axes", Vector{0}}}), n("column", "unsqueeze", {{"axes", Vector{1}}}),
                         l("scores.y", "row.x"), l("scores.y", "column.x")},
                        pair("sub", {}, "row.y", "column.y"),
                        mean_square("over.y")}),
       .op = "sub"});
  add({.name = "softmax", .edits = of_scores("softmax", axis(0)), .op = "softmax"});
  add({.name = "log softmax", .edits = of_scores("softmax", {{"axis", int64_t{0}}, {"log", true}}), .op = "softmax"});
  add({.name = "running sums", .edits = of_scores("cumsum", axis(0)), .op = "slice"});
  add({.name = "the first sample",
       .edits = of_scores("slice", {{"axis", int64_t{0}}, {"end", int64_t{1}}}),
       .op = "slice"});
  add({.name = "the largest two",
       .edits = of_scores("top_k", {{"axis", int64_t{0}}, {"k", int64_t{2}}}, "over.values"),
       .op = "argmax",
       .fewest = 2});
  add({.name = "sorted",
       .edits = joined({{n("over", "top_k", {{"axis", int64_t{0}}, {"k", int64_t{2}}}), l("scores.y", "over.x"),
                         n("w", "parameter", {{"shape", Vector{2, 3}}, {"trainable", false}}), n("by", "add"),
                         l("over.values", "by.a"), l("w.y", "by.b")},
                        mean_exp("by.y")}),
       .op = "argmax",
       .fewest = 2});
  add({.name = "gathered",
       .edits = joined({{n("place", "argmax", axis(0)), n("over", "gather", axis(0)), l("scores.y", "place.x"),
                         l("scores.y", "over.x"), l("place.y", "over.index")},
                        mean_square("over.y")}),
       .op = "argmax"});
  add({.name = "turned round", .edits = of_scores("flip", {{"axes", Vector{0}}}), .op = "gather", .permutes = true});
  add({.name = "with the turned round",
       .edits = joined({{n("turned", "flip", {{"axes", Vector{0}}}), l("scores.y", "turned.x")},
                        pair("mul", {}, "scores.y", "turned.y"),
                        mean_square("over.y")}),
       .op = "gather"});
  add({.name = "shifted",
       .edits =
           joined({{n("head", "slice", {{"axis", int64_t{0}}, {"end", int64_t{1}}}),
                    n("tail", "slice", {{"axis", int64_t{0}}, {"begin", int64_t{1}}}), n("turned", "concat", axis(0)),
                    l("scores.y", "head.x"), l("scores.y", "tail.x"), l("tail.y", "turned.a"), l("head.y", "turned.b")},
                   pair("mul", {}, "scores.y", "turned.y"),
                   mean_square("over.y")}),
       .op = "slice",
       .fewest = 2});
  add({.name = "a mean read again", .edits = normalised("mean", "sub"), .op = "unary"});
  add({.name = "a variance by hand",
       .edits = joined({{n("all", "mean", axes({0}, true)), n("each", "sub"), l("scores.y", "all.x"),
                         l("scores.y", "each.a"), l("all.y", "each.b")},
                        mean_square("each.y")}),
       .op = "mul"});
  add({.name = "divided by the norm", .edits = normalised("reduce_l2", "div"), .op = "binary"});
  add({.name = "two samples in a row",
       .edits = joined({{n("rows", "reshape", {{"shape", Vector{-1, 6}}}), l("scores.y", "rows.x")},
                        layer("reduce_l2", axes({1}), "rows.y"),
                        mean_square("layer.y")}),
       .op = "reshape",
       .fewest = 2});
  add({.name = "batch norm", .edits = of_pictures("batch_norm"), .op = "channel_moments"});
  for (const char* type : {"reduce_max", "reduce_min"})
    add({.name = type, .edits = nameless(type, axes({0})), .op = "reduce"});
  add({.name = "product", .edits = nameless("reduce_prod", axes({0})), .op = "slice"});
  add({.name = "logarithm of a sum", .edits = nameless("log_sum_exp", axes({0})), .op = "reduce"});
  // ---- what is made one of the whole batch
  add({.name = "covariance", .edits = joined({pair("matmul", {{"transpose_a", true}}), mean_square("over.y", 1e-3)})});
  add({.name = "covariance by a transpose",
       .edits = joined({{n("turned", "transpose"), l("scores.y", "turned.x")},
                        pair("matmul", {}, "turned.y", "scores.y"),
                        mean_square("over.y", 1e-3)})});
  add({.name = "einsum",
       .edits = joined({pair("einsum", text("equation", "nc,nd->cd")), mean_square("over.y", 1e-3)})});
  add({.name = "a nameless mean", .edits = nameless("mean", axes({0}))});
  add({.name = "a nameless sum", .edits = nameless("sum", axes({0}), 1e-2)});
  add({.name = "a nameless norm", .edits = nameless("reduce_l2", axes({0}, true), 1e-2)});
  add({.name = "a nameless variance",
       .edits = nameless("variance", {{"axes", Vector{0}}, {"correction", int64_t{0}}})});

  add({.name = "a folded norm",
       .edits = joined({{n("flat", "reshape", {{"shape", Vector{1, -1}}}), l("scores.y", "flat.x")},
                        layer("reduce_l2", axes({1}), "flat.y"),
                        mean_square("layer.y", 1e-2)}),
       .fewest = 2});
  // ---- each sample's own
  add({.name = "samples joined",
       .edits = joined(
           {{n("over", "concat", axis(0)), l("scores.y", "over.a"), l("scores.y", "over.b")}, mean_square("over.y")})});
  const char* own[] = {"relu",       "sigmoid",  "gelu",   "tanh", "softmax",
                       "layer_norm", "rms_norm", "cumsum", "flip", "stop_gradient"};
  for (const char* type : own) {
    Edits edits = of_scores(type);
    if (std::string(type) == "stop_gradient")
      edits = joined(
          {{n("stop", type), l("scores.y", "stop.x")}, pair("mul", {}, "scores.y", "stop.y"), mean_square("over.y")});
    add({.name = type, .edits = std::move(edits)});
  }
  add({.name = "largest of its scores", .edits = of_scores("top_k", {{"k", int64_t{2}}}, "over.values")});
  add({.name = "an element by its label",
       .edits = joined({{n("index", "unsqueeze", {{"axes", Vector{1}}}), n("over", "gather_elements"),
                         l("batch.labels", "index.x"), l("scores.y", "over.x"), l("index.y", "over.index")},
                        mean_square("over.y")})});
  add({.name = "transposed and back",
       .edits = joined({{n("there", "transpose"), n("row", "softmax", axis(0)), n("back", "transpose"),
                         l("scores.y", "there.x"), l("there.y", "row.x"), l("row.y", "back.x")},
                        mean_square("back.y")})});
  add({.name = "cross entropy",
       .edits = {n("loss", "cross_entropy", {{"label_smoothing", 0.1}}), l("scores.y", "loss.logits"),
                 l("batch.labels", "loss.labels"), l("loss.loss", "train.loss")}});
  add({.name = "cross entropy that ignores",
       .edits = {n("loss", "cross_entropy", {{"ignores", true}, {"ignore_index", int64_t{1}}}),
                 l("scores.y", "loss.logits"), l("batch.labels", "loss.labels"), l("loss.loss", "train.loss")}});
  for (const char* loss : {"mse", "l1", "huber", "relative_l2", "bce_with_logits", "sigmoid_focal_loss"})
    add({.name = loss,
         .edits = {n("of", "slice", {{"axis", int64_t{1}}, {"end", kClasses}}), n("loss", loss), l("batch.x", "of.x"),
                   l("scores.y", "loss.prediction"), l("of.y", "loss.target"), l("loss.loss", "train.loss")}});
  for (const bool batch : {false, true})
    add({.name = batch ? "dice of all" : "dice",
         .edits = {n("p", "sigmoid"), n("of", "slice", {{"axis", int64_t{1}}, {"end", kClasses}}),
                   n("mask", "unsqueeze", {{"axes", Vector{2}}}), n("wanted", "unsqueeze", {{"axes", Vector{2}}}),
                   n("loss", "dice_loss", {{"batch", batch}}), l("scores.y", "p.x"), l("batch.x", "of.x"),
                   l("p.y", "mask.x"), l("of.y", "wanted.x"), l("mask.y", "loss.prediction"),
                   l("wanted.y", "loss.target"), l("loss.loss", "train.loss")}});
  add({.name = "mlp",
       .edits = joined({{n("mlp", "mlp", {{"width", int64_t{8}}}), l("batch.x", "mlp.x")}, mean_square("mlp.y")})});
  add({.name = "embedding",
       .edits = joined({{n("table", "embedding", {{"entries", int64_t{3}}, {"features", int64_t{3}}}),
                         l("batch.labels", "table.index")},
                        pair("mul", {}, "scores.y", "table.y"),
                        mean_square("over.y")})});
  add({.name = "masked by labels",
       .edits = joined({{n("hot", "one_hot", {{"classes", kClasses}}), l("batch.labels", "hot.index")},
                        pair("mul", {}, "scores.y", "hot.y"),
                        mean_square("over.y")})});
  add({.name = "where",
       .edits = joined(
           {{n("zero", "constant", {{"value", 0.0}}), n("is", "compare"), n("over", "where"), l("scores.y", "is.a"),
             l("zero.y", "is.b"), l("is.y", "over.condition"), l("zero.y", "over.a"), l("scores.y", "over.b")},
            mean_square("over.y")})});
  add({.name = "a weight's variance",
       .edits = joined({{n("p", "parameter", {{"shape", Vector{3}}}), n("v", "variance"), l("p.y", "v.x")},
                        pair("mul", {}, "scores.y", "v.y"),
                        mean_square("over.y")})});
  for (const char* type : {"relu", "max_pool", "avg_pool", "global_avg_pool", "instance_norm", "resize", "prelu",
                           "depth_to_space", "flatten", "local_response_norm", "conv_transpose2d"}) {
    add({.name = type, .edits = of_pictures(type)});
  }
  add({.name = "patches",
       .edits = of_x({-1, 1, 2, 2}, "N C H W",
                     {n("conv", "conv2d", {{"out_channels", int64_t{4}}}), l("shaped.y", "conv.x"),
                      n("layer", "patchify", {{"size", int64_t{2}}}), l("conv.y", "layer.x")},
                     "layer.tokens")});
  add({.name = "group norm", .edits = of_pictures("group_norm", {{"groups", int64_t{2}}})});
  Node frozen = node("layer", "batch_norm");
  frozen.frozen = true;
  add({.name = "frozen batch norm",
       .edits = of_x({-1, 1, 2, 2}, "N C H W",
                     {n("conv", "conv2d", {{"out_channels", int64_t{4}}}), l("shaped.y", "conv.x"), AddNode{frozen},
                      l("conv.y", "layer.x")},
                     "layer.y")});
  add({.name = "convolution over depth",
       .edits = of_x({-1, 1, 2, 2, 1}, "N C D H W", layer("conv3d", {{"out_channels", int64_t{2}}}, "shaped.y"),
                     "layer.y")});
  add({.name = "convolution along a line",
       .edits = of_x({-1, 2, 2}, "N C L", layer("conv1d", {{"out_channels", int64_t{2}}}, "shaped.y"), "layer.y")});
  add({.name = "sampled pictures",
       .edits = of_x({-1, 1, 2, 2}, "N C H W",
                     {n("conv", "conv2d", {{"out_channels", int64_t{2}}}), l("shaped.y", "conv.x"),
                      n("where", "reshape", {{"shape", Vector{-1, 2, 1, 2}}}), l("batch.x", "where.x"),
                      n("layer", "grid_sample"), l("conv.y", "layer.x"), l("where.y", "layer.grid")},
                     "layer.y")});
  for (const char* type :
       {"attention", "lstm", "gru", "layer_norm", "position_embedding", "rotary_embedding", "linear"}) {
    ParamMap params;
    if (std::string(type) == "attention") params = {{"heads", int64_t{2}}, {"causal", true}, {"rotary", true}};
    if (std::string(type) == "lstm" || std::string(type) == "gru") params = {{"hidden_size", int64_t{3}}};
    add({.name = type, .edits = of_tokens(type, params)});
  }
  add({.name = "frequencies",
       .edits = joined({{n("code", "frequency", {{"n_frequencies", int64_t{2}}}), l("batch.x", "code.x"),
                         n("layer", "linear", {{"out_features", int64_t{2}}}), l("code.features", "layer.x")},
                        mean_square("layer.y")})});
  add({.name = "a grid of positions",
       .edits = joined({{n("at", "slice", {{"axis", int64_t{1}}, {"end", int64_t{2}}}), l("batch.x", "at.x"),
                         n("grid", "hash_grid",
                           {{"levels", int64_t{2}}, {"log2_table", int64_t{6}}, {"dtype", std::string("f32")}}),
                         l("at.y", "grid.x")},
                        mean_square("grid.features")})});
  add({.name = "slopes of a field",
       .edits = joined({{n("bent", "tanh"), l("scores.y", "bent.x"), n("slope", "gradient"), l("bent.y", "slope.y"),
                         l("batch.x", "slope.x")},
                        mean_square("slope.gradient")})});
  return all;
}

class MixedNodes : public testing::TestWithParam<Form> {};

TEST_P(MixedNodes, AreOfOneBatchOrWarnedOf) {
  const Form& form = GetParam();
  QuadAssets assets;
  const Graph graph = classifier(form.edits);
  EXPECT_TRUE(check_parts(graph, assets).empty()) << "in one batch";
  const auto one = trained(graph);
  ASSERT_TRUE(one->weights && !one->weights->empty());
  double furthest = 0;
  for (const auto& [rows, parts] : {std::pair(4, 2), std::pair(2, 4), std::pair(1, 8)}) {
    if (rows < form.fewest) continue;
    const Graph split = in_parts(graph, rows, parts);
    const auto found = check_parts(split, assets);
    if (*form.op == 0) {
      EXPECT_TRUE(found.empty()) << rows << ": " << found.front().reason;
    } else {
      ASSERT_FALSE(found.empty()) << rows;
      EXPECT_THAT(found.front().reason, testing::HasSubstr("(op " + std::string(form.op) + ")")) << rows;
      Graph mended = split;
      ASSERT_TRUE(apply_edits(mended, found.front().remedies.at(0).edits));
      EXPECT_EQ(param_value(*mended.find("batch"), "batch_size"), ParamValue(int64_t{8}));
      EXPECT_EQ(param_value(*mended.find("train"), "accumulate"), ParamValue(int64_t{1}));
    }
    if (form.op == std::string("channel_moments") && rows == 1) continue;
    const auto s = trained(split);
    ASSERT_TRUE(s->weights);
    for (const auto& [name, tensor] : *one->weights) {
      if (name.find("running_") != std::string::npos) continue;
      const Vector a = s->weights->at(name).to_f64(), b = tensor.to_f64();
      for (size_t i = 0; i < b.size(); ++i) {
        const double off = std::abs(a[i] - b[i]) / (1e-5 + 1.3e-6 * std::abs(b[i]));  // NUMERICS.md, f32
        if (*form.op == 0) {
          EXPECT_LE(off, 1) << name << " " << i << " in parts of " << rows << ": " << a[i] << ", " << b[i];
        }
        furthest = std::max(furthest, std::isnan(off) ? 1e9 : off);
      }
    }
  }
  if (*form.op != 0) {
    EXPECT_EQ(furthest > 1, !form.permutes) << "by " << furthest << " times the tolerance";
  }
}

std::string name_of(const testing::TestParamInfo<Form>& form) {
  std::string name = form.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::vector<Form> unique_forms() {
  std::vector<Form> all = forms();
  static std::list<std::string> names;
  for (size_t i = 0; i < all.size(); ++i) {
    names.push_back(std::to_string(i) + " " + all[i].name);
    all[i].name = names.back().c_str();
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Forms, MixedNodes, testing::ValuesIn(unique_forms()), name_of);

TEST(MixedNodesOfRanks, AreWarnedOfToo) {
  QuadAssets assets;
  const Graph graph = classifier(of_scores("softmax", axis(0)));
  const auto found = check_parts(graph, assets, 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].reason, testing::HasSubstr("(over) is over the samples of each of the 2 ranks alone"));
  EXPECT_TRUE(found[0].remedies.empty());
  EXPECT_TRUE(check_parts(classifier(of_scores("softmax", axis(1))), assets, 2).empty());
}

TEST(MixedNodesOfOneType, AreOneWarning) {
  QuadAssets assets;
  Edits edits = of_pictures("batch_norm");
  for (Edit& edit : edits)
    if (auto* added = std::get_if<AddLink>(&edit); added && added->link.from == "layer") added->link.from = "second";
  edits.insert(edits.begin(), n("second", "batch_norm"));
  edits.push_back(l("layer.y", "second.x"));
  const auto found = check_parts(in_parts(classifier(edits), 4, 2), assets);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].reason, testing::HasSubstr("(layer), as 1 more of its type, is over the samples"));
}

}  // namespace
}  // namespace hw::test
