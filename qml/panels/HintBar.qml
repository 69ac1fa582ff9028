// The hint of a view, over the lower edge of its picture.
import QtQuick
import Halfwire

Rectangle {
    id: root
    property string text
    anchors.bottom: parent.bottom
    width: parent.width
    height: word.implicitHeight + 2 * Theme.space2
    color: Theme.caption
    Text {
        id: word
        x: Theme.space3
        y: Theme.space2
        width: parent.width - 2 * Theme.space3
        text: root.text
        color: Theme.captionText
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
