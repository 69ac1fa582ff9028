#include "engine/shader/field/op_texts.h"

namespace hw::shader {

// Without a default: an op that is not here does not compile.
OpText op_text_of(Op op) {
  using namespace op_texts;
  switch (op) {
    case Op::cast:
      return cast;
    case Op::gradient_scale:
    case Op::stop_gradient:
    case Op::reshape:
    case Op::broadcast_to:
      return copy;
    case Op::add:
    case Op::sub:
    case Op::mul:
      return infix;
    case Op::scale:
      return scale;
    case Op::affine:
      return affine;
    case Op::clamp:
    case Op::clamp_grad:
      return clamp;
    case Op::relu:
    case Op::relu_grad:
    case Op::sigmoid:
    case Op::sigmoid_grad:
      return body;
    case Op::unary:
    case Op::unary_grad:
      return unary;
    case Op::binary:
    case Op::binary_grad:
      return binary;
    case Op::compare:
      return compare;
    case Op::where:
      return where;
    case Op::matmul:
      return matmul;
    case Op::hash_grid:
      return hash_grid;
    case Op::triplane:
      return triplane;
    case Op::sum_to:
    case Op::reduce:
      return fold;
    case Op::softmax:
      return softmax;
    case Op::softmax_grad:
      return softmax_grad;
    case Op::group_norm:
      return group_norm;
    case Op::batch_norm:
      return batch_norm;
    case Op::concat:
      return concat;
    case Op::slice:
      return slice;
    case Op::pad:
      return pad;
    case Op::transpose:
      return transpose;
    // These take many points at once, pictures or sequences, or have no text yet.
    case Op::dropout:
    case Op::matmul_tn:
    case Op::batch_matmul:
    case Op::argmax:
    case Op::gather_elements:
    case Op::gather_elements_grad:
    case Op::gather:
    case Op::gather_grad:
    case Op::hash_grid_grad_table:
    case Op::hash_grid_grad_input:
    case Op::hash_grid_tangent:
    case Op::hash_grid_tangent_grad_table:
    case Op::hash_grid_tangent_grad_input:
    case Op::triplane_grad_planes:
    case Op::triplane_grad_input:
    case Op::triplane_tangent:
    case Op::triplane_tangent_grad_planes:
    case Op::triplane_tangent_grad_input:
    case Op::conv2d:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
    case Op::max_pool:
    case Op::max_pool_grad:
    case Op::avg_pool:
    case Op::avg_pool_grad:
    case Op::resize:
    case Op::resize_grad:
    case Op::channel_moments:
    case Op::batch_norm_grad_sums:
    case Op::batch_norm_grad_input:
    case Op::moments_update:
    case Op::group_norm_grad_input:
    case Op::group_norm_grad_sums:
    case Op::sample_surface:
    case Op::sample_image:
    case Op::sample_rows:
    case Op::random:
    case Op::gradient_norm:
    case Op::check_finite:
    case Op::loss_scale_update:
    case Op::accumulate:
    case Op::average_update:
#define HW_UPDATE(name, ...) case Op::name##_update:
#include "engine/program/optimisers.def"
#undef HW_UPDATE
      return nullptr;
  }
  return nullptr;
}

}  // namespace hw::shader
