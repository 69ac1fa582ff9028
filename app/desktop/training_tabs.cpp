#include "app/desktop/training_tabs.h"

#include <QtGlobal>

#include "app/desktop/register_model.h"
#include "app/models/views/split_results_model.h"

namespace hw::app {
namespace {

/// The model alone: it has no worker and reads no files.
template <typename Model>
TabModel make_model(Document& document, RunModel& run) {
  return {std::make_unique<Model>(document, run)};
}

/// `make`: of a model with a worker of its own, with its part.
template <typename Model>
constexpr TrainingTab tab_of(const char* title, const char* view,
                             TabModel (*make)(Document& document, RunModel& run) = make_model<Model>) {
  return {title, view, make, register_model<Model>};
}

constexpr TrainingTab kTabs[] = {
    tab_of<SplitResultsModel>(QT_TRANSLATE_NOOP("hw::app::Shell", "Evaluation"), "SplitResults.qml"),
};

}  // namespace

std::span<const TrainingTab> training_tabs() {
  return kTabs;
}

std::vector<TabModel> make_training_tabs(Document& document, RunModel& run) {
  std::vector<TabModel> made;
  for (const TrainingTab& tab : kTabs) made.push_back(tab.make(document, run));
  return made;
}

}  // namespace hw::app
