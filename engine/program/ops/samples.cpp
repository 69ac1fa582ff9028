// Sources: samples of meshes, pictures and data sets, random numbers.
#include <algorithm>
#include <cmath>

#include "engine/core/sizes.h"
#include "engine/program/infer_rules.h"

namespace hw::infer_rules {

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

}  // namespace hw::infer_rules
