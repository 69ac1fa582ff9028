// The selected nodes in one line, or at equal distances.
import QtQuick
import Halfwire

AppMenu {
    id: menu
    required property var arrangement
    /// What the names of the items begin with.
    property string place: "menu:align:"
    readonly property int chosen: arrangement ? arrangement.chosen : 0

    title: qsTr("Align")
    enabled: chosen > 1

    component Line: AppMenuItem {
        required property string line
        objectName: menu.place + line
        onTriggered: menu.arrangement.align(line)
    }
    Line { line: "left"; text: qsTr("Left edges") }
    Line { line: "middle_x"; text: qsTr("Centres in a column") }
    Line { line: "right"; text: qsTr("Right edges") }
    MenuLine {}
    Line { line: "top"; text: qsTr("Top edges") }
    Line { line: "middle_y"; text: qsTr("Centres in a row") }
    Line { line: "bottom"; text: qsTr("Bottom edges") }
    MenuLine {}
    AppMenuItem {
        objectName: menu.place + "distribute_x"
        enabled: menu.chosen > 2
        text: qsTr("Equal gaps in a row")
        onTriggered: menu.arrangement.distribute(true)
    }
    AppMenuItem {
        objectName: menu.place + "distribute_y"
        enabled: menu.chosen > 2
        text: qsTr("Equal gaps in a column")
        onTriggered: menu.arrangement.distribute(false)
    }
}
