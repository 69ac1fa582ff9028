// A small sign in a card's header, with its meaning under the pointer.
import QtQuick
import Halfwire

Icon {
    id: mark
    required property string tip

    anchors.verticalCenter: parent.verticalCenter
    size: Theme.space4
    color: Theme.textMuted
    Accessible.ignored: false
    Accessible.role: Accessible.StaticText
    Accessible.name: tip
    HoverHandler {
        id: over
    }
    Loader {
        active: over.hovered
        sourceComponent: CardTip {
            text: mark.tip
        }
    }
}
