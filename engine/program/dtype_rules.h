// Which dtypes an op takes: those of its inputs, then of its outputs.
#pragma once

#include <span>

#include "engine/program/program.h"

namespace hw {

/// `dtypes`: as many as the op may have.
using DTypesRule = bool (*)(Op op, std::span<const DType> dtypes);

// "float" below: one that is stored; "wide": f32, or f64 beside f64.
namespace dtype_rules {
using DTypes = std::span<const DType>;
bool one_float(Op, DTypes);         // all are the same float
bool one_stored(Op, DTypes);        // all are the same, of any dtype that is stored
bool floats(Op, DTypes);            // all are floats
bool cast(Op, DTypes);              // any to any that is stored
bool compare(Op, DTypes);           // two of one dtype → bool
bool where(Op, DTypes);             // (bool, a, b) → as a and b
bool argmax(Op, DTypes);            // → i64
bool indexed(Op, DTypes);           // (float, integer) → that float
bool gather_grad(Op, DTypes);       // (float, integer) → wide
bool concat(Op, DTypes);            // one or more of one dtype
bool product_into_any(Op, DTypes);  // two of one float → any float
bool channel_moments(Op, DTypes);
bool batch_norm(Op, DTypes);
bool batch_norm_grad_sums(Op, DTypes);
bool batch_norm_grad_input(Op, DTypes);
bool group_norm_grad_sums(Op, DTypes);
bool moments_update(Op, DTypes);
bool grid(Op, DTypes);             // (wide positions, table) → as the table
bool grid_grad_input(Op, DTypes);  // (wide positions, table, g) → as the positions
bool hash_grid_grad_table(Op, DTypes);
bool triplane_grad_planes(Op, DTypes);
bool grid_tangent(Op, DTypes);        // (wide positions, table, directions as positions) → as the table
bool tangent_grad_table(Op, DTypes);  // (wide positions, directions, g) → wide
bool tangent_grad_input(Op, DTypes);  // (wide positions, table, directions, g) → as the positions
bool all_f32(Op, DTypes);
bool sample_rows(Op, DTypes);
bool loss_scale(Op, DTypes);  // the state is f64
bool gradient_norm(Op, DTypes);
bool update(Op, DTypes);
bool accumulate(Op, DTypes);
}  // namespace dtype_rules

}  // namespace hw
