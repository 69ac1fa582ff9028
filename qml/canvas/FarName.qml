// The name of a node on the rectangle that stands for its card from afar. Sized to be read at a third of life size.
import QtQuick
import Halfwire

Text {
    required property string nodeId
    required property string title
    required property real posX
    required property real posY
    required property real cardWidth
    required property bool shown
    required property bool dot

    visible: shown && !dot
    objectName: "node:" + nodeId
    Accessible.role: Accessible.StaticText
    Accessible.name: title
    x: posX + Theme.space3
    y: posY + Theme.header
    width: cardWidth - Theme.space6
    text: title
    elide: Text.ElideMiddle
    color: Theme.text
    font.family: Theme.family
    font.pixelSize: Theme.space8
}
