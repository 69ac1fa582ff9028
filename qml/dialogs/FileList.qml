// The folders and files of a folder. Click picks, double click or Enter chooses.
import QtQuick
import QtQuick.Templates as T
import Halfwire

Rectangle {
    id: root
    property alias model: list.model
    signal folderChosen(url folder)
    signal filePicked(string name)
    signal fileChosen(string name)

    color: Theme.input
    border.color: list.activeFocus ? Theme.focus : Theme.line
    radius: Theme.radius

    ListView {
        id: list
        objectName: "file:list"
        anchors.fill: parent
        anchors.margins: Theme.space1
        clip: true
        activeFocusOnTab: true
        currentIndex: -1
        boundsBehavior: Flickable.StopAtBounds
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Files")
        T.ScrollBar.vertical: ThinScrollBar {}
        Keys.onReturnPressed: if (currentItem) currentItem.choose()
        delegate: T.ItemDelegate {
            id: row
            required property int index
            required property string fileName
            required property url fileUrl
            required property bool fileIsDir
            function choose() {
                if (fileIsDir)
                    root.folderChosen(fileUrl);
                else
                    root.fileChosen(fileName);
            }
            objectName: "file:row:" + fileName
            text: fileName
            width: list.width
            height: Theme.row
            hoverEnabled: true
            Accessible.name: fileName
            onClicked: {
                list.currentIndex = index;
                if (!fileIsDir)
                    root.filePicked(fileName);
            }
            onDoubleClicked: choose()
            background: Rectangle {
                radius: Theme.radiusSmall
                color: row.ListView.isCurrentItem ? Theme.accentDim : row.hovered ? Theme.hover : "transparent"
            }
            contentItem: Item {
                Icon {
                    id: icon
                    x: Theme.space2
                    anchors.verticalCenter: parent.verticalCenter
                    name: row.fileIsDir ? Icons.open : Icons.newFile
                    color: row.fileIsDir ? Theme.accent : Theme.textMuted
                }
                TextLabel {
                    anchors.left: icon.right
                    anchors.leftMargin: Theme.space2
                    anchors.right: parent.right
                    height: parent.height
                    text: row.fileName
                }
            }
        }
    }
    Text {
        anchors.centerIn: parent
        visible: list.count === 0
        text: qsTr("Nothing to open here")
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
}
