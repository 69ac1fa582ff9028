// The tabs beside the losses: a row each, with its model and its view.
#pragma once

#include <QObject>
#include <memory>
#include <span>
#include <vector>

#include "app/desktop/document_parts.h"
#include "app/document/document.h"
#include "app/models/run/run_model.h"

namespace hw::app {

/// The model of a tab, for one document. `part`: what it does together with the others.
struct TabModel {
  std::unique_ptr<QObject> model;
  DocumentPart part = {};
};

struct TrainingTab {
  const char* title;  // translated by Shell
  const char* view;   // a file of qml/panels, with the property `model`
  TabModel (*make)(Document& document, RunModel& run);
  void (*register_type)();  // register_model() of the model
};

/// In the order in which the panel has them, behind its own.
std::span<const TrainingTab> training_tabs();

/// A model a row. Both outlive what is made.
std::vector<TabModel> make_training_tabs(Document& document, RunModel& run);

}  // namespace hw::app
