// ViewportFeed: hands the document's mesh and field to a viewport item, while that can be seen.
#pragma once

#include <QPointer>

#include "app/models/views/field_model.h"
#include "app/viewport/viewport_item.h"

namespace hw::app {

class ViewportFeed : public QObject {
  Q_OBJECT
  Q_PROPERTY(hw::app::FieldModel* model READ model WRITE setModel NOTIFY changed)
  Q_PROPERTY(hw::viewport::ViewportItem* item READ item WRITE setItem NOTIFY changed)
  Q_PROPERTY(bool watching READ watching WRITE setWatching NOTIFY changed)

 public:
  explicit ViewportFeed(QObject* parent = nullptr) : QObject(parent) {}

  FieldModel* model() const { return model_; }
  void setModel(FieldModel* model);
  viewport::ViewportItem* item() const { return item_; }
  void setItem(viewport::ViewportItem* item);
  bool watching() const { return watching_; }
  void setWatching(bool on);

 Q_SIGNALS:
  void changed();

 private:
  void feed();
  QPointer<FieldModel> model_;
  QPointer<viewport::ViewportItem> item_;
  bool watching_ = false;
};

}  // namespace hw::app
