#include "app/desktop/open_documents.h"

#include <QFileInfo>
#include <QLocale>
#include <QPointer>
#include <algorithm>

#include "app/desktop/example_files.h"
#include "app/document/text.h"
#include "app/interop/onnx/group_scopes.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/weights_file.h"

namespace hw::app {
namespace {

constexpr int kLeaveMs = 50;

/// What a title says of the weights that come back with a graph.
QString with_weights(const UnsavedGraph& unsaved) {
  switch (unsaved.learnt) {
    case UnsavedGraph::Learnt::none:
      return {};
    case UnsavedGraph::Learnt::kept:
      return unsaved.step > 0 ? OpenDocuments::tr(" (with its weights of step %1)").arg(unsaved.step)
                              : OpenDocuments::tr(" (with its weights)");
    case UnsavedGraph::Learnt::lost:
      return unsaved.weights.isEmpty()
                 ? OpenDocuments::tr(" (its weights could not be kept)")
                 : OpenDocuments::tr(" (with its weights of step %1: newer ones could not be kept)").arg(unsaved.step);
  }
  return {};
}

}  // namespace

OpenDocuments::OpenDocuments(const QString& recoveryFolder, QObject* parent)
    : QAbstractListModel(parent), recovery_(recoveryFolder) {
  connect(&recovery_, &Recovery::failed, this, &OpenDocuments::refused);
  leave_.setInterval(kLeaveMs);
  connect(&leave_, &QTimer::timeout, this, &OpenDocuments::dropQuiet);
  open_.push_back(make());
}

OpenDocuments::~OpenDocuments() {
  // Nobody is told of what the documents do while they go.
  for (const auto* list : {&open_, &leaving_}) {
    for (const auto& context : *list) context->document()->disconnect(this), context->run()->disconnect(this);
  }
}

std::unique_ptr<DocumentContext> OpenDocuments::make() {
  auto made = std::make_unique<DocumentContext>(recovery_);
  DocumentContext* context = made.get();
  Document* document = context->document();
  connect(document, &Document::fileChanged, this, [this, context] {
    tell(context, {TitleRole, PathRole});
    if (!context->document()->path().isEmpty()) Q_EMIT fileUsed(context->document()->path());
  });
  connect(document, &Document::modifiedChanged, this, [this, context] { tell(context, {ModifiedRole}); });
  connect(context->run(), &RunModel::changed, this, [this, context] { tell(context, {StateRole, ProgressRole}); });
  connect(document, &Document::refused, this,
          [this, context](const QString& code, const QString& reason, const QString& remedy) {
            Q_EMIT refused(code, placed(context, reason), remedy);
            bringBack(context);
          });
  connect(context->run(), &RunModel::failed, this,
          [this, context](const QString& code, const QString& reason, const QString& remedy) {
            if (!code.isEmpty() || context == this->context()) Q_EMIT failed(code, placed(context, reason), remedy);
          });
  connect(context, &DocumentContext::fileReloaded, this, [this, context](const QString& name, bool running) {
    if (context == this->context()) Q_EMIT fileReloaded(name, running);
  });
  return made;
}

/// A reason, with the title of its document when that is not the one on the screen.
QString OpenDocuments::placed(const DocumentContext* context, const QString& reason) const {
  const int row = rowOf(context);
  const bool hidden = row >= 0 ? row != current_ : isLeaving(context);
  return hidden ? context->document()->title() + QStringLiteral(": ") + reason : reason;
}

bool OpenDocuments::isLeaving(const DocumentContext* context) const {
  return std::any_of(leaving_.begin(), leaving_.end(), [&](const auto& c) { return c.get() == context; });
}

/// A document that was closed and whose weights could not be written: the person has to see to it.
void OpenDocuments::bringBack(const DocumentContext* context) {
  const auto found = std::find_if(leaving_.begin(), leaving_.end(), [&](const auto& c) { return c.get() == context; });
  if (found == leaving_.end()) return;
  std::unique_ptr<DocumentContext> back = std::move(*found);
  leaving_.erase(found);
  setCurrent(insert(count(), std::move(back)));
}

int OpenDocuments::rowOf(const DocumentContext* context) const {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const auto& c) { return c.get() == context; });
  return found == open_.end() ? -1 : static_cast<int>(found - open_.begin());
}

