// What the colours of a tensor's picture stand for: automatic, or fixed by typing; and the value under the cursor.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property TensorImageModel image
    property string value
    spacing: Theme.space1

    Row {
        spacing: Theme.space1
        NumberField {
            id: low
            objectName: "image:low"
            Accessible.name: qsTr("Value of the lowest colour")
            width: Theme.picture / 2.5
            text: root.image.low
            onCommitted: text => root.image.setRange(text, root.image.high)
        }
        NumberField {
            objectName: "image:high"
            Accessible.name: qsTr("Value of the highest colour")
            width: Theme.picture / 2.5
            text: root.image.high
            onCommitted: text => root.image.setRange(root.image.low, text)
        }
        Chip {
            objectName: "image:auto"
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("Auto")
            checked: root.image.autoRange
            onClicked: root.image.autoRange = !root.image.autoRange
        }
    }
    TextLabel {
        objectName: "image:value"
        width: parent.width
        height: Theme.space4
        text: root.value || root.image.bad || qsTr("Point at the picture to read its values")
        color: root.value ? Theme.text : root.image.bad ? Theme.error : Theme.textFaint
        font.family: root.value ? Theme.mono : Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
