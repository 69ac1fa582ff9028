#include "app/desktop/problem_report.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QGuiApplication>
#include <QSysInfo>
#include <QTemporaryDir>
#include <limits>

#include "app/desktop/document_context.h"
#include "app/desktop/platform.h"
#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/io/file/file_bytes.h"
#include "engine/io/file/zip.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::app {
namespace {

std::string devices_text() {
  QString text =
      QStringLiteral("halfwire %1\nQt %2, platform %3\n%4, %5\n")
          .arg(QCoreApplication::applicationVersion(), QLatin1String(qVersion()), QGuiApplication::platformName(),
               QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture());
  for (const std::string& id : device_ids()) {
    const auto device = make_device(id);
    text += to_q(id) + QStringLiteral(": ") + to_q(device ? (*device)->description() : device.error().reason) +
            QLatin1Char('\n');
  }
  for (const QString& name : vulkan_devices()) text += QStringLiteral("vulkan: ") + name + QLatin1Char('\n');
  return to_std(text);
}

std::string problems_text(const ProblemsModel& problems) {
  QString text;
  for (int row = 0; row < problems.count(); ++row) {
    const auto get = [&](int role) { return problems.data(problems.index(row), role).toString(); };
    text += get(ProblemsModel::CodeRole) + QLatin1Char(' ') + get(ProblemsModel::NodeRole) + QStringLiteral(": ") +
            get(ProblemsModel::ReasonRole) + QLatin1Char('\n');
  }
  return to_std(text);
}

/// The weights as a file has them.
Result<std::string> bytes_of(const Weights& weights) {
  const QTemporaryDir folder;
  const std::filesystem::path file(folder.filePath(QStringLiteral("weights.safetensors")).toStdU16String());
  HW_CHECK(save_weights({weights, {{"format", "halfwire"}}}, file));
  return read_file_bytes(file, std::numeric_limits<uint32_t>::max());
}

}  // namespace

ProblemReport::ProblemReport(QObject* parent) : QObject(parent) {
  work_.setMaxThreadCount(1);
}

ProblemReport::~ProblemReport() {
  work_.waitForDone();
}

QVariantList ProblemReport::contents() const {
  const auto row = [](const char* id, const QString& title, const QString& detail, bool ticked) {
    return QVariantMap{{"id", QLatin1String(id)}, {"title", title}, {"detail", detail}, {"ticked", ticked}};
  };
  QVariantList list{
      row("graph", tr("The graph"), tr("graph.halfwire: nodes, wires and parameters, with the names of files they use"),
          true),
      row("log", tr("Messages"), tr("log.txt: what the program said since it started, and the list of problems"), true),
      row("devices", tr("This machine"), tr("devices.txt: versions, operating system, processor and graphics device"),
          true)};
  if (context_ && context_->document()->weights()->tensors()) {
    list.append(
        row("weights", tr("The trained weights"), tr("weights.safetensors: what was learnt from your data"), false));
  }
  return list;
}

void ProblemReport::write(const QUrl& parent, const QStringList& chosen) {
  if (busy_ || !context_) return;
  busy_ = true;
  Q_EMIT busyChanged();
  const QString name =
      QStringLiteral("halfwire-report-") + QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
  const QString file = QDir(parent.toLocalFile()).filePath(name + QStringLiteral(".zip"));
  const std::string inside = to_std(name) + "/";  // unpacked, it makes one folder
  std::vector<ZipEntry> entries;
  if (chosen.contains(QLatin1String("graph"))) {
    entries.push_back({inside + "graph.halfwire", write_graph(context_->document()->graph())});
  }
  if (chosen.contains(QLatin1String("log"))) {
    entries.push_back({inside + "log.txt", to_std(recent_messages()) + problems_text(*context_->problems())});
  }
  const bool devices = chosen.contains(QLatin1String("devices"));
  auto weights = chosen.contains(QLatin1String("weights")) ? context_->document()->weights()->tensors() : nullptr;
  start_work(
      work_, this,
      [file, inside, entries = std::move(entries), devices, weights]() mutable -> Status {
        if (devices) entries.push_back({inside + "devices.txt", devices_text()});
        if (weights) {
          HW_TRY(auto bytes, bytes_of(*weights));
          entries.push_back({inside + "weights.safetensors", std::move(bytes)});
        }
        return save_zip(entries, std::filesystem::path(file.toStdU16String()));
      },
      [this, file](const Status& written) {
        busy_ = false;
        Q_EMIT busyChanged();
        if (written) return Q_EMIT done(QUrl::fromLocalFile(file));
        const Error& e = written.error();
        Q_EMIT failed(to_q(e.code), reason_text(e), to_q(e.remedy));
      });
}

}  // namespace hw::app
