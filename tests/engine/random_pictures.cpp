#include "tests/engine/random_pictures.h"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/engine/graph_builder.h"

namespace hw::test {
namespace {

using Vector = std::vector<double>;

class Maker {
 public:
  explicit Maker(uint64_t seed) : engine_(seed) {}

  RandomPictures make() {
    dtype_ = chance(0.6) ? DType::f32 : chance(0.5) ? DType::bf16 : DType::f16;
    Vector sizes{number({1, 2, 3, 5}), number({1, 3, 4, 6, 8, 16, 17}), number({1, 5, 7, 8, 9, 13}),
                 number({3, 4, 7, 9, 11})};
    if (chance(0.15)) sizes = {number({4, 9, 33}), number({3, 8, 16}), number({9, 14, 21}), number({7, 16, 19})};
    if (chance(0.04)) sizes = {number({1, 2}), number({3, 8, 16}), number({90, 121}), number({93, 130})};
    const bool wide = chance(0.04);
    if (wide) sizes = {number({1, 2, 3}), 160, number({5, 6}), number({5, 7})};
    const ParamMap source{{"distribution", text("normal")}, {"shape", sizes}, {"axes", text("N C H W")}, dtype()};
    last_ = add("random", source, {});
    if (wide) add_wide_convolution();
    while (pictures_.empty()) add_convolution();  // so that there is something to train
    for (int64_t layers = 2 + below(12); layers > 0; --layers) add_layer();
    made_.between = {pictures_[static_cast<size_t>(below(static_cast<int64_t>(pictures_.size())))], "y"};
    if (!chance(0.3)) add_head();
    add_loss();
    return std::move(made_);
  }

