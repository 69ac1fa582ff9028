// What the canvas is made of, each by itself: hit tests, gestures, held cards, kept views, steps between nodes.
#include <QSignalSpy>
#include <QTest>

#include "app/canvas/canvas_gestures.h"
#include "app/canvas/kept_views.h"
#include "app/canvas/node_step.h"

namespace hw::app {

class CanvasPartsTest : public QObject {
  Q_OBJECT

  using What = CanvasHit::What;
  using Gesture = CanvasGestures::Gesture;

  /// Two nodes beside each other, the first wired to the second, a third without wires below them, and a frame to the
  /// right of all.
  struct Canvas {
    Canvas() {
      const auto node = [](const char* id, const char* type, double x, double y) {
        Node made;
        made.id = id;
        made.type = type;
        made.x = x;
        made.y = y;
        return AddNode{std::move(made)};
      };
      Frame frame;
      frame.id = "frame";
      frame.x = 1200;
      frame.width = frame.height = 240;
      document.push(QStringLiteral("Fill"),
                    {node("a", "relu", 0, 0), node("b", "relu", 400, 0), node("loose", "relu", 0, 600),
                     AddLink{{"a", "y", "b", "x"}}, SetFrame{frame}});
      grid.setGraph(&graph);
      wires.setGraph(&graph);
      drag.setGraph(&graph);
      frames.setGraph(&graph);
      gestures.setGraph(&graph);
      gestures.setView({2000, 2000});
      camera.setViewport({2000, 2000});
      camera.set(1, {100, 100});
    }
    QPointF on_screen(const char* id) const { return camera.toScreen(graph.nodeRect(QLatin1String(id)).center()); }
    CanvasHit hit(QPointF screen) const { return hit_at(graph, parts, screen); }
    QPointF place(const char* id) const { return graph.nodeRect(QLatin1String(id)).topLeft(); }
    void drag_by(QPointF from, QPointF by) {
      gestures.press(from, Qt::LeftButton, Qt::NoModifier);
      gestures.moveTo(from + by / 2);
      gestures.moveTo(from + by);
    }

    Document document;
    GraphModel graph{document};
    Camera camera;
    NodeGrid grid;
    WireSet wires;
    WireDrag drag{grid};
    CanvasFrames frames{camera};
    const CanvasParts parts{camera, grid, wires, frames};
    CanvasGestures gestures{parts, drag};
  };

 private Q_SLOTS:
  void what_lies_on_top_is_hit() {
    Canvas c;
    QCOMPARE(c.hit(c.on_screen("a")).what, What::node);
    QCOMPARE(c.hit(c.on_screen("a")).node, QStringLiteral("a"));
    const CanvasHit socket = c.hit(c.camera.toScreen(c.graph.anchor("a", "y", true)));
    QCOMPARE(socket.what, What::socket);
    QVERIFY(socket.is_output);
    const QPointF middle = (c.graph.anchor("a", "y", true) + c.graph.anchor("b", "x", false)) / 2;
    QCOMPARE(c.hit(c.camera.toScreen(middle)).what, What::wire);
    QCOMPARE(c.hit(c.camera.toScreen({1200, 120})).what, What::frame);
    QCOMPARE(shape_over(c.hit(c.camera.toScreen({1200, 120}))), Qt::SizeHorCursor);
    QCOMPARE(c.hit(c.camera.toScreen({800, 800})).what, What::empty);
  }

  void a_drag_moves_nodes_by_the_grid_and_cancel_puts_them_back() {
    Canvas c;
    QSignalSpy changed(&c.gestures, &CanvasGestures::changed);
    c.drag_by(c.on_screen("a"), {101, 51});
    QCOMPARE(c.gestures.gesture(), Gesture::move);
    QCOMPARE(c.place("a"), QPointF(104, 48));
    QVERIFY(c.gestures.ownSteps() >= 0);
    QVERIFY(c.gestures.cancel());
    QCOMPARE(c.place("a"), QPointF(0, 0));
    QVERIFY(!c.gestures.busy());
    QVERIFY(!c.gestures.cancel());
    QCOMPARE(changed.count(), 3);  // pressed, moved, ended
    QCOMPARE(c.document.undoText(), QStringLiteral("Fill"));
  }

