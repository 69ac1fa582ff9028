// Output types of the hash grid, the triplane, the sources and the optimisers.
#include <algorithm>
#include <cmath>

#include "engine/core/sizes.h"
#include "engine/program/infer_rules.h"
#include "engine/program/updates.h"

namespace hw::infer_rules {
namespace {

// x [N, D], f32; f64 only beside a table or gradient in f64.
Status grid_position(const Args& a, const Value& beside) {
  const HashGridAttr& grid = a.get<HashGridAttr>();
  const Value& x = a.in[0];
  if (x.dtype != DType::f32 && !(x.dtype == DType::f64 && beside.dtype == DType::f64))
    return wrong_dtype(a, "Positions must be f32, got " + std::string(name(x.dtype)) + ".");
  if (!info(beside.dtype).is_float) return wrong_dtype(a, "Features must be floats, got " + text(beside) + ".");
  if (x.dims.size() != 2)
    return wrong_rank(a, "Positions are [points, " + std::to_string(grid.dims) + "], got " + text(x) + ".");
  if (x.dims[1] != grid.dims)
    return wrong_size(a,
                      "The grid has " + std::to_string(grid.dims) + " dimensions, the positions are " + text(x) + ".");
  return ok();
}

// x [N, 3], f32; f64 only beside planes or a gradient in f64.
Status triplane_position(const Args& a, const Value& beside) {
  const Value& x = a.in[0];
  if (x.dtype != DType::f32 && !(x.dtype == DType::f64 && beside.dtype == DType::f64))
    return wrong_dtype(a, "Positions must be f32, got " + std::string(name(x.dtype)) + ".");
  if (!info(beside.dtype).is_float) return wrong_dtype(a, "Features must be floats, got " + text(beside) + ".");
  if (x.dims.size() != 2 || x.dims[1] != 3) return wrong_rank(a, "Positions are [points, 3], got " + text(x) + ".");
  return ok();
}

Status three_planes(const Args& a, const Dims& dims) {
  const bool empty = std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < 1; });
  if (dims.size() == 4 && dims[0] == 3 && !empty) return ok();
  return wrong_size(a, "Planes are [3, C, H, W], none of them empty; got " + to_string(dims) + ".");
}

Dims table_dims(const HashGridAttr& grid) {
  return {grid.table_entries(), grid.features};
}

Dims encoded_dims(const Args& a) {
  const HashGridAttr& grid = a.get<HashGridAttr>();
  return {a.in[0].dims[0], size_product({static_cast<int64_t>(grid.levels.size()), grid.features})};
}

Status exact_dims(const Args& a, const Value& v, const Dims& expected) {
  if (v.dims != expected) return wrong_size(a, "Expected " + to_string(expected) + ", got " + text(v) + ".");
  return ok();
}

// A direction for each position: input k.
Status directions(const Args& a, size_t k) {
  if (a.in[k].dtype != a.in[0].dtype)
    return wrong_dtype(a, "Positions and directions differ: " + text(a.in[0]) + ", " + text(a.in[k]) + ".");
  return exact_dims(a, a.in[k], a.in[0].dims);
}

Status same_features(const Args& a, size_t first, size_t second) {
  if (a.in[first].dtype == a.in[second].dtype) return ok();
  return wrong_dtype(a, "Features and gradient differ: " + text(a.in[first]) + ", " + text(a.in[second]) + ".");
}

Dims looked_up_dims(const Args& a, const Dims& planes) {
  return {a.in[0].dims[0], size_product({3, planes[1]})};
}

DType wide(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace

Types hash_grid(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  return one(made(a.in[1].dtype, encoded_dims(a), a.in[0].axes));
}

Types hash_grid_grad_table(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], encoded_dims(a)));
  const HashGridAttr& grid = a.get<HashGridAttr>();
  if (grid.gradient != DType::f32 && grid.gradient != DType::f16)
    return wrong_dtype(
        a, "The table's gradient is stored in f32 or f16, not in " + std::string(name(grid.gradient)) + ".");
  const Dims table = table_dims(grid);
  const DType dtype = a.in[1].dtype == DType::f64 ? DType::f64 : grid.gradient;
  return std::vector<Value>{made(dtype, table), made(DType::u8, {(element_count(table) + 15) / 16})};
}