void OpenDocuments::tell(const DocumentContext* context, const QVector<int>& roles) {
  if (const int row = rowOf(context); row >= 0) Q_EMIT dataChanged(index(row), index(row), roles);
}

int OpenDocuments::insert(int row, std::unique_ptr<DocumentContext> context) {
  beginInsertRows({}, row, row);
  open_.insert(open_.begin() + row, std::move(context));
  if (current_ >= row) ++current_;
  endInsertRows();
  Q_EMIT countChanged();
  return row;
}

void OpenDocuments::setCurrent(int row) {
  if (row == current_ || row < 0 || row >= count()) return;
  context()->document()->letGo();
  current_ = row;
  Q_EMIT currentChanged();
}

void OpenDocuments::add() {
  setCurrent(insert(count(), make()));
}

bool OpenDocuments::open(const QUrl& file) {
  const QString path = QFileInfo(file.isLocalFile() ? file.toLocalFile() : file.toString()).canonicalFilePath();
  for (int row = 0; row < count() && !path.isEmpty(); ++row) {
    if (QFileInfo(at(row)->document()->path()).canonicalFilePath() != path) continue;
    setCurrent(row);
    return true;
  }
  if (path.endsWith(QLatin1String(".onnx"), Qt::CaseInsensitive)) {
    importModel(path);
    return true;
  }
  const bool asCopy = is_example(path);
  if (context()->untouched()) return context()->document()->load(file, asCopy);
  auto fresh = make();
  if (!fresh->document()->load(file, asCopy)) return false;
  setCurrent(insert(count(), std::move(fresh)));
  return true;
}

namespace {

/// The first few of several sentences.
std::string joined(const std::vector<std::string>& lines) {
  constexpr size_t kMost = 3;
  std::string all;
  for (size_t i = 0; i < std::min(kMost, lines.size()); ++i) all += (i == 0 ? "" : " ") + lines[i];
  return lines.size() <= kMost ? all : all + " …";
}

}  // namespace

void OpenDocuments::importModel(const QString& path) {
  if (!context()->untouched()) setCurrent(insert(count(), make()));
  const QString name = QFileInfo(path).completeBaseName();
  Document* document = context()->document();
  document->restore(Graph{}, {}, name, {});
  importing_.start([this, path, name, importing = QPointer<Document>(document)] {
    auto imported = std::make_shared<Result<interop::ImportedModel>>(guarded([&]() -> Result<interop::ImportedModel> {
      HW_TRY(const interop::OnnxModel model, interop::read_onnx(path.toStdU16String()));
      HW_TRY(interop::ImportedModel flat, interop::import_graph(model));
      HW_CHECK(copy_mapped(flat.weights, path.toStdU16String()));
      return interop::with_groups(std::move(flat));
    }));
    QMetaObject::invokeMethod(
        this,
        [this, imported, name, importing] {
          if (!importing) return;
          if (!*imported) {
            const Error& error = imported->error();
            Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
            return;
          }
          Document* into = importing;
          if (!into->empty() || !into->path().isEmpty() || into->canUndo() || into->canRedo()) {
            setCurrent(insert(count(), make()));  // that one was put to another use meanwhile
            into = context()->document();
          }
          into->restore(std::move((**imported).graph), {}, name, {});
          into->weights()->replace({std::make_shared<const Weights>(std::move((**imported).weights)), nullptr});
          if (const std::string& why = (**imported).fixed_because; !why.empty()) {
            const auto &fixed = (**imported).fixed, &multiples = (**imported).multiples;
            Q_EMIT refused(to_q(codes::unsupported),
                           fixed.empty() ? tr("Sizes of the model are multiples of a number, %1, because of %2")
                                               .arg(to_q(interop::sizes_text(multiples)), to_q(why))
                                         : tr("Sizes of the model are fixed, %1, because of %2")
                                               .arg(to_q(interop::sizes_text(fixed)), to_q(why)),
                           tr("For other sizes import it in a terminal: halfwire-cli import --size NAME=SIZE."));
          }
          for (const std::string& note : (**imported).notes)
            Q_EMIT refused(to_q(codes::unsupported), tr("Read with a note: %1").arg(to_q(note)), {});
          const std::vector<std::string> missing = interop::missing_lines(**imported);
          if (missing.empty()) return;
          Q_EMIT refused(to_q(codes::unknown_node), tr("Not all of the model is read. %1").arg(to_q(joined(missing))),
                         tr("These operators stand in the graph with an error; the rest can be used."));
        },
        Qt::QueuedConnection);
  });
}

