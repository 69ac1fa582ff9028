// Body text: elides in the middle, the whole in a tip when it does not fit.
import QtQuick
import Halfwire

Text {
    id: root
    property string tip: truncated ? text : ""

    color: Theme.text
    elide: Text.ElideMiddle
    font.family: Theme.family
    font.pixelSize: Theme.sizeBody
    verticalAlignment: Text.AlignVCenter

    HoverHandler {
        id: over
        enabled: root.tip !== ""
    }
    Tip {
        text: root.tip
        visible: over.hovered && root.tip !== ""
    }
}
