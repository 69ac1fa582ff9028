// A socket: dot on the card's edge, two-letter dtype code, label. Lights up or dims while a wire is dragged.
import QtQuick
import Halfwire

Item {
    id: row

    required property var modelData
    required property int index
    required property var card
    required property var socketState
    required property bool isOutput

    readonly property string key: card.nodeId + (isOutput ? ":out:" : ":in:") + modelData.id
    readonly property var drag: card.surface.wireDrag
    readonly property bool sought: drag.active && drag.fromOutput !== isOutput
    readonly property bool fits: sought && drag.whyNot(card.nodeId, modelData.id) === ""
    readonly property bool lit: drag.active ? (drag.target === key || fits) : card.hovered && card.surface.hoverSocket === key
    readonly property bool faulty: !!socketState.error
    readonly property color dtypeColour: Theme.dtype(socketState.token ?? "dtypeAny")

    objectName: "socket:" + key
    Accessible.role: Accessible.Button
    Accessible.name: modelData.label + (socketState.type ? ", " + socketState.type : "") + (faulty ? ", " + socketState.error : "")
    Accessible.description: modelData.doc
    // The item is the dot, so that a press on its middle takes the socket.
    x: (isOutput ? card.width : 0) - width / 2
    y: modelData.offset - height / 2
    width: Theme.space3
    height: Theme.space3
    opacity: drag.active && !fits && drag.target !== key && key !== ownKey ? 0.3 : 1
    readonly property string ownKey: drag.node + (drag.fromOutput ? ":out:" : ":in:") + drag.socket

    Rectangle {
        anchors.centerIn: parent
        width: parent.width + Theme.space2
        height: width
        radius: width / 2
        visible: row.lit
        color: Qt.alpha(row.dtypeColour, 0.35)
    }
    Rectangle {
        id: dot
        // Made larger and scaled down it is a circle from near, too.
        readonly property int detail: row.card.surface.camera.close ? 4 : 1
        visible: !row.card.dot
        anchors.centerIn: parent
        width: parent.width * detail
        height: width
        scale: 1 / detail
        radius: row.socketState.token === "dtypeMesh" ? Theme.space1 / 2 * detail : width / 2
        color: row.socketState.linked ? row.dtypeColour : Theme.card
        border.color: row.faulty && !row.socketState.linked ? Theme.error : row.dtypeColour
        border.width: Theme.focusRing * detail
        antialiasing: true
    }
    Loader {
        active: row.isOutput && !row.card.dot && row.card.surface.gauges && !row.card.coarse && !!(row.card.instruments.gauges ?? {})[row.modelData.id]
        x: row.width
        y: row.height / 2
        sourceComponent: SocketGauges {
            surface: row.card.surface
            key: row.card.nodeId + ":" + row.modelData.id
            gauges: (row.card.instruments.gauges ?? {})[row.modelData.id] ?? ({})
        }
    }
    Row {
        visible: !row.card.collapsed && !row.card.coarse && !row.card.dot
        layoutDirection: row.isOutput ? Qt.RightToLeft : Qt.LeftToRight
        spacing: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        anchors.left: row.isOutput ? undefined : parent.right
        anchors.right: row.isOutput ? parent.left : undefined
        anchors.margins: Theme.space2
        Text {
            id: code
            anchors.verticalCenter: parent.verticalCenter
            text: row.socketState.code ?? ""
            visible: text !== ""
            color: Qt.tint(row.dtypeColour, Qt.alpha(Theme.text, 0.35))
            font.family: Theme.mono
            font.pixelSize: Theme.sizeSmall
            font.weight: Font.Bold
        }
        Text {
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, row.card.width / 2 - (Theme.space4 + Theme.space1) - code.width)
            text: row.modelData.label
            elide: Text.ElideMiddle
            color: row.faulty ? Theme.error : row.modelData.optional && !row.socketState.linked ? Theme.textMuted : Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