Types hash_grid_grad_input(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  HW_CHECK(exact_dims(a, a.in[2], encoded_dims(a)));
  if (a.in[1].dtype != a.in[2].dtype)
    return wrong_dtype(a, "Table and gradient differ: " + text(a.in[1]) + ", " + text(a.in[2]) + ".");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types hash_grid_tangent(const Args& a) {
  HW_CHECK(directions(a, 2));
  return hash_grid(a);
}

Types hash_grid_tangent_grad_table(const Args& a) {
  HW_CHECK(grid_position(a, a.in[2]));
  HW_CHECK(directions(a, 1));
  HW_CHECK(exact_dims(a, a.in[2], encoded_dims(a)));
  return one(made(wide(a.in[2].dtype), table_dims(a.get<HashGridAttr>())));
}

Types hash_grid_tangent_grad_input(const Args& a) {
  HW_CHECK(grid_position(a, a.in[1]));
  HW_CHECK(exact_dims(a, a.in[1], table_dims(a.get<HashGridAttr>())));
  HW_CHECK(directions(a, 2));
  HW_CHECK(exact_dims(a, a.in[3], encoded_dims(a)));
  HW_CHECK(same_features(a, 1, 3));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types triplane(const Args& a) {
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, a.in[1].dims));
  return one(made(a.in[1].dtype, {a.in[0].dims[0], size_product({3, a.in[1].dims[1]})}, a.in[0].axes));
}

Types triplane_grad_planes(const Args& a) {
  const Dims& planes = a.get<DimsAttr>().dims;
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, planes));
  HW_CHECK(exact_dims(a, a.in[1], {a.in[0].dims[0], size_product({3, planes[1]})}));
  return one(made(a.in[1].dtype == DType::f64 ? DType::f64 : DType::f32, planes));
}

Types triplane_grad_input(const Args& a) {
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, a.in[1].dims));
  HW_CHECK(exact_dims(a, a.in[2], {a.in[0].dims[0], size_product({3, a.in[1].dims[1]})}));
  if (a.in[1].dtype != a.in[2].dtype)
    return wrong_dtype(a, "Planes and gradient differ: " + text(a.in[1]) + ", " + text(a.in[2]) + ".");
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types triplane_tangent(const Args& a) {
  HW_CHECK(directions(a, 2));
  return triplane(a);
}

Types triplane_tangent_grad_planes(const Args& a) {
  const Dims& planes = a.get<DimsAttr>().dims;
  HW_CHECK(triplane_position(a, a.in[2]));
  HW_CHECK(three_planes(a, planes));
  HW_CHECK(directions(a, 1));
  HW_CHECK(exact_dims(a, a.in[2], looked_up_dims(a, planes)));
  return one(made(wide(a.in[2].dtype), planes));
}

Types triplane_tangent_grad_input(const Args& a) {
  HW_CHECK(triplane_position(a, a.in[1]));
  HW_CHECK(three_planes(a, a.in[1].dims));
  HW_CHECK(directions(a, 2));
  HW_CHECK(exact_dims(a, a.in[3], looked_up_dims(a, a.in[1].dims)));
  HW_CHECK(same_features(a, 1, 3));
  return one(made(a.in[0].dtype, a.in[0].dims, a.in[0].axes));
}

Types sample_surface(const Args& a) {
  const SampleSurfaceAttr& attr = a.get<SampleSurfaceAttr>();
  assert(attr.mesh);
  if (attr.points < 1) return wrong_attr(a, "It wants at least one point.");
  const auto row = [&](int64_t channels) { return made(DType::f32, {attr.points, channels}, {"N", "C"}); };
  return std::vector<Value>{row(3), row(3), row(2), row(3)};
}

Types sample_image(const Args& a) {
  const SampleImageAttr& attr = a.get<SampleImageAttr>();
  assert(attr.image && attr.image->width > 0 && attr.image->height > 0);
  if (attr.points < 1) return wrong_attr(a, "It wants at least one point.");
  return std::vector<Value>{made(DType::f32, {attr.points, 2}, {"N", "D"}),
                            made(DType::f32, {attr.points, 3}, {"N", "C"})};
}

Types sample_rows(const Args& a) {
  const SampleRowsAttr& attr = a.get<SampleRowsAttr>();
  assert(attr.data);
  if (attr.rows < 1) return wrong_attr(a, "It wants at least one row.");
  if (!(attr.std > 0)) return wrong_attr(a, "The standard deviation must be above 0.");
  if (attr.split().count() < 1)
    return wrong_attr(a, "The data set has no " + std::string(name(attr.which)) + " samples.");
  Dims dims = attr.data->sample;
  std::vector<std::string> axes(dims.size());
  if (dims.size() == 3) axes = {"C", "H", "W"};
  if (dims.size() == 1) axes = {"C"};
  dims.insert(dims.begin(), attr.rows);
  axes.insert(axes.begin(), "N");
  return std::vector<Value>{made(DType::f32, dims, axes), made(DType::i64, {attr.rows}, {"N"})};
}

Types random(const Args& a) {
  const RandomAttr& attr = a.get<RandomAttr>();
  HW_CHECK(float_output(a, attr.dtype));
  if (!std::isfinite(attr.a) || !std::isfinite(attr.b)) return wrong_attr(a, "Its bounds must be finite.");
  return one(made(attr.dtype, attr.dims));
}

