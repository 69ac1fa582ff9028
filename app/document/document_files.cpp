// Document: new, load, save, and what it may read.
#include <QDir>
#include <QFileInfo>

#include "app/document/document.h"
#include "app/document/text.h"
#include "engine/core/exceptions.h"
#include "engine/io/graph_file.h"

namespace hw::app {
namespace {

FileStamp stamp_of(const QString& path) {
  const QFileInfo file(path);
  return {file.lastModified(), file.size()};
}

}  // namespace

void Document::newDocument() {
  replace(Graph{}, {});
}

bool Document::load(const QUrl& file, bool asCopy) {
  const QString path = file.isLocalFile() ? file.toLocalFile() : file.toString();
  auto graph = guarded_at(to_std(path), [&] { return read_graph(to_path(path)); });
  if (!graph) {
    refuse(graph.error());
    return false;
  }
  const QFileInfo info(path);
  if (asCopy) {
    replace(std::move(*graph), {}, info.completeBaseName());
    return true;
  }
  replace(std::move(*graph), info.absoluteFilePath());
  noteFile();
  weights_.open(path_, reach());
  return true;
}

void Document::restore(Graph graph, const QString& path, const QString& name, const FileStamp& stamp) {
  replace(std::move(graph), path, name);
  undo_.resetClean();
  if (path_.isEmpty()) return;
  fileStamp_ = stamp;
  weights_.open(path_, reach());
}

QString Document::title() const {
  if (!path_.isEmpty()) return QFileInfo(path_).completeBaseName();
  return name_.isEmpty() ? tr("Untitled") : name_;
}

bool Document::changedOutside() const {
  if (path_.isEmpty()) return false;
  return !QFileInfo::exists(path_) || stamp_of(path_) != fileStamp_;
}

void Document::noteFile() {
  fileStamp_ = stamp_of(path_);
}

bool Document::save() {
  if (path_.isEmpty()) {
    refuse({codes::file_unwritable, "", "The graph has no file yet.", "Choose a name with Save As."});
    return false;
  }
  return saveTo(path_);
}

bool Document::saveAs(const QUrl& file) {
  QString path = QFileInfo(file.isLocalFile() ? file.toLocalFile() : file.toString()).absoluteFilePath();
  if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".halfwire");
  if (!saveTo(path)) return false;
  path_ = path;
  noteFile();
  Q_EMIT fileChanged();
  return true;
}

bool Document::saveTo(const QString& path) {
  const Status saved = guarded_at(to_std(path), [&] { return save_graph(graph_, to_path(path)); });
  if (!saved) {
    refuse(saved.error());
    return false;
  }
  endMerge();
  undo_.setClean();
  weights_.save(path);
  if (path == path_) noteFile();
  return true;
}

void Document::replace(Graph graph, const QString& path, const QString& name) {
  endMerge();
  graph_ = std::move(graph);
  flat_.reset(graph_);
  validator_.reset(flat_.graph());
  shown_.open(graph_, {});
  selectedNodes_.clear();
  selectedLinks_.clear();
  selectedFrames_.clear();
  activeNode_.clear();
  path_ = path;
  name_ = name;
  allowed_.clear();
  undo_.clear();
  weights_.clear();
  Q_EMIT shownAboutToChange();
  Q_EMIT shownChanged();
  Q_EMIT reset();
  Q_EMIT policyChanged();
  Q_EMIT selectionChanged();
  Q_EMIT fileChanged();
  Q_EMIT modifiedChanged();
  Q_EMIT historyChanged();
  Q_EMIT emptyChanged();
}

void Document::allow(const QString& file) {
  if (allowed_.contains(file)) return;
  allowed_.append(file);
  weights_.extendReach(reach());
  Q_EMIT allowedChanged();
}

void Document::allowChosen(const NodeType& type, const ParamDecl& param, const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (param.type != ParamDecl::Type::path || !text || type.decl.outputs().empty()) return;
  const Kind kind = type.decl.outputs().front().kind;
  const QString path = to_q(*text);
  if (path.isEmpty() || path.startsWith(QLatin1String("asset:"))) return;
  const QString folder = path_.isEmpty() ? QStringLiteral(".") : QFileInfo(path_).absolutePath();
  const QFileInfo file(QDir(folder), path);
  allow(kind == Kind::dataset && file.isFile() ? file.absolutePath() : file.absoluteFilePath());
}

Reach Document::reach() const {
  Reach reach(to_path(QFileInfo(path_).absolutePath()));
  for (const QString& more : allowed_) reach.allow(to_path(more));
  return reach;
}

void Document::refuse(const Error& error) {
  Q_EMIT refused(to_q(error.code), reason_text(error), to_q(error.remedy));
}

}  // namespace hw::app
