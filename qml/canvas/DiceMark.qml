// Marks a node that draws random numbers: the face of a die.
import QtQuick
import Halfwire

Rectangle {
    id: die
    property color ink: Theme.textMuted

    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("Draws random numbers")
    width: Theme.space4 - 2
    height: width
    radius: Theme.radiusSmall
    color: "transparent"
    border.color: ink
    border.width: 1
    antialiasing: true

    Repeater {
        model: 3
        Rectangle {
            required property int index
            x: Math.round((die.width - width) * (1 + index) / 4)
            y: x
            width: 2
            height: 2
            radius: 1
            color: die.ink
        }
    }
}