void OpenDocuments::close(int row) {
  if (row < 0 || row >= count()) return;
  if (count() == 1) {
    if (context()->untouched()) return;
    insert(1, make());
  }
  const int next = row == current_ ? (row + 1 < count() ? row + 1 : row - 1) : current_;
  setCurrent(next);  // the views let go of the old one first
  beginRemoveRows({}, row, row);
  std::unique_ptr<DocumentContext> gone = std::move(open_[static_cast<size_t>(row)]);
  open_.erase(open_.begin() + row);
  if (current_ > row) --current_;
  endRemoveRows();
  Q_EMIT countChanged();
  Q_EMIT currentChanged();
  gone->autosave()->forget();
  gone->leave();
  leaving_.push_back(std::move(gone));
  leave_.start();
}

void OpenDocuments::recover() {
  std::vector<UnsavedGraph> kept = recovery_.take();
  if (kept.empty()) return;
  QStringList titles;
  QDateTime last;
  for (UnsavedGraph& unsaved : kept) {
    titles.append(unsaved.title + with_weights(unsaved));
    last = std::max(last, unsaved.when);
    contextFor(unsaved)->autosave()->restore(std::move(unsaved));
  }
  Q_EMIT recovered(titles.join(QStringLiteral(", ")), QLocale().toString(last, QLocale::ShortFormat));
}

/// The document that shows its file unchanged, the one that nobody has touched, or another.
DocumentContext* OpenDocuments::contextFor(const UnsavedGraph& unsaved) {
  for (const auto& context : open_) {
    const Document* document = context->document();
    if (!unsaved.path.isEmpty() && document->path() == unsaved.path && !document->modified()) return context.get();
  }
  if (context()->untouched()) return context();
  const int row = insert(count(), make());
  return at(row);
}

void OpenDocuments::giveUp() {
  for (const auto& context : open_) context->autosave()->forget();
}

void OpenDocuments::dropQuiet() {
  size_t most = 0;
  const auto gone = std::erase_if(leaving_, [&most](const auto& context) {
    const bool quiet = context->quiet();
    if (quiet) most = std::max(most, context->document()->graph().nodes().size());
    return quiet;
  });
  if (gone > 0) Q_EMIT dropped(static_cast<int>(most));
  if (leaving_.empty()) leave_.stop();
}

void OpenDocuments::cycle(int step) {
  setCurrent((current_ + step % count() + count()) % count());
}

int OpenDocuments::modifiedFrom(int row) const {
  for (; row < count(); ++row) {
    if (at(row)->document()->modified()) return row;
  }
  return -1;
}

int OpenDocuments::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : count();
}

QVariant OpenDocuments::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= count()) return {};
  DocumentContext& context = *at(index.row());
  switch (role) {
    case TitleRole:
      return context.document()->title();
    case PathRole:
      return context.document()->path();
    case ModifiedRole:
      return context.document()->marked();
    case StateRole:
      return context.run()->state();
    case ProgressRole:
      return context.run()->progress();
    default:
      return {};
  }
}

QHash<int, QByteArray> OpenDocuments::roleNames() const {
  return {{TitleRole, "title"},
          {PathRole, "path"},
          {ModifiedRole, "modified"},
          {StateRole, "state"},
          {ProgressRole, "progress"}};
}

}  // namespace hw::app
