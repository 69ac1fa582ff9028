#include "engine/node/attention_shapes.h"

namespace hw::shapes {

Status mask_fits(const ShapeArgs& a, const Shape& scores) {
  if (!a.in("mask")) return ok();
  const Shape& mask = a.shape("mask");
  const std::string both = "the scores are " + to_string(scores) + ", the mask is " + to_string(mask) + ".";
  if (mask.rank() < 2 || mask.rank() > 4)
    return Error{codes::rank_mismatch, "mask",
                 "must be [seq, tokens], with batch or batch and heads before them: " + both,
                 "Unsqueeze puts in axes of size 1."};
  std::vector<Axis> axes = mask.axes();
  if (axes.size() == 3) axes.insert(axes.begin() + 1, {"", 1, ""});
  for (size_t d = 0; d < axes.size(); ++d) {
    const size_t at = d + 4 - axes.size();
    const bool fits = !axes[d].known() || axes[d].size == 1 || !scores[at].known() || axes[d].size == scores[at].size;
    if (!fits)
      return Error{codes::no_broadcast, "mask",
                   "its axis " + scores[at].name + " of size " + std::to_string(axes[d].size) +
                       " does not stretch to " + std::to_string(scores[at].size) + ": " + both,
                   "A size of 1 serves all."};
  }
  return ok();
}

Val mask_of_heads(OpBuilder& b, Val mask) {
  if (!b.status() || b[mask].dims.size() != 3) return mask;
  Dims dims = b[mask].dims;
  dims.insert(dims.begin() + 1, 1);
  return b.reshape(mask, dims);
}

}  // namespace hw::shapes
