#include "app/desktop/platform.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QExposeEvent>
#include <QFontDatabase>
#include <QQuickWindow>
#include <QSocketNotifier>
#include <QStringList>
#include <QVulkanFunctions>
#include <QVulkanInstance>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "engine/core/codes.h"

namespace hw::app {
namespace {

constexpr int kLargeBlock = 16 << 20;  // bytes
constexpr char kVulkanRemedy[] =
    "Install a Vulkan driver (Debian: mesa-vulkan-drivers, which also draws without a GPU) and try vulkaninfo.";

constexpr int kMessagesKept = 500;

struct Messages {
  std::mutex mutex;
  QStringList lines;
};
Messages& messages() {
  static Messages all;
  return all;
}

QStringList& found_devices() {
  static QStringList names;
  return names;
}

void on_message(QtMsgType type, const QMessageLogContext&, const QString& text) {
  // Qt 6.4 has no other Settings.
  if (text.contains(QLatin1String("Settings type from Qt.labs.settings is deprecated"))) return;
  {
    const std::lock_guard lock(messages().mutex);
    QStringList& lines = messages().lines;
    lines.append(QDateTime::currentDateTime().toString(Qt::ISODate) + QLatin1Char(' ') + text);
    if (lines.size() > kMessagesKept) lines.removeFirst();
  }
  if (type != QtFatalMsg) {
    std::fprintf(stderr, "halfwire: %s\n", qUtf8Printable(text));
    return;
  }
  if (text.contains(QLatin1String("platform plugin"))) {
    print_error({codes::no_vulkan, "", "Halfwire cannot open a window: there is no display it can reach.",
                 "Start it in a desktop session, with DISPLAY or WAYLAND_DISPLAY set; without one, use halfwire-cli."});
  } else {
    print_error({codes::no_vulkan, "", "Halfwire cannot draw: " + text.simplified().toStdString(), kVulkanRemedy});
  }
  std::fflush(nullptr);
  std::_Exit(1);
}

}  // namespace

void print_error(const Error& error) {
  std::fprintf(stderr, "%s\n", error.text().c_str());
}

void renew_graphics(QQuickWindow& window) {
  window.setPersistentGraphics(false);
  window.setPersistentSceneGraph(false);
  QHideEvent hidden;
  QShowEvent shown;
  QExposeEvent exposed(QRegion(QRect(QPoint(), window.size())));
  for (QEvent* event : std::initializer_list<QEvent*>{&hidden, &shown, &exposed})
    QCoreApplication::sendEvent(&window, event);
  window.setPersistentGraphics(true);
  window.setPersistentSceneGraph(true);
}

void map_large_blocks() {
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
}

void give_memory_back() {
  malloc_trim(0);
}

void quit_on_signals() {
  static int ends[2] = {-1, -1};  // a handler may only write to a pipe
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  auto* notifier = new QSocketNotifier(ends[0], QSocketNotifier::Read, QCoreApplication::instance());
  QObject::connect(notifier, &QSocketNotifier::activated, QCoreApplication::instance(),
                   [] { QCoreApplication::exit(0); });
  struct sigaction action = {};
  action.sa_handler = [](int) {
    const char byte = 0;
    [[maybe_unused]] const auto written = write(ends[1], &byte, 1);
  };
  action.sa_flags = SA_RESETHAND;  // a second signal ends the program at once
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

QString recent_messages() {
  const std::lock_guard lock(messages().mutex);
  return messages().lines.isEmpty() ? QString() : messages().lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QStringList vulkan_devices() {
  return found_devices();
}

void report_fatal_messages() {
  qInstallMessageHandler(on_message);
}

Status prepare_vulkan(QVulkanInstance& instance) {
  instance.setApiVersion(QVersionNumber(1, 0));
  if (!instance.create()) {
    return Error{codes::no_vulkan, "",
                 "There is no Vulkan on this machine (the loader says " + std::to_string(instance.errorCode()) + ").",
                 kVulkanRemedy};
  }
  uint32_t count = 0;
  instance.functions()->vkEnumeratePhysicalDevices(instance.vkInstance(), &count, nullptr);
  if (count == 0) return Error{codes::no_vulkan, "", "Vulkan finds no device to draw with.", kVulkanRemedy};
  std::vector<VkPhysicalDevice> devices(count);
  instance.functions()->vkEnumeratePhysicalDevices(instance.vkInstance(), &count, devices.data());
  for (uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties properties;
    instance.functions()->vkGetPhysicalDeviceProperties(devices[i], &properties);
    found_devices().append(QString::fromUtf8(properties.deviceName));
  }
  return ok();
}

QString missing_fonts() {
  const struct {
    const char* family;
    const char* package;
  } fonts[] = {{"Inter", "fonts-inter"},
               {"JetBrains Mono", "fonts-jetbrains-mono"},
               {"Material Design Icons", "fonts-materialdesignicons-webfont"}};
  QStringList missing;
  for (const auto& font : fonts) {
    if (!QFontDatabase::hasFamily(QLatin1String(font.family))) missing.append(QLatin1String(font.package));
  }
  return missing.join(QLatin1String(", "));
}

}  // namespace hw::app
