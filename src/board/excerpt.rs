//! Quoting untrusted text in messages.

use std::borrow::Cow;

/// Longest quotation in characters. Every position and most turns are shorter.
const MOST: usize = 200;

/// Makes a text fit to be quoted in a message: a long one is cut and ends in three dots, control characters are replaced.
/// Input can have any length and can move the cursor, but a message is one short line.
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

/// Replaces control characters, which a terminal would obey and a file name may contain. Line ends remain.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let commands = |character: char| character.is_control() && character != '\n';
    if text.contains(commands) { text.replace(commands, "\u{fffd}").into() } else { text.into() }
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
