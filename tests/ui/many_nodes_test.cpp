// The canvas with more nodes than have cards: who has one, and when.
#include <QGuiApplication>
#include <QTest>

#include "tests/ui/canvas_fixture.h"

namespace hw::app {

class ManyNodesTest : public QObject {
  Q_OBJECT

  std::unique_ptr<CanvasFixture> f_;
  void put_many() {
    Edits edits;
    for (int i = 0; i < 600; ++i) {
      Node node;
      node.id = "n" + std::to_string(i);
      node.type = "relu";
      node.x = (i % 30) * 300;
      node.y = (i / 30) * 200;
      edits.push_back(AddNode{node});
    }
    f_->document.push("many", edits);
  }

 private Q_SLOTS:
  void init() { f_ = std::make_unique<CanvasFixture>(); }
  void cleanup() {
    QVERIFY2(f_->warnings.isEmpty(), qPrintable(f_->warnings.join('\n')));
    f_.reset();
  }

  void cards_are_used_again_as_the_view_moves() {
    put_many();
    f_->surface->camera()->set(1, {0, 0});
    QTRY_VERIFY(f_->surface->shownNodes() > 0 && !f_->surface->standIns());
    QVERIFY(f_->item("node:n0"));
    const int made = f_->surface->nodes()->rowCount();
    for (int step = 1; step <= 4; ++step) {
      f_->surface->camera()->set(1, {-1500.0 * step, -600.0 * step});
      QTRY_VERIFY(!f_->surface->standIns());
    }
    QVERIFY(!f_->item("node:n0"));
    QQuickItem* card = f_->item("node:n380");  // at (6000, 2400)
    QVERIFY(card);
    QCOMPARE(card->position(), QPointF(6000, 2400));
    QVERIFY(f_->item("socket:n380:in:x"));
    // A view in the middle has more around it than one in the corner, but not four times as many.
    QVERIFY2(f_->surface->nodes()->rowCount() < 3 * made, qPrintable(QString::number(made)));
    f_->document.undo();
    QVERIFY(!f_->item("node:n380"));
    QCOMPARE(f_->surface->shownNodes(), 0);
  }

  void frames_are_made_for_the_view_and_used_again() {
    Edits edits;
    for (int i = 0; i < 2000; ++i) {
      const std::string id = "f" + std::to_string(i);
      edits.push_back(SetFrame{{id, id, i % 50 * 400.0, i / 50 * 300.0, 300, 200, "", std::nullopt, ""}});
    }
    f_->document.push("many", edits);
    f_->surface->camera()->set(1, {0, 0});
    QVERIFY(f_->item("frame:f0"));
    const int made = f_->surface->frames()->rowCount();
    QVERIFY2(made < 60, qPrintable(QString::number(made)));
    for (int step = 1; step <= 8; ++step) f_->surface->camera()->set(1, {-1000.0 * step, -500.0 * step});
    QVERIFY(!f_->item("frame:f0"));
    const QQuickItem* frame = f_->item("frame:f720");  // at (8000, 4200)
    QVERIFY(frame);
    QCOMPARE(frame->position(), QPointF(8000, 4200));
    QVERIFY2(f_->surface->frames()->rowCount() < 4 * made, qPrintable(QString::number(made)));
    // A title can be read from afar, and be taken where it is read.
    f_->surface->camera()->set(0.05, {0, 0});
    QVERIFY(f_->surface->frames()->titleHeight() * 0.05 >= 13);
    const auto hit = f_->surface->frames()->at({150, -100});
    QVERIFY(hit && hit->id == "f0" && !hit->sides.any());
    f_->document.undo();
    QVERIFY(!f_->item("frame:f720"));
  }

  void many_nodes_get_cards_only_in_view() {
    put_many();
    f_->surface->camera()->zoomTo({0, 0}, 1);
    QTRY_VERIFY(f_->surface->shownNodes() > 0 && !f_->surface->standIns());
    QVERIFY(f_->surface->nodes()->rowCount() < 100);
    f_->key(Qt::Key_Home);
    QVERIFY(f_->surface->camera()->far());
    QCOMPARE(f_->surface->shownNodes(), 0);
  }
};

}  // namespace hw::app

int main(int argc, char** argv) {
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
  QGuiApplication app(argc, argv);
  hw::app::ManyNodesTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "many_nodes_test.moc"
