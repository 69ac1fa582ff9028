// Preview: what a node's card shows of its output: a picture, lines, a histogram, a number.
#pragma once

#include <QImage>
#include <QMetaType>
#include <QVariantMap>
#include <memory>

#include "app/models/views/plot_columns.h"
#include "engine/core/mesh.h"
#include "engine/field/plot.h"
#include "engine/instrument/node_inspection.h"

namespace hw::app {

/// What a preview was made to show. Immutable once shared.
struct PreviewContent {
  QImage picture;
  bool fine = false;  // of the picture: it has more pixels than a card, and is to be smoothed
  struct Line {
    size_t input = 0;  // PlotLine::input
    std::vector<PlotColumn> columns;
  };
  std::vector<Line> lines;
  double low = 0, high = 1;  // of the lines
  QVariantMap histogram;     // histogram_map
  QString number;            // of a tensor of one element
  QString text;              // what is shown, with its size: "f32 64 × 1 × 28 × 28, the first 8"
  QString hint;              // why there is nothing
  static constexpr int64_t kEndless = -1;
  int64_t batches = 0;  // of a source of data: until its data set begins anew; 0: it is none
  size_t bytes() const;
};

/// As QML hands it from the model to the items that draw it. Cheap to copy. GUI thread.
class Preview {
  Q_GADGET
  /// "picture", "lines", "histogram", "number", or "" while there is nothing.
  Q_PROPERTY(QString kind READ kind)
  Q_PROPERTY(QString text READ text)
  Q_PROPERTY(QString hint READ hint)
  Q_PROPERTY(QString number READ number)
  Q_PROPERTY(QVariantMap histogram READ histogram)
  Q_PROPERTY(int batches READ batches)

 public:
  Preview() = default;
  explicit Preview(std::shared_ptr<const PreviewContent> content) : content_(std::move(content)) {}
  QString kind() const;
  QString text() const { return content_ ? content_->text : QString(); }
  QString hint() const { return content_ ? content_->hint : QString(); }
  QString number() const { return content_ ? content_->number : QString(); }
  QVariantMap histogram() const { return content_ ? content_->histogram : QVariantMap(); }
  int batches() const { return content_ ? static_cast<int>(content_->batches) : 0; }
  /// Null on an empty preview.
  const PreviewContent* content() const { return content_.get(); }
  const std::shared_ptr<const PreviewContent>& shared() const { return content_; }
  bool operator==(const Preview&) const = default;

 private:
  std::shared_ptr<const PreviewContent> content_;
};

// ---- made on any thread

/// The preview of a tensor: pictures where it is [N, C, H, W], [C, H, W], [N, H, W, C] or [H, W, C] with C 1, 3 or 4,
/// and feature maps [1, C, H, W]: the first of them beside one another; a line where it is [N]; a number where it has
/// one element; else a histogram of all its elements.
PreviewContent preview_of(const Tensor& tensor);
/// The preview of the tensors of a node: samples at their places in a picture or in space (x to the right, y up) in
/// their colours, where its type provides positions; else preview_of its first.
PreviewContent preview_of(const NodeType& type, const NodeInspection& inspection);
PreviewContent preview_of(const std::vector<PlotLine>& lines);
PreviewContent preview_of(const Image& image);
/// The preview of a field over the pixels: colours, or one number a pixel.
PreviewContent preview_of_field(const std::vector<float>& values, QSize size, int channels);

/// What is shown of a tensor: "f32 64 × 28 × 28"; "f32 scalar".
QString tensor_text(const Tensor& tensor);

}  // namespace hw::app

Q_DECLARE_METATYPE(hw::app::Preview)
