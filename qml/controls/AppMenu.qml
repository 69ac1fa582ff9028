// A menu in the theme's colours.
import QtQuick
import QtQuick.Controls.Basic as Basic
import Halfwire

Basic.Menu {
    id: root
    implicitWidth: 260
    padding: Theme.space1
    background: Rectangle {
        implicitWidth: 260
        color: Theme.raised
        border.color: Theme.lineStrong
        radius: Theme.radius
    }
    delegate: AppMenuItem { objectName: subMenu ? "menu:" + subMenu.title : "" }
}
