#include "app/workspace/json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace hw::workspace {

using nlohmann::ordered_json;

namespace {

ordered_json kernel_json(const KernelInfo& k) {
  return {{"storage", name(k.storage)},
          {"compute", name(k.compute)},
          {"accumulate", name(k.accumulate)},
          {"implementation", k.implementation}};
}

}  // namespace

ordered_json to_json(const Diagnostic& d) {
  ordered_json j{
      {"code", d.code},     {"severity", name(d.severity)}, {"node", d.node}, {"socket", d.socket},
      {"reason", d.reason}, {"expected", d.expected},       {"got", d.got},   {"remedies", ordered_json::array()}};
  if (d.link) j["link"] = {d.link->from + "." + d.link->from_socket, d.link->to + "." + d.link->to_socket};
  for (const Remedy& r : d.remedies) j["remedies"].push_back(r.label);
  return j;
}

ordered_json to_json(const Error& e) {
  return {{"code", e.code}, {"where", e.where}, {"reason", e.reason}, {"remedy", e.remedy}};
}

ordered_json to_json(const NodeKernels& kernels) {
  const auto passes = [](const KernelInfo& forward, const std::optional<KernelInfo>& backward) {
    ordered_json j{{"forward", kernel_json(forward)}};
    if (backward) j["backward"] = kernel_json(*backward);
    return j;
  };
  ordered_json j = passes(kernels.forward, kernels.backward);
  for (const NodeKernels::Layer& layer : kernels.layers)
    j["layers"][layer.param] = passes(layer.forward, layer.backward);
  return j;
}

ordered_json number_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(number_text(value));
}

ordered_json to_json(const BadValue& b) {
  ordered_json j{{"node", b.node},
                 {"value", b.value},
                 {"op", b.op},
                 {"pass", b.pass ? name(*b.pass) : "before"},
                 {"dtype", name(b.dtype)},
                 {"dims", b.dims},
                 {"index", b.index},
                 {"element", number_text(b.element)},
                 {"infs", b.infs},
                 {"nans", b.nans},
                 {"step", b.step + 1},
                 {"micro_batch", b.micro_batch + 1},
                 {"seed", b.seed},
                 {"replayed", b.replayed}};
  j["inputs"] = ordered_json::array();
  for (const BadValue::Input& input : b.inputs) {
    ordered_json elements = ordered_json::array();
    for (const auto& [index, value] : input.elements)
      elements.push_back({{"index", index}, {"value", number_json(value)}});
    j["inputs"].push_back({{"name", input.name},
                           {"dtype", name(input.dtype)},
                           {"dims", input.dims},
                           {"whole", input.whole},
                           {"count", input.count},
                           {"smallest", input.smallest},
                           {"largest", input.largest},
                           {"elements", elements}});
  }
  j["causes"] = ordered_json::array();
  for (const BadValue::Cause& cause : b.causes)
    j["causes"].push_back({{"node", cause.node}, {"text", cause.text}, {"dtype", name(cause.dtype)}});
  j["untraced"] = b.untraced.empty() ? ordered_json() : ordered_json(b.untraced);
  j["read"] = b.read.empty() ? ordered_json() : ordered_json(b.read);
  j["keep_wide"] = b.keep_wide.empty() ? ordered_json() : ordered_json(b.keep_wide);
  j["history"] = ordered_json::array();
  for (const BadValue::Range& range : b.history)
    j["history"].push_back({{"step", range.step + 1}, {"smallest", range.smallest}, {"largest", range.largest}});
  return j;
}

}  // namespace hw::workspace
