// A switch.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.Switch {
    id: root
    /// It stands for several that differ.
    property bool mixed: false
    implicitWidth: 36
    implicitHeight: Theme.control
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    Accessible.role: Accessible.CheckBox
    Keys.onReturnPressed: root.click()
    onPressedChanged: pressed ? lent.take() : lent.giveBack()

    readonly property LentFocus lent: LentFocus { borrower: root }

    indicator: Rectangle {
        anchors.verticalCenter: parent.verticalCenter
        width: 36
        height: 20
        radius: height / 2
        color: root.checked ? Theme.accent : Theme.input
        border.width: root.visualFocus ? Theme.focusRing : 1
        border.color: root.visualFocus ? Theme.focus : root.checked ? Theme.accent : Theme.lineStrong
        Rectangle {
            x: root.mixed ? (parent.width - width) / 2 : root.checked ? parent.width - width - 3 : 3
            anchors.verticalCenter: parent.verticalCenter
            width: 14
            height: root.mixed ? Theme.space1 : 14
            radius: height / 2
            color: root.checked ? Theme.accentText : Theme.textMuted
            Behavior on x { NumberAnimation { duration: Theme.quick } }
        }
    }
}
