#include "app/models/run/input_values.h"

#include <QFileInfo>

#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/core/picture_channels.h"
#include "engine/graph/groups/scope.h"
#include "engine/io/asset/assets.h"
#include "engine/io/media/image_file.h"
#include "engine/io/tensor/npy.h"

namespace hw::app {
namespace {

uint64_t next_version() {
  static uint64_t version = 0;
  return ++version;
}

Image scaled(const QImage& image, const PictureLayout& layout) {
  const bool deep = image.format() == QImage::Format_RGBA64;
  const QImage fitted = image
                            .scaled(static_cast<int>(layout.width), static_cast<int>(layout.height),
                                    Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
                            .convertToFormat(deep ? QImage::Format_RGBA64 : QImage::Format_RGBA8888);
  Image made{fitted.width(), fitted.height(), {}};
  for (int y = 0; y < fitted.height(); ++y) {
    const uchar* line = fitted.constScanLine(y);
    const auto* wide = reinterpret_cast<const uint16_t*>(line);
    if (deep) {
      made.deep.insert(made.deep.end(), wide, wide + fitted.width() * 4);
    } else {
      made.rgba.insert(made.rgba.end(), line, line + fitted.width() * 4);
    }
  }
  if (deep) made.rgba = rounded_channels(made.deep);
  return made;
}

Result<InputValues::Value> read_value(const QString& path) {
  if (path.endsWith(QStringLiteral(".npy"), Qt::CaseInsensitive)) {
    HW_TRY(Tensor array, read_npy(to_std(path)));
    return InputValues::Value(std::move(array));
  }
  HW_TRY(const Image read, load_image(to_std(path)));
  const QImage image = read.deep.empty()
                           ? QImage(read.rgba.data(), read.width, read.height, read.width * 4, QImage::Format_RGBA8888)
                           : QImage(reinterpret_cast<const uchar*>(read.deep.data()), read.width, read.height,
                                    read.width * 8, QImage::Format_RGBA64);
  return InputValues::Value(image.copy());
}

}  // namespace

InputValues::InputValues(Document& document, Evaluation& evaluation, QObject* parent)
    : QObject(parent), document_(document), evaluation_(evaluation) {
  work_.setMaxThreadCount(1);
  connect(&document, &Document::selectionChanged, this, &InputValues::changed);
  connect(&document, &Document::structureChanged, this, &InputValues::hand_over);
  connect(&document, &Document::reset, this, [this] {
    requests_.clear();
    sources_.clear();
    hand_over();
  });
}

std::optional<WireType> InputValues::declared(const std::string& path) const {
  const Node* node = document_.flat().find(path);
  if (!node || node->type != kInputType || path.find('/') != path.npos || !document_.flat().links_into(path).empty())
    return std::nullopt;
  auto type = document_.validator().output_type(path, "y");
  if (!type || type->kind != Kind::tensor || !type->shape.fully_known()) return std::nullopt;
  return type;
}

const InputValues::Source* InputValues::source() const {
  const auto found = sources_.find(active());
  return found == sources_.end() ? nullptr : &found->second;
}

bool InputValues::offered() const {
  return declared(active()).has_value();
}

QString InputValues::given() const {
  return source() ? source()->name : QString();
}

QString InputValues::problem() const {
  const auto found = problems_.find(active());
  return found == problems_.end() ? QString() : found->second;
}

QSize InputValues::pictureSize() const {
  const auto type = declared(active());
  const auto layout = type ? picture_layout(type->shape) : std::nullopt;
  return layout ? QSize(static_cast<int>(layout->width), static_cast<int>(layout->height)) : QSize();
}

QImage InputValues::drawing() const {
  return source() && source()->drawn ? std::get<QImage>(source()->value) : QImage();
}

InputValues::~InputValues() {
  work_.waitForDone();
}

void InputValues::setFile(const QUrl& file) {
  const QString path = file.toLocalFile(), name = QFileInfo(path).fileName();
  const std::string input = active();
  const uint64_t request = requests_[input] = next_version();
  start_work(
      work_, this, [path] { return read_value(path); },
      [this, name, input, request](Result<Value> value) {
        const auto last = requests_.find(input);
        if (last == requests_.end() || last->second != request) return;
        requests_.erase(last);
        if (value) return set(input, {name, std::move(*value)});
        problems_[input] = reason_text(value.error());
        Q_EMIT changed();
      });
}

void InputValues::setDrawing(const QImage& drawing) {
  requests_.erase(active());
  set(active(), {tr("Drawing"), drawing, true});
}

void InputValues::clear() {
  requests_.erase(active());
  sources_.erase(active());
  hand_over();
}

void InputValues::set(const std::string& input, Source source) {
  if (!declared(input)) return;
  source.version = next_version();
  sources_[input] = std::move(source);
  hand_over();
}

Result<Tensor> InputValues::value_of(const Source& source, const WireType& type, const std::string& path) const {
  if (const Tensor* array = std::get_if<Tensor>(&source.value))
    return array_value(*array, type.shape, type.dtype, path);
  const auto layout = picture_layout(type.shape);
  if (!layout)
    return Error{codes::size_mismatch, path, "the Input declares " + to_string(type.shape) + ", which is no picture.",
                 "Declare [N, C, H, W] with C 1 or 3, or choose an array."};
  return picture_value(scaled(std::get<QImage>(source.value), *layout), *layout, type.shape, type.dtype);
}

void InputValues::hand_over() {
  problems_.clear();
  auto given = std::make_shared<GivenInputs>();
  for (const auto& [path, source] : sources_) {
    const auto type = declared(path);
    if (!type) continue;
    const auto value = value_of(source, *type, path);
    if (value) {
      given->set(path, {*value, source.version});
    } else {
      problems_[path] = reason_text(value.error());
    }
  }
  if (!given->all().empty() || !evaluation_.given()->all().empty()) evaluation_.setGiven(given);
  Q_EMIT changed();
}

}  // namespace hw::app
