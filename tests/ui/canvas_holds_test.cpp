// What a hand holds on the canvas may go away while the button is down. Whatever it holds, and whatever takes it away:
// the gesture ends before that as Esc would have ended it, and what comes with the same button has no effect.
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTest>

#include "engine/io/graph/graph_file.h"
#include "tests/ui/canvas_fixture.h"

namespace hw::app {
namespace {

enum Act {
  erase,
  undo_twice,
  cut,
  compare,
  other_document,
  leave_and_return,
  duplicate,
  redo,
  open_file,
  foreign_edit,
  nudge,
  frame,
  group,
  arrange,
  align,
  shrink
};
constexpr const char* kActs[] = {"erase",
                                 "undo twice",
                                 "cut",
                                 "compare",
                                 "another document",
                                 "leave and return",
                                 "duplicate",
                                 "redo",
                                 "open a file",
                                 "an edit from elsewhere",
                                 "nudge",
                                 "frame",
                                 "group",
                                 "arrange",
                                 "align",
                                 "shrink a frame"};

struct Hold {
  const char* name;
  QPoint from, over;  // over what would take it
  Qt::KeyboardModifiers modifiers = Qt::NoModifier;
  Qt::MouseButton button = Qt::LeftButton;
};
constexpr size_t kHolds = 10;

}  // namespace

class CanvasHoldsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<CanvasFixture> f_;
  std::unique_ptr<Document> elsewhere_;
  std::unique_ptr<GraphModel> other_;
  QTemporaryDir folder_;

  std::vector<Hold> holds() const {
    const auto at = [&](double x, double y) { return f_->on_screen({x, y}); };
    const QPoint width = f_->middle("param:m:width");
    return {{"wire of an output", f_->middle("socket:a:out:y"), f_->middle("socket:late:in:x")},
            {"wire taken off an input", f_->middle("socket:m:in:x"), at(-100, 150)},
            {"all wires of an output", f_->middle("socket:a:out:y"), f_->middle("socket:b:out:y"), Qt::ControlModifier},
            {"node", at(-240, 12), at(-160, 100)},
            {"frame", at(420, -70), at(460, -200)},
            {"side of a frame", at(720, 40), at(800, 40)},
            {"box", at(-340, -100), at(60, 500)},
            {"cut", at(-60, -60), at(60, 400), Qt::ControlModifier, Qt::RightButton},
            {"reroute", at(-60, -60), at(60, 400), Qt::ShiftModifier, Qt::RightButton},
            {"number", width, width + QPoint(60, 0)}};
  }

  /// Two constants, two MLPs, a frame; a ReLU and its wire as the last two steps.
  void put_all() {
    f_->document.newDocument();
    f_->window->rootObject()->setProperty("graph", QVariant::fromValue(&f_->graph));
    const ParamMap sized{{"shape", std::vector<double>{4, 8}}, {"dtype", "f32"}};
    f_->put("a", "constant", -300, 0, sized);
    f_->put("b", "constant", -300, 200, sized);
    f_->put("m", "mlp", 100, 0);
    f_->put("n", "mlp", 100, 300);
    f_->wire("a", "y", "m", "x");
    f_->wire("a", "y", "n", "x");
    f_->document.push("frame", {SetFrame{{"frame", "Frame", 400, -80, 320, 240, {}, {}, {}}}});
    f_->put("late", "relu", 450, 0);
    f_->wire("m", "y", "late", "x");
    f_->surface->frameAll();
    QTest::qWait(30);
  }

  QString bytes() const { return QString::fromStdString(write_graph(f_->document.graph())); }