Types gradient_norm(const Args& a) {
  const NormAttr* attr = std::get_if<NormAttr>(&a.attr);
  assert(attr ? attr->factors.empty() || attr->factors.size() == a.in.size()
              : std::holds_alternative<std::monostate>(a.attr));
  (void)attr;
  bool wide = !a.in.empty();
  for (const Value& v : a.in) {
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
    wide = wide && v.dtype == DType::f64;
  }
  return one(made(wide ? DType::f64 : DType::f32, {}));
}

// See LossScaleAttr.
Status loss_scale_state(const Args& a, const Value& state) {
  if (state.dtype == DType::f64 && state.dims.size() == 1 && state.dims[0] >= 3) return ok();
  return wrong_rank(a, "The loss scale's state is f64 [3 + n], got " + text(state) + ".");
}

// (view, master, moments…, updates?, count?, grad, touched?, norm?, state?): equal sizes but for the optional ones.
Types update(const Args& a) {
  const UpdateAttr& attr = a.get<UpdateAttr>();
  const UpdateInputs in = update_inputs(a.op, attr, a.in.size());
  assert(a.in.size() == in.loss_scale + (attr.guarded ? 1 : 0));
  const Dims& dims = a.in[0].dims;
  for (size_t k = 0; k <= in.grad; ++k) {
    const Value& v = a.in[k];
    if (in.counted && k == in.count()) {
      if (v.dtype != DType::f64) return wrong_dtype(a, "The count must be f64, got " + text(v) + ".");
      HW_CHECK(exact_dims(a, v, {1}));
      continue;
    }
    if (in.per_element && k == in.updates()) {
      if (v.dtype != DType::u8) return wrong_dtype(a, "The counts of updates must be u8, got " + text(v) + ".");
      HW_CHECK(exact_dims(a, v, {size_product({2, element_count(dims)})}));
      continue;
    }
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
    HW_CHECK(exact_dims(a, v, dims));
  }
  if (attr.has_touched) {
    const Value& touched = a.in[in.touched()];
    if (touched.dtype != DType::u8) return wrong_dtype(a, "The touched mask must be u8, got " + text(touched) + ".");
    HW_CHECK(exact_dims(a, touched, {(element_count(dims) + 15) / 16}));
  }
  if (attr.clip_norm > 0) HW_CHECK(exact_dims(a, a.in[in.norm], {}));
  if (attr.guarded) HW_CHECK(loss_scale_state(a, a.in[in.loss_scale]));
  return std::vector<Value>{};
}

// (state, gradients…): f64 [3 + n], n gradients or more.
Types check_finite(const Args& a) {
  if (a.in.empty()) return wrong_rank(a, "It wants the loss scale's state and gradients.");
  HW_CHECK(loss_scale_state(a, a.in[0]));
  for (const Value& v : a.in)
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
  const auto least = static_cast<int64_t>(a.in.size()) + 2;
  if (a.in[0].dims[0] < least)
    return wrong_size(a,
                      "The state " + text(a.in[0]) + " counts fewer than " + std::to_string(least - 3) + " gradients.");
  return std::vector<Value>{};
}

Types loss_scale_update(const Args& a) {
  const LossScaleAttr& attr = a.get<LossScaleAttr>();
  if (!(attr.growth >= 1 && std::isfinite(attr.growth) && attr.backoff > 0 && attr.backoff <= 1 && attr.interval > 0))
    return wrong_attr(a, "The scale must grow by 1 or more, fall by (0, 1], after one step or more.");
  HW_CHECK(loss_scale_state(a, a.in[0]));
  return std::vector<Value>{};
}

// (sum, x): equal sizes; u8 beside u8, else floats.
Types accumulate(const Args& a) {
  const Value &sum = a.in[0], &x = a.in[1];
  const bool mask = sum.dtype == DType::u8 && x.dtype == DType::u8;
  const bool wide = sum.dtype == DType::f32 || sum.dtype == DType::f64;
  if (!mask && !(wide && info(x.dtype).is_float))
    return wrong_dtype(a, "It sums floats in f32 or f64, or u8 masks, got " + text(sum) + " and " + text(x) + ".");
  HW_CHECK(exact_dims(a, x, sum.dims));
  return std::vector<Value>{};
}

// (average, x, loss scale's state?): equal sizes.
Types average_update(const Args& a) {
  const double decay = a.get<ScaleAttr>().factor;
  if (!(decay >= 0 && decay < 1)) return wrong_attr(a, "The decay must lie in [0, 1).");
  assert(a.in.size() == 2 || a.in.size() == 3);
  if (a.in.size() == 3) HW_CHECK(loss_scale_state(a, a.in[2]));
  for (const Value& v : a.in)
    if (!info(v.dtype).is_float) return wrong_dtype(a, "It wants floats, got " + text(v) + ".");
  HW_CHECK(exact_dims(a, a.in[1], a.in[0].dims));
  return std::vector<Value>{};
}

}  // namespace hw::infer_rules
