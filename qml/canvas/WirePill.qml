// On a wrong wire: the reason in short, and a button that mends it.
import QtQuick
import Halfwire

Rectangle {
    id: pill

    required property var modelData
    required property int index
    required property var surface

    // Named to be bound to: toScreen and wireMiddle are plain functions.
    readonly property point at: {
        [surface.camera.originX, surface.camera.originY, surface.camera.zoom, surface.geometryTick];
        return surface.camera.toScreen(surface.wireMiddle(modelData.from, modelData.fromSocket, modelData.to, modelData.toSocket));
    }
    // Where the gap between the cards is too narrow, above both of them.
    readonly property real overhead: {
        const from = surface.graph.nodeRect(modelData.from), to = surface.graph.nodeRect(modelData.to);
        const narrow = Math.abs(to.x - from.x - from.width) * surface.camera.zoom < width + Theme.space4;
        return narrow ? surface.camera.toScreen(Qt.point(0, Math.min(from.y, to.y))).y - height - Theme.space2 : at.y - height / 2;
    }
    readonly property string place: modelData.to + ":" + modelData.toSocket
    readonly property bool small: surface.camera.far

    objectName: "wrong:" + place
    visible: !surface.wireDrag.active
    Accessible.role: Accessible.AlertMessage
    Accessible.name: modelData.reason
    x: Math.round(at.x - width / 2)
    y: {
        at;
        return Math.round(overhead);
    }
    width: content.width + (small ? Theme.space1 : Theme.space2) * 2
    height: Theme.control
    radius: height / 2
    color: Theme.raised
    border.color: Theme.error
    border.width: 1

    // The stem, where the pill stands off its wire.
    Rectangle {
        anchors.top: parent.bottom
        x: pill.at.x - pill.x
        width: 1
        height: Math.max(0, pill.at.y - pill.y - pill.height)
        color: Theme.error
    }
    HoverHandler {
        id: over
    }
    // A press on the pill is not one on the canvas.
    MouseArea {
        anchors.fill: parent
        onClicked: pill.surface.revealNode(pill.modelData.to)
    }
    Loader {
        active: over.hovered
        sourceComponent: CardTip {
            text: pill.modelData.code + ": " + pill.modelData.reason
        }
    }
    Row {
        id: content
        anchors.centerIn: parent
        spacing: Theme.space2
        Icon {
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.error
            size: Theme.space4
            color: Theme.error
        }
        Text {
            visible: !pill.small
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, Theme.space8 * 7)
            text: pill.modelData.expected && pill.modelData.got ? qsTr("%1 into %2").arg(pill.modelData.got).arg(pill.modelData.expected) : pill.modelData.reason
            elide: Text.ElideRight
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Repeater {
            model: pill.small ? [] : pill.modelData.remedies.slice(0, 1)
            Rectangle {
                id: button
                required property string modelData
                required property int index

                function apply() {
                    const wire = pill.modelData;
                    pill.surface.graph.edits.applyRemedy(wire.from, wire.fromSocket, wire.to, wire.toSocket, index);
                }

                objectName: "remedy:" + pill.place + ":" + index
                Accessible.role: Accessible.Button
                Accessible.name: modelData
                Accessible.onPressAction: apply()
                activeFocusOnTab: true
                Keys.onReturnPressed: apply()
                Keys.onSpacePressed: apply()
                anchors.verticalCenter: parent.verticalCenter
                width: label.implicitWidth + Theme.space4
                height: (Theme.space4 + Theme.space1)
                radius: height / 2
                color: press.containsMouse ? Theme.focus : Theme.accent
                border.color: Theme.focus
                border.width: activeFocus ? Theme.focusRing : 0
                Text {
                    id: label
                    anchors.centerIn: parent
                    text: button.modelData
                    color: Theme.accentText
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                    font.weight: Font.DemiBold
                }
                MouseArea {
                    id: press
                    anchors.fill: parent
                    hoverEnabled: true
                    cursorShape: Qt.PointingHandCursor
                    onClicked: button.apply()
                }
            }
        }
    }
}
