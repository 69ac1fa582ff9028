// What an edit reports: the rows and wires that it touches, and no others.
#include <gtest/gtest.h>

#include <QSet>

#include "app/models/graph/graph_model.h"
#include "tests/app/support.h"

namespace hw::app::testing {
namespace {

/// constant → relu_0 → relu_1 → … in one row, and what the model has emitted since forget().
struct Chain {
  Document document;
  GraphModel graph{document};
  QSet<QString> rows, wires, moved;
  int resets = 0;

  explicit Chain(int length) {
    Edits edits{AddNode{node("c", "constant", {{"shape", std::vector<double>{2, 2}}})}};
    std::string before = "c";
    for (int i = 0; i < length; ++i) {
      const std::string id = "r" + std::to_string(i);
      edits.push_back(AddNode{node(id, "relu")});
      edits.push_back(AddLink{{before, "y", id, "x"}});
      before = id;
    }
    EXPECT_TRUE(document.push("Fill", edits));
    for (int row = 0; row < graph.count(); ++row) {  // as cards would
      graph.data(graph.index(row), GraphModel::InputStatesRole);
      graph.data(graph.index(row), GraphModel::OutputStatesRole);
    }
    QObject::connect(&graph, &GraphModel::dataChanged, [this](const QModelIndex& first, const QModelIndex& last) {
      for (int row = first.row(); row <= last.row(); ++row) rows.insert(graph.idAt(row));
    });
    const auto add = [](QSet<QString>& all) {
      return [&all](const QStringList& ids) { all.unite({ids.begin(), ids.end()}); };
    };
    QObject::connect(&graph, &GraphModel::wiresChanged, add(wires));
    QObject::connect(&graph, &GraphModel::wireLooksTouched, add(wires));
    QObject::connect(&graph, &GraphModel::geometryChanged, add(moved));
    QObject::connect(&graph, &GraphModel::wiresReset, [this] { ++resets; });
    QObject::connect(&graph, &GraphModel::wireLooksChanged, [this] { ++resets; });
    QObject::connect(&graph, &GraphModel::modelReset, [this] { ++resets; });
  }
  void forget() { rows.clear(), wires.clear(), moved.clear(), resets = 0; }
  QVariantMap input(const char* id) {
    const QModelIndex at = graph.index(graph.rowOf(QLatin1String(id)));
    return graph.data(at, GraphModel::InputStatesRole).toList().front().toMap();
  }
};

using Ids = QSet<QString>;

TEST(Touched, AMoveReportsItsNode) {
  Chain chain(20);
  ASSERT_TRUE(chain.document.push("Move", {MoveNode{"r7", 40, 80}}));
  EXPECT_EQ(chain.rows, Ids{"r7"});
  EXPECT_EQ(chain.moved, Ids{"r7"});
  EXPECT_TRUE(chain.wires.isEmpty()) << "they keep what they look like";
}

TEST(Touched, ASelectionReportsThoseThatChange) {
  Chain chain(20);
  chain.document.selectNode("r3");
  EXPECT_EQ(chain.rows, Ids{"r3"});
  EXPECT_TRUE(chain.wires.isEmpty());
  chain.forget();
  chain.document.select({"r3", "r9"}, "r9");
  EXPECT_EQ(chain.rows, (Ids{"r3", "r9"})) << "r3 is the active one no more";
  chain.forget();
  chain.document.select({}, {}, {{"r4", "y", "r5", "x"}});
  EXPECT_TRUE(chain.wires.contains("r5"));
  EXPECT_FALSE(chain.wires.contains("r9"));
  chain.forget();
  chain.document.clearSelection();
  EXPECT_TRUE(chain.wires.contains("r5")) << "it is chosen no more";
  EXPECT_TRUE(chain.rows.isEmpty());
}

TEST(Touched, AWireReportsItsEndsAndWhatLiesBehind) {
  Chain chain(20);
  const Link last{"r17", "y", "r18", "x"};
  ASSERT_TRUE(chain.document.push("Cut", {RemoveLink{last}}));
  EXPECT_EQ(chain.resets, 0);
  EXPECT_TRUE(chain.rows.contains("r17") && chain.rows.contains("r18") && chain.rows.contains("r19"));
  EXPECT_FALSE(chain.rows.contains("r10"));
  EXPECT_LE(chain.rows.size(), 3);
  EXPECT_TRUE(chain.wires.contains("r18"));
  EXPECT_FALSE(chain.wires.contains("r10"));
  EXPECT_FALSE(chain.input("r18")["linked"].toBool());
  EXPECT_EQ(chain.input("r19")["type"].toString(), QString()) << "its type is known no more";
  chain.forget();
  chain.document.undo();
  EXPECT_LE(chain.rows.size(), 3);
  EXPECT_TRUE(chain.input("r18")["linked"].toBool());
  EXPECT_FALSE(chain.input("r19")["type"].toString().isEmpty());
}

TEST(Touched, AWireThatIsReplacedReportsItsOldSource) {
  Chain chain(4);
  ASSERT_TRUE(chain.document.push("Wire", {AddLink{{"c", "y", "r3", "x"}}}));
  EXPECT_TRUE(chain.wires.contains("r2"));
  const QModelIndex source = chain.graph.index(chain.graph.rowOf("r2"));
  EXPECT_FALSE(chain.graph.data(source, GraphModel::OutputStatesRole).toList().front().toMap()["linked"].toBool());
}

TEST(Touched, RowsThatGoAreReportedAtOnceAndOthersKeepTheirOrder) {
  Chain chain(40);
  int removals = 0;
  QObject::connect(&chain.graph, &GraphModel::rowsRemoved, [&] { ++removals; });
  QStringList kept;
  Edits odd;
  for (int row = 0; row < chain.graph.count(); ++row) {
    const QString id = chain.graph.idAt(row);
    row % 2 ? odd.push_back(RemoveNode{id.toStdString()}) : kept.append(id);
  }
  ASSERT_TRUE(chain.document.push("Thin out", odd));
  EXPECT_EQ(removals, 1);
  ASSERT_EQ(chain.graph.count(), kept.size());
  for (int row = 0; row < chain.graph.count(); ++row) {
    EXPECT_EQ(chain.graph.idAt(row), kept[row]);
    EXPECT_EQ(chain.graph.rowOf(kept[row]), row);
  }
  chain.document.undo();
  EXPECT_EQ(chain.graph.count(), 41);
}

TEST(Touched, ABypassedNodeReportsItsWires) {
  Chain chain(6);
  ASSERT_TRUE(chain.document.push("Bypass", {SetFlags{"r2", false, true}}));
  EXPECT_TRUE(chain.wires.contains("r2"));
}

}  // namespace
}  // namespace hw::app::testing
