// A tensor as a picture: two axes as rows and columns, maybe one as colour, a slice of the others; values as colours.
#pragma once

#include <QImage>
#include <optional>

#include "engine/core/tensor.h"

namespace hw::app {

/// Which axes are seen. `rows` and `columns` are axes; −1: there is none, one line. `colour` is an axis of 3 or 4,
/// whose first three entries are red, green, blue; −1: one number a pixel, shown by colormap(). `slice` has an index
/// for every axis; those of seen axes do not matter.
struct PictureAxes {
  int rows = -1, columns = -1, colour = -1;
  std::vector<int64_t> slice;
};

/// [H, W, 3 or 4] in colour, other ranks by their last two axes; the rest at index 0.
PictureAxes default_axes(const Dims& dims);

/// The values that the ends of the colours stand for.
struct PictureRange {
  double low = 0, high = 1;
};

struct TensorPicture {
  /// At most `most` pixels a side: a pixel is the mean of a block, and marked when anything in its block is not finite.
  QImage image;
  int64_t height = 0, width = 0;  // elements
  PictureRange range;             // as used; from the finite values of this picture unless it was given
  int64_t bad = 0;                // NaN and Inf among them
};

/// Any thread; one pass over what is seen. Colour pictures without a range use [0, 1] where that holds every value.
TensorPicture picture_of(const Tensor& tensor, const PictureAxes& axes, std::optional<PictureRange> range, int most);

/// The value at (row, column) of the picture; of a colour picture, of the given channel.
double value_at(const Tensor& tensor, const PictureAxes& axes, int64_t row, int64_t column, int64_t channel = 0);

/// Dark violet at 0 over teal to yellow at 1: lightness rises evenly, so it reads in grey too. Made in OKLab
/// (Ottosson 2020, https://bottosson.github.io/posts/oklab/).
QRgb colormap(double t);
/// What stands for NaN and Inf: no colour of colormap().
QRgb bad_colour();

}  // namespace hw::app