  /// `taken_back`: a step that letting go has taken back; undo would have.
  void do_it(int act, bool taken_back) {
    Document& d = f_->document;
    QObject* window = f_->window->rootObject();
    d.select({"a", "m", "late"}, "a", {}, {"frame"});
    switch (act) {
      case erase:
        return f_->key(Qt::Key_Delete);
      case undo_twice:
        if (!taken_back) d.undo();
        return d.undo();
      case cut:
        return f_->key(Qt::Key_X, Qt::ControlModifier);
      case compare:
        return f_->graph.comparison()->with("other", Graph());
      case other_document:
      case leave_and_return:
        d.letGo();  // as OpenDocuments does
        window->setProperty("graph", QVariant::fromValue(other_.get()));
        if (act == leave_and_return) window->setProperty("graph", QVariant::fromValue(&f_->graph));
        return QTest::qWait(20);
      case duplicate:
        return f_->key(Qt::Key_D, Qt::ControlModifier);
      case redo:
        return d.redo();
      case open_file:
        return void(d.load(QUrl::fromLocalFile(folder_.filePath("empty.halfwire"))));
      case nudge:
        return f_->graph.edits()->nudgeSelection(8, 0);  // the key is the number's while that is held
      case frame:
        return f_->key(Qt::Key_J, Qt::ControlModifier);
      case group:
        return f_->key(Qt::Key_G, Qt::ControlModifier);
      case arrange:
        return f_->key(Qt::Key_L);
      case align:
        return f_->graph.arrangement()->align("top");
      case shrink:
        return f_->graph.frames()->shrink("frame");
      default:
        return void(d.push("remove", {RemoveNode{"a"}, RemoveFrame{"frame"}, SetFlags{"m", true, false}}));
    }
  }

  /// Presses, drags half the way, does something else, goes on and releases: the bytes of then. `lets_go`: Esc before.
  QString held(const Hold& hold, int act, bool lets_go) {
    const auto move = [&](int step) { f_->move(hold.from + (hold.over - hold.from) * step / 8); };
    const QString before = bytes();
    f_->press(hold.from, hold.modifiers, hold.button);
    for (int i = 1; i <= 4; ++i) move(i);
    const bool makes_steps = bytes() != before;
    if (!f_->surface->busy() && !makes_steps) QTest::qFail("nothing is held", __FILE__, __LINE__);
    if (lets_go) f_->key(Qt::Key_Escape);
    do_it(act, lets_go && makes_steps);
    if (f_->surface->busy() || f_->surface->wireDrag()->active()) QTest::qFail("it is held on", __FILE__, __LINE__);
    const QString after = bytes();
    for (int i = 5; i <= 8; ++i) move(i);
    f_->release(hold.over, hold.modifiers, hold.button);
    if (bytes() != after) QTest::qFail("the release had an effect", __FILE__, __LINE__);
    if (f_->item("search:field")) QTest::qFail("the search has opened", __FILE__, __LINE__);
    return after;
  }

 private Q_SLOTS:
  void init() {
    f_ = std::make_unique<CanvasFixture>();
    elsewhere_ = std::make_unique<Document>();
    other_ = std::make_unique<GraphModel>(*elsewhere_);
    QVERIFY(save_graph(Graph(), folder_.filePath("empty.halfwire").toStdString()));
  }
  void cleanup() {
    QVERIFY2(f_->warnings.isEmpty(), qPrintable(f_->warnings.join('\n')));
    f_.reset();
  }

  void what_is_held_may_go_away_data() {
    QTest::addColumn<int>("act");
    for (int act = 0; act < static_cast<int>(std::size(kActs)); ++act) QTest::newRow(kActs[act]) << act;
  }
  void what_is_held_may_go_away() {
    QFETCH(int, act);
    QSignalSpy refused(&f_->document, &Document::refused);
    QStringList expected, step;  // by what is held: had the hand let go before
    for (const bool lets_go : {true, false}) {
      for (size_t i = 0; i < kHolds; ++i) {
        put_all();
        if (act == redo) f_->document.undo();
        const Hold hold = holds()[i];
        const QString after = held(hold, act, lets_go);
        if (QTest::currentTestFailed()) return void(qWarning("holding: %s", hold.name));
        if (lets_go) {
          expected.append(after);
          step.append(f_->document.undoText());
          continue;
        }
        QVERIFY2(after == expected[static_cast<qsizetype>(i)], hold.name);
        QVERIFY2(f_->document.undoText() == step[static_cast<qsizetype>(i)], hold.name);
        while (act != open_file && f_->document.canUndo()) f_->document.undo();
        QVERIFY2(f_->document.graph().nodes().empty(), hold.name);
        QVERIFY2(refused.isEmpty(), hold.name);
      }
    }
  }

