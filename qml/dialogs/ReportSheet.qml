// Says what a problem report would hold before it is written. Weights go in only when they are ticked.
import QtQuick
import Halfwire
import Halfwire.App

Sheet {
    id: root
    property var parts: []
    property var chosen: ({})
    signal written(string file)
    signal failed(string code, string reason, string remedy)

    title: qsTr("Report a problem")
    width: 560
    onAboutToShow: {
        parts = App.report.contents();
        const all = {};
        for (const part of parts)
            all[part.id] = part.ticked;
        chosen = all;
    }
    Connections {
        target: App.report
        function onDone(file) {
            root.close();
            root.written(decodeURIComponent(file.toString().replace("file://", "")));
        }
        function onFailed(code, reason, remedy) { root.failed(code, reason, remedy); }
    }

    Column {
        width: parent.width
        spacing: Theme.space3
        Text {
            width: parent.width
            text: qsTr("A zip with these files is written; nothing is sent. Look through it before you pass it on.")
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Repeater {
            model: root.parts
            Item {
                id: part
                required property var modelData
                width: parent.width
                height: Theme.row + Theme.space2
                Toggle {
                    id: tick
                    objectName: "report:" + part.modelData.id
                    Accessible.name: part.modelData.title
                    anchors.verticalCenter: parent.verticalCenter
                    checked: root.chosen[part.modelData.id] ?? false
                    onToggled: root.chosen[part.modelData.id] = checked
                }
                TextLabel {
                    id: name
                    x: tick.width + Theme.space3
                    width: parent.width - x
                    height: Theme.space4
                    text: part.modelData.title
                }
                TextLabel {
                    anchors.top: name.bottom
                    x: name.x
                    width: name.width
                    height: Theme.space4
                    text: part.modelData.detail
                    color: Theme.textFaint
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
        PushButton {
            objectName: "report:write"
            anchors.right: parent.right
            primary: true
            enabled: !App.report.busy
            text: qsTr("Write the report")
            onClicked: App.report.write(App.folderOf(App.document.path),
                                        root.parts.map(p => p.id).filter(id => root.chosen[id]))
        }
    }
}
