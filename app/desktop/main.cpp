// halfwire: the desktop editor. `halfwire [FILE.halfwire…]`.
#include <QCommandLineParser>
#include <QFileInfo>
#include <QFont>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QThreadPool>
#include <QTimer>
#include <QVulkanInstance>
#include <clocale>

#include "app/desktop/edit_latency.h"
#include "app/desktop/frame_pacing.h"
#include "app/desktop/heartbeat.h"
#include "app/desktop/platform.h"
#include "app/desktop/shell.h"
#include "app/desktop/text_shortcuts.h"
#include "app/desktop/ui_dump.h"
#include "app/viewport/validation.h"
#include "engine/core/codes.h"
#include "engine/core/parallel.h"

using namespace hw::app;

namespace {

constexpr int kCollectMs = 1500;
constexpr int kManyNodes = 1000;  // of a closed graph: from here on its graphics memory is worth a new device

/// The graphs to open. Help, version and wrong options end the program here: they need no display.
QStringList files_to_open(int argc, char** argv) {
  const QCoreApplication names(argc, argv);
  QCoreApplication::setApplicationVersion(QStringLiteral(HALFWIRE_VERSION));
  QCommandLineParser options;
  options.setApplicationDescription(QStringLiteral("A node editor for mixed-precision neural pipelines."));
  options.addHelpOption();
  options.addVersionOption();
  options.addPositionalArgument(QStringLiteral("FILE"), QStringLiteral("Graphs to open (*.halfwire)."),
                                QStringLiteral("[FILE.halfwire…]"));
  options.process(names);
  return options.positionalArguments();
}

}  // namespace

int main(int argc, char** argv) {
  map_large_blocks();
  const QStringList files = files_to_open(argc, argv);
  report_fatal_messages();
  hw::viewport::enable_validation_from_environment();  // reads HALFWIRE_VULKAN_LOG; before any Vulkan instance
  QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
  QQuickStyle::setStyle(QStringLiteral("Basic"));

  // The QML here is bindings: compiling one costs an mprotect, which halts every core, and saves nothing.
  qputenv("QV4_FORCE_INTERPRETER", "1");
  Application app(argc, argv);
  std::setlocale(LC_NUMERIC, "C");  // Qt has set the user's; the engine's texts have a decimal point
  QCoreApplication::setOrganizationName(QStringLiteral("Halfwire"));
  QCoreApplication::setApplicationName(QStringLiteral("Halfwire"));
  QCoreApplication::setApplicationVersion(QStringLiteral(HALFWIRE_VERSION));

  quit_on_signals();
  QVulkanInstance vulkan;
  if (const hw::Status ready = prepare_vulkan(vulkan); !ready) {
    print_error(ready.error());
    return 1;
  }
  if (const QString fonts = missing_fonts(); !fonts.isEmpty()) {
    qWarning("fonts are missing and the window will look odd: install %s", qUtf8Printable(fonts));
  }
  QFont font(QStringLiteral("Inter"));
  font.setPixelSize(12);
  QGuiApplication::setFont(font);

  hw::use_background_priority();  // training leaves the window its share of the machine
  Shell shell;
  register_types(shell);
  QQmlApplicationEngine engine;
  engine.addImportPath(QStringLiteral("qrc:/"));
  engine.load(QUrl(QStringLiteral("qrc:/Halfwire/Main.qml")));
  if (engine.rootObjects().isEmpty()) return 1;
  auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().first());
  window->setVulkanInstance(&vulkan);
  QObject::connect(
      window, &QQuickWindow::sceneGraphError, &app, [](QQuickWindow::SceneGraphError, const QString& text) {
        print_error({hw::codes::no_vulkan, "", "Vulkan failed: " + text.toStdString(), "Update the graphics driver."});
        QCoreApplication::exit(1);
      });
  // QML collects its garbage in the middle of whatever asks for memory; while much changes, do so between events.
  QTimer collect(&engine);
  QObject::connect(&collect, &QTimer::timeout, &engine, [&] {
    if (shell.run()->running()) engine.collectGarbage();
  });
  collect.start(kCollectMs);
  QObject::connect(shell.documents(), &OpenDocuments::dropped, &engine, [&engine, window](int nodes) {
    engine.collectGarbage();
    if (nodes >= kManyNodes) renew_graphics(*window);
    give_memory_back();
  });
  QObject::connect(shell.documents(), &OpenDocuments::memoryFreed, &engine,
                   [] { QThreadPool::globalInstance()->start(give_memory_back); });
  new TextShortcuts(*window);
  UiDump::start(window);
  new FramePacing(window);
  Heartbeat::start(app, window);
  EditLatency::start(shell, window);
  // After the first frame: the canvas has its size and can frame the graph, and a refusal is seen.
  QObject::connect(
      window, &QQuickWindow::frameSwapped, &shell,
      [&shell, files] {
        if (files.isEmpty()) shell.greet();
        for (const QString& file : files)
          shell.documents()->open(QUrl::fromLocalFile(QFileInfo(file).absoluteFilePath()));
        shell.documents()->recover();
      },
      static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
  window->show();
  window->requestActivate();  // without a window manager nobody else does
  return QGuiApplication::exec();
}
