// On a wire whose ends run on different devices: an arrow, and how much goes over it each step. The wire's tip says more.
import QtQuick
import Halfwire

Rectangle {
    id: mark

    required property var modelData
    required property var surface
    // Named to be bound to: toScreen and wireMiddle are plain functions.
    readonly property point at: {
        [surface.camera.originX, surface.camera.originY, surface.camera.zoom, surface.geometryTick];
        return surface.camera.toScreen(surface.wireMiddle(modelData.from, modelData.fromSocket, modelData.to, modelData.toSocket));
    }
    readonly property string text: modelData.text
    /// Between the cards, side by side or one above the other, in pixels of the screen.
    readonly property size gap: {
        [surface.camera.zoom, surface.geometryTick];
        const from = surface.graph.nodeRect(modelData.from), to = surface.graph.nodeRect(modelData.to);
        const below = Math.max(to.y - from.y - from.height, from.y - to.y - to.height);
        return Qt.size((to.x - from.x - from.width) * surface.camera.zoom, below * surface.camera.zoom);
    }
    readonly property bool roomy: modelData.figure !== ""
                                  && (gap.width > words.implicitWidth + 2 * Theme.space8 || gap.height > 2 * height)

    objectName: "transfer:" + modelData.to + ":" + modelData.toSocket
    Accessible.role: Accessible.StaticText
    Accessible.name: text
    visible: !surface.camera.far
    x: Math.round(at.x - width / 2)
    y: Math.round(at.y - height / 2)
    width: roomy ? content.width + 2 * Theme.space2 : height
    height: Theme.space4 + Theme.space1
    radius: height / 2
    color: Theme.raised
    border.color: Theme.accent
    border.width: 1

    Row {
        id: content
        anchors.centerIn: parent
        spacing: Theme.space1
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.transfer
            size: Theme.space3
            color: Theme.accent
        }
        Text {
            id: words
            visible: mark.roomy
            anchors.verticalCenter: parent.verticalCenter
            text: mark.modelData.figure
            color: Theme.text
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
        }
    }
}
