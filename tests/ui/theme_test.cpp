// The themes: text that can be read in each, and everything on the canvas that follows a change of theme.
#include <QPalette>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QTest>
#include <cmath>

#include "tests/ui/canvas_fixture.h"
#include "tests/ui/patience.h"

namespace hw::app {
namespace {

constexpr double kText = 4.5, kGraphics = 3;  // WCAG 2.1, 1.4.3 and 1.4.11

/// WCAG 2.1's relative luminance.
double luminance(const QColor& colour) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}
/// `top` with an opacity over `below`.
QColor over(const QColor& top, double opacity, const QColor& below) {
  const auto mix = [&](double t, double b) { return static_cast<float>(t * opacity + b * (1 - opacity)); };
  return QColor::fromRgbF(mix(top.redF(), below.redF()), mix(top.greenF(), below.greenF()),
                          mix(top.blueF(), below.blueF()));
}

}  // namespace

class ThemeTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<CanvasFixture> f_;
  QObject* theme_ = nullptr;

  QColor token(const QString& name) const {
    const QVariant found = theme_->property("byToken").toMap().value(name);
    if (!found.canConvert<QColor>()) QTest::qFail(qPrintable("no token " + name), __FILE__, __LINE__);
    return found.value<QColor>();
  }
  void check(const QString& on, const QColor& below, const QString& name, const QColor& ink, double least) const {
    const double found = contrast(ink, below);
    const QString text = QStringLiteral("%1 on %2 in the %3 theme: contrast %4 < %5")
                             .arg(name, on, theme_->property("mode").toString())
                             .arg(found, 0, 'f', 2)
                             .arg(least);
    QVERIFY2(found >= least, qPrintable(text));
  }
  QColor pixel(QPointF canvas) const {
    return f_->window->grabWindow().pixelColor(f_->on_screen(canvas) * f_->window->devicePixelRatio());
  }

 private Q_SLOTS:
  void init() {
    f_ = std::make_unique<CanvasFixture>();
    QQmlComponent lookup(f_->window->engine());
    lookup.setData("import QtQml\nimport Halfwire\nQtObject { property QtObject theme: Theme }", {});
    const std::unique_ptr<QObject> holder(lookup.create());
    QVERIFY2(holder, qPrintable(lookup.errorString()));
    theme_ = holder->property("theme").value<QObject*>();
    QVERIFY(theme_);
  }
  void cleanup() {
    QVERIFY2(f_->warnings.isEmpty(), qPrintable(f_->warnings.join('\n')));
    f_.reset();
  }

  void text_can_be_read_data() {
    QTest::addColumn<QString>("mode");
    QTest::newRow("dark") << "dark";
    QTest::newRow("light") << "light";
  }
  void text_can_be_read() {
    QFETCH(const QString, mode);
    theme_->setProperty("mode", mode);
    for (const char* on : {"window", "panel", "raised", "hover", "input", "card", "cardHeader", "canvas"}) {
      for (const char* ink : {"text", "textMuted", "textFaint"}) check(on, token(on), ink, token(ink), kText);
    }
    for (const char* on : {"window", "panel", "raised", "input", "card", "canvas"}) {
      for (const char* ink : {"error", "warning", "info", "ok", "accent"}) check(on, token(on), ink, token(ink), kText);
    }
    const char* pairs[][2] = {{"accentDim", "text"},       {"errorDim", "text"},     {"errorDim", "textMuted"},
                              {"errorDim", "error"},       {"pressed", "text"},      {"warningDim", "text"},
                              {"warningDim", "textMuted"}, {"accent", "accentText"}, {"focus", "accentText"},
                              {"accentDim", "textMuted"}};
    for (const auto& [on, ink] : pairs) check(on, token(on), ink, token(ink), kText);
    for (const char* on : {"panel", "card", "canvas", "input"})
      check(on, token(on), "focus", token("focus"), kGraphics);
    const QVariantMap all = theme_->property("byToken").toMap();
    for (auto it = all.begin(); it != all.end(); ++it) {
      const QColor colour = it->value<QColor>();
      if (it.key().startsWith(QLatin1String("dtype"))) {
        // Wires and sockets, and the code beside a socket (SocketRow.qml).
        for (const char* on : {"canvas", "card"}) {
          check(on, token(on), it.key(), colour, kGraphics);
        }
        check("card", token("card"), it.key() + " code", over(token("text"), 0.35, colour), kText);
      } else if (it.key().startsWith(QLatin1String("category"))) {
        check("panel", token("panel"), it.key(), colour, kGraphics);
        check("header of " + it.key(), over(colour, 0.2, token("card")), "text", token("text"), kText);
      }
    }
  }

  void the_canvas_follows_the_theme() {
    f_->put("a", "constant", -300, 0, {{"shape", std::vector<double>{4, 8}}});
    f_->put("m", "mlp", 100, 0);
    f_->wire("a", "y", "m", "x");
    f_->surface->frameAll();
    const QPointF middle = f_->surface->wireMiddle("a", "y", "m", "x");
    const QPointF empty = middle + QPointF(0, -90.5);
    for (const char* mode : {"dark", "light", "dark"}) {
      theme_->setProperty("mode", mode);
      QTRY_COMPARE(pixel(middle), token("dtypeF32"));
      QTRY_COMPARE(pixel(empty), token("canvas"));
    }
  }

  void the_system_decides_when_asked() {
    theme_->setProperty("mode", "system");
    QPalette palette = QGuiApplication::palette();
    for (const bool dark : {true, false}) {
      palette.setColor(QPalette::Window, dark ? QColor(30, 30, 30) : QColor(240, 240, 240));
      QGuiApplication::setPalette(palette);
      QTRY_COMPARE(theme_->property("dark").toBool(), dark);
    }
  }

  void text_takes_the_family_that_is_chosen() {
    QCOMPARE(theme_->property("family").toString(), QString("Inter"));
    theme_->setProperty("textFamily", "DejaVu Sans");
    QCOMPARE(theme_->property("family").toString(), QString("DejaVu Sans"));
  }
};

}  // namespace hw::app

QTEST_MAIN(hw::app::ThemeTest)
#include "theme_test.moc"
