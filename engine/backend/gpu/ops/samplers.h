// Sources: points of surfaces and pictures, rows of data sets. What they read is copied to the device once;
// data sets too large for that stay on the host, and each step's rows are sent.
#pragma once

#include <cstring>

#include "engine/backend/gpu/ops/drawn.h"
#include "engine/backend/gpu/ops/map.h"
#include "engine/core/codes.h"
#include "engine/kernels/image_sampler.h"
#include "engine/kernels/row_order.h"
#include "engine/kernels/surface_sampler.h"

namespace hw::gpu {

struct SampleSurface {
  kernels::MeshArrays mesh;
  const uint32_t* part;  // by triangle
  const kernels::PartArrays* parts;
  Drawn drawn;
  float *position, *normal, *uv, *colour;
  HW_BODY void operator()(int64_t i) const {
    const Philox4 r = drawn.block(i);
    const uint32_t triangle = kernels::pick_triangle(mesh, r[0], r[1]);
    const kernels::SurfacePoint p = kernels::sample_triangle(mesh, parts[part[triangle]], triangle, r[2], r[3]);
    for (int d = 0; d < 3; ++d) {
      position[3 * i + d] = p.position[d];
      normal[3 * i + d] = p.normal[d];
      colour[3 * i + d] = p.colour[d];
    }
    for (int d = 0; d < 2; ++d) uv[2 * i + d] = p.uv[d];
  }

  HW_KERNEL(SampleSurface)
};

template <class Channel>
struct SampleImage {
  const Channel* rgba;
  int64_t width, height;
  SampleImageAttr::Mode mode;
  const float* values;
  Drawn drawn;
  float *position, *colour;
  HW_BODY void operator()(int64_t i) const {
    const Philox4 r = drawn.block(i);
    const kernels::ImagePoint p = kernels::sample_pixel(rgba, width, height, mode, values, r[0], r[1]);
    for (int d = 0; d < 2; ++d) position[2 * i + d] = p.position[d];
    for (int d = 0; d < 3; ++d) colour[3 * i + d] = p.colour[d];
  }

  HW_KERNEL(SampleImage, sizeof(Channel), mode)
};

/// Which rows a step takes.
struct RowOrder {
  int64_t first, rows, count;
  uint64_t parts;
  bool shuffle;
  HW_BODY int64_t operator()(const Draw& d, int64_t i) const {
    const uint64_t index = static_cast<uint64_t>(first) + d.step * parts * static_cast<uint64_t>(rows) + d.first +
                           static_cast<uint64_t>(i);
    return static_cast<int64_t>(kernels::row_of(index, static_cast<uint64_t>(count), shuffle, d.seed, d.stream));
  }
};

/// Which row sample i is, and its label.
struct ChooseRow {
  RowOrder order;
  Drawn drawn;
  const int64_t* all_labels;  // null: none
  int64_t *row, *label;
  HW_BODY void operator()(int64_t i) const {
    row[i] = order(drawn.draw(), i);
    label[i] = all_labels ? all_labels[row[i]] : -1;
  }

  HW_KERNEL(ChooseRow, order.shuffle)
};

struct CopyRow {
  kernels::Source data;  // u8 stands for value ÷ 255
  const int64_t* row;    // null: in order
  int64_t size, stride;  // of a sample; from one to the next
  double mean, std;
  float* x;
  HW_BODY void operator()(int64_t i) const {
    const int64_t at = row ? row[i / size] * stride + i % size : i;
    const double value = data.dtype == DType::u8 ? data.at<double>(at) / 255 : data.at<double>(at);
    x[i] = static_cast<float>((value - mean) / std);
  }

