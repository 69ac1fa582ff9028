// The canvas under real mouse and keys: the other ways to pan, to frame, to open the search, and to hold a wire.
#include <QGuiApplication>
#include <QJSValue>
#include <QSignalSpy>
#include <QTest>

#include "app/models/keys/key_table.h"
#include "tests/ui/canvas_fixture.h"
#include "tests/ui/patience.h"

namespace hw::app {

class CanvasHandsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<CanvasFixture> f_;
  /// constant (f32) → two MLPs, at 100 %.
  void put_fan() {
    f_->put("a", "constant", -300, 0, {{"shape", std::vector<double>{4, 8}}, {"dtype", "f32"}});
    f_->put("b", "constant", -300, 200, {{"shape", std::vector<double>{4, 8}}, {"dtype", "f32"}});
    f_->put("m", "mlp", 100, 0);
    f_->put("n", "mlp", 100, 300);
    f_->wire("a", "y", "m", "x");
    f_->wire("a", "y", "n", "x");
    f_->surface->frameAll();
  }
  QPointF origin() const { return f_->surface->camera()->origin(); }

 private Q_SLOTS:
  void init() { f_ = std::make_unique<CanvasFixture>(); }
  void cleanup() {
    QVERIFY2(f_->warnings.isEmpty(), qPrintable(f_->warnings.join('\n')));
    f_.reset();
  }

  void alt_drag_pans() {
    put_fan();
    const QPointF before = origin();
    f_->drag(f_->on_screen({-200, 150}), f_->on_screen({-200, 150}) + QPoint(30, 20), Qt::AltModifier);
    QCOMPARE(origin(), before + QPointF(30, 20));
    QVERIFY(f_->document.selection().nodes().isEmpty());
  }

  void two_fingers_zoom_about_their_middle() {
    put_fan();
    const Camera& camera = *f_->surface->camera();
    const QPoint at(400, 300);
    const QPointF below = camera.toCanvas(at);
    const double before = camera.zoom();
    f_->pinch(at, {1.1, 1.2, 1.1});
    QVERIFY(camera.zoom() > 1.3 * before && camera.zoom() < 1.6 * before);
    QVERIFY((camera.toCanvas(at) - below).manhattanLength() < 0.5);
    const double larger = camera.zoom();
    f_->pinch(at, {0.9, 0.8});
    QVERIFY(camera.zoom() < 0.85 * larger);
    QVERIFY((camera.toCanvas(at) - below).manhattanLength() < 0.5);
  }

  void a_wire_back_to_the_next_row_goes_between_the_rows() {
    const WireCurve back({3000, 52}, {0, 320});  // rows of cards from 0 to 168, and from 268 on
    QCOMPARE(back.at(0), QPointF(3000, 52));
    QCOMPARE(back.at(1), QPointF(0, 320));
    for (const QPointF p : back.points(60)) {
      if (p.x() > 8 && p.x() < 2992) QVERIFY(p.y() > 168 && p.y() < 268);
      QVERIFY(back.bounds().adjusted(-1, -1, 1, 1).contains(p));
    }
    QVERIFY(back.distance(back.at(0.5)) < 1);
    QVERIFY(!WireCurve({0, 0}, {-300, 400}).lane);
    QVERIFY(!WireCurve({0, 0}, {900, 400}).lane);
  }

  void a_remedy_covers_no_card() {
    // A narrow gap, and cards above and below both ends.
    f_->put("a", "constant", -300, 0, {{"shape", std::vector<double>{4, 8}}, {"dtype", "f16"}});
    f_->put("m", "mlp", -60, 0);
    f_->wire("a", "y", "m", "x");
    f_->put("above", "mlp", -180, -190);
    f_->put("below", "mlp", -180, 190);
    f_->surface->frameAll();
    QTRY_VERIFY(f_->item("wrong:m:x"));
    for (const double zoom : {1.0, 0.7}) {
      f_->surface->camera()->zoomTo(f_->on_screen(f_->graph.nodeRect("m").center()), zoom);
      QTest::qWait(30);
      const QQuickItem* pill = f_->item("wrong:m:x");
      QVERIFY(pill);
      const QRectF place = pill->mapRectToItem(f_->surface, {0, 0, pill->width(), pill->height()});
      for (const char* id : {"a", "m", "above", "below"}) {
        const QRectF card = f_->graph.nodeRect(id);
        const QRectF there(f_->surface->camera()->toScreen(card.topLeft()),
                           card.size() * f_->surface->camera()->zoom());
        QVERIFY2(!place.intersects(there), id);
      }
    }
    f_->click(f_->middle("remedy:m:x:0"));
    QTRY_VERIFY(!f_->item("wrong:m:x"));
  }

  void every_key_of_the_table_has_its_act() {
    auto* keys = f_->window->rootObject()->property("keys").value<QObject*>();
    QVERIFY(keys);
    const QVariantMap acts = keys->property("run").value<QJSValue>().toVariant().toMap();
    QStringList wanted;
    for (const KeyRow& row : key_table())
      if (row.scope == KeyScope::canvas) wanted.append(row.id);
    wanted.sort();
    QCOMPARE(acts.keys(), wanted);
  }

