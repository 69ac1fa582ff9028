// A fully connected layer is a 1 × 1 convolution: weight [out, in] is [out, in, 1, 1].
#include <set>

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

/// Nodes that stand beside replaced layers. Their ids are those that document_edits() gives added nodes in groups, so
/// that their outputs are found in the rewritten graph.
class Helpers {
 public:
  explicit Helpers(const Graph& flat) : flat_(flat) {}
  Node make(const Node& beside, std::string_view type, double dx, ParamMap params) {
    const std::string stem = beside.id.substr(0, beside.id.rfind('/') + 1) + std::string(type);
    Node node;
    node.id = stem;
    for (int n = 2; flat_.find(node.id) || taken_.contains(node.id); ++n) node.id = stem + "_" + std::to_string(n);
    taken_.insert(node.id);
    node.type = type;
    node.params = std::move(params);
    node.x = beside.x + dx;
    node.y = beside.y;
    node.collapsed = true;
    return node;
  }

 private:
  const Graph& flat_;
  std::set<std::string> taken_;
};

/// Puts `layer` between two helpers.
void surround(Rewrite& place, const std::string& layer, const Node& before, const Node& after) {
  place.nodes = {layer};
  place.edits.push_back(AddNode{before});
  place.edits.push_back(AddNode{after});
  place.links = {{before.id, "y", layer, "x"}, {layer, "y", after.id, "x"}};
  place.inputs[{layer, "x"}] = {before.id, "x"};
  place.outputs[{layer, "y"}] = {after.id, "y"};
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
  Helpers helpers(flat);
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
      const Node unsqueeze = helpers.make(linear, "unsqueeze", -40, to_picture);
      surround(place, id, unsqueeze, helpers.make(linear, "flatten", 40, {}));
      replace_type(linear, "conv2d", std::move(params), linear, place.edits);
    }
    found.push_back(std::move(place));
  }
  return found;
}

std::vector<Rewrite> find_conv(const Graph& flat, const Validator& validator) {
  std::vector<Rewrite> found;
  Helpers helpers(flat);
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
      const Node last = helpers.make(conv, "transpose", -40, {{"axes", List{0, 2, 3, 1}}});
      surround(place, id, last, helpers.make(conv, "transpose", 40, {{"axes", List{0, 3, 1, 2}}}));
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
