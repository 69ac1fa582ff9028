#include "app/models/exports/onnx_export.h"

#include <QDir>

#include "app/document/node_title.h"
#include "app/document/task.h"
#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "app/interop/onnx/export_notes.h"
#include "engine/core/codes.h"
#include "engine/graph/lower/parameter_count.h"

namespace hw::app {

namespace {

/// Below the node's name: why it cannot be exported.
std::string_view short_reason(std::string_view reason) {
  const size_t at = reason.find(interop::kCannotBeExported);
  return at == std::string_view::npos ? reason : reason.substr(at + interop::kCannotBeExported.size());
}

}  // namespace

/// The graph of one moment, and what of it is exported how.
struct OnnxExport::Request {
  Graph document, flat;
  interop::NamedOutputs outputs;
  int64_t opset;
  bool functions;
  interop::ExportOptions options() const { return {opset, functions ? &document : nullptr}; }
};

struct OnnxExport::Written {
  std::vector<Error> refused;  // where nothing was written
  size_t operators = 0;
  std::vector<std::string> notes;
};

OnnxExport::OnnxExport(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QAbstractListModel(parent), document_(document), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  connect(&document, &Document::reset, this, &OnnxExport::forgetDocument);
}

OnnxExport::~OnnxExport() {
  work_.waitForDone();
}

QStringList OnnxExport::opsets() const {
  QStringList all;
  for (int64_t opset = interop::kFirstWrittenOpset; opset <= interop::kLastOpset; ++opset)
    all.append(QString::number(opset));
  return all;
}

void OnnxExport::setChoice(int choice) {
  if (choice == this->choice() || choice < 0 || choice >= opsets().size() || writing_) return;
  opset_ = interop::kFirstWrittenOpset + choice;
  look();
}

void OnnxExport::setFunctions(bool on) {
  if (on == functions_ || writing_) return;
  functions_ = on;
  look();
}

void OnnxExport::forget() {
  beginResetModel();
  rows_.clear();
  endResetModel();
  problem_.clear();
  failure_.clear();
  file_.clear();
  summary_.clear();
  notes_.clear();
  Q_EMIT changed();
}

void OnnxExport::forgetDocument() {
  again_ = looking_;
  replaced_ = writing_;
  forget();
}

Result<std::shared_ptr<const OnnxExport::Request>> OnnxExport::request() const {
  interop::NamedOutputs outputs = interop::named_outputs(document_.graph(), document_.flat());
  if (outputs.empty())
    return Error{codes::unsupported, "", "the graph has no Output node that something is wired to.",
                 "Wire what the model is to give to an Output."};
  for (const auto& [name, socket] : outputs)
    if (document_.validator().blocking(document_.flat(), socket.node))
      return Error{codes::unsupported, "", "the graph has errors.", "Mend them first: they are in Problems."};
  if (document_.weights()->pending())
    return Error{codes::unsupported, "", "its weights are still being read, or do not fit.", "See Problems."};
  return std::make_shared<const Request>(
      Request{document_.graph(), document_.flat(), std::move(outputs), opset_, functions_ && hasGroups()});
}

void OnnxExport::look() {
  if (busy()) {
    again_ = true;
    return;
  }
  forget();
  const auto now = request();
  if (!now) {
    problem_ = reason_text(now.error()) + QLatin1Char(' ') + to_q(now.error().remedy);
    return Q_EMIT changed();
  }
  looking_ = true;
  Q_EMIT changed();
  start_work(
      work_, this,
      [request = *now, assets = assets_,
       weights = document_.weights()->tensors()]() -> Result<std::shared_ptr<Written>> {
        const auto found = std::make_shared<Written>();
        found->refused =
            interop::export_refusals(request->flat, request->outputs, weights.get(), *assets, request->options());
        return found;
      },
      [this](const Result<std::shared_ptr<Written>>& found) {
        looking_ = false;
        if (std::exchange(again_, false)) return look();
        if (found)
          show(std::move((*found)->refused));
        else
          problem_ = reason_text(found.error());
        Q_EMIT changed();
      });
}

void OnnxExport::show(std::vector<Error> refused) {
  beginResetModel();
  rows_ = std::move(refused);
  endResetModel();
}

void OnnxExport::start(const QUrl& file) {
  if (!ready()) return;
  const auto now = request();
  if (!now) return look();
  forget();
  writing_ = true;
  Q_EMIT changed();
  const QString path = file.toLocalFile();
  start_work(
      work_, this,
      [request = *now, assets = assets_, newest = document_.weights()->now(),
       path]() -> Result<std::shared_ptr<Written>> {
        const Learnt learnt = newest.learnt();
        const Weights* weights = learnt.weights.get();
        const interop::ExportOptions options = request->options();
        const auto model = interop::export_graph(request->flat, request->outputs, weights, *assets, options);
        const auto written = std::make_shared<Written>();
        if (!model) {
          written->refused = interop::export_refusals(request->flat, request->outputs, weights, *assets, options);
          if (written->refused.empty()) return model.error();
          return written;
        }
        HW_CHECK(interop::write_onnx(*model, to_path(path)));
        written->operators = model->graph.nodes.size();
        written->notes = interop::export_notes(*model);
        if (!weights && has_parameters(request->flat))
          written->notes.insert(written->notes.begin(),
                                "the graph has learnt nothing: its parameters are initial ones");
        return written;
      },
      [this, path](const Result<std::shared_ptr<Written>>& written) { finish(path, written); });
}

void OnnxExport::finish(const QString& file, const Result<std::shared_ptr<Written>>& result) {
  writing_ = again_ = false;
  const bool replaced = std::exchange(replaced_, false);
  if (!result) {
    failure_ = without_commands(reason_text(result.error()) + QLatin1Char(' ') + to_q(result.error().remedy));
    return Q_EMIT changed();
  }
  Written& written = **result;
  if (!written.refused.empty()) {
    if (replaced) return look();
    show(std::move(written.refused));
    return Q_EMIT changed();
  }
  file_ = QDir::toNativeSeparators(file);
  summary_ = tr("%n operators", nullptr, static_cast<int>(written.operators)) + QStringLiteral(", ") +
             tr("opset %1").arg(opset_);
  for (const std::string& note : written.notes) notes_.append(sentence(note) + QLatin1Char('.'));
  Q_EMIT changed();
}

void OnnxExport::reveal(int row) {
  if (row < 0 || row >= rowCount()) return;
  document_.reveal(to_q(rows_[static_cast<size_t>(row)].where));
}

int OnnxExport::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant OnnxExport::data(const QModelIndex& index, int role) const {
  const Error& error = rows_[static_cast<size_t>(index.row())];
  const bool is_node = document_.flat().find(error.where) != nullptr;
  switch (role) {
    case NodeRole:
      return is_node ? node_title(document_.flat(), error.where) : QString();
    case ReasonRole:
      return is_node ? sentence(short_reason(error.reason)) : reason_text(error);
    case RemedyRole:
      return without_commands(to_q(error.remedy));
    default:
      return {};
  }
}

QHash<int, QByteArray> OnnxExport::roleNames() const {
  return {{NodeRole, "node"}, {ReasonRole, "reason"}, {RemedyRole, "remedy"}};
}

}  // namespace hw::app
