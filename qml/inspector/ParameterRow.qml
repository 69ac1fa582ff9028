// One parameter: name, editor, a way back to the default, and why it is wrong.
import QtQuick
import Halfwire
import Halfwire.Models

Column {
    id: root
    required property string param
    required property string label
    required property string doc
    required property string unit
    required property string kind
    required property var value
    required property string valueText
    required property bool isDefault
    required property string defaultText
    required property var choices
    required property string facts
    required property bool live
    required property string error
    required property string heading
    required property string standIn
    required property bool applies
    required property bool promoted  // it is a parameter of the group that the node lies in
    required property bool mixed     // the nodes that are edited have different values
    required property InspectorModel inspector
    required property Document document
    /// DraggedNode that carries it to the border of the group.
    property var carrier: null
    property string typedError: ""
    readonly property string problem: typedError !== "" ? typedError : error

    onValueTextChanged: typedError = ""
    visible: applies
    spacing: Theme.space1
    bottomPadding: Theme.space2

    Text {
        visible: root.heading !== ""
        x: Theme.space3
        width: parent.width - 2 * Theme.space3
        height: Theme.control
        verticalAlignment: Text.AlignBottom
        bottomPadding: Theme.space1
        text: root.heading
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
        font.weight: Font.DemiBold
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }
    Item {
        width: parent.width
        height: root.kind === "lines" ? Theme.control + editor.height : Theme.control
        ParameterName {
            id: name
            x: Theme.space3
            width: Math.min(140, parent.width * 0.38)
            height: Theme.control
            param: root.param
            label: root.label
            doc: root.doc + (root.live ? (root.doc ? "\n" : "") + qsTr("Takes effect while training.") : "")
            color: root.isDefault ? Theme.textMuted : Theme.text
            joins: root.inspector.inGroup && !root.promoted
            carrier: root.carrier
        }
        Loader {
            id: editor
            readonly property bool below: root.kind === "lines"
            anchors.left: below ? parent.left : name.right
            anchors.leftMargin: below ? Theme.space3 : Theme.space2
            anchors.right: below ? parent.right : promote.visible ? promote.left : back.left
            anchors.rightMargin: below ? Theme.space3 : Theme.space1
            y: below ? Theme.control : 0
            height: below ? (item ? item.implicitHeight : 0) : parent.height
            asynchronous: true  // a node's editors are made over several frames
            sourceComponent: ({
                integer: number, real: number, boolean: toggle, choice: choice, dtype: choice, path: path, text: line,
                vector: line, lines: lines
            })[root.kind]
        }
        IconButton {
            id: promote
            objectName: "param:" + root.param + ":promote"
            visible: root.inspector.inGroup
            anchors.right: back.left
            implicitWidth: Theme.space6
            iconName: Icons.promote
            tint: root.promoted ? Theme.accent : Theme.textFaint
            tip: root.promoted ? qsTr("A parameter of the group. Take it off")
                               : qsTr("Make it a parameter of the group, which each instance can set")
            onClicked: root.inspector.setPromoted(root.param, !root.promoted)
            TapHandler {
                acceptedButtons: Qt.RightButton
                onTapped: {
                    joins.model = root.inspector.joinable(root.param);
                    if (joins.model.length > 0)
                        join.popup();
                }
            }
            AppMenu {
                id: join
                Instantiator {
                    id: joins
                    model: []
                    onObjectAdded: (index, object) => join.insertItem(index, object)
                    onObjectRemoved: (index, object) => join.removeItem(object)
                    delegate: AppMenuItem {
                        required property var modelData
                        objectName: "join:" + modelData.id
                        text: qsTr("Set together with “%1”").arg(modelData.label)
                        onTriggered: root.inspector.join(root.param, modelData.id)
                    }
                }
            }
        }
        IconButton {
            id: back
            objectName: "param:" + root.param + ":reset"
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            implicitWidth: Theme.space6
            opacity: root.isDefault ? 0 : 1
            enabled: !root.isDefault
            iconName: Icons.revert
            tint: Theme.textFaint
            tip: qsTr("Back to %1").arg(root.defaultText)
            onClicked: root.inspector.resetParam(root.param)
        }
    }
    Text {
        visible: root.facts !== ""
        x: editor.x
        width: editor.width
        text: root.facts
        color: Theme.textFaint
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    Refusal {
        objectName: "param:" + root.param + ":error"
        x: Theme.space3
        width: parent.width - 2 * Theme.space3
        text: root.problem
    }

    Component {
        id: number
        NumberField {
            property real start: 0
            objectName: "param:" + root.param
            Accessible.name: root.label
            text: root.valueText
            standIn: root.standIn
            unit: root.unit
            document: root.document
            wrong: root.problem !== ""
            onCommitted: text => root.typedError = root.inspector.setText(root.param, text)
            onNudged: direction => root.inspector.nudge(root.param, direction)
            onScrubStarted: start = root.value
            onScrubbed: (steps, snaps) =>
                root.inspector.setValue(root.param, root.inspector.scrubbed(root.param, start, steps, snaps), true)
            onScrubFinished: root.inspector.endDrag()
        }
    }
    Component {
        id: toggle
        Toggle {
            objectName: "param:" + root.param
            Accessible.name: root.label
            mixed: root.mixed
            checked: root.value === true && !root.mixed
            onToggled: {
                root.inspector.setValue(root.param, checked);
                checked = Qt.binding(() => root.value === true && !root.mixed);
            }
        }
    }
    Component {
        id: choice
        ChoiceBox {
            objectName: "param:" + root.param
            Accessible.name: root.label
            model: root.choices
            dot: word => root.kind === "dtype" ? Theme.dtypeNamed(word) : "transparent"
            displayText: root.mixed ? root.standIn : currentText
            currentIndex: root.mixed ? -1 : root.choices.indexOf(root.value)
            onActivated: index => {
                root.inspector.setValue(root.param, root.choices[index]);
                currentIndex = Qt.binding(() => root.mixed ? -1 : root.choices.indexOf(root.value));
            }
        }
    }
    Component {
        id: line
        ValueBox {
            objectName: "param:" + root.param
            Accessible.name: root.label
            value: root.valueText
            placeholderText: root.standIn
            font.family: root.kind === "vector" ? Theme.mono : Theme.family
            wrong: root.problem !== ""
            onCommitted: text => {
                root.typedError = root.inspector.setText(root.param, text);
                if (root.typedError === "")
                    reset();
            }
            onGivenUp: root.typedError = ""
        }
    }
    Component {
        id: lines
        CodeBox {
            objectName: "param:" + root.param
            Accessible.name: root.label
            committed: root.valueText
            problem: root.problem
            onTyped: text => root.typedError = root.inspector.problemWith(root.param, text)
            onAccepted: text => {
                root.inspector.setText(root.param, text);
                root.typedError = "";
            }
        }
    }
    Component {
        id: path
        PathField {
            objectName: "param:" + root.param
            Accessible.name: root.label
            text: root.valueText
            standIn: root.standIn
            wrong: root.problem !== ""
            inspector: root.inspector
            document: root.document
            onCommitted: text => root.typedError = root.inspector.setText(root.param, text)
        }
    }
}
