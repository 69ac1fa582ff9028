#include "app/models/previews/preview.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/document/text.h"
#include "app/models/tensors/histogram_map.h"
#include "app/models/tensors/tensor_picture.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

constexpr int kSide = 192;     // pixels of a picture, at most
constexpr int kColumns = 160;  // of lines
constexpr int64_t kMostTiles = 8;
constexpr int kGap = 2;                 // pixels between tiles
constexpr double kSamplesAcross = 0.7;  // pixels a side, of the root of their number

bool are_colours(int64_t size) {
  return size == 1 || size == 3 || size == 4;
}

/// Axes of a tensor that is a picture, or several along `tile`; −1: there is one.
struct Tiled {
  PictureAxes axes;
  int tile = -1;
};

std::optional<Tiled> pictures_in(const Dims& dims) {
  const auto rank = static_cast<int>(dims.size());
  if (rank != 3 && rank != 4) return std::nullopt;
  const auto size = [&](int axis) { return dims[static_cast<size_t>(axis)]; };
  Tiled found;
  found.axes.slice.assign(dims.size(), 0);
  const int first = rank - 3;  // of C H W, or H W C
  const auto set = [&](int rows, int columns, int colour) {
    found.axes.rows = rows;
    found.axes.columns = columns;
    found.axes.colour = size(colour) == 1 ? -1 : colour;
    found.tile = rank == 4 ? 0 : -1;
  };
  const auto is_wide = [&](int rows, int columns) { return size(rows) > 4 && size(columns) > 4; };
  if (are_colours(size(first)) && is_wide(first + 1, first + 2)) {
    set(first + 1, first + 2, first);
  } else if (are_colours(size(first + 2)) && is_wide(first, first + 1)) {
    set(first, first + 1, first + 2);
  } else if (is_wide(first + 1, first + 2)) {  // maps of many channels: those of the first sample
    found.axes.rows = first + 1;
    found.axes.columns = first + 2;
    found.tile = first;
  } else {
    return std::nullopt;
  }
  return found;
}

/// Tiles beside one another, about twice as wide as tall; one range for all.
QImage contact_sheet(const Tensor& tensor, const Tiled& tiled, int64_t count) {
  const int columns = static_cast<int>(count <= 2 ? count : (count + 1) / 2);
  const int rows = static_cast<int>((count + columns - 1) / columns);
  const int side = (2 * kSide - (columns - 1) * kGap) / columns;
  const auto tile = [&](int64_t i, std::optional<PictureRange> range) {
    PictureAxes axes = tiled.axes;
    if (tiled.tile >= 0) axes.slice[static_cast<size_t>(tiled.tile)] = i;
    return picture_of(tensor, axes, range, std::min(kSide, side));
  };
  if (count == 1) return tile(0, std::nullopt).image;
  PictureRange range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int64_t i = 0; i < count; ++i) {
    const TensorPicture picture = tile(i, std::nullopt);
    range.low = std::min(range.low, picture.range.low);
    range.high = std::max(range.high, picture.range.high);
  }
  QImage sheet;
  for (int64_t i = 0; i < count; ++i) {
    const QImage image = tile(i, range).image;
    const int across = image.width() + kGap, down = image.height() + kGap;
    if (sheet.isNull()) {
      sheet = QImage(columns * across - kGap, rows * down - kGap, QImage::Format_ARGB32_Premultiplied);
      sheet.fill(Qt::transparent);
    }
    const int left = static_cast<int>(i) % columns * across, top = static_cast<int>(i) / columns * down;
    for (int y = 0; y < image.height(); ++y)
      for (int x = 0; x < image.width(); ++x) sheet.setPixel(left + x, top + y, image.pixel(x, y));
  }
  return sheet;
}

const NodeInspection::Item* item_of(const NodeInspection& inspection, const std::string& socket) {
  const auto found = std::ranges::find_if(
      inspection.items, [&](const NodeInspection::Item& item) { return !item.is_param && item.name == socket; });
  return found == inspection.items.end() ? nullptr : &*found;
}

QRgb as_colour(const double* rgb) {
  const auto channel = [](double c) { return c > 0 ? static_cast<int>(std::lround(std::min(c, 1.0) * 255)) : 0; };
  return qRgb(channel(rgb[0]), channel(rgb[1]), channel(rgb[2]));
}

