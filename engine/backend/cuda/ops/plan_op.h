// Which family of ops/*.h plans an instruction. A launcher's families may be compiled in several files.
#pragma once

#include "engine/backend/cuda/driver.h"
#include "engine/backend/cuda/op_context.h"
#include "engine/core/codes.h"

namespace hw::cuda {

#define HW_CUDA_FAMILIES(family)                                                                                   \
  family(plan_arithmetic) family(plan_affine) family(plan_unary) family(plan_binary) family(plan_compare)          \
      family(plan_cast) family(plan_random) family(plan_fold) family(plan_gradient_norm) family(plan_check_finite) \
          family(plan_rearrange) family(plan_softmax) family(plan_gather_elements) family(plan_hash_grid)          \
              family(plan_triplane) family(plan_gather) family(plan_update) family(plan_loss_scale)                \
                  family(plan_running) family(plan_moments_update) family(plan_sample_surface)                     \
                      family(plan_sample_data) family(plan_pool) family(plan_resize) family(plan_channel_moments)  \
                          family(plan_batch_norm) family(plan_group_norm)

#define HW_DECLARE(name)    \
  template <class Launcher> \
  void name(OpContext& c);
HW_CUDA_FAMILIES(HW_DECLARE)
#undef HW_DECLARE
template <class Launcher>
void plan_product(OpContext& c, const Driver& driver);
template <class Launcher>
void plan_convolution(OpContext& c, const Driver& driver);

/// Driver::plan for a launcher: Error HW-R002 where there is no kernel, else what the family said.
template <class Launcher>
Status plan_op(OpContext& c, const Driver& driver) {
  switch (c.op()) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::scale:
    case Op::clamp:
    case Op::clamp_grad:
    case Op::relu:
    case Op::relu_grad:
    case Op::sigmoid:
    case Op::sigmoid_grad:
      plan_arithmetic<Launcher>(c);
      break;
    case Op::affine:
      plan_affine<Launcher>(c);
      break;
    case Op::unary:
    case Op::unary_grad:
      plan_unary<Launcher>(c);
      break;
    case Op::binary:
    case Op::binary_grad:
      plan_binary<Launcher>(c);
      break;
    case Op::compare:
    case Op::where:
      plan_compare<Launcher>(c);
      break;
    case Op::cast:
    case Op::gradient_scale:
    case Op::stop_gradient:
      plan_cast<Launcher>(c);
      break;
    case Op::dropout:
    case Op::random:
      plan_random<Launcher>(c);
      break;
    case Op::matmul:
    case Op::matmul_tn:
    case Op::batch_matmul:
      plan_product<Launcher>(c, driver);
      break;
    case Op::sum_to:
    case Op::reduce:
      plan_fold<Launcher>(c);
      break;
    case Op::gradient_norm:
      plan_gradient_norm<Launcher>(c);
      break;
    case Op::check_finite:
      plan_check_finite<Launcher>(c);
      break;
    case Op::loss_scale_update:
      plan_loss_scale<Launcher>(c);
      break;
    case Op::softmax:
    case Op::softmax_grad:
    case Op::argmax:
      plan_softmax<Launcher>(c);
      break;
    case Op::gather_elements:
    case Op::gather_elements_grad:
      plan_gather_elements<Launcher>(c);
      break;
    case Op::gather:
    case Op::gather_grad:
      plan_gather<Launcher>(c);
      break;
    case Op::broadcast_to:
    case Op::reshape:
    case Op::concat:
    case Op::slice:
    case Op::pad:
    case Op::transpose:
      plan_rearrange<Launcher>(c);
      break;
    case Op::hash_grid:
    case Op::hash_grid_grad_table:
    case Op::hash_grid_grad_input:
      plan_hash_grid<Launcher>(c);
      break;
    case Op::triplane:
    case Op::triplane_grad_planes:
    case Op::triplane_grad_input:
      plan_triplane<Launcher>(c);
      break;
    case Op::sample_surface:
      plan_sample_surface<Launcher>(c);
      break;
    case Op::sample_image:
    case Op::sample_rows:
      plan_sample_data<Launcher>(c);
      break;
    case Op::sgd_update:
    case Op::adam_update:
      plan_update<Launcher>(c);
      break;
    case Op::accumulate:
    case Op::average_update:
      plan_running<Launcher>(c);
      break;
    case Op::moments_update:
      plan_moments_update<Launcher>(c);
      break;
    case Op::conv2d:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
      plan_convolution<Launcher>(c, driver);
      break;
    case Op::max_pool:
    case Op::max_pool_grad:
    case Op::avg_pool:
    case Op::avg_pool_grad:
      plan_pool<Launcher>(c);
      break;
    case Op::resize:
    case Op::resize_grad:
      plan_resize<Launcher>(c);
      break;
    case Op::channel_moments:
      plan_channel_moments<Launcher>(c);
      break;
    case Op::batch_norm:
    case Op::batch_norm_grad_sums:
    case Op::batch_norm_grad_input:
      plan_batch_norm<Launcher>(c);
      break;
    case Op::group_norm:
    case Op::group_norm_grad_input:
    case Op::group_norm_grad_sums:
      plan_group_norm<Launcher>(c);
      break;
    default:
      return Error{codes::unsupported, "", "", ""};
  }
  if (c.info.implementation.empty()) c.info.implementation = driver.implementation();
  return c.status();
}

}  // namespace hw::cuda
