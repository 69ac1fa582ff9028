// What the search offers: title, category, one sentence.
import QtQuick
import QtQuick.Controls.Basic
import Halfwire

ItemDelegate {
    id: item

    required property int index
    required property string key
    required property string title
    required property string category
    required property string summary
    property bool current: false

    text: title
    objectName: "search:item:" + key
    Accessible.name: title + ", " + category
    Accessible.description: summary
    height: Theme.space8 + Theme.space3
    padding: 0
    background: Rectangle {
        radius: Theme.radiusSmall
        color: item.current ? Theme.hover : "transparent"
    }
    contentItem: Item {
        Rectangle {
            id: mark
            anchors.left: parent.left
            anchors.leftMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            width: Theme.space1
            height: parent.height - Theme.space4
            radius: width / 2
            color: Theme.category(item.category)
        }
        Text {
            id: name
            anchors.left: mark.right
            anchors.leftMargin: Theme.space2
            anchors.right: group.left
            anchors.rightMargin: Theme.space2
            anchors.top: parent.top
            anchors.topMargin: Theme.space1
            text: item.title
            elide: Text.ElideMiddle
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
            font.weight: Font.DemiBold
        }
        Text {
            id: group
            anchors.right: parent.right
            anchors.rightMargin: Theme.space3
            anchors.baseline: name.baseline
            text: item.category
            color: Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Text {
            anchors.left: name.left
            anchors.right: group.right
            anchors.bottom: parent.bottom
            anchors.bottomMargin: Theme.space1
            text: item.summary
            elide: Text.ElideRight
            color: Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
