#include "engine/graph/precision/autocast.h"
#include "engine/rewrite/rules.h"

namespace hw::rewrites {
namespace {

std::vector<Rewrite> find_wide_layers(const Graph& flat, const Validator& validator) {
  PrecisionPlan plan = autocast(flat, DType::bf16);
  Graph after = flat;
  if (plan.edits.empty() || !apply_edits(after, plan.edits)) return {};
  Rewrite place{.what = "the whole graph", .nodes = {}, .edits = std::move(plan.edits)};
  for (const std::string& number : plan.numbers) place.what += "; " + number;
  place.rounded = DType::bf16;
  for (const SocketRef& output : final_outputs(flat, validator))
    if (const auto now = read_instead(flat, after, output)) place.compared.push_back({output, *now});
  if (place.compared.empty()) return {};
  return {std::move(place)};
}

}  // namespace

const RewriteRule mixed_precision{
    "mixed_precision", "Mixed Precision",
    "Products in bf16, sums, norms and losses in f32, with visible Casts: as PyTorch's autocast places them.",
    "Micikevicius et al. 2018, Mixed Precision Training; PyTorch, torch.amp", &find_wide_layers};

}  // namespace hw::rewrites
