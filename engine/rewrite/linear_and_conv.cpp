// A fully connected layer is a 1 × 1 convolution: weight [out, in] is [out, in, 1, 1].
#include "engine/rewrite/layers.h"
#include "engine/rewrite/rules.h"

namespace hw::rewrites {
namespace {

using List = std::vector<double>;

/// Parameters that both layers have, under the names of the other.
ParamMap translated(const Node& node, const std::map<std::string, std::string>& names) {
  ParamMap params;
  for (const auto& [from, to] : names)
    if (const auto set = node.params.find(from); set != node.params.end()) params[to] = set->second;
  return params;
}

Node helper(const Node& beside, std::string_view type, const char* suffix, double dx, ParamMap params) {
  Node node;
  node.type = type;
  node.id = beside.id + suffix;
  node.params = std::move(params);
  node.x = beside.x + dx;
  node.y = beside.y;
  node.collapsed = true;
  return node;
}

/// Puts `layer` between two helpers. False: their ids are taken.
bool surround(Rewrite& place, const Graph& flat, const std::string& id, const Node& before, const Node& after) {
  if (flat.find(before.id) || flat.find(after.id)) return false;
  place.nodes = {id};
  place.edits.push_back(AddNode{before});
  place.edits.push_back(AddNode{after});
  place.links = {{before.id, "y", id, "x"}, {id, "y", after.id, "x"}};
  place.inputs[{id, "x"}] = {before.id, "x"};
  place.outputs[{id, "y"}] = {after.id, "y"};
  return true;
}

/// Lets two nodes change places; `first` is read by `second` alone.
void swap(Rewrite& place, const Node& first, const Node& second) {
  place.nodes = {first.id, second.id};
  place.links = {{second.id, "y", first.id, "x"}};
  place.inputs[{first.id, "x"}] = {second.id, "x"};
  place.outputs[{second.id, "y"}] = {first.id, "y"};
}

/// Flatten of [N, C, 1, 1] to [N, C].
bool drops_pixels(const Graph& flat, const Validator& validator, const Node& node) {
  if (node.type != "flatten" || node.bypassed) return false;
  const auto shape = input_shape(flat, validator, node);
  return shape && shape->rank() == 4 && (*shape)[2].size == 1 && (*shape)[3].size == 1 &&
         (std::get<int64_t>(param_value(node, "first")) + 4) % 4 == 1 &&
         (std::get<int64_t>(param_value(node, "last")) + 4) % 4 == 3;
}

std::function<Status(Weights&)> reshaped(const std::string& id, size_t rank) {
  return [id, rank](Weights& weights) {
    return reshape(weights, id + ".weight", [rank](Dims dims) {
      dims.resize(rank, 1);
      return dims;
    });
  };
}

std::vector<Rewrite> find_linear(const Graph& flat, const Validator& validator) {
  std::vector<Rewrite> found;
  for (const auto& [id, linear] : flat.nodes()) {
    if (linear.type != "linear" || !stands_alone(flat, linear)) continue;
    const auto shape = input_shape(flat, validator, linear);
    if (!shape || shape->rank() != 2) continue;
    ParamMap params = translated(linear, {{"out_features", "out_channels"},
                                          {"in_features", "in_channels"},
                                          {"bias", "bias"},
                                          {"dtype", "dtype"},
                                          {"compute", "compute"}});
    params["kernel_size"] = List{1};
    Rewrite place{.what = id, .nodes = {}, .edits = {}, .weights = reshaped(id, 4)};
    const Node& before = *flat.find(source_of(flat, linear)->node);
    if (drops_pixels(flat, validator, before) && only_reader(flat, before) == &linear) {
      swap(place, before, linear);
      replace_type(linear, "conv2d", std::move(params), before, place.edits);
      place.edits.push_back(MoveNode{before.id, linear.x, linear.y});
    } else {
      const ParamMap to_picture{{"axes", List{2, 3}}, {"names", std::string("H W")}};
      if (!surround(place, flat, id, helper(linear, "unsqueeze", "_picture", -40, to_picture),
                    helper(linear, "flatten", "_flat", 40, {})))
        continue;
      replace_type(linear, "conv2d", std::move(params), linear, place.edits);
    }
    found.push_back(std::move(place));
  }
  return found;
}

std::vector<Rewrite> find_conv(const Graph& flat, const Validator& validator) {
  std::vector<Rewrite> found;
  for (const auto& [id, conv] : flat.nodes()) {
    if (conv.type != "conv2d" || !stands_alone(flat, conv) || !is_pointwise(conv)) continue;
    const auto shape = input_shape(flat, validator, conv);
    if (!shape || shape->rank() != 4) continue;
    ParamMap params = translated(conv, {{"out_channels", "out_features"},
                                        {"in_channels", "in_features"},
                                        {"bias", "bias"},
                                        {"dtype", "dtype"},
                                        {"compute", "compute"}});
    Rewrite place{.what = id, .nodes = {}, .edits = {}, .weights = reshaped(id, 2)};
    const Node* after = only_reader(flat, conv);
    if (after && drops_pixels(flat, validator, *after)) {
      swap(place, conv, *after);
      replace_type(conv, "linear", std::move(params), *after, place.edits);
      place.edits.push_back(MoveNode{after->id, conv.x, conv.y});
    } else {
      if (!surround(place, flat, id, helper(conv, "transpose", "_nhwc", -40, {{"axes", List{0, 2, 3, 1}}}),
                    helper(conv, "transpose", "_nchw", 40, {{"axes", List{0, 3, 1, 2}}})))
        continue;
      replace_type(conv, "linear", std::move(params), conv, place.edits);
    }
    found.push_back(std::move(place));
  }
  return found;
}

}  // namespace

const RewriteRule linear_to_conv{"linear_to_conv", "Linear to 1 × 1 Convolution",
                                 "A Linear over [N, C] becomes a 1 × 1 convolution with the same weights.",
                                 "Lin et al. 2013, Network In Network; Long et al. 2015, Fully Convolutional Networks",
                                 &find_linear};
const RewriteRule conv_to_linear{"conv_to_linear", "1 × 1 Convolution to Linear",
                                 "A 1 × 1 convolution becomes a Linear over the channels with the same weights.",
                                 "Lin et al. 2013, Network In Network", &find_conv};

}  // namespace hw::rewrites
