// ref: points of a picture and rows of a data set, from Philox alone.
#include <algorithm>
#include <cmath>

#include "engine/backend/ref/ref_ops.h"
#include "engine/kernels/row_order.h"

namespace hw::ref {
namespace {

double decoded(double x, bool linear) {
  if (!linear) return x;
  return x > 0.04045 ? std::exp(2.4 * std::log((x + 0.055) / 1.055)) : x / 12.92;
}

}  // namespace

void sample_image(Call& c) {
  const SampleImageAttr& a = c.attr<SampleImageAttr>();
  const double width = a.image->width, height = a.image->height;
  const auto pixel = [&](double column, double row, size_t channel) {
    const auto x = static_cast<size_t>(std::clamp(column, 0.0, width - 1));
    const auto y = static_cast<size_t>(std::clamp(row, 0.0, height - 1));
    const size_t at = (y * static_cast<size_t>(a.image->width) + x) * 4 + channel;
    return decoded(a.image->deep.empty() ? a.image->rgba[at] / 255.0 : a.image->deep[at] / 65535.0, a.linear);
  };
  const Draw d = c.draw(a.random, static_cast<size_t>(a.points));
  for (size_t i = 0; i < static_cast<size_t>(a.points); ++i) {
    const Philox4 r = philox_block(d.seed, d.stream, d.step, d.first + i);
    double u = static_cast<double>(r[0] >> 8) * 0x1p-24, v = static_cast<double>(r[1] >> 8) * 0x1p-24;
    const bool bilinear = a.mode == SampleImageAttr::Mode::bilinear;
    const double x = u * width - 0.5, y = v * height - 0.5;
    for (size_t k = 0; k < 3; ++k) {
      double& colour = c.out[1][i * 3 + k];
      if (!bilinear) colour = pixel(std::floor(u * width), std::floor(v * height), k);
      for (double dy = 0; dy < 2 && bilinear; ++dy)
        for (double dx = 0; dx < 2; ++dx) {
          const double column = std::floor(x) + dx, row = std::floor(y) + dy;
          colour += (1 - std::abs(x - column)) * (1 - std::abs(y - row)) * pixel(column, row, k);
        }
    }
    if (a.mode == SampleImageAttr::Mode::centres) {
      u = (std::floor(u * width) + 0.5) / width;
      v = (std::floor(v * height) + 0.5) / height;
    }
    c.out[0][i * 2] = u;
    c.out[0][i * 2 + 1] = v;
  }
}

void sample_rows(Call& c) {
  const SampleRowsAttr& a = c.attr<SampleRowsAttr>();
  const DatasetSplit& split = a.split();
  const auto size = static_cast<size_t>(element_count(a.data->sample));
  const auto rows = static_cast<uint64_t>(a.rows);
  const Draw d = c.draw(a.random, rows);
  for (size_t i = 0; i < rows; ++i) {
    const uint64_t index = static_cast<uint64_t>(a.first) + d.step * a.random.parts * rows + d.first + i;
    const size_t row = kernels::row_of(index, static_cast<uint64_t>(split.count()), a.shuffle, d.seed, d.stream);
    const auto begin = static_cast<size_t>(split.begin_of(static_cast<int64_t>(row), static_cast<int64_t>(size)));
    for (size_t k = 0; k < size; ++k) {
      const bool bytes = split.x.dtype() == DType::u8;
      const double value = bytes ? split.x.as<uint8_t>()[begin + k] / 255.0 : split.x.as<float>()[begin + k];
      c.out[0][i * size + k] = (value - a.mean) / a.std;
    }
    c.out[1][i] = split.labels.empty() ? -1.0 : static_cast<double>(split.labels.as<int64_t>()[row]);
  }
}

}  // namespace hw::ref
