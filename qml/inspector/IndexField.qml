// An index along an axis: typed, calculated ("2*8", "+=4"), stepped, dragged.
import QtQuick
import Halfwire
import Halfwire.Models

NumberField {
    id: root
    required property int at
    required property int size
    signal chosen(int index)
    property int start: 0

    unit: "/ " + size
    text: at
    onCommitted: text => {
        const index = Calculator.value(text, at);
        if (isFinite(index))
            chosen(Math.round(index));
    }
    onNudged: direction => chosen(at + direction)
    onScrubStarted: start = at
    onScrubbed: steps => chosen(start + Math.round(steps / 8))
}
