// The canvas under real mouse and keys: adding, wiring, refusing, mending, undoing, selecting, zooming.
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "engine/io/graph/graph_file.h"
#include "tests/ui/canvas_fixture.h"
#include "tests/ui/patience.h"

namespace hw::app {

class CanvasTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<CanvasFixture> f_;
  /// constant (f32) and an MLP beside it, at 100 %.
  void put_pair(const std::string& dtype = "f32") {
    f_->put("a", "constant", -300, 0, {{"shape", std::vector<double>{4, 8}}, {"dtype", dtype}});
    f_->put("m", "mlp", 100, 0);
    f_->surface->frameAll();
  }

 private Q_SLOTS:
  void init() { f_ = std::make_unique<CanvasFixture>(); }
  void cleanup() {
    QVERIFY2(f_->warnings.isEmpty(), qPrintable(f_->warnings.join('\n')));
    f_.reset();
  }

  void empty_canvas_says_how_to_begin() {
    QVERIFY(f_->item("canvas:empty"));
    f_->put("m", "mlp", 0, 0);
    QVERIFY(!f_->item("canvas:empty"));
  }

  void tab_searches_and_enter_places_at_the_cursor() {
    f_->move({500, 300});
    f_->key(Qt::Key_Tab);
    QTRY_VERIFY(f_->item("search:field"));
    f_->type("mlp");
    f_->key(Qt::Key_Return);
    QTRY_VERIFY(!f_->item("search:field"));
    QVERIFY(f_->document.graph().find("mlp"));
    QCOMPARE(f_->document.activeNode(), QString("mlp"));
    const QPoint corner = f_->on_screen(f_->graph.nodeRect("mlp").topLeft());
    QVERIFY((corner - QPoint(500, 300)).manhattanLength() <= 16);
    f_->document.undo();
    QVERIFY(f_->document.empty());
    f_->document.redo();
    QVERIFY(f_->item("node:mlp"));
  }

  void drag_from_output_to_input_wires() {
    put_pair();
    f_->drag(f_->middle("socket:a:out:y"), f_->middle("socket:m:in:x"));
    QVERIFY(f_->linked("a", "y", "m", "x"));
    f_->document.undo();
    QVERIFY(!f_->linked("a", "y", "m", "x"));
  }

  void drag_from_input_to_output_wires_and_snaps() {
    put_pair();
    f_->drag(f_->middle("socket:m:in:x"), f_->middle("socket:a:out:y") + QPoint(12, 9));
    QVERIFY(f_->linked("a", "y", "m", "x"));
  }

  void escape_cancels_a_wire() {
    put_pair();
    f_->press(f_->middle("socket:a:out:y"));
    f_->move(f_->middle("socket:m:in:x"));
    QVERIFY(f_->surface->wireDrag()->active());
    f_->key(Qt::Key_Escape);
    QVERIFY(!f_->surface->wireDrag()->active());
    f_->release(f_->middle("socket:m:in:x"));
    QCOMPARE(f_->document.graph().link_count(), size_t{0});
  }

  void drag_off_an_input_detaches() {
    put_pair();
    f_->wire("a", "y", "m", "x");
    f_->drag(f_->middle("socket:m:in:x"), f_->on_screen({-40, 300}));
    QCOMPARE(f_->document.graph().link_count(), size_t{0});
    QVERIFY(!f_->item("search:field"));
    f_->document.undo();
    QVERIFY(f_->linked("a", "y", "m", "x"));
  }

  void release_on_empty_offers_only_what_fits() {
    put_pair();
    f_->drag(f_->middle("socket:a:out:y"), f_->on_screen({-30, 260}));
    QTRY_VERIFY(f_->item("search:field"));
    QVERIFY(!f_->item("search:item:mesh_source"));
    QVERIFY(f_->surface->wireDrag()->active());  // the wire waits in the hand
    f_->type("relu");
    QTRY_VERIFY(f_->item("search:item:relu"));
    f_->click(f_->middle("search:item:relu"));
    QVERIFY(f_->linked("a", "y", "relu", "x"));
    QVERIFY(!f_->surface->wireDrag()->active());
    f_->document.undo();
    QVERIFY(!f_->document.graph().find("relu"));
  }

