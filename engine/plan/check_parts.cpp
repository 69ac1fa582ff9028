#include "engine/plan/check_parts.h"

#include <algorithm>
#include <map>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"
#include "engine/graph/check/validate.h"
#include "engine/plan/batch_sizes.h"
#include "engine/plan/mixed_nodes.h"
#include "engine/plan/train_settings.h"

namespace hw {
namespace {

std::string named(const Graph& flat, const std::string& id) {
  const Node* node = flat.find(id);
  return (node ? display_name(*node) : id) + " (" + id + ")";
}

std::string parts_text(uint64_t batches, uint64_t ranks) {
  if (ranks == 1) return std::to_string(batches) + " micro-batches";
  return batches == 1 ? std::to_string(ranks) + " ranks"
                      : std::to_string(batches) + " micro-batches of each of the " + std::to_string(ranks) + " ranks";
}

std::string reason(const Graph& flat, const MixedNode& mixed, size_t alike, const std::string& parts) {
  const std::string op = " (op " + std::string(info(mixed.op).name) + ")";
  const std::string more = alike > 1 ? ", as " + std::to_string(alike - 1) + " more of its type," : "";
  if (mixed.number.empty())
    return named(flat, mixed.node) + more + " is over the samples of each of the " + parts + " alone" + op +
           ": the loss is not that of their one batch.";
  return named(flat, mixed.number) + " is of all samples, but " + named(flat, mixed.node) + more +
         " uses it with those of each of the " + parts + " alone" + op +
         ": its gradient is not that of their one batch.";
}

/// One batch as large as the micro-batches together: their sources' samples, as far as those may be set.
Remedy one_batch(const Graph& flat, const std::string& trainer, int64_t batches) {
  Remedy remedy;
  remedy.edits.push_back(SetParam{trainer, "accumulate", int64_t{1}});
  remedy.label = "Set accumulate to 1";
  for (const BatchSize& size : batch_sizes(flat, trainer)) {
    const int64_t samples = size_product({size.samples, batches});
    const bool inside_group = size.node.find('/') != std::string::npos;
    if (inside_group || static_cast<double>(samples) > size.param->max.value_or(0)) continue;
    remedy.edits.push_back(SetParam{size.node, size.param->id, samples});
    remedy.label += ", " + size.param->id + " of " + size.node + " to " + std::to_string(samples);
  }
  return remedy;
}

}  // namespace

std::vector<Diagnostic> check_parts(const Graph& flat, Assets& assets, uint64_t ranks) {
  const auto trainer = find_trainer(flat);
  if (!trainer) return {};
  const Node& train = *flat.find(*trainer);
  const ParamValue accumulate = param_value(train, "accumulate");
  if (!std::holds_alternative<int64_t>(accumulate)) return {};  // an error of its own
  const int64_t batches = std::get<int64_t>(accumulate);
  const uint64_t parts = static_cast<uint64_t>(std::max<int64_t>(1, batches)) * ranks;
  if (parts < 2 || train.bypassed) return {};
  const auto mixed = mixed_nodes(flat, *trainer, parts, assets);
  if (!mixed) return {};
  const auto kind = [&](const MixedNode& m) {
    const Node* node = flat.find(m.node);
    return std::tuple(node ? node->type : std::string(), m.number, m.op);
  };
  std::map<std::tuple<std::string, std::string, Op>, size_t> alike;
  for (const MixedNode& m : *mixed) ++alike[kind(m)];
  std::vector<Diagnostic> found;
  for (const MixedNode& m : *mixed) {
    const size_t count = std::exchange(alike[kind(m)], 0);
    if (count == 0) continue;
    Diagnostic d;
    d.code = codes::bad_parameter;
    d.severity = Severity::warning;
    d.node = *trainer;
    d.socket = "accumulate";
    d.reason = reason(flat, m, count, parts_text(static_cast<uint64_t>(batches), ranks));
    if (batches > 1) d.remedies.push_back(one_batch(flat, *trainer, batches));
    found.push_back(std::move(d));
  }
  return found;
}

}  // namespace hw
