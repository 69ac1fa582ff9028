// Which kernel runs an op.
#include "engine/backend/cpu/conv_channels.h"
#include "engine/backend/cpu/cpu_tiling.h"
#include "engine/backend/cpu/kernel.h"
#include "engine/backend/cpu/row_major.h"
#include "engine/program/op_table.h"

namespace hw::cpu {
namespace {

using Maker = Result<Kernel> (*)(const KernelContext&);

template <auto make>
Result<Kernel> tile(const KernelContext& c) {
  Kernel kernel;
  kernel.tile = make(c);
  return kernel;
}

template <auto make>
Result<Kernel> reduction(const KernelContext& c) {
  Kernel kernel;
  kernel.reduction = make(c);
  return kernel;
}

template <auto make>
Result<Kernel> whole(const KernelContext& c) {
  Kernel kernel;
  kernel.whole = make(c);
  return kernel;
}

bool runs_whole(const KernelContext& c) {
  return cpu_tile_rule(c.program, c.instr).tiling == Tiling::none;
}

Result<Kernel> made_fold(const KernelContext& c) {
  const bool keeps_rows = tile_rule(c.program, c.instr).tiling == Tiling::rows;
  return keeps_rows ? tile<make_row_fold>(c) : reduction<make_batch_fold>(c);
}

Result<Kernel> made_hash_grid(const KernelContext& c) {
  return runs_whole(c) ? whole<make_hash_grid_by_level>(c) : tile<make_hash_grid>(c);
}

Result<Kernel> made_conv_grad_weight(const KernelContext& c) {
  return runs_whole(c) ? whole<make_conv_grad_weight_by_channels>(c) : reduction<make_conv_grad_weight>(c);
}

Result<Kernel> made_sample_surface(const KernelContext& c) {
  Kernel kernel;
  HW_TRY(kernel.tile, make_sample_surface(c));
  return kernel;
}

constexpr OpRow<Maker> kRows[] = {
    {Op::cast, tile<make_cast>},
    {Op::add, tile<make_elementwise>},
    {Op::sub, tile<make_elementwise>},
    {Op::mul, tile<make_elementwise>},
    {Op::scale, tile<make_elementwise>},
    {Op::affine, tile<make_elementwise>},
    {Op::clamp, tile<make_elementwise>},
    {Op::clamp_grad, tile<make_elementwise>},
    {Op::relu, tile<make_elementwise>},
    {Op::relu_grad, tile<make_elementwise>},
    {Op::gradient_scale, tile<make_cast>},
    {Op::sigmoid, tile<make_elementwise>},
    {Op::sigmoid_grad, tile<make_elementwise>},
    {Op::unary, tile<make_elementwise>},
    {Op::unary_grad, tile<make_elementwise>},
    {Op::binary, tile<make_elementwise>},
    {Op::binary_grad, tile<make_elementwise>},
    {Op::compare, tile<make_elementwise>},
    {Op::where, tile<make_elementwise>},
    {Op::stop_gradient, tile<make_cast>},
    {Op::dropout, tile<make_elementwise>},
    {Op::matmul, tile<make_matmul>},
    {Op::matmul_tn, reduction<make_matmul_tn>},
    {Op::batch_matmul, tile<make_batch_matmul>},
    {Op::sum_to, made_fold},
    {Op::reduce, made_fold},
    {Op::softmax, tile<make_softmax>},
    {Op::softmax_grad, tile<make_softmax>},
    {Op::argmax, tile<make_softmax>},
    {Op::gather_elements, tile<make_gather_elements>},
    {Op::gather_elements_grad, tile<make_gather_elements>},
    {Op::gather, tile<make_gather>},
    {Op::gather_grad, whole<make_gather_grad>},
    {Op::broadcast_to, tile<make_rearrange>},
    {Op::reshape, tile<make_rearrange>},
    {Op::concat, tile<make_rearrange>},
    {Op::slice, tile<make_rearrange>},
    {Op::pad, tile<make_rearrange>},
    {Op::transpose, tile<make_transpose>},
    {Op::hash_grid, made_hash_grid},
    {Op::hash_grid_grad_table, whole<make_hash_grid_grad_table>},
    {Op::hash_grid_grad_input, tile<make_hash_grid_grad_input>},
    {Op::hash_grid_tangent, tile<make_hash_grid_tangent>},
    {Op::hash_grid_tangent_grad_table, whole<make_hash_grid_tangent_grad_table>},
    {Op::hash_grid_tangent_grad_input, tile<make_hash_grid_tangent_grad_input>},
    {Op::triplane, tile<make_triplane>},
    {Op::triplane_grad_planes, whole<make_triplane_grad_planes>},
    {Op::triplane_grad_input, tile<make_triplane_grad_input>},
    {Op::triplane_tangent, tile<make_triplane_tangent>},
    {Op::triplane_tangent_grad_planes, whole<make_triplane_tangent_grad_planes>},
    {Op::triplane_tangent_grad_input, tile<make_triplane_tangent_grad_input>},
    {Op::conv2d, tile<make_conv>},
    {Op::conv2d_grad_input, tile<make_conv>},
    {Op::conv2d_grad_weight, made_conv_grad_weight},
    {Op::max_pool, tile<make_pool>},
    {Op::max_pool_grad, tile<make_pool>},
    {Op::avg_pool, tile<make_pool>},
    {Op::avg_pool_grad, tile<make_pool>},
    {Op::resize, tile<make_resize>},
    {Op::resize_grad, tile<make_resize>},
    {Op::channel_moments, reduction<make_batch_norm_sums>},
    {Op::batch_norm, tile<make_batch_norm>},
    {Op::batch_norm_grad_sums, reduction<make_batch_norm_sums>},
    {Op::batch_norm_grad_input, tile<make_batch_norm>},
    {Op::moments_update, whole<make_moments_update>},
    {Op::group_norm, tile<make_group_norm>},
    {Op::group_norm_grad_input, tile<make_group_norm>},
    {Op::group_norm_grad_sums, reduction<make_group_norm_sums>},
    {Op::sample_surface, made_sample_surface},
    {Op::sample_image, tile<make_sample_image>},
    {Op::sample_rows, tile<make_sample_rows>},
    {Op::random, tile<make_random>},
    {Op::gradient_norm, whole<make_gradient_norm>},
    {Op::check_finite, whole<make_loss_scale>},
#define HW_UPDATE(name, ...) {Op::name##_update, whole<make_update>},
#include "engine/program/optimisers.def"
    {Op::loss_scale_update, whole<make_loss_scale>},
    {Op::accumulate, whole<make_running_sum>},
    {Op::average_update, whole<make_running_sum>},
};
constexpr auto kMakers = complete_table<kRows>();

}  // namespace

bool KernelContext::by_row(size_t k) const {
  return follows_rows(program, instr, k);
}

std::string implementation_name(const SimdTable& simd) {
  return "cpu " + std::string(name(simd.isa));
}

KernelInfo own_kernel_info(const KernelContext& c, DType storage) {
  const DType compute = compute_dtype(storage);
  return {storage, compute, compute, implementation_name(c.simd)};
}

Result<Kernel> make_kernel(const KernelContext& c) {
  HW_TRY(Kernel kernel, kMakers[static_cast<size_t>(c.instr.op)](c));
  return as_row_major(std::move(kernel), c);
}

}  // namespace hw::cpu
