// The masks of attention nodes.
#pragma once

#include "engine/node/shapes.h"

namespace hw::shapes {

/// Whether the optional input `mask` stretches to `scores`, [batch, heads, seq, tokens]: [seq, tokens] or
/// [batch, seq, tokens], the same for all heads, or with the axis of heads. HW-S001, HW-S003 at `mask`.
Status mask_fits(const ShapeArgs& a, const Shape& scores);
/// A mask that fits, with an axis of heads where it has one of the batch alone.
Val mask_of_heads(OpBuilder& b, Val mask);

}  // namespace hw::shapes