  void what_fits_by_a_cast_is_offered_with_it() {
    put_pair("f16");
    f_->drag(f_->middle("socket:a:out:y"), f_->on_screen({-30, 260}));
    QTRY_VERIFY(f_->item("search:field"));
    f_->type("mlp");
    QTRY_VERIFY(f_->item("search:item:mlp"));
    QCOMPARE(f_->item("search:item:mlp")->property("title").toString(), QString("MLP via Cast to f32"));
    f_->key(Qt::Key_Return);
    QVERIFY(f_->linked("a", "y", "cast", "x"));
    QVERIFY(f_->linked("cast", "y", "mlp", "x"));
    QVERIFY(f_->graph.nodeRect("mlp").left() > f_->graph.nodeRect("cast").right());
    QCOMPARE(f_->graph.wrongWires().size(), 0);
    f_->document.undo();
    QCOMPARE(f_->document.graph().nodes().size(), size_t{2});
  }

  void an_input_is_offered_the_outputs_that_are_there_first() {
    put_pair();
    f_->drag(f_->middle("socket:m:in:x"), f_->on_screen({-30, 260}));
    QTRY_VERIFY(f_->item("search:item:a:y"));
    f_->key(Qt::Key_Return);
    QVERIFY(f_->linked("a", "y", "m", "x"));
    QCOMPARE(f_->document.graph().nodes().size(), size_t{2});
  }

  void wrong_wire_says_why_and_is_mended_by_a_click() {
    put_pair("f16");
    f_->press(f_->middle("socket:a:out:y"));
    f_->move(f_->middle("socket:m:in:x") - QPoint(30, 0));
    f_->move(f_->middle("socket:m:in:x"));
    QVERIFY(!f_->surface->wireDrag()->reason().isEmpty());
    QVERIFY(f_->item("canvas:tip"));
    f_->release(f_->middle("socket:m:in:x"));
    QVERIFY(f_->linked("a", "y", "m", "x"));
    QTRY_VERIFY(f_->item("remedy:m:x:0"));
    f_->click(f_->middle("remedy:m:x:0"));
    QVERIFY(!f_->linked("a", "y", "m", "x"));
    QTRY_VERIFY(!f_->item("wrong:m:x"));
    QCOMPARE(f_->graph.wrongWires().size(), 0);
    f_->document.undo();
    QVERIFY(f_->linked("a", "y", "m", "x"));
    QTRY_VERIFY(f_->item("remedy:m:x:0"));
  }

  void moving_a_node_is_one_undo() {
    put_pair();
    const QPointF start = f_->graph.nodeRect("m").topLeft();
    const QPoint header = f_->on_screen(start + QPointF(60, 16));
    f_->drag(header, header + QPoint(80, 40));
    const QPointF moved = f_->graph.nodeRect("m").topLeft() - start;
    QVERIFY(std::abs(moved.x() - 80) <= 8 && std::abs(moved.y() - 40) <= 8);
    f_->document.undo();
    QCOMPARE(f_->graph.nodeRect("m").topLeft(), start);
    QVERIFY(f_->document.graph().find("m"));
  }

  void box_selects_and_delete_deletes() {
    put_pair();
    f_->put("far", "relu", 100, 400);
    f_->surface->frameAll();
    const QRectF both = f_->graph.nodeRect("a") | f_->graph.nodeRect("m");
    f_->drag(f_->on_screen(both.topLeft() - QPointF(20, 20)), f_->on_screen(both.bottomRight() + QPointF(20, 10)));
    QCOMPARE(f_->document.selection().nodes(), (QSet<QString>{"a", "m"}));
    f_->key(Qt::Key_Delete);
    QCOMPARE(f_->graph.count(), 1);
    f_->document.undo();
    QCOMPARE(f_->graph.count(), 3);
  }

