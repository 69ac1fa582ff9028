#include "app/models/inspector/jacobian_model.h"

#include <algorithm>

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "app/models/text/format.h"

namespace hw::app {
namespace {

QVariantMap block_of(const JacobianBlock& block, const Jacobian& j) {
  const int64_t rows = element_count(block.rows), columns = element_count(block.columns);
  const auto input = std::ranges::find(j.inputs, block.input, &Jacobian::Input::socket);
  QVariantList names, at, lines;
  for (int64_t c = 0; c < columns; ++c) {
    names.append(to_q(component_name(block.input, block.columns, c)));
    at.append(format_number(input->values[static_cast<size_t>(c)], 4));
  }
  for (int64_t r = 0; r < rows; ++r) {
    QVariantList cells;
    for (int64_t c = 0; c < columns; ++c)
      cells.append(format_number(block.values[static_cast<size_t>(r * columns + c)], 4));
    lines.append(QVariantMap{{"name", to_q(component_name(block.output, block.rows, r))}, {"cells", cells}});
  }
  return {{"title", QStringLiteral("∂%1 / ∂%2").arg(to_q(block.output), to_q(block.input))},
          {"columns", names},
          {"at", at},
          {"rows", lines}};
}

}  // namespace

JacobianModel::JacobianModel(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  const auto other = [this] {
    clear();
    Q_EMIT offeredChanged();
  };
  connect(&document, &Document::selectionChanged, this, other);
  connect(&document, &Document::reset, this, other);
  connect(&document, &Document::structureChanged, this, &JacobianModel::clear);
}

JacobianModel::~JacobianModel() {
  cancel_ = true;
  work_.waitForDone();
}

bool JacobianModel::offered() const {
  const Node* node = document_.flat().find(to_std(document_.activePath()));
  const NodeType* type = node ? Registry::instance().find(node->type) : nullptr;
  return type && type->decl.category() == "Math";
}

void JacobianModel::clear() {
  ++generation_;
  again_ = false;
  cancel_ = true;
  if (blocks_.isEmpty() && problem_.isEmpty()) return;
  blocks_.clear();
  problem_.clear();
  Q_EMIT changed();
}

void JacobianModel::setSample(int sample) {
  sample = std::clamp(sample, 0, std::max(0, samples_ - 1));
  if (sample == sample_) return;
  sample_ = sample;
  Q_EMIT changed();
  if (!blocks_.isEmpty()) start();
}

void JacobianModel::start() {
  if (!offered()) return;
  again_ = running_;
  if (running_) return;
  const std::string node = to_std(document_.activePath());
  if (document_.validator().blocking(document_.flat(), node, Pins::ignored)) {
    blocks_.clear();
    problem_ = tr("The node cannot run: see its problems.");
    Q_EMIT changed();
    return;
  }
  running_ = true;
  Q_EMIT runningChanged();
  JacobianOptions options;
  cancel_ = false;
  options.cancel = &cancel_;
  options.sample = sample_;
  options.weights = run_.snapshot().weights ? run_.snapshot().weights : document_.weights()->tensors();
  start_work(
      work_, this, [this, node, options, graph = document_.flat()] { return jacobian(graph, node, *assets_, options); },
      [this, generation = generation_](const Result<Jacobian>& result) {
        running_ = false;
        if (generation == generation_) take(result);
        Q_EMIT runningChanged();
        if (std::exchange(again_, false)) start();
      });
}

void JacobianModel::take(const Result<Jacobian>& result) {
  blocks_.clear();
  problem_.clear();
  if (result) {
    samples_ = static_cast<int>(std::min<int64_t>(result->samples, 1 << 30));
    for (const JacobianBlock& block : result->blocks) blocks_.append(block_of(block, *result));
  } else if (result.error().code == codes::bad_parameter && sample_ != 0) {
    sample_ = 0;  // the batch is another
    again_ = true;
  } else {
    const Error& e = result.error();
    problem_ = e.remedy.empty() ? reason_text(e) : reason_text(e) + QLatin1Char(' ') + to_q(e.remedy);
  }
  Q_EMIT changed();
}

}  // namespace hw::app
