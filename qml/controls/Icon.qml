// One icon of the icon font, as text.
import QtQuick
import Halfwire

Text {
    property alias name: root.text
    property int size: Theme.icon

    id: root
    color: Theme.textMuted
    font.family: Theme.icons
    font.pixelSize: size
    horizontalAlignment: Text.AlignHCenter
    verticalAlignment: Text.AlignVCenter
    Accessible.ignored: true
}