/// Samples of a picture or of a surface as dots; of those at one pixel the nearest.
std::optional<PreviewContent> samples(const NodeType& type, const NodeInspection& inspection) {
  const auto& outputs = type.decl.outputs();
  const auto place =
      std::ranges::find_if(outputs, [](const SocketDecl& s) { return s.domain == "pixel" || s.domain == "position"; });
  const auto colour = std::ranges::find_if(outputs, [](const SocketDecl& s) { return s.peak.has_value(); });
  if (place == outputs.end()) return std::nullopt;
  const auto* at = item_of(inspection, place->id);
  const auto* lit = colour == outputs.end() ? nullptr : item_of(inspection, colour->id);
  const bool in_space = place->domain == "position";
  const auto components = static_cast<size_t>(in_space ? 3 : 2);
  if (!at || at->value.dims().size() != 2 || at->value.dims()[1] != static_cast<int64_t>(components))
    return std::nullopt;
  const auto count = static_cast<size_t>(at->value.dims()[0]);
  const bool coloured = lit && lit->value.dims() == Dims{static_cast<int64_t>(count), 3};
  const std::vector<double> p = at->value.to_f64();
  const std::vector<double> c = coloured ? lit->value.to_f64() : std::vector<double>();
  double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
  for (size_t k = 0; k < components && in_space; ++k) {
    low[k] = std::numeric_limits<double>::infinity();
    high[k] = -low[k];
    for (size_t i = 0; i < count; ++i) {
      if (!std::isfinite(p[i * components + k])) continue;
      low[k] = std::min(low[k], p[i * components + k]);
      high[k] = std::max(high[k], p[i * components + k]);
    }
    if (!(low[k] < high[k])) high[k] = low[k] + 1;
  }
  // So coarse that few pixels are left without a sample.
  const int side = std::clamp(static_cast<int>(kSamplesAcross * std::sqrt(static_cast<double>(count))), 16, kSide);
  const double scale = (side - 1) / std::max(high[0] - low[0], high[1] - low[1]);
  const int width = 1 + static_cast<int>((high[0] - low[0]) * scale);
  const int height = 1 + static_cast<int>((high[1] - low[1]) * scale);
  PreviewContent made;
  made.picture = QImage(width, height, QImage::Format_ARGB32_Premultiplied);
  made.picture.fill(Qt::transparent);
  made.fine = side > kSide / 2;
  std::vector<double> depth(static_cast<size_t>(width) * static_cast<size_t>(height),
                            -std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < count; ++i) {
    const double* xyz = &p[i * components];
    if (!std::isfinite(xyz[0]) || !std::isfinite(xyz[1])) continue;
    const int x = std::clamp(static_cast<int>((xyz[0] - low[0]) * scale), 0, width - 1);
    const int down = std::clamp(static_cast<int>((xyz[1] - low[1]) * scale), 0, height - 1);
    const int y = in_space ? height - 1 - down : down;
    const double z = in_space ? xyz[2] : 0;
    double& nearest = depth[static_cast<size_t>(y * width + x)];
    if (z < nearest) continue;
    nearest = z;
    made.picture.setPixel(x, y, coloured ? as_colour(&c[i * 3]) : colormap((z - low[2]) / (high[2] - low[2])));
  }
  made.text = QObject::tr("%1 samples").arg(count);
  return made;
}

}  // namespace

QString tensor_text(const Tensor& tensor) {
  QStringList sizes;
  for (const int64_t size : tensor.dims()) sizes << QString::number(size);
  const QString dtype = to_q(name(tensor.dtype()));
  return dtype + QLatin1Char(' ') + (sizes.isEmpty() ? QObject::tr("scalar") : sizes.join(QStringLiteral(" × ")));
}

size_t PreviewContent::bytes() const {
  size_t bytes = sizeof(PreviewContent) + static_cast<size_t>(picture.sizeInBytes()) + 4096;
  for (const Line& line : lines) bytes += line.columns.size() * sizeof(PlotColumn);
  return bytes;
}

