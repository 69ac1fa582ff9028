// Marks a node that draws random numbers: the face of a die. Filled where it is fixed what it draws from.
import QtQuick
import Halfwire

Rectangle {
    id: die
    property bool fixed: false
    property string text
    readonly property color ink: fixed ? Theme.card : Theme.textMuted

    Accessible.role: Accessible.StaticText
    Accessible.name: text
    width: Theme.space4 - 2
    height: width
    radius: Theme.radiusSmall
    color: fixed ? Theme.textMuted : "transparent"
    border.color: Theme.textMuted
    border.width: 1
    antialiasing: true

    HoverHandler {
        id: over
    }
    Loader {
        active: over.hovered
        sourceComponent: CardTip {
            text: die.text
        }
    }
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
