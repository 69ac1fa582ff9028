// The frame that the editors on a card share: a rounded slot, the name at its left.
import QtQuick
import Halfwire

Rectangle {
    id: slot

    required property var param
    property bool hot: over.hovered
    property real valueWidth: 0

    objectName: "param:" + param.card.nodeId + ":" + param.modelData.id
    radius: Theme.radiusSmall
    color: hot || activeFocus ? Theme.hover : Theme.input
    border.color: activeFocus ? Theme.focus : Theme.cardLine
    border.width: activeFocus ? Theme.focusRing : 1

    HoverHandler {
        id: over
    }
    Loader {
        active: over.hovered && !slot.activeFocus && slot.param.modelData.doc !== ""
        sourceComponent: CardTip {
            text: slot.param.modelData.doc
        }
    }
    Text {
        anchors.left: parent.left
        anchors.leftMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        width: Math.max(0, parent.width - slot.valueWidth - (Theme.space4 + Theme.space1))
        text: slot.param.modelData.label
        elide: Text.ElideMiddle
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
