// PictureModel: what the document's Image View shows: the original, and the network's picture with the newest weights.
#pragma once

#include <QImage>
#include <QObject>
#include <QThreadPool>
#include <QTimer>
#include <atomic>

#include "app/document/document.h"
#include "engine/run/picture.h"

namespace hw::app {

class RunModel;

/// Files are loaded, fields lowered and pictures drawn on a worker thread; the newest request wins. While weights keep
/// coming, pictures are as fine as they can be drawn in a fraction of a second; at rest as fine as the original. GUI
/// thread.
class PictureModel : public QObject {
  Q_OBJECT
  /// Why there is nothing to draw, and what to do; "" when there is.
  Q_PROPERTY(QString hint READ hint NOTIFY hintChanged)
  Q_PROPERTY(bool busy READ busy NOTIFY hintChanged)
  Q_PROPERTY(bool hasOriginal READ hasOriginal NOTIFY pictureChanged)
  Q_PROPERTY(bool hasPicture READ hasPicture NOTIFY pictureChanged)
  /// "31.4 dB" of the newest full picture against the original; "" while it is coarse.
  Q_PROPERTY(QString psnr READ psnr NOTIFY pictureChanged)
  /// Sizes of what is shown: "512 × 256".
  Q_PROPERTY(QString drawnSize READ drawnSize NOTIFY pictureChanged)

 public:
  PictureModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent = nullptr);
  ~PictureModel() override;

  const QString& hint() const { return hint_; }
  bool busy() const { return building_; }
  bool hasOriginal() const { return !original_.isNull(); }
  bool hasPicture() const { return !picture_.isNull(); }
  const QString& psnr() const { return psnr_; }
  QString drawnSize() const;
  const QImage& original() const { return original_; }
  const QImage& picture() const { return picture_; }
  /// Nobody looks: keeps still until someone does.
  void setWatched(bool on);
  /// Reads the picture again: its file has changed.
  void reload();

 Q_SIGNALS:
  void hintChanged();
  void pictureChanged();

 private:
  struct Request;
  struct Built;
  struct Drawn;
  void rebuild();
  void accept(const std::shared_ptr<Built>& built);
  void draw();
  void show(const Drawn& drawn);

  Document& document_;
  RunModel& run_;
  std::shared_ptr<Assets> assets_;
  QTimer rebuildSoon_, drawSoon_;
  QString viewer_, hint_, psnr_;
  QImage original_, picture_;
  std::shared_ptr<const Built> built_;
  int generation_ = 0;
  bool building_ = false, stale_ = true, watched_ = false, drawing_ = false;
  std::atomic<bool> newer_{false};   // weights came while a picture was drawn
  std::atomic<bool> cancel_{false};  // what is drawn is not wanted any more
  double pointsPerSecond_ = 2e6;     // measured by each picture; worker thread only
  QThreadPool work_;
};

}  // namespace hw::app
