// On a wrong wire: the reason in short, and a button that mends it.
import QtQuick
import Halfwire

Rectangle {
    id: pill

    required property var modelData
    required property int index
    required property var surface

    // Named to be bound to: pillPlace is a plain function.
    readonly property var spot: {
        [surface.camera.originX, surface.camera.originY, surface.camera.zoom, surface.geometryTick];
        return surface.pillPlace(modelData.from, modelData.fromSocket, modelData.to, modelData.toSocket, Qt.size(width, height));
    }
    readonly property point at: spot.at
    readonly property string place: modelData.to + ":" + modelData.toSocket
    readonly property bool small: surface.camera.far

    objectName: "wrong:" + place
    visible: !surface.wireDrag.active
    Accessible.role: Accessible.AlertMessage
    Accessible.name: modelData.reason
    x: Math.round(spot.x)
    y: Math.round(spot.y)
    width: content.width + (small ? Theme.space1 : Theme.space2) * 2
    height: Theme.control
    radius: height / 2
    color: Theme.raised
    border.color: Theme.error
    border.width: 1

    // The stem, where the pill stands off its wire.
    Rectangle {
        readonly property real dx: pill.at.x - pill.x - pill.width / 2
        readonly property real dy: pill.at.y - pill.y - pill.height / 2
        visible: Math.abs(dy) > pill.height / 2 || Math.abs(dx) > pill.width / 2
        z: -1
        x: pill.width / 2
        y: pill.height / 2
        width: Math.hypot(dx, dy)
        height: 1
        antialiasing: true
        transformOrigin: Item.TopLeft
        rotation: Math.atan2(dy, dx) * 180 / Math.PI
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
                    text: button.modelData.replace(/ \([^)]*\)$/, "")  // what it costs is in the tip and in Problems
                    color: Theme.accentText
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeSmall
                    font.weight: Font.DemiBold
                }
                Tip {
                    visible: press.containsMouse && label.text !== button.modelData
                    text: button.modelData
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
