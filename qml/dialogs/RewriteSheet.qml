// Rewrites: other graphs that compute the same. Each is tried on the graph's own data before it is offered.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    readonly property var model: App.rewrites

    title: qsTr("Rewrite the graph")
    width: 640
    onOpened: model.look()
    onClosed: model.cancel()

    // What a training, or a file that was read, has changed since.
    readonly property bool outdated: model.stale && !model.running && model.problem === ""
    onOutdatedChanged: if (outdated && opened) model.look()

    Column {
        objectName: "rewriteSheet"
        width: parent.width
        spacing: Theme.space3
        Text {
            width: parent.width
            text: root.model.problem !== "" ? root.model.problem
                : qsTr("Other graphs that compute the same. Each is run on the graph's own data, beside the graph as it is and one in f64, before it is offered.")
            color: root.model.problem !== "" ? Theme.warning : Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Repeater {
            model: root.model.problem === "" ? root.model : null
            Item {
                id: row
                required property int index
                required property string title
                required property string summary
                required property string state
                required property string verdict
                required property string places
                readonly property bool proven: state === "proven"
                readonly property bool wrong: state === "differs" || state === "failed"

                width: parent.width
                height: words.height + Theme.space2
                Rectangle {
                    width: parent.width
                    height: 1
                    color: Theme.line
                }
                Column {
                    id: words
                    y: Theme.space2
                    width: parent.width - apply.width - Theme.space4
                    spacing: Theme.space1
                    Text {
                        width: parent.width
                        text: row.title
                        color: row.state === "none" ? Theme.textMuted : Theme.text
                        font.family: Theme.family
                        font.pixelSize: Theme.sizeBody
                        font.weight: Font.DemiBold
                    }
                    Text {
                        width: parent.width
                        text: row.summary
                        color: Theme.textMuted
                        wrapMode: Text.Wrap
                        font.family: Theme.family
                        font.pixelSize: Theme.sizeBody
                    }
                    Text {
                        objectName: "rewrite:verdict:" + row.index
                        Accessible.role: Accessible.StaticText
                        Accessible.name: text
                        width: parent.width
                        text: row.state === "waiting" ? root.model.running ? qsTr("Trying…") : qsTr("Not tried") : row.verdict
                        color: row.wrong ? Theme.warning : row.proven ? Theme.ok : Theme.textMuted
                        wrapMode: Text.Wrap
                        font.family: Theme.family
                        font.pixelSize: Theme.sizeSmall
                        HoverHandler { id: over }
                        Tip {
                            visible: over.hovered && row.places !== ""
                            text: row.places
                        }
                    }
                }
                PushButton {
                    id: apply
                    objectName: "rewrite:apply:" + row.index
                    anchors.right: parent.right
                    anchors.verticalCenter: words.verticalCenter
                    visible: row.proven
                    enabled: !root.model.running && !root.model.stale
                    text: qsTr("Apply")
                    onClicked: {
                        forceActiveFocus();
                        root.model.apply(row.index);
                    }
                }
            }
        }
    }
}
