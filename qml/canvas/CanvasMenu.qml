// A menu in the canvas's look.
import QtQuick
import QtQuick.Controls.Basic
import Halfwire

Menu {
    id: menu
    implicitWidth: Theme.space8 * 6
    padding: Theme.space1
    background: Rectangle {
        implicitWidth: Theme.space8 * 6
        radius: Theme.radius
        color: Theme.raised
        border.color: Theme.cardLine
    }
}
