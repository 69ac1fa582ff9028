#include "app/document/recovery.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QUuid>

#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/graph_file.h"

namespace hw::app {
namespace {

const QString kLock = QStringLiteral(".lock"), kGraph = QStringLiteral(".unsaved.json");
constexpr int kProgramLetters = 8;

QByteArray to_bytes(const UnsavedGraph& unsaved) {
  return QJsonDocument(QJsonObject{{"path", unsaved.path},
                                   {"file_time", unsaved.file.time.toUTC().toString(Qt::ISODateWithMs)},
                                   {"file_size", unsaved.file.size},
                                   {"title", unsaved.title},
                                   {"when", unsaved.when.toString(Qt::ISODate)},
                                   {"graph", to_q(write_graph(unsaved.graph))}})
      .toJson();
}

Result<UnsavedGraph> read(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return Error{codes::file_unreadable, to_std(path), to_std(file.errorString()), "Check its permissions."};
  const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
  HW_TRY(Graph graph, parse_graph(to_std(json["graph"].toString()), to_std(path)));
  return UnsavedGraph{std::move(graph),
                      json["path"].toString(),
                      {QDateTime::fromString(json["file_time"].toString(), Qt::ISODateWithMs).toLocalTime(),
                       json["file_size"].toInteger()},
                      json["title"].toString(),
                      QDateTime::fromString(json["when"].toString(), Qt::ISODate),
                      {}};
}

}  // namespace

Recovery::Recovery(const QString& folder, QObject* parent)
    : QObject(parent), folder_(folder), program_(QUuid::createUuid().toString(QUuid::Id128).left(kProgramLetters)) {
  work_.setMaxThreadCount(1);
  QDir().mkpath(folder_);
  lock_ = std::make_unique<QLockFile>(folder_ + QLatin1Char('/') + program_ + kLock);
  lock_->setStaleLockTime(0);  // only a program that is gone lets go
  lock_->tryLock(0);
}

Recovery::~Recovery() {
  wait();
}

QString Recovery::file(const QString& name) const {
  return folder_ + QLatin1Char('/') + name + kGraph;
}

QString Recovery::freshName() {
  return program_ + QLatin1Char('_') + QString::number(++count_);
}

std::vector<UnsavedGraph> Recovery::take() {
  std::vector<UnsavedGraph> taken;
  const QDir folder(folder_);
  // A program that ends in good order removes its lock, and may leave what a signal did not let it ask about.
  QStringList programs;
  for (const QString& name : folder.entryList({QLatin1Char('*') + kGraph}, QDir::Files, QDir::Time))
    programs.append(name.section(QLatin1Char('_'), 0, 0));
  for (const QString& name : folder.entryList({QLatin1Char('*') + kLock}, QDir::Files))
    programs.append(name.chopped(kLock.size()));
  programs.removeDuplicates();
  programs.removeAll(program_);
  for (const QString& program : programs) {
    QLockFile lock(folder.filePath(program + kLock));
    lock.setStaleLockTime(0);
    if (lock.tryLock(0)) takeFrom(program, taken);
  }
  return taken;
}

void Recovery::takeFrom(const QString& program, std::vector<UnsavedGraph>& taken) {
  QDir folder(folder_);
  for (const QString& name : folder.entryList({program + QStringLiteral("_*") + kGraph}, QDir::Files)) {
    auto unsaved = read(folder.filePath(name));
    if (!unsaved) {
      folder.rename(name, name + QStringLiteral(".damaged"));
      Error error = unsaved.error();
      error.remedy = "It is kept as " + to_std(folder.filePath(name)) + ".damaged.";
      tell(error);
      continue;
    }
    unsaved->kept = freshName();
    if (folder.rename(name, unsaved->kept + kGraph)) taken.push_back(std::move(*unsaved));
  }
}

void Recovery::keep(UnsavedGraph unsaved) {
  work_.start([this, unsaved = std::make_shared<UnsavedGraph>(std::move(unsaved))] {
    const Status done = guarded([&] {
      const QByteArray bytes = to_bytes(*unsaved);
      return write_file_atomically(std::filesystem::path(file(unsaved->kept).toStdU16String()),
                                   {bytes.data(), static_cast<size_t>(bytes.size())});
    });
    post(this, [this, done] { tell(done); });
  });
}

void Recovery::drop(const QString& name) {
  work_.start([path = file(name)] { QFile::remove(path); });
}

void Recovery::tell(const Status& done) {
  if (done) {
    failing_ = false;
  } else if (!failing_) {
    failing_ = true;
    const Error& error = done.error();
    Q_EMIT failed(to_q(error.code), tr("Unsaved changes are not kept for recovery. %1").arg(reason_text(error)),
                  to_q(error.remedy));
  }
}

}  // namespace hw::app
