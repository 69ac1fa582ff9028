#include "app/document/autosave.h"

namespace hw::app {

Autosave::Autosave(Document& document, Recovery& recovery, QObject* parent)
    : QObject(parent), document_(document), recovery_(recovery) {
  soon_.setSingleShot(true);
  soon_.setInterval(kKeepMs);
  connect(&soon_, &QTimer::timeout, this, &Autosave::keep);
  connect(&document, &Document::historyChanged, this, &Autosave::edited);
  connect(&document, &Document::validationChanged, this, &Autosave::edited);  // one that merged into the edit before
  for (const auto change : {&Document::modifiedChanged, &Document::fileChanged})
    connect(&document, change, this, &Autosave::look);
}

Autosave::~Autosave() {
  if (soon_.isActive()) keep();
}

void Autosave::restore(UnsavedGraph unsaved) {
  // For a moment without changes.
  document_.restore(std::move(unsaved.graph), unsaved.path, unsaved.title, unsaved.file);
  name_ = unsaved.kept;
}

void Autosave::edited() {
  forgotten_ = false;
  look();
}

void Autosave::look() {
  if (!document_.edited()) {
    drop();
  } else if (!forgotten_ && !soon_.isActive()) {
    soon_.start();
  }
}

void Autosave::forget() {
  forgotten_ = true;
  drop();
}

void Autosave::drop() {
  soon_.stop();
  if (!name_.isEmpty()) recovery_.drop(name_);
  name_.clear();
}

void Autosave::keep() {
  if (name_.isEmpty()) name_ = recovery_.freshName();
  recovery_.keep({document_.graph(), document_.path(), document_.fileStamp(), document_.title(),
                  QDateTime::currentDateTime(), name_});
}

}  // namespace hw::app
