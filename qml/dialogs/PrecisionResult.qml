// Two precisions side by side; then what would be changed in the graph, and what a search tried.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Column {
    id: root
    /// How many of the list of changes and trials are seen at once.
    property int seen: 7
    spacing: Theme.space3

    Column {
        width: parent.width
        Line {
            title: ""
            base: App.precision.baseTitle
            changed: App.precision.changedTitle
            change: qsTr("Change")
            head: true
        }
        Repeater {
            model: App.precision.rows
            Line {
                required property int index
                required property var modelData
                objectName: "precision:row:" + index
                title: modelData.title
                base: modelData.base
                changed: modelData.changed
                change: modelData.change
            }
        }
    }
    Text {
        objectName: "precision:verdict"
        width: parent.width
        text: App.precision.verdict
        color: Theme.text
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
    ListView {
        id: list
        objectName: "precision:details"
        readonly property var lines: App.precision.changes.map(text => ({ text: text, detail: "" })).concat(
            App.precision.trials.map(t => ({ text: t.what, detail: [t.cost, t.time, t.verdict].join("   ") })))
        visible: count > 0
        width: parent.width
        height: Math.min(contentHeight, root.seen * Theme.row)
        clip: true
        model: lines
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ThinScrollBar {}
        delegate: Column {
            required property int index
            required property var modelData
            width: ListView.view.width - Theme.space3
            bottomPadding: Theme.space1
            Text {
                objectName: "precision:detail:" + parent.index
                width: parent.width
                text: parent.modelData.text
                color: parent.modelData.detail === "" ? Theme.text : Theme.textMuted
                wrapMode: Text.Wrap
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
            }
            Text {
                visible: parent.modelData.detail !== ""
                width: parent.width
                text: parent.modelData.detail
                color: Theme.textFaint
                elide: Text.ElideRight
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
    }

    component Line: Item {
        id: line
        property string title
        property string base
        property string changed
        property string change
        property bool head: false
        readonly property string text: [title, base, changed, change].join("  ")
        width: parent.width
        height: Theme.row
        Accessible.role: Accessible.Row
        Accessible.name: text
        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: 1
            color: line.head ? Theme.lineStrong : Theme.line
        }
        Row {
            height: parent.height
            Cell {
                width: 0.34 * line.width
                horizontalAlignment: Text.AlignLeft
                text: line.title
                color: Theme.textMuted
                font.family: Theme.family
            }
            Cell { width: 0.2 * line.width; text: line.base }
            Cell { width: 0.2 * line.width; text: line.changed }
            Cell { width: 0.26 * line.width; text: line.change }
        }
    }
    component Cell: Text {
        height: Theme.row
        color: Theme.text
        elide: Text.ElideRight
        horizontalAlignment: Text.AlignRight
        verticalAlignment: Text.AlignVCenter
        font.family: Theme.mono
        font.pixelSize: Theme.sizeBody
    }
}