QString Preview::kind() const {
  if (!content_) return {};
  if (!content_->picture.isNull()) return QStringLiteral("picture");
  if (!content_->lines.empty()) return QStringLiteral("lines");
  if (!content_->number.isEmpty()) return QStringLiteral("number");
  return content_->histogram.isEmpty() ? QString() : QStringLiteral("histogram");
}

PreviewContent preview_of(const std::vector<PlotLine>& lines) {
  PreviewContent made;
  double low = std::numeric_limits<double>::infinity(), high = -low, left = low, right = -low;
  const auto widen = [](double& least, double& most, const std::vector<double>& values) {
    for (const double v : values) {
      if (!std::isfinite(v)) continue;
      least = std::min(least, v);
      most = std::max(most, v);
    }
  };
  for (const PlotLine& line : lines) {
    widen(low, high, line.y);
    widen(left, right, line.x);
  }
  if (!(low <= high) || !(left <= right)) {
    made.hint = QObject::tr("No finite value");
    return made;
  }
  made.text = QObject::tr("%1 to %2").arg(format_number(low, 3), format_number(high, 3));
  if (low == high) low -= 1, high += 1;
  if (left == right) right += 1;
  made.low = low;
  made.high = high;
  for (const PlotLine& line : lines)
    made.lines.push_back({line.input, columns_of(line.x, line.y, left, right, kColumns)});
  return made;
}

PreviewContent preview_of(const Image& image) {
  PreviewContent made;
  const QImage whole(image.rgba.data(), image.width, image.height, image.width * 4, QImage::Format_RGBA8888);
  made.text = QObject::tr("%1 × %2 pixels").arg(image.width).arg(image.height);
  made.fine = image.width > kSide || image.height > kSide;
  made.picture =
      made.fine ? whole.scaled(2 * kSide, kSide, Qt::KeepAspectRatio, Qt::SmoothTransformation) : whole.copy();
  return made;
}

PreviewContent preview_of_field(const std::vector<float>& values, QSize size, int channels) {
  Dims dims{size.height(), size.width()};
  if (channels > 1) dims.push_back(channels);
  Tensor tensor = Tensor::zeros(DType::f32, dims);
  std::copy(values.begin(), values.end(), tensor.as<float>());
  PreviewContent made;
  const auto range = channels == 1 ? std::nullopt : std::optional(PictureRange{0, 1});
  made.picture = picture_of(tensor, default_axes(dims), range, std::max(size.width(), size.height())).image;
  made.fine = true;
  made.text = QObject::tr("field over the picture, %1 × %2 points").arg(size.width()).arg(size.height());
  return made;
}

PreviewContent preview_of(const Tensor& tensor) {
  PreviewContent made;
  if (tensor.empty() || tensor.size() == 0) {
    made.hint = QObject::tr("Empty");
    return made;
  }
  made.text = tensor_text(tensor);
  if (tensor.size() == 1) {
    made.number = format_number(tensor.to_f64().front());
    return made;
  }
  if (const auto tiled = pictures_in(tensor.dims())) {
    const int64_t all = tiled->tile < 0 ? 1 : tensor.dims()[static_cast<size_t>(tiled->tile)];
    const int64_t count = std::min(all, kMostTiles);
    made.picture = contact_sheet(tensor, *tiled, count);
    made.fine = made.picture.width() >= kSide;
    if (count < all) made.text = QObject::tr("%1, the first %2").arg(made.text).arg(count);
    return made;
  }
  if (tensor.dims().size() == 1) {
    PlotLine line{0, 0, 1, {}, tensor.to_f64()};
    for (size_t i = 0; i < line.y.size(); ++i) line.x.push_back(static_cast<double>(i));
    PreviewContent drawn = preview_of(std::vector{std::move(line)});
    drawn.text = made.text + QStringLiteral(", ") + drawn.text;
    return drawn;
  }
  made.histogram = histogram_map(measure(tensor), tensor.dtype());
  return made;
}

PreviewContent preview_of(const NodeType& type, const NodeInspection& inspection) {
  if (auto made = samples(type, inspection)) return *std::move(made);
  for (const NodeInspection::Item& item : inspection.items)
    if (!item.is_param) return preview_of(item.value);
  return {};
}

}  // namespace hw::app
