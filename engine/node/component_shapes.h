// Shapes of wires that carry vectors and matrices: the axes of the batch, then one axis of components, or two.
#pragma once

#include <span>

#include "engine/node/node_type.h"

namespace hw::shapes {

/// An input whose last axes are components. `sizes`: of those axes, −1 for any; empty: a number.
struct ComponentSocket {
  std::string socket;
  std::vector<int64_t> sizes;
  std::string what;  // "vec3", for messages
};

/// The axes before the components, which all inputs share: the same, of size 1, or none at all. Unlike broadcasting it
/// never sets [N] beside [N, 1]. Errors: HW-S001, HW-S002, placed at the socket.
Result<Shape> batch_of(const ShapeArgs& a, std::span<const ComponentSocket> sockets);
/// `batch` with one axis C of components.
Shape with_vector(Shape batch, int64_t size);
/// `batch` with two axes, row and column.
Shape with_matrix(Shape batch, int64_t rows, int64_t columns);

/// The same where shape() has passed: the batch's sizes and names (none where no input has any) of values with this
/// many axes of components.
struct LoweredBatch {
  Dims dims;
  std::vector<std::string> axes;
};
LoweredBatch lowered_batch(const OpBuilder& b, std::span<const std::pair<Val, int>> values);
/// Names the axes of `v`: those of the batch, then `components`; none, unless there is one for each.
void name_axes(OpBuilder& b, Val v, const LoweredBatch& batch, std::initializer_list<const char*> components);

}  // namespace hw::shapes
