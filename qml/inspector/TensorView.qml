// A tensor of the active node, or its gradient: which one, numbers, histogram, table.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property TensorModel model
    property string nothing  // what to say while there is none
    property bool pictured: false
    readonly property var numbers: model.numbers
    readonly property bool here: model.count > 0 && numbers.absent === ""

    EmptyHint {
        objectName: "tensors:nothing"
        visible: root.model.count === 0
        iconName: Icons.histogram
        text: root.nothing
    }
    Flickable {
        id: flick
        anchors.fill: parent
        visible: root.model.count > 0
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        contentHeight: column.height + 2 * Theme.space3
        T.ScrollBar.vertical: ThinScrollBar {}
        ColumnLayout {
            id: column
            x: Theme.space3
            y: Theme.space3
            width: root.width - 2 * Theme.space3
            height: Math.max(implicitHeight, flick.height - 2 * Theme.space3)
            spacing: Theme.space2

            Flow {
                Layout.fillWidth: true
                spacing: Theme.space1
                Repeater {
                    model: root.model
                    Chip {
                        required property int index
                        required property string name
                        required property string dtype
                        required property string token
                        required property bool bad
                        objectName: "tensor:" + name
                        text: name + (dtype ? "  " + dtype : "")
                        dot: token ? Theme.dtype(token) : Theme.lineStrong
                        wrong: bad
                        checked: root.model.current === index
                        onClicked: root.model.current = index
                    }
                }
            }
            Text {
                visible: !root.here
                Layout.fillWidth: true
                text: root.numbers.absent ?? ""
                color: Theme.textMuted
                wrapMode: Text.Wrap
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
            }
            TextLabel {
                visible: root.here
                Layout.fillWidth: true
                text: [root.numbers.dtype, root.numbers.shape, !root.model.evaluated ? qsTr("step %1, before its update").arg(String(root.model.step))
                       : root.model.training ? qsTr("training mode") : qsTr("evaluation mode"), root.numbers.scale]
                      .filter(t => t).map(t => t.replace(/ /g, "\u00a0")).join(" · ")
                color: Theme.textMuted
                wrapMode: Text.Wrap
                elide: Text.ElideNone
            }
            TextLabel {
                objectName: "tensors:older"
                visible: root.model.older
                Layout.fillWidth: true
                text: root.model.hint
                color: Theme.warning
                wrapMode: Text.Wrap
                elide: Text.ElideNone
            }
            TextMetrics {
                id: longest
                text: qsTr("Subnormal")
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
            }
            GridLayout {
                objectName: "tensorNumbers"
                visible: root.here
                Layout.fillWidth: true
                columns: 4
                rowSpacing: Theme.space1
                columnSpacing: Theme.space2
                Repeater {
                    model: [
                        [qsTr("Min"), "min"], [qsTr("Zero"), "zeros"], [qsTr("Max"), "max"], [qsTr("Subnormal"), "subnormal"],
                        [qsTr("Mean"), "mean"], [qsTr("Saturated"), "saturated"], [qsTr("Std"), "deviation"],
                        [qsTr("NaN"), "nans"], [qsTr("Count"), "count"], [qsTr("Inf"), "infs"]
                    ]
                    RowLayout {
                        required property int index
                        required property var modelData
                        readonly property bool alarm: (modelData[1] === "nans" || modelData[1] === "infs")
                                                      && (root.numbers[modelData[1]] ?? "0") !== "0"
                        Layout.columnSpan: 2
                        Layout.fillWidth: true
                        Layout.preferredWidth: index % 2 ? 5 : 4  // counts with their shares are longer
                        TextLabel {
                            Layout.preferredWidth: longest.width
                            text: modelData[0]
                            color: parent.alarm ? Theme.error : Theme.textFaint
                        }
                        TextLabel {
                            Layout.fillWidth: true
                            objectName: "stat:" + modelData[1]
                            text: root.numbers[modelData[1]] ?? ""
                            color: parent.alarm ? Theme.error : Theme.text
                            font.family: Theme.mono
                            font.pixelSize: Theme.sizeSmall
                        }
                    }
                }
            }
            Histogram {
                visible: root.here && !root.pictured
                Layout.fillWidth: true
                histogram: root.model.histogram
                dtype: root.numbers.dtype ?? ""
            }
            TextLabel {
                visible: root.here && text !== ""
                Layout.fillWidth: true
                text: root.model.kernel
                color: Theme.textFaint
                wrapMode: Text.Wrap
                elide: Text.ElideNone
                font.pixelSize: Theme.sizeSmall
            }
            Row {
                visible: root.here
                spacing: Theme.space1
                Chip {
                    objectName: "view:table"
                    text: qsTr("Table")
                    checked: !root.pictured
                    onClicked: root.pictured = false
                }
                Chip {
                    objectName: "view:image"
                    text: qsTr("Image")
                    checked: root.pictured
                    onClicked: root.pictured = true
                }
            }
            TensorImage {
                visible: root.here && root.pictured
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredHeight: 320
                Layout.minimumHeight: 320
                image: root.model.image
            }
            TensorTable {
                visible: root.here && !root.pictured
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredHeight: 200
                Layout.minimumHeight: 200
                table: root.model.table
            }
            Item {
                visible: !root.here
                Layout.fillHeight: true
            }
        }
    }
}
