// PictureModel: what the document's Image View shows: the original, and the network's picture with the newest weights.
#pragma once

#include <QImage>

#include "app/models/watched/watched_view.h"
#include "engine/field/picture.h"

namespace hw::app {

/// While weights keep coming, pictures are as fine as they can be drawn in a fraction of a second; at rest as fine as
/// the original. GUI thread.
class PictureModel : public WatchedView {
  Q_OBJECT
  Q_PROPERTY(bool hasOriginal READ hasOriginal NOTIFY contentChanged)
  Q_PROPERTY(bool hasPicture READ hasPicture NOTIFY contentChanged)
  /// "PSNR 31.40 dB at step 60" of the newest full picture against the original, all pixels, sRGB-encoded, peak 1;
  /// without the step for weights from a file. "" while the picture is coarse.
  Q_PROPERTY(QString psnr READ psnr NOTIFY contentChanged)
  /// Sizes of what is shown: "512 × 256".
  Q_PROPERTY(QString drawnSize READ drawnSize NOTIFY contentChanged)

 public:
  PictureModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~PictureModel() override;

  bool hasOriginal() const { return !original_.isNull(); }
  bool hasPicture() const { return !picture_.isNull(); }
  const QString& psnr() const { return psnr_; }
  QString drawnSize() const;
  const QImage& original() const { return original_; }
  const QImage& picture() const { return picture_; }

 protected:
  Plan plan() override;
  bool shows(const Node& node) const override;
  void draw() override;

 private:
  struct Built;
  void accept(std::shared_ptr<const Built> built);

  QString psnr_;
  QImage original_, picture_;
  std::shared_ptr<const Built> built_;
  bool edited_ = false;           // nothing was drawn of built_ yet
  double pointsPerSecond_ = 2e6;  // measured by each picture, at most that by one that was stopped; worker thread only
};

}  // namespace hw::app
