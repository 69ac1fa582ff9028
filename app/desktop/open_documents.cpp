#include "app/desktop/open_documents.h"

#include <QFileInfo>
#include <QLocale>
#include <algorithm>

#include "app/desktop/example_files.h"
#include "app/document/text.h"
#include "engine/core/codes.h"

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
  connect(&recovery_, &Recovery::weightsWritten, this, &OpenDocuments::memoryFreed);
  connect(&recovery_, &Recovery::failed, this, &OpenDocuments::refused);
  leave_.setInterval(kLeaveMs);
  connect(&leave_, &QTimer::timeout, this, &OpenDocuments::dropQuiet);
  connect(&imports_, &ModelImports::refused, this, [this](Document* into, const Error& error) {
    awaited_.erase(into);
    Q_EMIT readingChanged();
    Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
  });
  connect(&imports_, &ModelImports::givenUp, this, &OpenDocuments::takeBack);
  connect(&imports_, &ModelImports::made, this,
          [this](Document* into, const QString& name, const ModelImports::Model& model) { fill(into, name, *model); });
  connect(this, &OpenDocuments::currentChanged, this, &OpenDocuments::readingChanged);
  open_.push_back(make());
}

OpenDocuments::~OpenDocuments() {
  // No notifications from the documents while they are destroyed.
  for (const auto* list : {&open_, &leaving_}) {
    for (const auto& context : *list) context->document()->disconnect(this), context->run()->disconnect(this);
  }
}

std::unique_ptr<DocumentContext> OpenDocuments::make() {
  auto made = std::make_unique<DocumentContext>(recovery_);
  DocumentContext* context = made.get();
  Document* document = context->document();
  connect(document, &Document::fileChanged, this, [this, context] {
    notifyRow(context, {TitleRole, PathRole});
    if (!context->document()->path().isEmpty()) Q_EMIT fileUsed(context->document()->path());
  });
  connect(document, &Document::modifiedChanged, this, [this, context] { notifyRow(context, {ModifiedRole}); });
  connect(document->weights(), &DocumentWeights::settled, this, &OpenDocuments::memoryFreed);
  connect(context->run(), &RunModel::changed, this, [this, context] { notifyRow(context, {StateRole, ProgressRole}); });
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

/// A document that was closed and whose weights could not be written: the user has to act.
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

void OpenDocuments::notifyRow(const DocumentContext* context, const QVector<int>& roles) {
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

/// A document that a model is read for was put to no other use.
bool still_waits(const Document& document) {
  return document.empty() && document.path().isEmpty() && !document.canUndo() && !document.canRedo();
}

/// The first few of several sentences.
std::string joined(const std::vector<std::string>& lines) {
  constexpr size_t kMost = 3;
  std::string all;
  for (size_t i = 0; i < std::min(kMost, lines.size()); ++i) all += (i == 0 ? "" : " ") + lines[i];
  return lines.size() <= kMost ? all : all + " …";
}

}  // namespace

QString OpenDocuments::reading() const {
  const Document* shown = context()->document();
  return awaited_.contains(shown) ? shown->title() : QString();
}

void OpenDocuments::importModel(const QString& path) {
  DocumentContext* before = context();
  if (!before->untouched() || awaited_.contains(before->document())) setCurrent(insert(count(), make()));
  Document* document = context()->document();
  document->restore(Graph{}, {}, QFileInfo(path).completeBaseName(), {});
  awaited_[document] = before;
  Q_EMIT readingChanged();
  imports_.start(path, document);
}

void OpenDocuments::fill(Document* document, const QString& name, interop::ImportedModel& model) {
  awaited_.erase(document);
  Q_EMIT readingChanged();
  if (!still_waits(*document)) {
    setCurrent(insert(count(), make()));  // that one was put to another use meanwhile
    document = context()->document();
  }
  document->restore(std::move(model.graph), {}, name, {});
  document->weights()->replace({std::make_shared<const Weights>(std::move(model.weights)), nullptr});
  const std::vector<std::string> missing = interop::missing_lines(model);
  if (!missing.empty())
    Q_EMIT refused(to_q(codes::unknown_node), tr("Not all of the model is read. %1").arg(to_q(joined(missing))),
                   tr("These operators stand in the graph with an error; the rest can be used."));
  if (!model.notes.empty()) note(document, model.notes);
  model = {};
  Q_EMIT memoryFreed();
}

void OpenDocuments::note(const Document* document, const std::vector<std::string>& notes) {
  const auto at = std::ranges::find(open_, document, [](const auto& context) { return context->document(); });
  if (at != open_.end()) (*at)->problems()->setNotes(notes);
  if (notes.size() == 1)
    Q_EMIT noted(tr("The model was read, with a note"), to_q(notes.front()));
  else
    Q_EMIT noted(tr("The model was read, with %1 notes").arg(notes.size()), tr("They stand below Problems."));
}

/// The document of a model that is not wanted goes, unless it was put to another use.
void OpenDocuments::takeBack(const Document* document) {
  const QPointer<DocumentContext> before = awaited_[document];
  awaited_.erase(document);
  Q_EMIT readingChanged();
  const auto at = std::ranges::find(open_, document, [](const auto& context) { return context->document(); });
  if (at == open_.end() || !still_waits(*document)) return;
  const auto row = static_cast<int>(at - open_.begin());
  if (before == at->get() || count() == 1) {
    (*at)->document()->newDocument();
    return;
  }
  const bool was_shown = row == current_;
  close(row);
  if (before && was_shown) setCurrent(rowOf(before));
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
  awaited_.erase(gone->document());
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

/// The document that shows its file unchanged, the one that is still untouched, or another.
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