  void click_selects_shift_adds_escape_clears() {
    put_pair();
    f_->click(f_->on_screen(f_->graph.nodeRect("a").topLeft() + QPointF(60, 16)));
    QCOMPARE(f_->document.selection().nodes(), (QSet<QString>{"a"}));
    f_->click(f_->on_screen(f_->graph.nodeRect("m").topLeft() + QPointF(60, 16)), Qt::ShiftModifier);
    QCOMPARE(f_->document.selection().nodes(), (QSet<QString>{"a", "m"}));
    QCOMPARE(f_->document.activeNode(), QString("m"));
    f_->key(Qt::Key_Escape);
    QVERIFY(f_->document.selection().nodes().isEmpty());
    f_->key(Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(f_->document.selection().nodes().size(), 2);
  }

  void a_wire_can_be_chosen_cut_and_deleted() {
    put_pair();
    f_->wire("a", "y", "m", "x");
    const QPoint middle = f_->on_screen(f_->surface->wireMiddle("a", "y", "m", "x"));
    f_->click(middle);
    QCOMPARE(f_->document.selection().links().size(), size_t{1});
    f_->key(Qt::Key_Delete);
    QCOMPARE(f_->document.graph().link_count(), size_t{0});
    f_->document.undo();
    f_->drag(middle - QPoint(4, 60), middle + QPoint(4, 60), Qt::ControlModifier, Qt::RightButton);
    QCOMPARE(f_->document.graph().link_count(), size_t{0});
  }

  void wheel_zooms_about_the_cursor() {
    put_pair();
    const QPoint at(333, 222);
    const QPointF under = f_->surface->camera()->toCanvas(at);
    const double zoom = f_->surface->camera()->zoom();
    f_->wheel(at, 120);
    QVERIFY(f_->surface->camera()->zoom() > zoom);
    for (int i = 0; i < 40; ++i) f_->wheel(at, -15);
    const QPointF now = f_->surface->camera()->toCanvas(at);
    QVERIFY(std::hypot(now.x() - under.x(), now.y() - under.y()) < 1e-6);
    QVERIFY(f_->surface->camera()->zoom() < zoom);
  }

  void what_was_framed_stays_framed_while_resized() {
    put_pair();
    f_->window->resize(500, 300);
    QTRY_VERIFY(f_->surface->width() == 500);
    QVERIFY(f_->surface->camera()->visible().contains(f_->graph.nodeRect("a") | f_->graph.nodeRect("m")));
    f_->scroll({200, 100}, {40, 0});
    const QPointF origin = f_->surface->camera()->origin();
    f_->window->resize(800, 600);
    QTRY_VERIFY(f_->surface->width() == 800);
    QCOMPARE(f_->surface->camera()->origin(), origin);
  }

  void touchpad_scroll_pans_and_control_zooms() {
    put_pair();
    const double zoom = f_->surface->camera()->zoom();
    const QPointF origin = f_->surface->camera()->origin();
    f_->scroll({600, 400}, {-30, 50});
    QCOMPARE(f_->surface->camera()->origin(), origin + QPointF(-30, 50));
    QCOMPARE(f_->surface->camera()->zoom(), zoom);
    f_->key(Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(f_->surface->camera()->zoom(), 1.0);
  }

  void middle_drag_and_space_drag_pan() {
    put_pair();
    const QPointF origin = f_->surface->camera()->origin();
    f_->drag({600, 600}, {650, 560}, Qt::NoModifier, Qt::MiddleButton);
    QCOMPARE(f_->surface->camera()->origin(), origin + QPointF(50, -40));
    QTest::keyPress(f_->window.get(), Qt::Key_Space);
    f_->drag({600, 600}, {550, 640});
    QTest::keyRelease(f_->window.get(), Qt::Key_Space);
    QCOMPARE(f_->surface->camera()->origin(), origin);
    QVERIFY(f_->document.selection().nodes().isEmpty());
  }

  void a_number_on_the_card_is_dragged_and_typed() {
    put_pair();
    const QPoint field = f_->middle("param:m:width");
    const ParamValue before = param_value(*f_->document.graph().find("m"), "width");
    f_->drag(field, field + QPoint(60, 0));
    QVERIFY(param_value(*f_->document.graph().find("m"), "width") != before);
    f_->document.undo();
    QCOMPARE(param_value(*f_->document.graph().find("m"), "width"), before);
    f_->click(f_->middle("param:m:width"));
    f_->key(Qt::Key_A, Qt::ControlModifier);
    f_->type("48");
    f_->key(Qt::Key_Return);
    QCOMPARE(param_value(*f_->document.graph().find("m"), "width"), ParamValue(int64_t{48}));
    QVERIFY(f_->surface->hasActiveFocus());
  }

  void duplicate_copy_and_paste() {
    put_pair();
    f_->wire("a", "y", "m", "x");
    f_->key(Qt::Key_A, Qt::ControlModifier);
    f_->key(Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(f_->graph.count(), 4);
    QCOMPARE(f_->document.graph().link_count(), size_t{2});
    f_->key(Qt::Key_C, Qt::ControlModifier);
    f_->move({600, 650});
    f_->key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(f_->graph.count(), 6);
    QCOMPARE(f_->document.graph().link_count(), size_t{3});
    f_->document.undo();
    QCOMPARE(f_->graph.count(), 4);
  }

  void paste_with_incoming_wires() {
    put_pair();
    f_->wire("a", "y", "m", "x");
    f_->document.selectNode("m");
    f_->key(Qt::Key_C, Qt::ControlModifier);
    f_->move({300, 600});
    f_->key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(f_->document.activeNode(), QString("mlp"));
    QVERIFY(!f_->linked("a", "y", "mlp", "x"));
    f_->key(Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(f_->document.activeNode(), QString("mlp_2"));
    QVERIFY(f_->linked("a", "y", "mlp_2", "x"));
    // Pasted at the same place, but not on top of the other.
    QVERIFY(f_->graph.nodeRect("mlp").topLeft() != f_->graph.nodeRect("mlp_2").topLeft());
  }

  void cut_takes_away_and_paste_brings_back() {
    put_pair();
    f_->wire("a", "y", "m", "x");
    f_->key(Qt::Key_A, Qt::ControlModifier);
    f_->key(Qt::Key_X, Qt::ControlModifier);
    QVERIFY(f_->document.empty());
    f_->key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(f_->graph.count(), 2);
    QCOMPARE(f_->document.graph().link_count(), size_t{1});
    f_->document.undo();
    f_->document.undo();
    QVERIFY(f_->linked("a", "y", "m", "x"));
  }

  void the_clipboard_is_the_text_of_a_graph_and_goes_between_documents() {
    put_pair("f16");
    f_->wire("a", "y", "m", "x");
    f_->document.selectAll();
    f_->key(Qt::Key_C, Qt::ControlModifier);
    const std::string text = QGuiApplication::clipboard()->text().toStdString();
    const auto parsed = parse_graph(text, "clipboard");
    QVERIFY(parsed);
    QCOMPARE(parsed->nodes().size(), size_t{2});

    Document other;
    GraphModel there(other);
    there.clipboard()->paste(0, 0);
    QCOMPARE(there.count(), 2);
    QVERIFY(other.graph().has_link({"constant", "y", "mlp", "x"}));
    QCOMPARE(param_value(*other.graph().find("constant"), "dtype"), ParamValue(std::string("f16")));

    // A node of that name that is another one gets no wire.
    Document third;
    GraphModel loss(third);
    Node train;
    train.id = "a";
    train.type = "train";
    QVERIFY(third.push("put", {AddNode{train}}));
    f_->document.selectNode("m");
    f_->key(Qt::Key_C, Qt::ControlModifier);
    loss.clipboard()->paste(0, 0, true);
    QCOMPARE(loss.count(), 2);
    QCOMPARE(third.graph().link_count(), size_t{0});
  }

  void what_is_no_graph_is_not_pasted() {
    QSignalSpy refused(&f_->document, &Document::refused);
    QGuiApplication::clipboard()->setText("dear all");
    f_->key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(refused.count(), 1);
    QVERIFY(!f_->document.canUndo());
  }

  void a_node_dropped_on_a_wire_goes_in() {
    put_pair();
    f_->wire("a", "y", "m", "x");
    f_->put("r", "relu", -100, 300);
    f_->surface->frameAll();
    const QPoint header = f_->on_screen(f_->graph.nodeRect("r").topLeft() + QPointF(60, 16));
    f_->drag(header, f_->on_screen(f_->surface->wireMiddle("a", "y", "m", "x")));
    QVERIFY(f_->linked("a", "y", "r", "x"));
    QVERIFY(f_->linked("r", "y", "m", "x"));
    f_->document.undo();
    QVERIFY(f_->linked("a", "y", "m", "x"));
    QCOMPARE(f_->graph.nodeRect("r").topLeft(), QPointF(-100, 300));
  }
};

}  // namespace hw::app

int main(int argc, char** argv) {
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
  QGuiApplication app(argc, argv);
  hw::app::CanvasTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "canvas_test.moc"
