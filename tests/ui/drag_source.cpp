// A small window above all others, in the corner of the screen: what is dragged out of it with the left button are the
// files that it was called with. Says "ready" once it is there, and "taken" or "refused" after a drop. It goes on: who
// takes the files asks for them later.
#include <QDrag>
#include <QGuiApplication>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QRasterWindow>
#include <QUrl>
#include <cstdio>

namespace {

class Source : public QRasterWindow {
 public:
  explicit Source(const QStringList& files) {
    for (const QString& file : files) files_.append(QUrl::fromLocalFile(file));
    setFlags(Qt::FramelessWindowHint | Qt::WindowStaysOnTopHint | Qt::BypassWindowManagerHint);
    setGeometry(0, 0, 40, 40);
  }

 private:
  void paintEvent(QPaintEvent*) override {
    QPainter(this).fillRect(0, 0, width(), height(), Qt::gray);
    say("ready");
  }
  void mousePressEvent(QMouseEvent*) override {
    auto* data = new QMimeData;
    data->setUrls(files_);
    auto* drag = new QDrag(this);  // deletes itself, and the data
    drag->setMimeData(data);
    say(drag->exec(Qt::CopyAction) == Qt::CopyAction ? "taken" : "refused");
  }
  static void say(const char* what) {
    std::puts(what);
    std::fflush(stdout);
  }
  QList<QUrl> files_;
};

}  // namespace

int main(int argc, char** argv) {
  QGuiApplication app(argc, argv);
  Source source(QCoreApplication::arguments().mid(1));
  source.show();
  source.raise();
  return QGuiApplication::exec();
}
