#include "app/document/autosave.h"

namespace hw::app {

Autosave::Autosave(Document& document, Recovery& recovery, QObject* parent)
    : QObject(parent), document_(document), recovery_(recovery) {
  soon_.setSingleShot(true);
  soon_.setInterval(kKeepMs);
  connect(&soon_, &QTimer::timeout, this, &Autosave::keep);
  for (const auto change : {&Document::historyChanged, &Document::modifiedChanged, &Document::fileChanged})
    connect(&document, change, this, &Autosave::look);
  connect(&document, &Document::validationChanged, this, &Autosave::look);  // an edit that merged into the one before
}

Autosave::~Autosave() {
  if (soon_.isActive()) keep();
}

void Autosave::restore(UnsavedGraph unsaved) {
  document_.restore(std::move(unsaved.graph), unsaved.path, unsaved.title);  // for a moment without changes
  name_ = unsaved.kept;
}

void Autosave::look() {
  if (!document_.edited()) {
    forget();
  } else if (!soon_.isActive()) {
    soon_.start();
  }
}

void Autosave::forget() {
  soon_.stop();
  if (!name_.isEmpty()) recovery_.drop(name_);
  name_.clear();
}

void Autosave::keep() {
  if (name_.isEmpty()) name_ = recovery_.freshName();
  recovery_.keep({document_.graph(), document_.path(), document_.title(), QDateTime::currentDateTime(), name_});
}

}  // namespace hw::app
