// Which kernel runs an op, and which dtypes the cpu device takes.
#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cpu/kernel.h"
#include "engine/backend/cpu/schedule.h"
#include "engine/program/product_bias.h"

namespace hw::cpu {
namespace {

bool computes(DType d) {
  return info(d).is_float && info(d).storable;
}

bool all(std::span<const DType> dtypes, bool (*ok)(DType)) {
  for (DType d : dtypes)
    if (!ok(d)) return false;
  return true;
}

// All dtypes of a range are the same one, and the cpu computes in it.
bool same(std::span<const DType> dtypes) {
  for (DType d : dtypes)
    if (d != dtypes[0]) return false;
  return all(dtypes, computes);
}

bool same_as(DType dtype, std::initializer_list<DType> others) {
  for (DType d : others)
    if (d != dtype) return false;
  return true;
}

// x f32, or f64 beside `wide`.
bool grid_position(DType x, DType wide) {
  return x == DType::f32 || (x == DType::f64 && wide == DType::f64);
}

}  // namespace

bool supports(Op op, std::span<const DType> d) {
  const size_t outputs = static_cast<size_t>(info(op).outputs);
  if (d.size() < outputs || !fits_inputs(op, d.size() - outputs)) return false;
  switch (op) {
    case Op::cast:
      return info(d[0]).storable && info(d[1]).storable;
    case Op::matmul_tn:
    case Op::conv2d_grad_weight:
      return same(d.first(2)) && computes(d[2]);
    case Op::sum_to:
      return all(d, computes);
    case Op::compare:
      return d[0] == d[1] && info(d[0]).storable && d[2] == DType::boolean;
    case Op::where:
      return d[0] == DType::boolean && same(d.subspan(1));
    case Op::argmax:
      return computes(d[0]) && d[1] == DType::i64;
    case Op::gather:
    case Op::gather_elements:
    case Op::gather_elements_grad:
      return computes(d[0]) && !info(d[1]).is_float && d[1] != DType::boolean && d[2] == d[0];
    case Op::gather_grad:
      return computes(d[0]) && !info(d[1]).is_float && d[1] != DType::boolean && d[2] == compute_dtype(d[0]);
    case Op::channel_moments:
      return computes(d[0]) && d[1] == compute_dtype(d[0]);
    case Op::batch_norm:
      return computes(d[0]) && d[1] == compute_dtype(d[0]) && same_as(d[0], {d[2], d[3], d[4]});
    case Op::batch_norm_grad_sums:
      return same(d.first(2)) && d[2] == compute_dtype(d[0]) && d[3] == d[2];
    case Op::batch_norm_grad_input:
      return same(d.first(2)) && d[2] == compute_dtype(d[0]) && d[4] == d[2] && same_as(d[0], {d[3], d[5]});
    case Op::moments_update:
      return same(d) && d[0] == compute_dtype(d[0]);
    case Op::group_norm_grad_sums:
      return same(d.first(2)) && d[2] == compute_dtype(d[0]);
    case Op::triplane:
    case Op::hash_grid:
      return grid_position(d[0], d[1]) && same(d.subspan(1));
    case Op::hash_grid_grad_table:
      return computes(d[1]) && grid_position(d[0], d[1]) && d[3] == DType::u8 &&
             (d[2] == compute_dtype(d[1]) || (d[2] == DType::f16 && d[1] != DType::f64));
    case Op::triplane_grad_planes:
      return computes(d[1]) && grid_position(d[0], d[1]) && d[2] == compute_dtype(d[1]);
    case Op::triplane_grad_input:
    case Op::hash_grid_grad_input:
      return grid_position(d[0], d[1]) && same(d.subspan(1, 2)) && d[3] == d[0];
    case Op::sample_surface:
    case Op::sample_image:
      return all(d, [](DType x) { return x == DType::f32; });
    case Op::sample_rows:
      return d[0] == DType::f32 && d[1] == DType::i64;
    case Op::check_finite:
    case Op::loss_scale_update:
      return d.size() >= 1 && d[0] == DType::f64 && all(d, computes);
    case Op::gradient_norm:
      return d.size() >= 1 && all(d, computes);
    case Op::sgd_update:
    case Op::adam_update: {
      const size_t states = op == Op::adam_update ? 4 : 3;  // then counts, the gradient, and what else there is
      if (d.size() <= states) return false;
      const auto moments = d.subspan(2, states - 2);
      return all(d, [](DType x) { return computes(x) || x == DType::u8; }) && all(d.first(states), computes) &&
             all(moments, [](DType m) { return size_of(m) > 1; });
    }
    case Op::accumulate:
      return d[0] == DType::u8 ? d[1] == DType::u8 : d[0] == compute_dtype(d[0]) && all(d, computes);
    case Op::average_update:
      return all(d, computes);
    case Op::concat:
      return d.size() >= 2 && same(d);
    default:
      return same(d);
  }
}

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
  Kernel k;
  switch (c.instr.op) {
    case Op::matmul:
      k.tile = make_matmul(c);
      break;
    case Op::matmul_tn:
      k.reduction = make_matmul_tn(c);
      break;
    case Op::batch_matmul:
      k.tile = make_batch_matmul(c);
      break;
    case Op::cast:
    case Op::gradient_scale:
    case Op::stop_gradient:
      k.tile = make_cast(c);
      break;
    case Op::sum_to:
    case Op::reduce:
      if (tile_rule(c.program, c.instr).tiling == Tiling::rows)
        k.tile = make_row_fold(c);
      else
        k.reduction = make_batch_fold(c);
      break;
    case Op::softmax:
    case Op::softmax_grad:
    case Op::argmax:
      k.tile = make_softmax(c);
      break;
    case Op::gather_elements:
    case Op::gather_elements_grad:
      k.tile = make_gather_elements(c);
      break;
    case Op::broadcast_to:
    case Op::reshape:
    case Op::concat:
    case Op::slice:
    case Op::pad:
      k.tile = make_rearrange(c);
      break;
    case Op::conv2d:
    case Op::conv2d_grad_input:
      k.tile = make_conv(c);
      break;
    case Op::conv2d_grad_weight:
      k.reduction = make_conv_grad_weight(c);
      break;
    case Op::max_pool:
    case Op::max_pool_grad:
    case Op::avg_pool:
    case Op::avg_pool_grad:
      k.tile = make_pool(c);
      break;
    case Op::resize:
    case Op::resize_grad:
      k.tile = make_resize(c);
      break;
    case Op::channel_moments:
    case Op::batch_norm_grad_sums:
      k.reduction = make_batch_norm_sums(c);
      break;
    case Op::batch_norm:
    case Op::batch_norm_grad_input:
      k.tile = make_batch_norm(c);
      break;
    case Op::moments_update:
      k.whole = make_moments_update(c);
      break;
    case Op::group_norm:
    case Op::group_norm_grad_input:
      k.tile = make_group_norm(c);
      break;
    case Op::group_norm_grad_sums:
      k.reduction = make_group_norm_sums(c);
      break;
    case Op::transpose:
      k.tile = make_transpose(c);
      break;
    case Op::random:
      k.tile = make_random(c);
      break;
    case Op::hash_grid:
      k.tile = make_hash_grid(c);
      break;
    case Op::hash_grid_grad_input:
      k.tile = make_hash_grid_grad_input(c);
      break;
    case Op::hash_grid_grad_table:
      k.whole = make_hash_grid_grad_table(c);
      break;
    case Op::gather:
      k.tile = make_gather(c);
      break;
    case Op::gather_grad:
      k.whole = make_gather_grad(c);
      break;
    case Op::triplane:
      k.tile = make_triplane(c);
      break;
    case Op::triplane_grad_input:
      k.tile = make_triplane_grad_input(c);
      break;
    case Op::triplane_grad_planes:
      k.whole = make_triplane_grad_planes(c);
      break;
    case Op::sample_surface: {
      HW_TRY(k.tile, make_sample_surface(c));
      break;
    }
    case Op::sample_image:
      k.tile = make_sample_image(c);
      break;
    case Op::sample_rows:
      k.tile = make_sample_rows(c);
      break;
    case Op::gradient_norm:
      k.whole = make_gradient_norm(c);
      break;
    case Op::check_finite:
    case Op::loss_scale_update:
      k.whole = make_loss_scale(c);
      break;
    case Op::sgd_update:
    case Op::adam_update:
      k.whole = make_update(c);
      break;
    case Op::accumulate:
    case Op::average_update:
      k.whole = make_running_sum(c);
      break;
    default:
      k.tile = make_elementwise(c);
      break;
  }
  return k;
}

}  // namespace hw::cpu
