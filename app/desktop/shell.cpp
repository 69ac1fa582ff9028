#include "app/desktop/shell.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QQmlEngine>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>

#include "app/canvas/register.h"
#include "app/desktop/draw_pad.h"
#include "app/desktop/example_files.h"
#include "app/desktop/register_model.h"
#include "app/desktop/third_party.h"
#include "app/desktop/viewport_feed.h"
#include "app/document/text.h"
#include "app/models/run/command_line.h"
#include "app/models/text/calculator.h"
#include "app/plots/register.h"

namespace hw::app {

Shell::Shell(QObject* parent)
    : QObject(parent),
      documents_(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/recovery")),
      shown_(documents_.context()) {
  report_.setContext(shown_);
  palette_.setDocument(document());
  graph()->edits()->setLibrary(&library_);
  connect(&library_, &Library::refused, this, &Shell::refused);
  connect(&documents_, &OpenDocuments::currentChanged, this, &Shell::show);
  connect(&documents_, &OpenDocuments::refused, this, &Shell::refused);
  connect(&documents_, &OpenDocuments::fileUsed, &recent_, &RecentFiles::note);
}

void Shell::show() {
  if (shown_ == documents_.context()) return;
  shown_->watch({});
  shown_ = documents_.context();
  shown_->watch(watched_);
  report_.setContext(shown_);
  palette_.setDocument(document());
  graph()->edits()->setLibrary(&library_);
  Q_EMIT shownChanged();
}

QList<QObject*> Shell::checks() const {
  const auto& checks = shown_->checks();
  return {checks.begin(), checks.end()};
}

QVariantList Shell::checkTabs() const {
  QVariantList list;
  for (const CheckInfo* check : kChecks)
    list.append(
        QVariantMap{{"key", QLatin1String(check->key)}, {"title", tr(check->title)}, {"action", tr(check->action)}});
  return list;
}

QVariantList Shell::trainingTabs() const {
  QVariantList list;
  for (const TrainingTab& tab : training_tabs())
    list.append(QVariantMap{{"title", tr(tab.title)}, {"view", QLatin1String(tab.view)}});
  return list;
}

QList<QObject*> Shell::trainingModels() const {
  QList<QObject*> models;
  for (const TabModel& tab : shown_->trainingTabs()) models.append(tab.model.get());
  return models;
}

QString Shell::systemFont() const {
  return QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
}

namespace {

QVariantList titled(const QFileInfoList& files) {
  QVariantList list;
  for (const QFileInfo& file : files) {
    QString title = file.completeBaseName().replace(QLatin1Char('_'), QLatin1Char(' '));
    title[0] = title[0].toUpper();
    title.replace(QRegularExpression(QStringLiteral("\\b([23])d\\b")), QStringLiteral("\\1D"));
    list.append(QVariantMap{{"title", title}, {"url", QUrl::fromLocalFile(file.absoluteFilePath())}});
  }
  return list;
}

}  // namespace

QVariantList Shell::examples() const {
  return titled(example_files());
}

QVariantList Shell::networks() const {
  return titled(network_files());
}

void Shell::greet() {
  const QString seen = QStringLiteral("start/seen");
  QSettings settings;
  if (settings.value(seen).toBool()) return;
  settings.setValue(seen, true);
  for (const QVariant& example : examples()) {
    const QUrl url = example.toMap().value(QStringLiteral("url")).toUrl();
    if (url.fileName() == QLatin1String("sine.halfwire")) documents_.open(url);
  }
}

void Shell::setWatched(const QString& what) {
  if (what == watched_) return;
  watched_ = what;
  shown_->watch(what);
  Q_EMIT watchedChanged();
}

QUrl Shell::folderOf(const QString& path) const {
  if (!path.isEmpty()) return QUrl::fromLocalFile(QFileInfo(path).absolutePath());
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QUrl::fromLocalFile(QDir(documents).exists() ? documents : QDir::homePath());
}

QVariantMap Shell::lookUp(const QUrl& folder, const QString& text, const QString& suffix) const {
  QString path = text.trimmed();
  if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/"))) path.replace(0, 1, QDir::homePath());
  QFileInfo file(QDir(folder.toLocalFile()), path);
  if (!file.isDir() && file.suffix().isEmpty() && !suffix.isEmpty()) file.setFile(file.filePath() + suffix);
  const QString kind = path.isEmpty()        ? QStringLiteral("nowhere")
                       : file.isDir()        ? QStringLiteral("folder")
                       : file.exists()       ? QStringLiteral("file")
                       : file.dir().exists() ? QStringLiteral("new")
                                             : QStringLiteral("nowhere");
  const QString whole = QDir::cleanPath(file.absoluteFilePath());
  return {{"kind", kind}, {"url", QUrl::fromLocalFile(whole)}, {"name", file.fileName()}};
}

QVariantList Shell::thirdParty() const {
  return third_party();
}

QString Shell::copyCommandLine() {
  const Result<QString> command = train_command(*document(), run()->device());
  if (!command) {
    const Error& e = command.error();
    Q_EMIT refused(to_q(e.code), reason_text(e), to_q(e.remedy));
    return {};
  }
  QGuiApplication::clipboard()->setText(*command);
  return *command;
}

void Shell::compareWithOpen(int row) {
  const Document& other = *documents_.at(row)->document();
  graph()->comparison()->with(other.title(), other.graph());
}

QPointF Shell::freeSpot(QPointF near) const {
  constexpr QSizeF room(CardMetrics::width + 24, CardMetrics::header + 4 * CardMetrics::param_row);
  const GraphModel& graph = *shown_->graph();
  for (bool moved = true; moved;) {
    moved = false;
    const QRectF wanted(near, room);
    for (int row = 0; row < graph.count(); ++row) {
      const QRectF card = graph.rectAt(row);
      if (!card.intersects(wanted)) continue;
      near.setY(card.bottom() + 16);
      moved = true;
      break;
    }
  }
  return near;
}

namespace {

void register_models() {
  register_model<Document>();
  register_model<PaletteModel>();
  register_model<Library>();
  register_model<InspectorModel>();
  register_model<GroupInterfaceModel>();
  register_model<HeatMapModel>();
  register_model<GradientFlowModel>();
  register_model<TensorModel>();
  register_model<TensorImageModel>();
  register_model<TensorTableModel>();
  register_model<ProblemsModel>();
  register_model<RunModel>();
  register_model<FieldModel>();
  register_model<PictureModel>();
  register_model<PlotModel>();
  register_model<BadValueModel>();
  register_model<DeviceModel>();
  register_model<JacobianModel>();
  register_model<InputValues>();
  register_model<CheckModel>();
  register_model<ParityModel>();
  for (const TrainingTab& tab : training_tabs()) tab.register_type();
  qmlRegisterSingletonType<Calculator>("Halfwire.Models", 1, 0, "Calculator",
                                       [](QQmlEngine*, QJSEngine*) { return new Calculator; });
}

}  // namespace

void register_types(Shell& shell) {
  qmlRegisterSingletonInstance("Halfwire.App", 1, 0, "App", &shell);
  qmlRegisterAnonymousType<OpenDocuments>("Halfwire.App", 1);
  qmlRegisterAnonymousType<ProblemReport>("Halfwire.App", 1);
  qmlRegisterAnonymousType<RecentFiles>("Halfwire.App", 1);
  qmlRegisterAnonymousType<DTypeCards>("Halfwire.App", 1);
  qmlRegisterAnonymousType<DocumentWeights>("Halfwire.App", 1);
  qmlRegisterAnonymousType<ViewChoice>("Halfwire.App", 1);
  qmlRegisterAnonymousType<BakeModel>("Halfwire.App", 1);
  qmlRegisterAnonymousType<PrecisionModel>("Halfwire.App", 1);
  qmlRegisterAnonymousType<RewriteModel>("Halfwire.App", 1);
  qmlRegisterAnonymousType<WeightMapModel>("Halfwire.App", 1);
  qmlRegisterAnonymousType<OnnxExport>("Halfwire.App", 1);
  qmlRegisterAnonymousType<SizesModel>("Halfwire.App", 1);
  register_models();
  qmlRegisterType<DrawPad>("Halfwire.Desktop", 1, 0, "DrawPad");
  qmlRegisterType<viewport::ViewportItem>("Halfwire.Desktop", 1, 0, "ViewportItem");
  qmlRegisterType<ViewportFeed>("Halfwire.Desktop", 1, 0, "ViewportFeed");
  registerCanvasTypes();
  registerPlotTypes();
}

}  // namespace hw::app
