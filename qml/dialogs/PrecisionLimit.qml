// What a plan of precision may cost: how much the loss may rise, or how far the outputs may be off, in percent.
import QtQuick
import Halfwire
import Halfwire.App

Column {
    id: root
    readonly property bool ofLoss: kind.currentIndex === 0
    /// As PrecisionModel.plan takes it.
    readonly property string budget: (ofLoss ? "loss=" : "error=") + Number(percent.text) + "%"
    /// Why there is no budget; "" where there is one.
    readonly property string problem: App.precision.problemWith("limit", percent.text)
    property bool explained: true
    signal accepted

    function forceActiveFocus() { percent.forceActiveFocus(); }

    spacing: Theme.space2
    Row {
        spacing: Theme.space2
        Word { text: qsTr("Allow") }
        ChoiceBox {
            id: kind
            objectName: "precision:kind"
            width: 200
            model: [qsTr("a higher loss"), qsTr("an error of the outputs")]
            Accessible.name: qsTr("What is allowed")
            onActivated: percent.text = root.ofLoss ? "1" : "0.1"
        }
        Word { text: qsTr("of up to") }
        TextBox {
            id: percent
            objectName: "precision:budget"
            width: 68
            text: "1"
            Accessible.name: qsTr("Percent")
            wrong: root.problem !== ""
            onAccepted: root.accepted()
        }
        Word { text: "%" }
    }
    Refusal {
        objectName: "precision:budget:error"
        width: parent.width
        text: root.problem
    }
    Text {
        objectName: "precision:limitText"
        visible: root.explained
        width: parent.width
        text: root.ofLoss ? qsTr("After training, the loss may be this much higher than after training in full precision.")
                          : qsTr("With the weights trained in full precision, the outputs may be off by this much of their size. Nothing is trained narrow.")
        color: Theme.textFaint
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    component Word: TextLabel {
        height: Theme.control
        verticalAlignment: Text.AlignVCenter
        color: Theme.textMuted
    }
}
