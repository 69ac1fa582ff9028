#include "app/models/tensors/tensor_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/convert.h"

namespace hw::app {
namespace {

/// Reads elements by strides, as f64.
class Reader {
 public:
  Reader(const Tensor& tensor, const PictureAxes& axes) : tensor_(tensor) {
    const Dims& dims = tensor.dims();
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) {
      const auto axis = static_cast<int>(i);
      if (axis == axes.rows) {
        row_ = stride;
      } else if (axis == axes.columns) {
        column_ = stride;
      } else if (axis == axes.colour) {
        channel_ = stride;
      } else if (i < axes.slice.size()) {
        base_ += stride * std::clamp<int64_t>(axes.slice[i], 0, std::max<int64_t>(0, dims[i] - 1));
      }
    }
  }
  double operator()(int64_t row, int64_t column, int64_t channel) const {
    const int64_t at = base_ + row * row_ + column * column_ + channel * channel_;
    double value = 0;
    const auto* bytes = static_cast<const std::byte*>(tensor_.data());
    convert(DType::f64, &value, tensor_.dtype(), bytes + static_cast<size_t>(at) * size_of(tensor_.dtype()), 1);
    return value;
  }

 private:
  const Tensor& tensor_;
  int64_t base_ = 0, row_ = 0, column_ = 0, channel_ = 0;
};

int64_t extent(const Dims& dims, int axis) {
  return axis < 0 ? 1 : dims[static_cast<size_t>(axis)];
}

int srgb(double linear) {
  const double c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
  return static_cast<int>(std::lround(std::clamp(c, 0.0, 1.0) * 255));
}

QRgb from_oklab(double lightness, double a, double b) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return qRgb(srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
              srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
              srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

}  // namespace

PictureAxes default_axes(const Dims& dims) {
  PictureAxes axes;
  const auto rank = static_cast<int>(dims.size());
  axes.slice.assign(dims.size(), 0);
  if (rank == 3 && (dims[2] == 3 || dims[2] == 4)) {
    axes.rows = 0, axes.columns = 1, axes.colour = 2;
  } else if (rank >= 2) {
    axes.rows = rank - 2, axes.columns = rank - 1;
  } else if (rank == 1) {
    axes.columns = 0;
  }
  return axes;
}

QRgb colormap(double t) {
  static const std::array<QRgb, 256> table = [] {
    std::array<QRgb, 256> made{};
    for (size_t i = 0; i < made.size(); ++i) {
      const double x = static_cast<double>(i) / 255;
      const double hue = (305 - 195 * x) * std::numbers::pi / 180;
      const double chroma = 0.10 + 0.06 * x;
      made[i] = from_oklab(0.26 + 0.66 * x, chroma * std::cos(hue), chroma * std::sin(hue));
    }
    return made;
  }();
  return table[static_cast<size_t>(std::lround(std::clamp(t, 0.0, 1.0) * 255))];
}

QRgb bad_colour() {
  return qRgb(255, 0, 80);
}

double value_at(const Tensor& tensor, const PictureAxes& axes, int64_t row, int64_t column, int64_t channel) {
  return Reader(tensor, axes)(row, column, channel);
}

TensorPicture picture_of(const Tensor& tensor, const PictureAxes& axes, std::optional<PictureRange> range, int most) {
  TensorPicture picture;
  if (tensor.empty() || tensor.size() == 0) return picture;
  const Reader read(tensor, axes);
  picture.height = extent(tensor.dims(), axes.rows);
  picture.width = extent(tensor.dims(), axes.columns);
  const int64_t channels = axes.colour < 0 ? 1 : 3;
  const int64_t rows = std::min<int64_t>(picture.height, most), columns = std::min<int64_t>(picture.width, most);
  std::vector<std::array<double, 3>> pixels(static_cast<size_t>(rows * columns));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int64_t y = 0; y < rows; ++y) {
    const int64_t top = y * picture.height / rows, bottom = (y + 1) * picture.height / rows;
    for (int64_t x = 0; x < columns; ++x) {
      const int64_t left = x * picture.width / columns, right = (x + 1) * picture.width / columns;
      std::array<double, 3> sum{};
      for (int64_t row = top; row < bottom; ++row) {
        for (int64_t column = left; column < right; ++column) {
          for (int64_t c = 0; c < channels; ++c) {
            const double value = read(row, column, c);
            sum[static_cast<size_t>(c)] += value;
            if (!std::isfinite(value)) {
              ++picture.bad;
              sum[0] = std::numeric_limits<double>::quiet_NaN();
            } else {
              low = std::min(low, value), high = std::max(high, value);
            }
          }
        }
      }
      for (double& s : sum) s /= static_cast<double>((bottom - top) * (right - left));
      pixels[static_cast<size_t>(y * columns + x)] = sum;
    }
  }
  if (low > high) low = 0, high = 1;
  if (channels == 3 && low >= 0 && high <= 1) low = 0, high = 1;
  picture.range = range.value_or(PictureRange{low, high});
  const double span = picture.range.high - picture.range.low;
  const auto unit = [&](double value) { return span > 0 ? (value - picture.range.low) / span : 0.5; };
  const auto byte = [&](double value) {
    return static_cast<int>(std::lround(std::clamp(unit(value), 0.0, 1.0) * 255));
  };
  picture.image = QImage(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_RGB32);
  for (int64_t y = 0; y < rows; ++y) {
    auto* line = reinterpret_cast<QRgb*>(picture.image.scanLine(static_cast<int>(y)));
    for (int64_t x = 0; x < columns; ++x) {
      const auto& p = pixels[static_cast<size_t>(y * columns + x)];
      if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2])) {
        line[x] = bad_colour();
      } else {
        line[x] = channels == 3 ? qRgb(byte(p[0]), byte(p[1]), byte(p[2])) : colormap(unit(p[0]));
      }
    }
  }
  return picture;
}

}  // namespace hw::app