  HW_KERNEL(CopyRow, data.dtype)
};

/// Labels, then rows as they are stored, of the step's samples.
inline FillBatch gather_rows(const SampleRowsAttr& a, const RowOrder& order) {
  return [a, order](std::byte* to, const StepInputs& step) {
    const DatasetSplit& split = a.split();
    const Draw d = draw_of(a.random, step.seed, step.step, static_cast<uint64_t>(a.rows));
    const int64_t size = element_count(a.data->sample);
    const auto element = static_cast<size_t>(size_of(split.x.dtype()));
    const size_t row_bytes = static_cast<size_t>(size) * element;
    auto* labels = reinterpret_cast<int64_t*>(to);
    std::byte* rows = to + static_cast<size_t>(a.rows) * sizeof(int64_t);
    for (int64_t i = 0; i < a.rows; ++i) {
      const int64_t row = order(d, i);
      labels[i] = split.labels.empty() ? -1 : split.labels.as<int64_t>()[row];
      std::memcpy(rows + static_cast<size_t>(i) * row_bytes,
                  split.x.as<std::byte>() + static_cast<size_t>(split.begin_of(row, size)) * element, row_bytes);
    }
  };
}

template <class Launcher>
void plan_sample_surface(OpContext& c) {
  const SampleSurfaceAttr& a = c.attr<SampleSurfaceAttr>();
  const Mesh& mesh = *a.mesh;
  auto table = kernels::make_surface_table(mesh);
  if (!table) return c.fail(table.error());
  const kernels::MeshArrays host = kernels::arrays_of(mesh, *table);
  const size_t vertices = mesh.positions.size(), triangles = mesh.triangles.size();
  kernels::MeshArrays device = host;
  device.positions = c.constant(host.positions, 3 * vertices);
  device.normals = c.constant(host.normals, 3 * vertices);
  if (host.uvs) device.uvs = c.constant(host.uvs, 2 * vertices);
  if (host.colours) device.colours = c.constant(host.colours, 3 * vertices);
  device.triangles = c.constant(host.triangles, 3 * triangles);
  device.cumulative = c.constant(host.cumulative, triangles);
  // The last part stands for triangles that no part covers.
  std::vector<kernels::PartArrays> parts(mesh.parts.size() + 1);
  std::vector<uint32_t> part_of(triangles);
  std::vector<bool> seen(parts.size(), false);
  for (uint32_t t = 0; t < triangles; ++t) {
    const uint32_t part = std::min(table->part[t], static_cast<uint32_t>(mesh.parts.size()));
    part_of[t] = part;
    if (seen[part]) continue;
    seen[part] = true;
    parts[part] = kernels::part_of(mesh, *table, t);
    const kernels::PartArrays& made = parts[part];
    if (made.rgba)
      parts[part].rgba = c.constant(made.rgba, static_cast<size_t>(made.width) * static_cast<size_t>(made.height) * 4);
  }
  const auto out = [&](size_t k) { return static_cast<float*>(c.write(k).data); };
  map<Launcher>(c, a.points,
                SampleSurface{device, c.constant(part_of), c.constant(parts), make_drawn(c, a.random, a.points), out(0),
                              out(1), out(2), out(3)});
}

template <class Launcher>
void plan_sample_data(OpContext& c) {
  if (c.op() == Op::sample_image) {
    const SampleImageAttr& a = c.attr<SampleImageAttr>();
    const std::vector<float> values = kernels::channel_values(a.linear, a.image->deep.empty() ? 8 : 16);
    const auto sample = [&](const auto& rgba) {
      using Channel = typename std::decay_t<decltype(rgba)>::value_type;
      map<Launcher>(c, a.points,
                    SampleImage<Channel>{c.constant(rgba), a.image->width, a.image->height, a.mode, c.constant(values),
                                         make_drawn(c, a.random, a.points), static_cast<float*>(c.write(0).data),
                                         static_cast<float*>(c.write(1).data)});
    };
    return a.image->deep.empty() ? sample(a.image->rgba) : sample(a.image->deep);
  }
  const SampleRowsAttr& a = c.attr<SampleRowsAttr>();
  const DatasetSplit& split = a.split();
  const int64_t size = element_count(a.data->sample);
  const RowOrder order{a.first, a.rows, split.count(), a.random.parts, a.shuffle};
  auto* x = static_cast<float*>(c.write(0).data);
  auto* labels = static_cast<int64_t*>(c.write(1).data);
  if (split.x.bytes() > c.resident_bytes()) {
    const size_t label_bytes = static_cast<size_t>(a.rows) * sizeof(int64_t);
    const size_t row_bytes = static_cast<size_t>(size) * size_of(split.x.dtype());
    const std::byte* batch = c.from_host(label_bytes + static_cast<size_t>(a.rows) * row_bytes, gather_rows(a, order));
    c.copy(labels, batch, label_bytes);
    const kernels::Source rows{split.x.dtype(), batch ? batch + label_bytes : nullptr};
    return map<Launcher>(c, c.out_size(), CopyRow{rows, nullptr, size, size, a.mean, a.std, x});
  }
  const auto* all = c.constant(split.x.as<std::byte>(), split.x.bytes());
  const auto count = static_cast<size_t>(split.count());
  const int64_t* all_labels = split.labels.empty() ? nullptr : c.constant(split.labels.as<int64_t>(), count);
  auto* row = c.scratch<int64_t>(a.rows);
  map<Launcher>(c, a.rows, ChooseRow{order, make_drawn(c, a.random, a.rows), all_labels, row, labels});
  map<Launcher>(c, c.out_size(), CopyRow{{split.x.dtype(), all}, row, size, split.begin_of(1, size), a.mean, a.std, x});
}

}  // namespace hw::gpu

/// The planners above, compiled for a launcher.
#define HW_SAMPLERS_PLANNERS(Launcher)                     \
  template void plan_sample_surface<Launcher>(OpContext&); \
  template void plan_sample_data<Launcher>(OpContext&);
