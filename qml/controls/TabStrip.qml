// Tabs: a word each, the current one underlined; closer together where there is little room. Left and right arrows move.
import QtQuick
import QtQuick.Templates as T
import Halfwire

Row {
    id: root
    property var tabs: []  // words
    property int current: 0
    property real room: Infinity
    readonly property real words: {
        let sum = 0;
        for (let i = 0; i < all.count; ++i)
            sum += all.itemAt(i)?.contentItem.implicitWidth ?? 0;
        return sum;
    }
    readonly property real padding: Math.max(Theme.space1, Math.min(Theme.space3, Math.floor((room - words) / (2 * all.count))))

    height: Theme.header
    Accessible.role: Accessible.PageTabList

    Repeater {
        id: all
        model: root.tabs
        T.AbstractButton {
            id: tab
            required property int index
            required property string modelData

            objectName: root.objectName + ":" + modelData
            text: modelData
            width: word.implicitWidth + 2 * root.padding
            height: root.height
            hoverEnabled: true
            focusPolicy: Qt.TabFocus
            checked: root.current === index
            Accessible.role: Accessible.PageTab
            Accessible.name: text
            onClicked: root.current = index
            Keys.onLeftPressed: root.current = Math.max(0, root.current - 1)
            Keys.onRightPressed: root.current = Math.min(root.tabs.length - 1, root.current + 1)
            background: Rectangle {
                color: tab.hovered && !tab.checked ? Theme.hover : "transparent"
                border.width: tab.visualFocus ? Theme.focusRing : 0
                border.color: Theme.focus
                Rectangle {
                    visible: tab.checked
                    anchors.bottom: parent.bottom
                    width: parent.width
                    height: 2
                    color: Theme.accent
                }
            }
            contentItem: Text {
                id: word
                text: tab.text
                color: tab.checked ? Theme.text : Theme.textMuted
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
                font.weight: tab.checked ? Font.DemiBold : Font.Normal
                horizontalAlignment: Text.AlignHCenter
                verticalAlignment: Text.AlignVCenter
            }
        }
    }
}
