// From a checked source to ops. Vectors stay whole as long as nothing reads or writes single components; what is
// written component by component is kept component by component, so that an overwritten one has no gradient and every
// reader adds to it.
#pragma once

#include "engine/expression/check.h"
#include "engine/program/builder.h"

namespace hw::expression {

/// `inputs`: the values of Checked::inputs, each [batch.., components..], all floats of one dtype. Returns the values
/// of Checked::outputs, stretched to `batch`. `dtype`: of outputs that depend on no float input. Numbers in the source
/// are rounded to the dtype, except factors of a product, which are f64. Failures go to the builder.
std::vector<Val> lower(OpBuilder& b, const Checked& source, const std::vector<Val>& inputs, const Dims& batch,
                       DType dtype);

}  // namespace hw::expression
