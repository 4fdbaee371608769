//! What others wrote, as messages quote it: in short.

use std::borrow::Cow;

/// The most characters of a text that a message quotes. Every position and most turns are shorter.
const MOST: usize = 200;

/// A text as a message may quote it: the whole of it if it is not long, or else its beginning and three dots; for each
/// control character a mark. What comes from outside can have any length and move cursors, and a message is one line, to be
/// read at a glance.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    let end = text.char_indices().nth(MOST).map(|(end, _)| end);
    let shown = &text[..end.unwrap_or(text.len())];
    if end.is_none() && !shown.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let dots = if end.is_some() { "…" } else { "" };
    Cow::Owned(shown.replace(char::is_control, "\u{fffd}") + dots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_end() {
        for text in ["", "b1-b2", &"é".repeat(MOST)] {
            assert_eq!(excerpt(text), text);
        }
        let long = excerpt(&"é".repeat(MOST + 1)).into_owned();
        assert_eq!(long, "é".repeat(MOST) + "…");
        assert_eq!(excerpt("a\tb\u{1b}[31m"), "a\u{fffd}b\u{fffd}[31m");
    }
}
