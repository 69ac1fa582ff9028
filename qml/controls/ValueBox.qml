// A line of text that stands for a value of the document. Enter, and leaving it, commit; Esc gives back the value.
import QtQuick

TextBox {
    id: root
    property string value
    /// The text is not the value: typed and not committed, or refused.
    readonly property bool pending: text !== value
    /// Typed and committed; a receiver that takes it calls reset(), or changes `value`.
    signal committed(string text)
    signal givenUp()

    function commit() {
        if (pending)
            committed(text);
    }
    /// Shows the value as it stands in the document.
    function reset() {
        text = value;
    }

    text: value
    onValueChanged: reset()
    onEditingFinished: commit()
    Keys.onEscapePressed: {
        reset();
        givenUp();
    }
}
