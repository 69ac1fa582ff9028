// Shape rules that many nodes share.
#pragma once

#include "engine/node/node_type.h"

namespace hw::shapes {

/// One output with the type of `socket`.
Result<Shapes> same_as(const ShapeArgs& a, std::string_view socket);
/// One output: NumPy broadcasting of two inputs. The error is placed at the second.
Result<Shapes> broadcast(const ShapeArgs& a, std::string_view first, std::string_view second);
/// HW-S001 unless the input has as many axes as `axes` names ("N D").
Status require_axes(const ShapeArgs& a, std::string_view socket, std::string_view axes);
/// [N, C] of the channels that the declaration of this input says. HW-S001 other axes, HW-S002 another C.
Status require_field(const ShapeArgs& a, std::string_view socket);
/// C of [N, C, ..]. HW-S001 with fewer than two axes, HW-S002 unless every size but N is known and not 0.
Result<int64_t> channels_of(const ShapeArgs& a, std::string_view socket);
/// The size of the last axis; error when the input is a scalar or the size is symbolic.
Result<int64_t> last_size(const ShapeArgs& a, std::string_view socket);
/// The axis that the integer parameter `axis` names, counted from the end when negative. Error HW-P001 at `axis`.
Result<size_t> axis_of(const ShapeArgs& a, std::string_view socket);
/// The same where shape() has passed.
inline int wrap_axis(int64_t axis, size_t rank) {
  return static_cast<int>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}
/// The axes that the vector parameter `axes` names, counted from the end when negative. Error HW-P001 at `axes`: not a
/// whole number, no such axis, or twice the same.
Result<std::vector<int>> axes_of(const ShapeArgs& a, std::string_view socket);
/// The same where shape() has passed.
std::vector<int> wrap_axes(const std::vector<double>& axes, size_t rank);
/// The whole numbers of the vector parameter `id`. Error HW-P001 at `id`.
Result<std::vector<int64_t>> whole_numbers(const Params& p, std::string_view id);
/// The sizes that the vector parameter `id` names: each at least 1, at most 2^28 elements. Error HW-P001 at `id`.
Result<Dims> sizes_of(const Params& p, std::string_view id);
/// The words of the text parameter `id`: names of axes.
std::vector<std::string> axis_names(const Params& p, std::string_view id);
/// The shape with these sizes whose axes the text parameter `id` names. Error HW-P001 at `id` unless it names all or
/// none.
Result<Shape> named_shape(const Params& p, const Dims& dims, std::string_view id);
WireType tensor(DType dtype, Shape shape);

// ---- sockets of any kind
/// The choice `kind`: what the node's sockets carry.
void declare_kind(NodeDecl& d);
Kind kind_of(const Params& p);

// ---- products
/// The choice `compute`: what the factors of the node's products are rounded to.
void declare_compute(NodeDecl& d);
/// What it says, for OpBuilder's products; none: the storage dtype.
std::optional<DType> compute_of(const Params& p);

// ---- channels that are said beforehand
/// The integer parameter `id`: how many channels the input must have; 0: as many as it has.
void declare_expected(NodeDecl& d, std::string id);
/// Error HW-S002 at `x` where the parameter `id` says another number than `got`.
Status as_expected(const ShapeArgs& a, std::string_view id, int64_t got);

// ---- losses

/// Inputs `prediction` and `target` of one shape and float dtype, output `loss`, a scalar of that dtype.
void declare_loss_pair(NodeDecl& d);
Result<Shapes> loss_of_pair(const ShapeArgs& a);
Examples loss_pair_examples(const ParamMap& params = {});
/// `labels` must have the sizes of `logits` without their axis 1: HW-S001, HW-S002.
Status labels_of_logits(const ShapeArgs& a);

}  // namespace hw::shapes
