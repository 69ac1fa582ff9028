// Weights of a file against the graph: which tensor is which parameter, and what does not fit, before any is taken.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Sheet {
    id: root
    readonly property var model: App.weightMap
    readonly property real nameWidth: (width - 2 * padding) * 0.28
    readonly property real typeWidth: (width - 2 * padding) * 0.17

    title: qsTr("Weights of %1").arg(model.name)
    width: Math.min(1040, parent ? parent.width - 2 * Theme.space6 : 1040)
    height: Math.min(Math.max(320, 236 + list.count * Theme.row), parent ? parent.height - 2 * Theme.space6 : 680)
    onClosed: model.close()

    component Cell: Text {
        height: Theme.row
        verticalAlignment: Text.AlignVCenter
        color: Theme.text
        elide: Text.ElideMiddle
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    component Choice: Row {
        id: choice
        property alias text: words.text
        property alias checked: toggle.checked
        property string key
        signal toggled(bool on)
        spacing: Theme.space2
        Toggle {
            id: toggle
            objectName: choice.key
            anchors.verticalCenter: parent.verticalCenter
            Accessible.name: choice.text
            onToggled: choice.toggled(checked)
        }
        Text {
            id: words
            anchors.verticalCenter: parent.verticalCenter
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
            TapHandler { onTapped: toggle.toggle(), toggle.toggled() }
        }
    }

    Item {
        objectName: "weightMapSheet"
        anchors.fill: parent
        Text {
            id: summary
            objectName: "weightMap:summary"
            Accessible.role: Accessible.StaticText
            Accessible.name: text
            width: parent.width
            text: root.model.problem !== "" ? root.model.problem : root.model.summary
            color: root.model.problem !== "" || !root.model.loadable ? Theme.warning : Theme.ok
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Row {
            id: options
            anchors.top: summary.bottom
            anchors.topMargin: Theme.space3
            spacing: Theme.space6
            Row {
                spacing: Theme.space2
                Text {
                    anchors.verticalCenter: parent.verticalCenter
                    text: qsTr("Find other names by")
                    color: Theme.textMuted
                    font.family: Theme.family
                    font.pixelSize: Theme.sizeBody
                }
                ChoiceBox {
                    objectName: "weightMap:far"
                    width: 190
                    Accessible.name: qsTr("Find other names by")
                    model: [qsTr("similar name"), qsTr("name, then shape"), qsTr("name, shape, order")]
                    currentIndex: root.model.far
                    onActivated: index => root.model.far = index
                }
            }
            Choice {
                anchors.verticalCenter: parent.verticalCenter
                key: "weightMap:convert"
                text: qsTr("Convert dtypes")
                checked: root.model.convert
                onToggled: on => root.model.convert = on
            }
            Choice {
                anchors.verticalCenter: parent.verticalCenter
                key: "weightMap:partial"
                text: qsTr("Take what fits")
                checked: root.model.partial
                onToggled: on => root.model.partial = on
            }
        }
        Row {
            id: heads
            anchors.top: options.bottom
            anchors.topMargin: Theme.space3
            Repeater {
                model: [[qsTr("Parameter"), root.nameWidth], [qsTr("Needs"), root.typeWidth], [qsTr("Tensor"), root.nameWidth],
                    [qsTr("Has"), root.typeWidth], [qsTr("Found by"), 0]]
                Cell {
                    required property var modelData
                    width: modelData[1] || implicitWidth
                    text: modelData[0]
                    color: Theme.textMuted
                }
            }
        }
        Rectangle {
            id: line
            anchors.top: heads.bottom
            width: parent.width
            height: 1
            color: Theme.line
        }
        ListView {
            id: list
            objectName: "weightMap:list"
            anchors.top: line.bottom
            anchors.bottom: foot.top
            anchors.bottomMargin: Theme.space3
            width: parent.width
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: root.model
            T.ScrollBar.vertical: ThinScrollBar {}
            delegate: Item {
                id: row
                required property int index
                required property string parameter
                required property string needs
                required property string tensor
                required property string has
                required property string foundBy
                required property string problem
                readonly property bool wrong: problem !== ""

                width: ListView.view.width
                height: Theme.row
                HoverHandler { id: over }
                Rectangle {
                    anchors.fill: parent
                    color: over.hovered ? Theme.hover : "transparent"
                }
                Tip {
                    visible: over.hovered && row.wrong
                    text: row.problem
                }
                Row {
                    Cell {
                        width: root.nameWidth
                        rightPadding: Theme.space2
                        text: row.parameter
                    }
                    Cell {
                        width: root.typeWidth
                        text: row.needs
                        color: Theme.textMuted
                    }
                    ChoiceBox {
                        objectName: "weightMap:tensor:" + row.index
                        width: root.nameWidth - Theme.space2
                        height: Theme.row - 4
                        anchors.verticalCenter: parent.verticalCenter
                        Accessible.name: qsTr("Tensor of %1").arg(row.parameter)
                        property var names: [row.tensor]
                        model: names.map(name => name === "" ? qsTr("none") : name)
                        currentIndex: Math.max(0, names.indexOf(row.tensor))
                        onPressedChanged: if (pressed) names = root.model.candidates(row.index)
                        onActivated: index => root.model.choose(row.index, names[index])
                    }
                    Cell {
                        width: root.typeWidth + Theme.space2
                        leftPadding: Theme.space2
                        text: row.tensor === "" ? qsTr("missing") : row.has
                        color: row.wrong ? Theme.warning : Theme.textMuted
                    }
                    Cell {
                        text: row.foundBy
                        color: Theme.textMuted
                    }
                }
            }
        }
        Item {
            id: foot
            anchors.bottom: parent.bottom
            width: parent.width
            height: Theme.control
            Text {
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - load.width - Theme.space4
                elide: Text.ElideRight
                text: root.model.unused.length > 0 ? qsTr("Left over: %1").arg(root.model.unused.slice(0, 20).join(", ")) : ""
                color: Theme.textMuted
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
            PushButton {
                id: load
                objectName: "weightMap:load"
                anchors.right: parent.right
                primary: enabled
                text: qsTr("Load")
                enabled: root.model.loadable
                onClicked: {
                    root.model.load();
                    root.close();
                }
            }
        }
    }
}
