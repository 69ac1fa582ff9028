#include "app/desktop/heartbeat.h"

#include <pthread.h>
#include <unistd.h>

#include <QEvent>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QQuickWindow>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <numeric>
#include <string>

namespace hw::app {
namespace {

constexpr int kTickMs = 16;
constexpr size_t kStolenTicks = 16;  // /proc/stat is dear to read
constexpr size_t kKept = 24;
constexpr double kWorthKeeping = 1;  // ms
constexpr double kDear = 5;          // ms

double ms_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

/// CPU time of the calling thread.
double cpu_ms() {
  return ms_of(CLOCK_THREAD_CPUTIME_ID);
}

/// Time that the host of a virtual machine gave to others (proc(5), "steal"), over all processors; 0 where it is not
/// reported. A thread's CPU time counts it as the thread's.
double stolen_ms() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  stat >> cpu >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  return stat ? steal * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

}  // namespace

Application::Application(int& argc, char** argv)
    : QGuiApplication(argc, argv), timed_(!qEnvironmentVariableIsEmpty("HALFWIRE_HEARTBEAT")) {}

bool Application::notify(QObject* receiver, QEvent* event) {
  if (!timed_ || depth_ > 0) return QGuiApplication::notify(receiver, event);
  if (receiver->objectName() == QLatin1String("UiDump")) return QGuiApplication::notify(receiver, event);
  // The receiver may be gone afterwards. A timer says little without its owner.
  const char* name = receiver->metaObject()->className();
  const char* owner = receiver->parent() ? receiver->parent()->metaObject()->className() : "";
  const int type = event->type();
  QElapsedTimer timer;
  timer.start();
  const double begin = cpu_ms();
  ++depth_;
  const bool result = QGuiApplication::notify(receiver, event);
  --depth_;
  note(cpu_ms() - begin, static_cast<double>(timer.nsecsElapsed()) / 1e6, owner, name, type);
  return result;
}

void Application::note(double cpu, double ms, const char* owner, const char* receiver, int event) {
  if (cpu < kWorthKeeping || (slow_.size() == kKept && cpu <= slow_.back().cpu_ms)) return;
  const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(event);
  const Slow slow{cpu, ms,
                  QStringLiteral("%1 %2 %3")
                      .arg(QLatin1String(owner), QLatin1String(receiver), QLatin1String(type ? type : "user"))
                      .trimmed(),
                  cpu < kDear ? 0 : stolen_ms() - stolenBefore_};
  const auto costlier = [](const Slow& a, const Slow& b) { return a.cpu_ms > b.cpu_ms; };
  slow_.insert(std::upper_bound(slow_.begin(), slow_.end(), slow, costlier), slow);
  if (slow_.size() > kKept) slow_.pop_back();
}

Heartbeat* Heartbeat::start(Application& app, QQuickWindow* window) {
  const QString path = qEnvironmentVariable("HALFWIRE_HEARTBEAT");
  return path.isEmpty() ? nullptr : new Heartbeat(app, window, path);
}

Heartbeat::Heartbeat(Application& app, QQuickWindow* window, QString path)
    : QObject(&app), app_(app), path_(std::move(path)) {
  timer_.setTimerType(Qt::PreciseTimer);
  timer_.setInterval(kTickMs);
  connect(&timer_, &QTimer::timeout, this, &Heartbeat::beat);
  connect(&app, &QCoreApplication::aboutToQuit, this, &Heartbeat::write);
  // On the render thread; the GUI thread waits meanwhile.
  const auto began = [this] {
    sync_.start();
    syncBegan_ = cpu_ms();
  };
  const auto ended = [this] {
    costliestSync_ = std::max(costliestSync_.load(), cpu_ms() - syncBegan_);
    longestSync_ = std::max(longestSync_.load(), static_cast<double>(sync_.nsecsElapsed()) / 1e6);
  };
  connect(window, &QQuickWindow::beforeSynchronizing, this, began, Qt::DirectConnection);
  connect(window, &QQuickWindow::afterSynchronizing, this, ended, Qt::DirectConnection);
  // Before it is drawn the driver takes the next picture; from then until it is swapped it submits and presents it.
  connect(
      window, &QQuickWindow::beforeFrameBegin, this, [this] { driverMs_ = -cpu_ms(); }, Qt::DirectConnection);
  connect(
      window, &QQuickWindow::beforeRendering, this, [this] { driverMs_ += cpu_ms(); }, Qt::DirectConnection);
  connect(
      window, &QQuickWindow::afterRendering, this, [this] { driverMs_ -= cpu_ms(); }, Qt::DirectConnection);
  connect(
      window, &QQuickWindow::sceneGraphInitialized, this, [this] { renderBefore_ = 0; },  // another render thread
      Qt::DirectConnection);
  pthread_getcpuclockid(pthread_self(), &guiClock_);
  connect(window, &QQuickWindow::frameSwapped, this, &Heartbeat::swapped, Qt::DirectConnection);
  timer_.start();
  begin();
  const double after = qEnvironmentVariable("HALFWIRE_HEARTBEAT_AFTER").toDouble();
  if (after > 0) QTimer::singleShot(static_cast<int>(after * 1e3), this, &Heartbeat::begin);
}

void Heartbeat::begin() {
  app_.slow_.clear();
  app_.stolenBefore_ = stolen_ms();
  gaps_.clear();
  longestSync_ = costliestSync_ = 0;
  since_.start();
}

void Heartbeat::beat() {
  gaps_.push_back(static_cast<float>(static_cast<double>(since_.nsecsElapsed()) / 1e6));
  since_.restart();
  if (gaps_.size() % kStolenTicks == 0) app_.stolenBefore_ = stolen_ms();
}

void Heartbeat::swapped() {
  const double gui = ms_of(guiClock_), render = cpu_ms();
  const Frame frame{ms_of(CLOCK_MONOTONIC) / 1e3, gui - guiBefore_, render - renderBefore_, driverMs_ + render};
  guiBefore_ = gui;
  renderBefore_ = render;
  const std::lock_guard lock(mutex_);
  frames_.push_back(frame);
}

void Heartbeat::write() {
  std::vector<float> sorted = gaps_;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted.empty()
               ? 0.0
               : static_cast<double>(sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))]);
  };
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  QJsonArray slow;
  for (const auto& s : app_.slow_)
    slow.append(QJsonObject{{"cpu_ms", s.cpu_ms}, {"ms", s.ms}, {"event", s.what}, {"stolen_ms", s.stolen_ms}});
  QJsonArray frames;
  {
    const std::lock_guard lock(mutex_);
    for (const Frame& f : frames_) frames.append(QJsonArray{f.at_s, f.gui_ms, f.render_ms, f.driver_ms});
  }
  const QJsonObject report{{"ticks", static_cast<qint64>(sorted.size())},
                           {"gap_ms_mean", sorted.empty() ? 0 : sum / static_cast<double>(sorted.size())},
                           {"gap_ms_p50", at(0.5)},
                           {"gap_ms_p99", at(0.99)},
                           {"gap_ms_max", at(1)},
                           {"longest_sync_ms", longestSync_.load()},
                           {"costliest_sync_ms", costliestSync_.load()},
                           {"costliest_events", slow},
                           {"frames", frames}};
  QFile file(path_);
  if (file.open(QIODevice::WriteOnly)) file.write(QJsonDocument(report).toJson());
}

}  // namespace hw::app
