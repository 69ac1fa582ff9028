// What this is, its version and licence, and those of what it is built on.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    title: qsTr("Halfwire %1").arg(Qt.application.version)
    width: 640
    height: Math.min(520, parent ? parent.height - 2 * Theme.space8 : 520)

    Text {
        id: what
        width: parent.width
        text: qsTr("A node editor for mixed-precision neural pipelines. MIT licence. It is built on:")
        color: Theme.textMuted
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    ListView {
        objectName: "about:libraries"
        anchors.top: what.bottom
        anchors.topMargin: Theme.space3
        anchors.bottom: parent.bottom
        width: parent.width
        clip: true
        model: App.thirdParty
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ThinScrollBar {}
        delegate: Item {
            id: row
            required property var modelData
            objectName: "about:" + modelData.name
            property string value: modelData.version + " " + modelData.licence
            width: ListView.view.width - Theme.space2
            height: Theme.row + Theme.space2
            TextLabel {
                id: name
                width: parent.width * 0.36
                height: Theme.space4
                text: row.modelData.name + (row.modelData.version ? "  " + row.modelData.version : "")
                font.weight: Font.DemiBold
            }
            TextLabel {
                anchors.top: name.bottom
                width: parent.width * 0.36
                height: Theme.space4
                text: row.modelData.purpose
                color: Theme.textFaint
                font.pixelSize: Theme.sizeSmall
            }
            TextLabel {
                x: parent.width * 0.38
                width: parent.width * 0.24
                height: Theme.space8
                text: row.modelData.licence
                color: Theme.textMuted
            }
            TextLabel {
                x: parent.width * 0.64
                width: parent.width * 0.36
                height: Theme.space8
                text: row.modelData.url
                color: Theme.textMuted
                font.pixelSize: Theme.sizeSmall
            }
        }
    }
}
