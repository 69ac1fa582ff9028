#include "app/document/recovery.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QUuid>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/io/checkpoint/checkpoint_file.h"
#include "engine/io/file/atomic_file.h"
#include "engine/io/file/folder_entries.h"
#include "engine/io/graph/graph_file.h"

namespace hw::app {
namespace {

const QString kLock = QStringLiteral(".lock"), kGraph = QStringLiteral(".unsaved.json"),
              kWeights = QStringLiteral(".safetensors");
constexpr int kProgramLetters = 8;

QByteArray to_bytes(const UnsavedGraph& unsaved) {
  return QJsonDocument(QJsonObject{{"path", unsaved.path},
                                   {"file_time", unsaved.file.time.toUTC().toString(Qt::ISODateWithMs)},
                                   {"file_size", unsaved.file.size},
                                   {"title", unsaved.title},
                                   {"when", unsaved.when.toString(Qt::ISODate)},
                                   {"weights", unsaved.weights},
                                   {"weights_lost", unsaved.learnt == UnsavedGraph::Learnt::lost},
                                   {"step", static_cast<qint64>(unsaved.step)},
                                   {"graph", to_q(write_graph(unsaved.graph))}})
      .toJson();
}

Result<UnsavedGraph> read(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return Error{codes::file_unreadable, to_std(path), to_std(file.errorString()), "Check its permissions."};
  const QByteArray bytes = file.readAll();
  if (file.error() != QFileDevice::NoError)
    return Error{codes::file_unreadable, to_std(path), to_std(file.errorString()), "Start the program again."};
  const QJsonObject json = QJsonDocument::fromJson(bytes).object();
  HW_TRY(Graph graph, parse_graph(to_std(json["graph"].toString()), to_std(path)));
  const QString weights = QFileInfo(json["weights"].toString()).fileName();  // in the same folder, whatever it says
  const auto learnt = json["weights_lost"].toBool() ? UnsavedGraph::Learnt::lost
                      : weights.isEmpty()           ? UnsavedGraph::Learnt::none
                                                    : UnsavedGraph::Learnt::kept;
  return UnsavedGraph{std::move(graph),
                      json["path"].toString(),
                      {QDateTime::fromString(json["file_time"].toString(), Qt::ISODateWithMs).toLocalTime(),
                       json["file_size"].toInteger()},
                      json["title"].toString(),
                      QDateTime::fromString(json["when"].toString(), Qt::ISODate),
                      {},
                      learnt,
                      weights,
                      static_cast<uint64_t>(json["step"].toInteger())};
}

QString optimiser_path(const QString& weights) {
  return from_path(optimiser_file(to_path(weights)));
}

/// The names that fit, sorted; an Error where the folder cannot be read, which QDir takes for an empty one.
Result<QStringList> names_in(const QString& folder, const QStringList& like) {
  QStringList names;
  std::error_code ec;
  for (const std::filesystem::path& file : entries_of(to_path(folder), ec)) {
    const QString name = QString::fromStdString(file.filename().string());
    if (QDir::match(like, name)) names.append(name);
  }
  if (ec) return Error{codes::file_unreadable, to_std(folder), ec.message(), "Check its permissions, and start again."};
  names.sort();
  return names;
}

/// Held; null where a program that runs holds it; an Error where it cannot be made. One that is not whole, as a program
/// leaves it that ends while it makes it, is another machine's to QLockFile: never stale. removeStaleLockFile() removes
/// none that a program has open.
Result<std::unique_ptr<QLockFile>> lock_of(const QString& file) {
  auto lock = std::make_unique<QLockFile>(file);
  lock->setStaleLockTime(0);
  if (lock->tryLock(0)) return lock;
  if (lock->error() == QLockFile::LockFailedError && (!lock->removeStaleLockFile() || !lock->tryLock(0)))
    return std::unique_ptr<QLockFile>();
  if (lock->isLocked()) return lock;
  return Error{codes::file_unwritable, to_std(file), "the folder of unsaved changes cannot be locked.",
               "Check its permissions and that the disk has room, and start again."};
}

/// The name of the weights that a kept graph names; "": none. Nothing where the file cannot be read, or is damaged.
std::optional<QString> weights_of(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return std::nullopt;
  const QByteArray bytes = file.readAll();
  if (file.error() != QFileDevice::NoError) return std::nullopt;
  const QJsonDocument json = QJsonDocument::fromJson(bytes);
  return json.isObject() ? std::optional(json.object()["weights"].toString()) : std::nullopt;
}

}  // namespace

Recovery::Recovery(const QString& folder, QObject* parent)
    : QObject(parent), folder_(folder), program_(QUuid::createUuid().toString(QUuid::Id128).left(kProgramLetters)) {
  work_.setMaxThreadCount(1);
  QDir().mkpath(folder_);
  auto lock = lock_of(path(program_ + kLock));
  if (lock) {
    lock_ = *std::move(lock);
    return;
  }
  // Nobody listens yet.
  QMetaObject::invokeMethod(
      this,
      [this, error = lock.error()] {
        fail(error, tr("Unsaved changes may not be kept for recovery, and another Halfwire may take them. %1"));
      },
      Qt::QueuedConnection);
}

Recovery::~Recovery() {
  wait();
}

QString Recovery::file(const QString& name) const {
  return folder_ + QLatin1Char('/') + name + kGraph;
}

QString Recovery::path(const QString& file) const {
  return folder_ + QLatin1Char('/') + file;
}

QString Recovery::freshName() {
  return program_ + QLatin1Char('_') + QString::number(++count_);
}

std::vector<UnsavedGraph> Recovery::take() {
  std::vector<UnsavedGraph> taken;
  // A program that ends in good order removes its lock, and may leave what a signal did not let it ask about.
  QStringList programs;
  auto graphs = names_in(folder_, {QLatin1Char('*') + kGraph});
  const auto locks = names_in(folder_, {QLatin1Char('*') + kLock});
  if (!graphs || !locks) {
    report(graphs ? locks.error() : graphs.error());
    return taken;
  }
  std::map<QString, QDateTime> times;
  for (const QString& name : *graphs) times[name] = QFileInfo(path(name)).lastModified();
  std::stable_sort(graphs->begin(), graphs->end(),
                   [&](const QString& one, const QString& other) { return times[one] > times[other]; });
  for (const QString& name : *graphs) programs.append(name.section(QLatin1Char('_'), 0, 0));
  for (const QString& name : *locks) programs.append(name.chopped(kLock.size()));
  programs.removeDuplicates();
  programs.removeAll(program_);
  for (const QString& program : programs) {
    const auto lock = lock_of(path(program + kLock));
    if (!lock)
      report(lock.error());
    else if (*lock)
      takeFrom(program, taken);
  }
  return taken;
}

void Recovery::takeFrom(const QString& program, std::vector<UnsavedGraph>& taken) {
  QDir folder(folder_);
  const auto names = names_in(folder_, {program + QStringLiteral("_*") + kGraph});
  if (!names) return report(names.error());
  for (const QString& name : *names) {
    auto unsaved = read(folder.filePath(name));
    if (!unsaved) {
      Error error = unsaved.error();
      // What cannot be read now may be read at the next start.
      if (error.code != codes::file_unreadable) {
        folder.rename(name, name + QStringLiteral(".damaged"));
        error.remedy = "It is kept as " + to_std(folder.filePath(name)) + ".damaged.";
      }
      report(error);
      continue;
    }
    unsaved->kept = freshName();
    if (!folder.rename(name, unsaved->kept + kGraph)) {
      report(Error{codes::file_unwritable, to_std(folder.filePath(name)), "it cannot be renamed.",
                   "Check the folder's permissions, and start again."});
      continue;
    }
    // Its weights keep their name: renaming two files is not one step.
    work_.start([this, name = unsaved->kept, beside = Beside{unsaved->learnt, unsaved->weights, unsaved->step}] {
      with_patience([&] { beside_[name] = beside; });
    });
    if (!unsaved->weights.isEmpty()) unsaved->weights = this->path(unsaved->weights);
    taken.push_back(std::move(*unsaved));
  }
  removeOrphans(program);
}

void Recovery::removeOrphans(const QString& program) const {
  const QDir folder(folder_);
  QStringList named, unread;  // unread: how the weights' names begin that such a graph may name
  const auto graphs = names_in(folder_, {QLatin1Char('*') + kGraph, QStringLiteral("*.damaged")});
  if (!graphs) return;
  for (const QString& name : *graphs) {
    const auto weights = weights_of(folder.filePath(name));
    weights ? named.append(*weights) : unread.append(name.section(QLatin1Char('.'), 0, 0) + QLatin1Char('.'));
  }
  for (const QString& name : folder.entryList({program + QStringLiteral("_*") + kWeights}, QDir::Files)) {
    const bool used = std::any_of(named.begin(), named.end(), [&](const QString& weights) {
      return name == weights || path(name) == optimiser_path(path(weights));
    });
    const bool may_be =
        std::any_of(unread.begin(), unread.end(), [&](const QString& stem) { return name.startsWith(stem); });
    if (!used && !may_be) QFile::remove(path(name));
  }
}

void Recovery::keep(UnsavedGraph unsaved, WeightsToKeep weights) {
  const QString name = unsaved.kept;
  const bool with_weights = weights.newer.has_value();
  const auto ms = std::make_shared<int>();
  start_work(
      work_, this,
      [this, ms, unsaved = std::make_shared<UnsavedGraph>(std::move(unsaved)), weights = std::move(weights)] {
        QElapsedTimer time;
        time.start();
        Status done = guarded([&] { return write(*unsaved, weights); });
        *ms = static_cast<int>(time.elapsed());
        return done;
      },
      [this, ms, name, with_weights](const Status& done) {
        report(done);
        Q_EMIT kept(name, *ms, static_cast<bool>(done));
        if (with_weights) Q_EMIT weightsWritten();
      });
}

Status Recovery::write(UnsavedGraph& unsaved, const WeightsToKeep& weights) {
  const Beside before = beside_[unsaved.kept];
  Beside now = weights.any ? before : Beside{};
  Status learnt = ok();
  if (weights.newer) {
    // A new file each time, which the graph then names: both change in one step, the graph's.
    const QString fresh = unsaved.kept + QLatin1Char('.') + QString::number(++weightsCount_) + kWeights;
    const auto written = guarded([&] { return weights.newer->write(to_path(path(fresh))); });
    if (!written) {
      learnt = written.error();
      remove(fresh);
      now.learnt = UnsavedGraph::Learnt::lost;
    } else if (written->written) {
      now = {UnsavedGraph::Learnt::kept, fresh, written->step};
    }
  }
  unsaved.learnt = now.learnt;
  unsaved.weights = now.file;
  unsaved.step = now.step;
  const QByteArray bytes = to_bytes(unsaved);
  const Status named =
      write_file_atomically(to_path(file(unsaved.kept)), {bytes.data(), static_cast<size_t>(bytes.size())});
  if (!named) {
    if (now.file != before.file) remove(now.file);
    return named;
  }
  beside_[unsaved.kept] = now;
  if (before.file != now.file) remove(before.file);
  return learnt;
}

void Recovery::remove(const QString& weights) const {
  if (weights.isEmpty()) return;
  QFile::remove(path(weights));
  QFile::remove(optimiser_path(path(weights)));
}

void Recovery::drop(const QString& name) {
  work_.start([this, name] {
    with_patience([&] {
      QFile::remove(file(name));
      const auto found = beside_.find(name);
      if (found == beside_.end()) return;
      remove(found->second.file);
      beside_.erase(found);
    });
  });
}

void Recovery::report(const Status& done) {
  if (done)
    failing_ = false;
  else
    fail(done.error(), tr("Unsaved changes are not kept for recovery. %1"));
}

void Recovery::fail(const Error& error, const QString& said) {
  if (std::exchange(failing_, true)) return;
  Q_EMIT failed(to_q(error.code), said.arg(reason_text(error)), to_q(error.remedy));
}

}  // namespace hw::app
