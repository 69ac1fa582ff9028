// Tries a dtype on the selected nodes, or plans the precision of all: what is asked for, progress, what came out, and
// taking it or not. The canvas stays usable beside it; closed, the work goes on.
import QtQuick
import QtQuick.Controls.Basic as Basic
import QtQuick.Templates as T
import Halfwire
import Halfwire.App

Basic.Popup {
    id: root
    property string mode: "try"
    readonly property bool plans: mode === "plan"
    readonly property bool mine: App.precision.asked === mode  // what is shown belongs to this question
    readonly property string stepsProblem: App.precision.problemWith(plans ? "planned" : "steps", steps.text)
    readonly property string seedsProblem: seeds.visible ? App.precision.problemWith("seeds", seeds.text) : ""
    readonly property bool hasResult: mine && App.precision.rows.length > 0

    function openFor(what: string) {
        // A search that goes on is shown, whatever is asked for.
        mode = App.precision.running ? App.precision.asked : what;
        open();
        (plans ? limit : start).forceActiveFocus();
    }
    function begin() {
        if (!start.enabled)
            return;
        if (plans)
            App.precision.plan(limit.budget, minimise.values[minimise.currentIndex], Number(steps.text), Number(seeds.text));
        else
            App.precision.tryDtype(dtype.currentText, Number(steps.text));
    }

    parent: T.Overlay.overlay
    x: (parent.width - width) / 2
    y: Theme.bar + Theme.space6
    width: 640
    padding: Theme.space6
    modal: false
    focus: true
    closePolicy: Basic.Popup.CloseOnEscape
    background: Rectangle {
        color: Theme.panel
        border.color: Theme.lineStrong
        radius: Theme.radiusLarge
    }
    onAboutToShow: App.document.letGo()
    onModeChanged: steps.text = mode === "plan" ? "" : "200"

    contentItem: Column {
        objectName: "precisionSheet"
        spacing: Theme.space4
        Item {
            width: parent.width
            height: Theme.control
            Text {
                anchors.verticalCenter: parent.verticalCenter
                width: parent.width - Theme.control - Theme.space2
                text: root.plans ? qsTr("Plan the precision of every node")
                                 : qsTr("Try another precision: %1").arg(App.precision.selected || qsTr("nothing selected"))
                color: Theme.text
                elide: Text.ElideMiddle
                font.family: Theme.family
                font.pixelSize: Theme.sizeHeading
                font.weight: Font.DemiBold
            }
            IconButton {
                objectName: "precision:close"
                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                iconName: Icons.close
                tip: App.precision.running ? qsTr("Close; the search goes on") : qsTr("Close")
                onClicked: root.close()
            }
        }
        Text {
            visible: !root.plans || !root.hasResult
            width: parent.width
            text: root.plans
                ? qsTr("Finds the nodes that can do with narrower numbers. The graph is trained in full precision, then each group of nodes is tried narrower in short runs; what costs little is combined. Fresh samples decide, which nothing was trained on.")
                : qsTr("Both graphs are trained in turns from the same seed and weights, and measured on samples that neither is trained on.")
            color: Theme.textMuted
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        PrecisionLimit {
            id: limit
            visible: root.plans
            enabled: !App.precision.running
            explained: !root.hasResult
            width: parent.width
            onAccepted: root.begin()
        }
        Row {
            spacing: Theme.space2
            enabled: !App.precision.running
            Word {
                visible: !root.plans
                text: qsTr("dtype")
            }
            ChoiceBox {
                id: dtype
                objectName: "precision:dtype"
                visible: !root.plans
                width: 108
                model: App.precision.dtypes
                currentIndex: Math.max(0, model.indexOf("bf16"))
                dot: word => Theme.dtypeNamed(word)
                Accessible.name: qsTr("dtype")
            }
            Word {
                visible: root.plans
                text: qsTr("Save")
            }
            ChoiceBox {
                id: minimise
                readonly property var values: ["both", "bytes", "time"]
                objectName: "precision:minimise"
                visible: root.plans
                width: 152
                model: [qsTr("Memory and time"), qsTr("Memory"), qsTr("Time")]
                Accessible.name: qsTr("What is to be saved")
            }
            Word { text: qsTr("Steps") }
            TextBox {
                id: steps
                objectName: "precision:steps"
                width: 84
                text: "200"
                placeholderText: root.plans ? qsTr("as Train") : qsTr("200")
                wrong: root.stepsProblem !== ""
                onAccepted: root.begin()
            }
            Word {
                visible: seeds.visible
                text: qsTr("Seeds")
            }
            TextBox {
                id: seeds
                objectName: "precision:repeats"
                visible: root.plans && limit.ofLoss
                width: 52
                text: "1"
                wrong: root.seedsProblem !== ""
                onAccepted: root.begin()
            }
            PushButton {
                id: start
                objectName: "precision:start"
                text: root.plans ? qsTr("Search") : qsTr("Try")
                primary: !App.precision.applicable
                enabled: root.stepsProblem + root.seedsProblem === "" && (root.plans ? limit.problem === "" : App.precision.selected !== "")
                onClicked: root.begin()
            }
        }
        Refusal {
            objectName: "precision:counts:error"
            width: parent.width
            text: root.stepsProblem || root.seedsProblem
        }
        Text {
            objectName: "precision:seedsText"
            visible: seeds.visible && !root.hasResult
            width: parent.width
            text: qsTr("Seeds: the same training from another random start ends a little higher or lower, by luck. With more seeds the graph is trained from as many starts and the mean decides: surer, and about that many times as long.")
            color: Theme.textFaint
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Column {
            visible: App.precision.running
            width: parent.width
            spacing: Theme.space2
            Rectangle {
                width: parent.width
                height: Theme.space2
                radius: height / 2
                color: Theme.input
                Rectangle {
                    objectName: "precision:progress"
                    width: parent.width * App.precision.progress
                    height: parent.height
                    radius: parent.radius
                    color: Theme.accent
                }
            }
            TextLabel {
                objectName: "precision:doing"
                width: parent.width
                text: App.precision.doing
                color: Theme.textMuted
            }
        }
        Text {
            objectName: "precision:problem"
            visible: root.mine && text !== ""
            width: parent.width
            text: App.precision.problem
            color: Theme.error
            wrapMode: Text.Wrap
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        PrecisionResult {
            visible: root.hasResult
            width: parent.width
            seen: root.parent.height < 820 ? 4 : 7
        }
        Row {
            anchors.right: parent.right
            spacing: Theme.space2
            PushButton {
                objectName: "precision:stop"
                visible: App.precision.running
                text: qsTr("Stop")
                onClicked: App.precision.cancel()
            }
            PushButton {
                objectName: "precision:drop"
                visible: root.hasResult
                text: qsTr("Drop")
                onClicked: {
                    App.precision.drop();
                    root.close();
                }
            }
            PushButton {
                objectName: "precision:accept"
                visible: root.hasResult
                primary: true
                enabled: App.precision.applicable
                text: root.plans ? qsTr("Apply") : qsTr("Accept")
                onClicked: {
                    App.precision.apply();
                    root.close();
                }
            }
        }
    }
    component Word: TextLabel {
        height: Theme.control
        verticalAlignment: Text.AlignVCenter
        color: Theme.textMuted
    }
}
