// A switch on a card.
import QtQuick
import Halfwire

CardSlot {
    id: slot

    readonly property bool on: param.value === true

    valueWidth: track.width
    activeFocusOnTab: true
    Accessible.role: Accessible.CheckBox
    Accessible.name: param.modelData.label
    Accessible.checked: on
    Accessible.onPressAction: param.set(!on)
    Keys.onSpacePressed: param.set(!on)
    Keys.onReturnPressed: param.set(!on)

    Rectangle {
        id: track
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        width: Theme.space6
        height: Theme.space4
        radius: height / 2
        color: slot.on ? Theme.accent : Theme.cardLine
        Rectangle {
            x: slot.on ? parent.width - width - Theme.space1 / 2 : Theme.space1 / 2
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.space3
            height: width
            radius: width / 2
            color: slot.on ? Theme.accentText : Theme.text
            Behavior on x {
                NumberAnimation {
                    duration: Theme.quick
                }
            }
        }
    }
    TapHandler {
        gesturePolicy: TapHandler.WithinBounds
        onTapped: slot.param.set(!slot.on)
    }
}