 private:
  static ParamValue text(const char* t) { return std::string(t); }
  std::pair<const std::string, ParamValue> dtype() const { return {"dtype", ParamValue(std::string(name(dtype_)))}; }
  int64_t below(int64_t count) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count)); }
  bool chance(double share) { return static_cast<double>(engine_() >> 11) * 0x1p-53 < share; }
  template <class T>
  T one_of(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<int64_t>(list.size()))];
  }
  double number(std::initializer_list<double> list) { return one_of(list); }

  WireType type(const std::string& id) const { return *validator_.output_type(id, "y"); }
  Dims dims(const std::string& id) const { return type(id).shape.dims(); }

  void apply(const Edits& edits) {
    ASSERT_TRUE(apply_edits(made_.graph, edits));
    validator_.update(flat_.graph(), flat_.update(made_.graph, edits));
  }

  /// Its id; empty, and nothing is added, where it is an error there. `from`: outputs by input.
  std::string add(const std::string& type, ParamMap params,
                  const std::vector<std::pair<std::string, std::string>>& from) {
    const std::string id = made_.graph.fresh_id(type);
    Edits edits{AddNode{node(id, type, std::move(params))}};
    for (const auto& [input, source] : from) edits.push_back(AddLink{{source, "y", id, input}});
    apply(edits);
    const auto is_error = [](const Diagnostic& d) { return d.severity == Severity::error; };
    if (std::ranges::none_of(validator_.of(id), is_error)) return id;
    apply({RemoveNode{id}});
    return "";
  }

  /// Behind the last one, which it becomes.
  bool append(const std::string& type, ParamMap params) {
    const std::string id = add(type, std::move(params), {{"x", last_}});
    if (id.empty()) return false;
    last_ = id;
    if (dims(id).size() == 4) pictures_.push_back(id);
    return true;
  }

  void add_layer() {
    if (chance(0.15)) last_ = pictures_[static_cast<size_t>(below(static_cast<int64_t>(pictures_.size())))];
    dtype_ = type(last_).dtype;
    const int64_t kind = below(100);
    if (kind < 34) return add_convolution();
    if (kind < 44) {
      add_batch_norm();
    } else if (kind < 56) {
      add_activation();
    } else if (kind < 66) {
      add_pool();
    } else if (kind < 80) {
      add_merge();
    } else if (kind < 84) {
      append("dropout", {{"p", ParamValue(number({0.1, 0.5}))}});
    } else if (kind < 89) {
      add_resize();
    } else if (kind < 96) {
      add_rearrangement();
    } else if (kind < 98) {
      append("softmax", {{"axis", ParamValue(one_of<int64_t>({1, -1, 2}))}});
    } else {
      const DType to = one_of({DType::f32, DType::f16, DType::bf16});
      append("cast", {{"to", ParamValue(std::string(name(to)))}});
    }
  }

  void add_convolution() {
    const int64_t channels = dims(last_)[1];
    int64_t out = one_of<int64_t>({1, 3, 4, 6, 8, 16, 18, 32}), groups = 1;
    if (chance(0.15)) out = groups = channels;
    if (groups == 1 && channels % 2 == 0 && out % 2 == 0 && chance(0.2)) groups = 2;
    ParamMap params{
        {"out_channels", ParamValue(out)}, {"groups", ParamValue(groups)}, {"bias", ParamValue(chance(0.6))}, dtype()};
    if (dtype_ == DType::f32 && chance(0.06)) params["compute"] = text(one_of({"bf16", "tf32"}));
    if (chance(0.12)) {
      params["kernel_size"] = Vector{number({1, 2, 3, 4})};
      params["stride"] = Vector{number({1, 2, 2})};
      if (!append("conv_transpose2d", params)) return;
    } else {
      params["kernel_size"] = one_of<Vector>({{1}, {3}, {3}, {3}, {2}, {5}, {1, 3}, {3, 2}});
      params["stride"] = one_of<Vector>({{1}, {1}, {1}, {2}, {2, 1}, {3}});
      params["padding"] = text(one_of({"same", "same", "valid", "1", "2, 0", "0, 1, 2, 0"}));
      params["dilation"] = one_of<Vector>({{1}, {1}, {1}, {1}, {2}, {1, 2}});
      if (!append("conv2d", params)) return;
    }
    if (chance(0.4)) add_batch_norm();
    if (chance(0.5)) add_activation();
  }

  /// Its weight is so large that the cpu makes the gradient some output channels at a time.
  void add_wide_convolution() {
    append("conv2d", {{"out_channels", ParamValue(one_of<int64_t>({96, 128}))},
                      {"kernel_size", Vector{3}},
                      {"padding", text("same")},
                      dtype()});
  }

  void add_batch_norm() {
    const Dims d = dims(last_);
    if (element_count(d) == d[1]) return;  // one value a channel has no variance
    append("batch_norm", {dtype(), {"affine", ParamValue(chance(0.8))}, {"epsilon", ParamValue(number({1e-5, 1e-3}))}});
  }

  void add_activation() {
    if (chance(0.08)) {
      append("prelu", {dtype()});
    } else {
      append(one_of({"relu", "relu", "relu", "relu6", "gelu", "silu", "sigmoid", "tanh", "leaky_relu", "hard_swish"}),
             {});
    }
  }

  void add_pool() {
    if (chance(0.15)) {
      append("adaptive_avg_pool", {{"output_size", one_of<Vector>({{1}, {3}, {2, 5}})}});
      return;
    }
    ParamMap params{{"kernel_size", one_of<Vector>({{2}, {3}, {3}, {2, 3}})},
                    {"stride", one_of<Vector>({{0}, {1}, {2}})},
                    {"padding", text(one_of({"valid", "same", "1"}))}};
    if (chance(0.5)) {
      append("max_pool", params);
    } else {
      params["count_include_pad"] = chance(0.5);
      append("avg_pool", params);
    }
  }

  /// The last one with an earlier one that fits.
  void add_merge() {
    const bool joins = chance(0.35);
    const WireType& mine = type(last_);
    std::vector<std::string> others;
    for (const std::string& id : pictures_) {
      const WireType theirs = type(id);
      Dims a = mine.shape.dims(), b = theirs.shape.dims();
      if (joins && a.size() == 4) a[1] = b[1];
      if (id != last_ && theirs.dtype == mine.dtype && a == b) others.push_back(id);
    }
    if (others.empty()) others.push_back(last_);
    const std::string other = others[static_cast<size_t>(below(static_cast<int64_t>(others.size())))];
    const std::string id =
        joins ? add("concat", {{"axis", ParamValue(one_of<int64_t>({1, 1, 1, 0, -1}))}}, {{"a", last_}, {"b", other}})
              : add(one_of({"add", "add", "add", "mul", "sub", "max"}), {}, {{"a", last_}, {"b", other}});
    if (id.empty()) return;
    last_ = id;
    pictures_.push_back(id);
  }

  void add_resize() {
    if (chance(0.5)) {
      append("upsample",
             {{"factor", one_of<Vector>({{2}, {1, 2}, {3}})}, {"mode", text(one_of({"nearest", "bilinear"}))}});
    } else {
      append("resize", {{"size", one_of<Vector>({{5}, {7, 3}, {4}})},
                        {"mode", text(one_of({"nearest", "linear", "cubic"}))},
                        {"coordinates", text(one_of({"half_pixel", "align_corners"}))}});
    }
  }

  void add_rearrangement() {
    switch (below(5)) {
      case 0:
        append("slice",
               {{"axis", ParamValue(one_of<int64_t>({0, 1, 2, 3}))}, {"begin", ParamValue(one_of<int64_t>({0, 1}))}});
        return;
      case 1:
        append("pad", {{"axes", Vector{number({1, 2, 3})}}});
        return;
      case 2:
        append("transpose", {{"axes", Vector{0, 1, 3, 2}}});
        return;
      case 3:
        append("transpose", {{"axes", Vector{0, 2, 3, 1}}});
        return;
      default: {
        const Dims d = dims(last_);
        append("reshape", {{"shape", Vector{static_cast<double>(d[0]), static_cast<double>(d[1]), -1, 1}},
                           {"axes", text("N C H W")}});
      }
    }
  }

  /// From a picture to a row of scores.
  void add_head() {
    dtype_ = type(last_).dtype;
    append(one_of({"flatten", "global_avg_pool", "global_avg_pool"}), {});
    if (chance(0.5)) {
      append("mlp",
             {{"width", ParamValue(one_of<int64_t>({5, 16, 33}))}, {"out_features", ParamValue(int64_t{4})}, dtype()});
    } else {
      append("linear",
             {{"out_features", ParamValue(one_of<int64_t>({1, 7, 10}))}, {"bias", ParamValue(chance(0.7))}, dtype()});
    }
    if (chance(0.3)) append("softmax", {});
  }

  void add_loss() {
    made_.prediction = {last_, "y"};
    if (type(last_).dtype != DType::f32) append("cast", {{"to", text("f32")}});
    Vector sizes;
    for (const int64_t size : dims(last_)) sizes.push_back(static_cast<double>(size));
    const std::string target = add("random", {{"shape", sizes}, {"axes", text("")}}, {});
    const std::string loss =
        add(one_of({"mse", "mse", "l1", "huber"}), {}, {{"prediction", last_}, {"target", target}});
    ASSERT_FALSE(loss.empty());
    ParamMap train{{"optimiser", text(one_of({"sgd", "adam", "adamw"}))},
                   {"clip_norm", ParamValue(number({0, 0, 1}))},
                   {"learning_rate", ParamValue(0.01)},
                   {"steps", ParamValue(int64_t{2})}};
    apply({AddNode{node("train", "train", train)}, AddLink{{loss, "loss", "train", "loss"}}});
  }

  std::mt19937_64 engine_;
  DType dtype_ = DType::f32;
  RandomPictures made_;
  FlatGraph flat_;
  Validator validator_;
  std::string last_;
  std::vector<std::string> pictures_;  // ids of nodes that put one out
};

}  // namespace

RandomPictures random_pictures(uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace hw::test
