// Which family of ops/*.h plans an op. A launcher's families may be compiled in several files.
#pragma once

#include "engine/backend/cuda/driver.h"
#include "engine/backend/cuda/op_context.h"
#include "engine/program/op_table.h"

namespace hw::cuda {

#define HW_CUDA_FAMILIES(family)                                                                                   \
  family(plan_arithmetic) family(plan_affine) family(plan_unary) family(plan_binary) family(plan_compare)          \
      family(plan_cast) family(plan_random) family(plan_fold) family(plan_gradient_norm) family(plan_check_finite) \
          family(plan_rearrange) family(plan_softmax) family(plan_gather_elements) family(plan_hash_grid)          \
              family(plan_triplane) family(plan_gather) family(plan_update) family(plan_loss_scale)                \
                  family(plan_running) family(plan_moments_update) family(plan_sample_surface)                     \
                      family(plan_sample_data) family(plan_pool) family(plan_resize) family(plan_channel_moments)  \
                          family(plan_batch_norm) family(plan_group_norm) family(plan_hash_grid_tangent)           \
                              family(plan_triplane_tangent)

#define HW_DECLARE(name)    \
  template <class Launcher> \
  void name(OpContext& c);
HW_CUDA_FAMILIES(HW_DECLARE)
#undef HW_DECLARE
template <class Launcher>
void plan_product(OpContext& c, const Driver& driver);
template <class Launcher>
void plan_convolution(OpContext& c, const Driver& driver);

using Planner = void (*)(OpContext&, const Driver&);

template <void (*plan)(OpContext&)>
void planned(OpContext& c, const Driver&) {
  plan(c);
}

template <class Launcher>
constexpr OpRow<Planner> kPlanRows[] = {
    {Op::cast, planned<plan_cast<Launcher>>},
    {Op::add, planned<plan_arithmetic<Launcher>>},
    {Op::sub, planned<plan_arithmetic<Launcher>>},
    {Op::mul, planned<plan_arithmetic<Launcher>>},
    {Op::scale, planned<plan_arithmetic<Launcher>>},
    {Op::affine, planned<plan_affine<Launcher>>},
    {Op::clamp, planned<plan_arithmetic<Launcher>>},
    {Op::clamp_grad, planned<plan_arithmetic<Launcher>>},
    {Op::relu, planned<plan_arithmetic<Launcher>>},
    {Op::relu_grad, planned<plan_arithmetic<Launcher>>},
    {Op::gradient_scale, planned<plan_cast<Launcher>>},
    {Op::sigmoid, planned<plan_arithmetic<Launcher>>},
    {Op::sigmoid_grad, planned<plan_arithmetic<Launcher>>},
    {Op::unary, planned<plan_unary<Launcher>>},
    {Op::unary_grad, planned<plan_unary<Launcher>>},
    {Op::binary, planned<plan_binary<Launcher>>},
    {Op::binary_grad, planned<plan_binary<Launcher>>},
    {Op::compare, planned<plan_compare<Launcher>>},
    {Op::where, planned<plan_compare<Launcher>>},
    {Op::stop_gradient, planned<plan_cast<Launcher>>},
    {Op::dropout, planned<plan_random<Launcher>>},
    {Op::matmul, plan_product<Launcher>},
    {Op::matmul_tn, plan_product<Launcher>},
    {Op::batch_matmul, plan_product<Launcher>},
    {Op::sum_to, planned<plan_fold<Launcher>>},
    {Op::reduce, planned<plan_fold<Launcher>>},
    {Op::softmax, planned<plan_softmax<Launcher>>},
    {Op::softmax_grad, planned<plan_softmax<Launcher>>},
    {Op::argmax, planned<plan_softmax<Launcher>>},
    {Op::gather_elements, planned<plan_gather_elements<Launcher>>},
    {Op::gather_elements_grad, planned<plan_gather_elements<Launcher>>},
    {Op::gather, planned<plan_gather<Launcher>>},
    {Op::gather_grad, planned<plan_gather<Launcher>>},
    {Op::broadcast_to, planned<plan_rearrange<Launcher>>},
    {Op::reshape, planned<plan_rearrange<Launcher>>},
    {Op::concat, planned<plan_rearrange<Launcher>>},
    {Op::slice, planned<plan_rearrange<Launcher>>},
    {Op::pad, planned<plan_rearrange<Launcher>>},
    {Op::transpose, planned<plan_rearrange<Launcher>>},
    {Op::hash_grid, planned<plan_hash_grid<Launcher>>},
    {Op::hash_grid_grad_table, planned<plan_hash_grid<Launcher>>},
    {Op::hash_grid_grad_input, planned<plan_hash_grid<Launcher>>},
    {Op::hash_grid_tangent, planned<plan_hash_grid_tangent<Launcher>>},
    {Op::hash_grid_tangent_grad_table, planned<plan_hash_grid_tangent<Launcher>>},
    {Op::hash_grid_tangent_grad_input, planned<plan_hash_grid_tangent<Launcher>>},
    {Op::triplane, planned<plan_triplane<Launcher>>},
    {Op::triplane_grad_planes, planned<plan_triplane<Launcher>>},
    {Op::triplane_grad_input, planned<plan_triplane<Launcher>>},
    {Op::triplane_tangent, planned<plan_triplane_tangent<Launcher>>},
    {Op::triplane_tangent_grad_planes, planned<plan_triplane_tangent<Launcher>>},
    {Op::triplane_tangent_grad_input, planned<plan_triplane_tangent<Launcher>>},
    {Op::conv2d, plan_convolution<Launcher>},
    {Op::conv2d_grad_input, plan_convolution<Launcher>},
    {Op::conv2d_grad_weight, plan_convolution<Launcher>},
    {Op::max_pool, planned<plan_pool<Launcher>>},
    {Op::max_pool_grad, planned<plan_pool<Launcher>>},
    {Op::avg_pool, planned<plan_pool<Launcher>>},
    {Op::avg_pool_grad, planned<plan_pool<Launcher>>},
    {Op::resize, planned<plan_resize<Launcher>>},
    {Op::resize_grad, planned<plan_resize<Launcher>>},
    {Op::channel_moments, planned<plan_channel_moments<Launcher>>},
    {Op::batch_norm, planned<plan_batch_norm<Launcher>>},
    {Op::batch_norm_grad_sums, planned<plan_batch_norm<Launcher>>},
    {Op::batch_norm_grad_input, planned<plan_batch_norm<Launcher>>},
    {Op::moments_update, planned<plan_moments_update<Launcher>>},
    {Op::group_norm, planned<plan_group_norm<Launcher>>},
    {Op::group_norm_grad_input, planned<plan_group_norm<Launcher>>},
    {Op::group_norm_grad_sums, planned<plan_group_norm<Launcher>>},
    {Op::sample_surface, planned<plan_sample_surface<Launcher>>},
    {Op::sample_image, planned<plan_sample_data<Launcher>>},
    {Op::sample_rows, planned<plan_sample_data<Launcher>>},
    {Op::random, planned<plan_random<Launcher>>},
    {Op::gradient_norm, planned<plan_gradient_norm<Launcher>>},
    {Op::check_finite, planned<plan_check_finite<Launcher>>},
#define HW_UPDATE(name, ...) {Op::name##_update, planned<plan_update<Launcher>>},
#include "engine/program/optimisers.def"
    {Op::loss_scale_update, planned<plan_loss_scale<Launcher>>},
    {Op::accumulate, planned<plan_running<Launcher>>},
    {Op::average_update, planned<plan_running<Launcher>>},
};

/// Driver::plan for a launcher: the family's result, Error HW-R002 where it has no kernel for the instruction.
template <class Launcher>
Status plan_op(OpContext& c, const Driver& driver) {
  static constexpr auto kPlanners = complete_table<kPlanRows<Launcher>>();
  kPlanners[static_cast<size_t>(c.op())](c, driver);
  if (c.info.implementation.empty()) c.info.implementation = driver.implementation();
  return c.status();
}

}  // namespace hw::cuda