  void the_place_of_a_removed_frame_has_a_value_of_every_role() {
    Canvas c;
    c.frames.follow();
    QCOMPARE(c.frames.rowCount(), 1);
    c.document.undo();
    QCOMPARE(c.frames.rowCount(), 1);
    const QModelIndex place = c.frames.index(0);
    for (const auto& [role, name] : c.frames.roleNames().asKeyValueRange())
      QVERIFY2(place.data(role).isValid(), name.constData());
    QVERIFY(!place.data(c.frames.roleNames().key("shown")).toBool());
  }

  void another_button_ends_no_gesture() {
    Canvas c;
    c.drag_by(c.on_screen("a"), {80, 0});
    QVERIFY(!c.gestures.release(c.gestures.cursor(), Qt::RightButton));
    QVERIFY(c.gestures.release(c.gestures.cursor(), Qt::LeftButton) == Gesture::move);
    QCOMPARE(c.place("a"), QPointF(80, 0));
  }

  void a_loose_node_over_a_wire_would_go_into_it() {
    Canvas c;
    QSignalSpy dropped(&c.gestures, &CanvasGestures::dropWireChanged);
    const QPointF middle = (c.graph.anchor("a", "y", true) + c.graph.anchor("b", "x", false)) / 2;
    const QPointF from = c.on_screen("loose");
    c.drag_by(from, c.camera.toScreen(middle) - from);
    QVERIFY(c.gestures.dropWire() >= 0);
    QCOMPARE(dropped.count(), 1);
    c.gestures.cancel();
    QCOMPARE(c.gestures.dropWire(), -1);
  }

  void a_box_selects_what_it_touches() {
    Canvas c;
    const QPointF from = c.camera.toScreen({-40, -40});
    QCOMPARE(c.hit(from).what, What::empty);
    c.drag_by(from, c.camera.toScreen(c.graph.nodeRect(QStringLiteral("b")).bottomRight()) - from);
    QVERIFY(!c.gestures.box().isNull());
    c.gestures.release(c.gestures.cursor(), Qt::LeftButton);
    QCOMPARE(c.document.selection().nodes(), (QSet<QString>{"a", "b"}));
    QVERIFY(c.gestures.box().isNull());
  }

  void the_menu_button_asks_for_what_lies_there() {
    Canvas c;
    QSignalSpy menu(&c.gestures, &CanvasGestures::nodeMenuRequested);
    QSignalSpy search(&c.gestures, &CanvasGestures::searchRequested);
    for (const QPointF at : {c.on_screen("a"), c.camera.toScreen({800, 800})}) {
      c.gestures.press(at, Qt::RightButton, Qt::NoModifier);
      c.gestures.release(at, Qt::RightButton);
    }
    QCOMPARE(menu.count(), 1);
    QCOMPARE(menu.first().first().toString(), QStringLiteral("a"));
    QCOMPARE(search.count(), 1);
    QCOMPARE(search.first().first().toPointF(), QPointF(800, 800));
  }

  void steps_go_to_the_nearest_node_in_a_direction() {
    Canvas c;
    QCOMPARE(next_node(c.graph, QStringLiteral("a"), {}, 1, 0), QStringLiteral("b"));
    QCOMPARE(next_node(c.graph, QStringLiteral("a"), {}, 0, 1), QStringLiteral("loose"));
    QCOMPARE(next_node(c.graph, QStringLiteral("a"), {}, -1, 0), QString());
    QCOMPARE(next_node(c.graph, {}, c.graph.nodeRect(QStringLiteral("loose")).center(), 1, 0), QStringLiteral("loose"));
  }

  void views_are_kept_by_graph_and_level() {
    KeptViews kept;
    const QObject one, other;
    QVERIFY(!kept.find(&one, {}));
    kept.keep(&one, {}, {2, {3, 4}, false});
    kept.keep(&one, QStringLiteral("block"), {1, {}, true});
    kept.keep(&other, {}, {4, {}, false});
    QCOMPARE(kept.find(&one, {})->zoom, 2.0);
    QVERIFY(kept.find(&one, QStringLiteral("block"))->framed);
    kept.forget(&one);
    QVERIFY(!kept.find(&one, {}));
    QVERIFY(!kept.find(&one, QStringLiteral("block")));
    QCOMPARE(kept.find(&other, {})->zoom, 4.0);
  }
};

}  // namespace hw::app

QTEST_MAIN(hw::app::CanvasPartsTest)
#include "canvas_parts_test.moc"
