// The samples of the largest loss: their picture, what they are, what they were taken for.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property SplitResultsModel model
    readonly property int cell: 76
    spacing: Theme.space1

    Text {
        text: qsTr("Worst samples: right class → predicted, loss")
        width: root.width
        elide: Text.ElideRight
        color: Theme.textMuted
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    Flow {
        width: root.width
        spacing: Theme.space2
        Repeater {
            model: root.model.worst
            Item {
                id: sample
                required property var modelData
                required property int index
                objectName: "evaluation:worst:" + index
                width: root.cell
                height: picture.height + words.height + Theme.space1
                Accessible.role: Accessible.StaticText
                Accessible.name: qsTr("%1 taken for %2, loss %3").arg(modelData.label).arg(modelData.predicted).arg(modelData.loss)
                Image {
                    id: picture
                    visible: sample.modelData.picture !== ""
                    width: root.cell
                    height: visible ? root.cell : 0
                    source: sample.modelData.picture
                    smooth: false
                    fillMode: Image.PreserveAspectFit
                }
                Text {
                    id: words
                    anchors.top: picture.bottom
                    anchors.topMargin: Theme.space1
                    width: parent.width
                    text: qsTr("%1 → %2\n%3").arg(sample.modelData.label).arg(sample.modelData.predicted).arg(sample.modelData.loss)
                    color: sample.modelData.wrong ? Theme.text : Theme.textMuted
                    elide: Text.ElideRight
                    horizontalAlignment: Text.AlignHCenter
                    font.family: Theme.mono
                    font.pixelSize: Theme.sizeSmall
                }
                HoverHandler {
                    id: hover
                }
                Tip {
                    visible: hover.hovered
                    text: qsTr("Sample %1 of the split: %2").arg(sample.modelData.row).arg(sample.Accessible.name)
                }
            }
        }
    }
}