  void home_frames_all_and_f_the_selection() {
    put_fan();
    const QRectF all = f_->graph.nodeRect("a") | f_->graph.nodeRect("n");
    f_->scroll({600, 400}, {5000, 0});
    QVERIFY(!f_->surface->camera()->visible().intersects(all));
    f_->key(Qt::Key_Home);
    QVERIFY(f_->surface->camera()->visible().contains(all));
    f_->document.selectNode("n");
    for (const Qt::Key key : {Qt::Key_F, Qt::Key_Period}) {
      f_->scroll({600, 400}, {5000, 0});
      f_->key(key);
      const QPointF middle = f_->surface->camera()->toScreen(f_->graph.nodeRect("n").center());
      QVERIFY((middle - QPointF(f_->surface->width(), f_->surface->height()) / 2).manhattanLength() < 4);
    }
  }

  void the_view_follows_a_wire_that_is_held_at_the_border() {
    put_fan();
    const QPointF before = origin();
    f_->press(f_->middle("socket:a:out:y"));
    f_->move({600, 400});
    f_->move({static_cast<int>(f_->surface->width()) - 4, 400});
    QTRY_VERIFY(origin().x() < before.x() - 20);
    QCOMPARE(origin().y(), before.y());
    f_->key(Qt::Key_Escape);
    f_->release({600, 400});
  }

  void control_drag_of_an_output_moves_all_its_wires() {
    put_fan();
    f_->drag(f_->middle("socket:a:out:y"), f_->middle("socket:b:out:y"), Qt::ControlModifier);
    QVERIFY(f_->linked("b", "y", "m", "x"));
    QVERIFY(f_->linked("b", "y", "n", "x"));
    QCOMPARE(f_->document.graph().link_count(), size_t{2});
    f_->document.undo();
    QVERIFY(f_->linked("a", "y", "m", "x"));
    QVERIFY(f_->linked("a", "y", "n", "x"));
  }

  void control_shift_click_views_an_output() {
    put_fan();
    QSignalSpy viewed(f_->surface, &CanvasView::viewRequested);
    f_->click(f_->on_screen(f_->graph.nodeRect("m").topLeft() + QPointF(60, 12)),
              Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(viewed.size(), 1);
    QCOMPARE(viewed.front().front().toString(), QString("m"));
  }

  void a_wire_and_a_socket_say_their_type_under_the_pointer() {
    put_fan();
    const QPoint from = f_->middle("socket:a:out:y"), to = f_->middle("socket:m:in:x");
    for (const QPoint at : {(from + to) / 2, to}) {
      f_->move(f_->on_screen({-100, -100}));
      QTRY_VERIFY(!f_->item("canvas:tip"));
      f_->move(at);
      QTRY_VERIFY(f_->item("canvas:tip"));
      const QString said = f_->item("canvas:tip")->property("text").toString();
      QVERIFY2(said.contains("f32") && said.contains("4") && said.contains("8"), qPrintable(said));
    }
  }

  void a_wire_under_a_card_shines_through() {
    f_->put("a", "constant", -300, 0, {{"shape", std::vector<double>{4, 8}}, {"dtype", "f32"}});
    f_->put("r", "relu", 0, 0);
    f_->put("t", "tanh", 300, 0);
    f_->surface->frameAll();
    // How many pixels of the card of r another wire changes.
    const auto changed = [&](QPointF at) {
      f_->document.push("move", {MoveNode{"r", at.x(), at.y()}});
      const QRectF card = QRectF(f_->graph.nodeRect("r")).adjusted(4, 4, -4, -4);
      const QRect seen(f_->on_screen(card.topLeft()), f_->on_screen(card.bottomRight()));
      const auto grab = [&] {
        QTest::qWait(50);
        return f_->window->grabWindow().copy(seen);
      };
      const QImage without = grab();
      f_->wire("a", "y", "t", "x");
      const QImage with = grab();
      f_->document.push("unwire", {RemoveLink{{"a", "y", "t", "x"}}});
      int count = 0;
      for (int y = 0; y < with.height(); ++y)
        for (int x = 0; x < with.width(); ++x) count += with.pixel(x, y) != without.pixel(x, y);
      return count;
    };
    QVERIFY(changed({0, 0}) > 100);
    QCOMPARE(changed({0, 200}), 0);
    QVERIFY(changed({0, 8}) > 100);
  }

  void search_opens_by_key_double_click_and_right_click() {
    put_fan();
    const QPoint empty = f_->on_screen({-100, -100});
    const auto opens = [&](const auto& act) {
      act();
      QTRY_VERIFY(f_->item("search:field"));
      f_->key(Qt::Key_Escape);
      QTRY_VERIFY(!f_->item("search:field"));
    };
    opens([&] { f_->key(Qt::Key_A, Qt::ShiftModifier); });
    opens([&] { QTest::mouseDClick(f_->window.get(), Qt::LeftButton, Qt::NoModifier, empty); });
    opens([&] { f_->click(empty, Qt::NoModifier, Qt::RightButton); });
  }

  void keys_bypass_collapse_and_select_all() {
    put_fan();
    f_->document.selectNode("m");
    f_->key(Qt::Key_M);
    QVERIFY(f_->document.graph().find("m")->bypassed);
    f_->key(Qt::Key_H);
    QVERIFY(f_->document.graph().find("m")->collapsed);
    f_->key(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(f_->document.selection().nodes().size(), 4);
    f_->key(Qt::Key_Escape);
    QVERIFY(f_->document.selection().nodes().isEmpty());
  }
};

}  // namespace hw::app

int main(int argc, char** argv) {
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
  QGuiApplication app(argc, argv);
  hw::app::CanvasHandsTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "canvas_hands_test.moc"