  void a_key_on_a_number_that_is_held_steps_from_what_it_was() {
    put_all();
    f_->graph.edits()->nudgeParam("m", "width", 1);
    const QString expected = bytes();
    f_->document.undo();
    const QPoint width = f_->middle("param:m:width");
    f_->press(width);
    for (int i = 1; i <= 6; ++i) f_->move(width + QPoint(10 * i, 0));
    QVERIFY(bytes() != expected);
    f_->key(Qt::Key_Right);
    QCOMPARE(bytes(), expected);
    f_->move(width + QPoint(120, 0));
    f_->release(width + QPoint(120, 0));
    QCOMPARE(bytes(), expected);
  }

  void the_search_for_a_wire_ends_with_what_the_wire_hangs_on() {
    put_all();
    f_->drag(f_->middle("socket:a:out:y"), f_->on_screen({-100, -100}));
    QTRY_VERIFY(f_->item("search:field"));
    f_->document.push("remove", {RemoveNode{"a"}});
    QTRY_VERIFY(!f_->item("search:field"));
    QVERIFY(!f_->surface->wireDrag()->active());
  }

  void undo_of_a_move_that_goes_on_takes_back_the_move_alone() {
    put_all();
    const QString before = bytes(), step = f_->document.undoText();
    f_->press(f_->on_screen({-240, 12}));
    for (int i = 1; i <= 8; ++i) f_->move(f_->on_screen({-240 + 10.0 * i, 12}));
    QVERIFY(f_->document.undoText().startsWith("Move"));
    f_->document.undo();
    QCOMPARE(bytes(), before);
    QCOMPARE(f_->document.undoText(), step);
    f_->release(f_->on_screen({-100, 12}));
    QCOMPARE(bytes(), before);
  }

  void a_second_button_ends_nothing() {
    put_all();
    const QString before = bytes();
    const QPoint from = f_->middle("socket:a:out:y"), to = f_->middle("socket:late:in:x");
    f_->press(from);
    for (int i = 1; i <= 4; ++i) f_->move(from + (to - from) * i / 8);
    for (const Qt::MouseButton other : {Qt::RightButton, Qt::MiddleButton}) {
      f_->press((from + to) / 2, Qt::NoModifier, other);
      f_->release((from + to) / 2, Qt::NoModifier, other);
      QVERIFY(f_->surface->wireDrag()->active());
      QVERIFY(!f_->item("search:field"));
      QCOMPARE(bytes(), before);
    }
    f_->move(to);
    f_->release(to);
    QVERIFY(f_->linked("a", "y", "late", "x"));
  }

  void nodes_that_are_moved_inside_a_group_do_not_move_their_namesakes_outside() {
    put_all();
    f_->document.selectNode("late");
    f_->graph.groups()->groupSelection();
    f_->put("late", "relu", 450, 300);  // called as the one inside
    f_->document.openGroup("group");
    f_->surface->frameAll();
    QTest::qWait(30);
    const QString before = bytes();
    const QPoint title = f_->on_screen(f_->graph.nodeRect("late").topLeft() + QPointF(60, 12));
    f_->press(title);
    for (int i = 1; i <= 6; ++i) f_->move(title + QPoint(10 * i, 6 * i));
    QVERIFY(bytes() != before);
    f_->key(Qt::Key_Backtab, Qt::ShiftModifier);
    QVERIFY(f_->document.shown().path().empty());
    QCOMPARE(bytes(), before);
    f_->release(title + QPoint(80, 80));
    QCOMPARE(bytes(), before);
  }
};

}  // namespace hw::app

int main(int argc, char** argv) {
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
  QGuiApplication app(argc, argv);
  hw::app::CanvasHoldsTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "canvas_holds_test.moc"
