#include "app/desktop/training_tabs.h"

#include <QtGlobal>

#include "app/models/views/split_results_model.h"

namespace hw::app {
namespace {

constexpr TrainingTab kTabs[] = {
    {.title = QT_TRANSLATE_NOOP("hw::app::Shell", "Evaluation"),
     .view = "SplitResults.qml",
     .make = [](Document& document, RunModel& run) -> TabModel {
       return {std::make_unique<SplitResultsModel>(document, run)};
     }},
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
