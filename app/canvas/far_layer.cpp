#include "app/canvas/far_layer.h"

#include <QHash>
#include <algorithm>

#include "app/models/instruments/heat_map_model.h"

namespace hw::app {
namespace {

constexpr double kMark = 6;  // screen pixels: half the width of a mark

}  // namespace

void FarLayer::watch() {
  const auto appear = [this] { setVisible(view_->standIns()); };
  connect(view_, &CanvasView::standInsChanged, this, appear);
  connect(view_, &CanvasView::graphChanged, this, &FarLayer::follow_graph);
  appear();
  follow_graph();
}

void FarLayer::follow_graph() {
  touch_all();
  const GraphModel* graph = view_->graph();
  if (!graph) return;
  graph->disconnect(this);
  for (const auto change : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(graph, change, this, &FarLayer::touch_all);
  connect(graph, &QAbstractItemModel::modelReset, this, &FarLayer::touch_all);
  connect(graph, &QAbstractItemModel::layoutChanged, this, &FarLayer::touch_all);
  connect(graph, &QAbstractItemModel::dataChanged, this, &FarLayer::touch_rows);
  connect(graph, &GraphModel::wireLooksChanged, this, &FarLayer::touch_all);  // another heat
  connect(graph, &GraphModel::geometryChanged, this, [this, graph](const QStringList& ids) {
    for (const QString& id : ids)
      if (const int row = graph->rowOf(id); row >= 0) touch(row);
  });
}

void FarLayer::touch_rows(const QModelIndex& first, const QModelIndex& last, const QVector<int>& roles) {
  const auto is_drawn = [](int role) { return role == GraphModel::SelectedRole || role == GraphModel::StatusRole; };
  if (std::none_of(roles.begin(), roles.end(), is_drawn)) return;
  for (int row = first.row(); row <= last.row(); ++row) touch(row);
}

int FarLayer::count() const {
  return view_->graph() ? view_->graph()->count() : 0;
}

void FarLayer::fill(StripMesh& mesh, int first, int end, double zoom, const QRectF& area) const {
  const GraphModel& graph = *view_->graph();
  const auto colour = [this](const QString& token) { return view_->wires()->colour(token).rgba(); };
  const QRgb card = colour(QStringLiteral("card")), outline = colour(QStringLiteral("cardLine"));
  const QRgb chosen = colour(QStringLiteral("accent")), wrong = colour(QStringLiteral("error"));
  QHash<const NodeType*, QRgb> tints;
  const HeatMapModel* map = graph.heatMap();
  for (int row = first; row < end; ++row) {
    const QRectF rect = graph.rectAt(row);
    if (!rect.intersects(area)) continue;
    const NodeType* type = graph.cardAt(row).type;
    if (!tints.contains(type)) {
      const QString category = type ? to_q(type->decl.category()) : QString();
      tints[type] = colour(QStringLiteral("category") + category);
    }
    const bool selected = graph.isSelectedAt(row);
    const double rim = (selected ? 2 : 1) / zoom;
    add_rect(mesh, rect.adjusted(-rim, -rim, rim, rim), selected ? chosen : graph.isWrongAt(row) ? wrong : outline);
    const auto heat = map ? map->heatOf(graph.idAt(row)) : std::nullopt;
    add_rect(mesh, rect, heat ? view_->wires()->heatColour(heat->amount).rgba() : card);
    QRectF header = rect;
    header.setHeight(std::min(CardMetrics::header, rect.height()));
    add_rect(mesh, header, tints[type]);
    if (heat && heat->bad)
      add_bad_mark(mesh, rect.topRight(), kMark / zoom, 1 / zoom, wrong, colour(QStringLiteral("canvas")));
  }
}

}  // namespace hw::app
