// What a comparison marks: rings, signs and ghosts, and the names of what is only in the other graph.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: root

    required property var surface
    readonly property var comparison: surface.graph ? surface.graph.comparison : null

    anchors.fill: parent
    visible: comparison !== null && comparison.on
    CompareLayer {
        anchors.fill: parent
        view: root.surface
    }
    Item {
        x: root.surface.camera.originX
        y: root.surface.camera.originY
        scale: root.surface.camera.zoom
        transformOrigin: Item.TopLeft
        Repeater {
            model: root.visible ? root.comparison.ghosts : []
            Text {
                required property var modelData
                objectName: "ghost:" + modelData.id
                x: modelData.x + Theme.space4
                y: modelData.y
                width: Math.max(0, modelData.width - 2 * Theme.space4)
                height: Math.min(modelData.height, Theme.header)
                text: modelData.title
                elide: Text.ElideMiddle
                verticalAlignment: Text.AlignVCenter
                color: Theme.byToken.diffRemoved
                font.family: Theme.family
                font.pixelSize: Theme.sizeTitle
                font.strikeout: true
            }
        }
    }
}
