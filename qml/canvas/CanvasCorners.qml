// What lies over the canvas at its edges: the groups around, a layout in progress, zoom, minimap, the heat map's legend.
import QtQuick
import Halfwire

Item {
    id: root

    required property var surface
    /// HeatMapModel; null: no heat map.
    required property var heatMap
    property alias minimap: minimap.on
    readonly property alias zoom: zoomBadge.zoom

    anchors.fill: parent

    ArrangingBadge {
        arrangement: root.surface.graph ? root.surface.graph.arrangement : null
        anchors.horizontalCenter: parent.horizontalCenter
    }
    Breadcrumbs {
        x: Theme.space3
        y: Theme.space3
        groups: root.surface.graph ? root.surface.graph.groups : null
    }
    ZoomBadge {
        id: zoomBadge
        surface: root.surface
    }
    MinimapPane {
        id: minimap
        surface: root.surface
        anchors.right: zoomBadge.right
        anchors.bottom: zoomBadge.top
        anchors.bottomMargin: Theme.space2
    }
    Loader {
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        anchors.margins: Theme.space3
        active: root.heatMap !== null && root.heatMap.on && root.surface.graph && root.surface.graph.count > 0
        sourceComponent: HeatLegend {
            surface: root.surface
            map: root.heatMap
        }
    }
}
