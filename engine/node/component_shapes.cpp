#include "engine/node/component_shapes.h"

namespace hw::shapes {
namespace {

std::string sizes_text(const ComponentSocket& socket) {
  if (socket.sizes.size() == 1)
    return socket.sizes[0] < 0 ? "an axis of components"
                               : std::to_string(socket.sizes[0]) + " components on its last axis";
  if (socket.sizes[0] < 0) return "two axes of components";
  return std::to_string(socket.sizes[0]) + " × " + std::to_string(socket.sizes[1]) + " components on its last axes";
}

Status check_components(const ComponentSocket& socket, const Shape& shape) {
  const size_t own = socket.sizes.size();
  const Error refused{
      shape.rank() < own ? codes::rank_mismatch : codes::size_mismatch, socket.socket,
      "takes a " + socket.what + ", " + (own > 0 ? sizes_text(socket) : "") + ", got " + to_string(shape) + ".",
      "Slice, combine or reshape to it, or change the type."};
  if (shape.rank() < own) return refused;
  for (size_t i = 0; i < own; ++i) {
    const Axis& axis = shape[shape.rank() - own + i];
    if (!axis.known() || (socket.sizes[i] >= 0 && axis.size != socket.sizes[i])) return refused;
  }
  return ok();
}

}  // namespace

Result<Shape> batch_of(const ShapeArgs& a, std::span<const ComponentSocket> sockets) {
  Shape batch;
  std::string first;
  for (const ComponentSocket& socket : sockets) {
    const Shape& shape = a.shape(socket.socket);
    HW_CHECK(check_components(socket, shape));
    const auto& axes = shape.axes();
    const Shape mine(std::vector<Axis>(axes.begin(), axes.end() - static_cast<int64_t>(socket.sizes.size())));
    if (mine.rank() == 0) continue;
    if (batch.rank() == 0) {
      batch = mine;
      first = socket.socket;
      continue;
    }
    const std::string both =
        first + " has " + to_string(batch) + " before its components, this " + to_string(mine) + ".";
    if (mine.rank() != batch.rank())
      return Error{codes::rank_mismatch, socket.socket, "needs as many axes of the batch: " + both,
                   "Reshape one: a number for each row of [N, 3] is [N], not [N, 1]."};
    auto joint = hw::broadcast(batch, mine);
    if (!joint) return Error{codes::size_mismatch, socket.socket, "needs the batch of the others: " + both, ""};
    batch = std::move(*joint);
  }
  return batch;
}

Shape with_vector(Shape batch, int64_t size) {
  batch.push_back({"C", size, ""});
  return batch;
}

Shape with_matrix(Shape batch, int64_t rows, int64_t columns) {
  batch.push_back({"row", rows, ""});
  batch.push_back({"column", columns, ""});
  return batch;
}

LoweredBatch lowered_batch(const OpBuilder& b, std::span<const std::pair<Val, int>> values) {
  LoweredBatch batch;
  for (const auto& [v, components] : values) {
    const Value& value = b[v];
    if (auto joint = hw::broadcast(batch.dims, Dims(value.dims.begin(), value.dims.end() - components)))
      batch.dims = std::move(*joint);
  }
  for (const auto& [v, components] : values) {
    const Value& value = b[v];
    if (!batch.axes.empty() || value.axes.size() != batch.dims.size() + static_cast<size_t>(components)) continue;
    batch.axes.assign(value.axes.begin(), value.axes.end() - components);
  }
  return batch;
}

void name_axes(OpBuilder& b, Val v, const LoweredBatch& batch, std::initializer_list<const char*> components) {
  if (!b.status() || b[v].storage != Storage::temp) return;
  std::vector<std::string> names = batch.axes;
  names.insert(names.end(), components.begin(), components.end());
  b.set_axes(v, names.size() == b[v].dims.size() ? std::move(names) : std::vector<std::string>{});
}

}  // namespace hw::shapes
