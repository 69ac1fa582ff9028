// The cards of the nodes in view, in canvas units, and the names that stand in for them from afar.
import QtQuick

Item {
    id: root

    required property var surface

    /// Whether this point of the surface is on the words of a node's title.
    function isTitle(node, at): bool {
        const p = surface.camera.toCanvas(at);
        const card = childAt(p.x, p.y);
        return card?.nodeId === node && card.onTitle(card.mapFromItem(surface, at));
    }

    x: surface.camera.originX
    y: surface.camera.originY
    scale: surface.camera.zoom
    transformOrigin: Item.TopLeft
    Repeater {
        model: root.surface.farNodes
        FarName {}
    }
    Repeater {
        model: root.surface.nodes
        NodeCard {
            surface: root.surface
        }
    }
}
