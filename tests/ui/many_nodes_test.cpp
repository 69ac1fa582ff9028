// The canvas with more nodes than have cards: who has one, and when.
#include <QGuiApplication>
#include <QTest>

#include "app/canvas/strip_node.h"
#include "tests/ui/canvas_fixture.h"
#include "tests/ui/patience.h"

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
    QTRY_VERIFY(f_->item("frame:f0"));
    const int made = f_->surface->frames()->rowCount();
    QVERIFY2(made < 60, qPrintable(QString::number(made)));
    for (int step = 1; step <= 8; ++step) f_->surface->camera()->set(1, {-1000.0 * step, -500.0 * step});
    QVERIFY(!f_->item("frame:f0"));
    QTRY_VERIFY(f_->item("frame:f720"));  // at (8000, 4200)
    const QQuickItem* frame = f_->item("frame:f720");
    QCOMPARE(frame->position(), QPointF(8000, 4200));
    QVERIFY2(f_->surface->frames()->rowCount() < 4 * made, qPrintable(QString::number(made)));
    // A title can be read from afar, and be taken where it is read.
    f_->surface->camera()->set(0.3, {100, 100});
    QTRY_VERIFY(f_->item("frame:f0"));
    QVERIFY(f_->surface->frames()->titleHeight() * 0.3 >= 13);
    const auto hit = f_->surface->frames()->at({150, -1});
    QVERIFY(hit && hit->id == "f0" && !hit->sides.any());
    // Where it has no room there is none, but the frame can be taken there; one that is edited has its field.
    f_->surface->camera()->set(0.05, {100, 100});
    QVERIFY(!f_->item("frame:f0"));
    const auto above = f_->surface->frames()->at({150, -100});
    QVERIFY(above && above->id == "f0" && !above->sides.any());
    f_->surface->frames()->edit("f0", false);
    QTRY_VERIFY(f_->item("frame:f0:titleField"));
    f_->surface->frames()->endEdit();
    f_->document.undo();
    QVERIFY(!f_->item("frame:f720"));
  }

  void all_frames_are_drawn_whether_or_not_they_have_words() {
    const Frame large{"large", "", 0, 0, 8000, 4000, "red", std::nullopt, ""};
    const Frame small{"small", "", 200, 200, 400, 400, "blue", "", ""};  // a note, on it
    f_->document.push("two", {SetFrame{small}, SetFrame{large}});
    const auto colour_at = [&](QPointF canvas) {
      const QImage picture = f_->window->grabWindow();
      return picture.pixelColor((QPointF(f_->on_screen(canvas)) * picture.devicePixelRatio()).toPoint());
    };
    for (const double zoom : {0.1, 0.7}) {
      f_->surface->camera()->set(zoom, {10, 10});
      const QColor outside = colour_at({900, -10}), in_large = colour_at({100, 500}), in_small = colour_at({400, 400});
      QVERIFY2(in_large.red() > outside.red() + 5, qPrintable(in_large.name() + outside.name()));
      QVERIFY2(in_small.blue() > in_large.blue() + 10, qPrintable(in_small.name() + in_large.name()));
    }
    f_->document.push("gone", {RemoveFrame{"small"}});
    QCOMPARE(colour_at({400, 400}), colour_at({100, 500}));
  }

  // The renderer lays nodes that are alike into one buffer and fills all of it when one changes.
  void each_chunk_has_a_buffer_of_its_own() {
    const StripMaterial one, other;
    QCOMPARE(one.compare(&one), 0);
    QVERIFY(one.compare(&other) != 0);
    StripNode node;
    StripMesh mesh;
    add_rect(mesh, QRectF(0, 0, 1, 1), qRgb(1, 2, 3));
    node.take(mesh);
    QCOMPARE(node.geometry()->indexType(), int(QSGGeometry::UnsignedShortType));
    QCOMPARE(node.geometry()->indexDataAsUShort()[5], quint16(3));
    for (int i = 0; i < 20000; ++i) add_rect(mesh, QRectF(0, 0, 1, 1), qRgb(1, 2, 3));
    node.take(mesh);
    QCOMPARE(node.geometry()->indexType(), int(QSGGeometry::UnsignedIntType));
    QCOMPARE(node.geometry()->indexDataAsUInt()[node.geometry()->indexCount() - 1], quint32(80003));
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
