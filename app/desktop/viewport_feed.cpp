#include "app/desktop/viewport_feed.h"

namespace hw::app {

void ViewportFeed::setModel(FieldModel* model) {
  if (model == model_) return;
  if (model_) {
    model_->disconnect(this);
    model_->setWatched(false);
  }
  model_ = model;
  if (model_) {
    connect(model_, &FieldModel::meshChanged, this, &ViewportFeed::feed);
    connect(model_, &FieldModel::fieldChanged, this, &ViewportFeed::feed);
    model_->setWatched(watching_);
  }
  feed();
  Q_EMIT changed();
}

void ViewportFeed::setItem(viewport::ViewportItem* item) {
  if (item == item_) return;
  item_ = item;
  feed();
  Q_EMIT changed();
}

void ViewportFeed::setWatching(bool on) {
  if (on == watching_) return;
  watching_ = on;
  if (model_) model_->setWatched(on);
  Q_EMIT changed();
}

void ViewportFeed::feed() {
  if (!model_ || !item_) return;
  item_->setMesh(model_->mesh());
  item_->setField(model_->field(), model_->gpuField());
}

}  // namespace hw::app
