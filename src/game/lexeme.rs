//! Splits a record into lexemes: tags, numbers, moves, times, variations; comments are dropped.

use super::record_error::{RecordError, RecordFault};

/// A part of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lexeme {
    /// A tag with its value.
    Tag(String, String),
    /// The number of a move, with its dots.
    Number(String),
    /// A move, a score, or something else.
    Word(String),
    /// The beginning of a variation.
    Open,
    /// The end of a variation.
    Close,
    /// A comment with the time of a move, in milliseconds.
    Time(u64),
}

/// The lexemes of a record with their lines.
pub(super) fn lexemes(text: &str) -> Result<Vec<(usize, Lexeme)>, RecordError> {
    let mut found = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    // The lines of the variations that have no end yet.
    let mut open = Vec::new();
    while let Some(first) = rest.chars().next() {
        let wrong = |fault| RecordError { line, fault };
        let length = match first {
            c if c.is_whitespace() => c.len_utf8(),
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' => {
                open.push(line);
                found.push((line, Lexeme::Open));
                1
            }
            ')' => {
                open.pop().ok_or_else(|| wrong(RecordFault::VariationEnd))?;
                found.push((line, Lexeme::Close));
                1
            }
            '{' => {
                let end = rest.find('}').ok_or_else(|| wrong(RecordFault::Comment))?;
                found.extend(time(&rest[1..end]).map(|time| (line, Lexeme::Time(time))));
                end + 1
            }
            '[' => {
                let (name, value, length) = tag(rest).ok_or_else(|| wrong(RecordFault::Tag))?;
                found.push((line, Lexeme::Tag(name, value)));
                length
            }
            _ => {
                // Outside of variations a parenthesis may follow the number of a move.
                let in_variation = !open.is_empty();
                let stop =
                    |c: char| c.is_whitespace() || ['{', '[', ';', '('].contains(&c) || (c == ')' && in_variation);
                let length = rest.find(stop).unwrap_or(rest.len());
                let word = &rest[..length];
                let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let dots = word[digits..].len() - word[digits..].trim_start_matches('.').len();
                let number = if digits > 0 && dots > 0 { digits + dots } else { 0 };
                if number > 0 {
                    found.push((line, Lexeme::Number(word[..number].to_owned())));
                }
                // Marks such as `?` and `!!` are comments.
                let rest = &word[number..];
                let unmarked = rest.trim_end_matches(['!', '?']);
                let rest = if unmarked.is_empty() { rest } else { unmarked };
                if !rest.is_empty() {
                    found.push((line, Lexeme::Word(rest.to_owned())));
                }
                length
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    match open.pop() {
        Some(line) => Err(RecordError { line, fault: RecordFault::Variation }),
        None => Ok(found),
    }
}

/// The lexemes of the game itself, without those of variations.
pub(super) fn without_variations(lexemes: Vec<(usize, Lexeme)>) -> Vec<(usize, Lexeme)> {
    let mut depth = 0_usize;
    let mut outside = |lexeme: &Lexeme| {
        match lexeme {
            Lexeme::Open => depth += 1,
            // Each has a beginning.
            Lexeme::Close => depth -= 1,
            _ => return depth == 0,
        }
        false
    };
    lexemes.into_iter().filter(|(_, lexeme)| outside(lexeme)).collect()
}

/// The tag at the start of a text: its name, its value, and its length with the brackets.
fn tag(text: &str) -> Option<(String, String, usize)> {
    let line = text.split('\n').next()?;
    let inner = line.strip_prefix('[')?.trim_start();
    let name: String = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let quoted = inner[name.len()..].trim_start().strip_prefix('"')?;
    let (mut value, mut chars) = (String::new(), quoted.char_indices());
    loop {
        match chars.next()? {
            (at, '"') => {
                let rest = quoted[at + 1..].trim_start().strip_prefix(']')?;
                return (!name.is_empty()).then(|| (name, value, line.len() - rest.len()));
            }
            (_, '\\') => value.push(shown(chars.next()?.1)),
            (_, other) => value.push(shown(other)),
        }
    }
}

/// A character of a tag; control characters become spaces, as in records that are written.
fn shown(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

/// The milliseconds in a comment such as `[%emt 1.250]`.
fn time(comment: &str) -> Option<u64> {
    let text = comment.trim().strip_prefix("[%emt")?.strip_suffix(']')?.trim();
    let (seconds, thousandths) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(seconds) || !digits(thousandths) || thousandths.len() > 3 {
        return None;
    }
    let padded = format!("{thousandths:0<3}");
    seconds.parse::<u64>().ok()?.checked_mul(1000)?.checked_add(padded.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_with_their_lines() {
        let text = "[A \"b \\\" c \\\\\"]\n\n1. a1-b2 {[%emt 1.25]} 1... ;x 2.\n12.c3x{no\ntime} 1/2-1/2";
        let word = |text: &str| Lexeme::Word(text.to_owned());
        let number = |text: &str| Lexeme::Number(text.to_owned());
        let expected = [
            (1, Lexeme::Tag("A".to_owned(), "b \" c \\".to_owned())),
            (3, number("1.")),
            (3, word("a1-b2")),
            (3, Lexeme::Time(1250)),
            (3, number("1...")),
            (4, number("12.")),
            (4, word("c3x")),
            (5, word("1/2-1/2")),
        ];
        assert_eq!(lexemes(text).unwrap(), expected);
        for (bad, line, fault) in [
            ("\n[A b]", 2, RecordFault::Tag),
            ("[\"b\"]", 1, RecordFault::Tag),
            ("[A \"b\"", 1, RecordFault::Tag),
            ("[A \"b\n\"]", 1, RecordFault::Tag),
            ("a\n\n{b", 3, RecordFault::Comment),
            ("a1-b2 (b2\n(c3) d4", 1, RecordFault::Variation),
            ("a1-b2\n) b2", 2, RecordFault::VariationEnd),
        ] {
            assert_eq!(lexemes(bad), Err(RecordError { line, fault }), "{bad:?}");
        }
    }

    #[test]
    fn times_read_back() {
        for time_ms in [0, 1, 999, 1000, 61_005] {
            let text = format!("[%emt {}.{:03}]", time_ms / 1000, time_ms % 1000);
            assert_eq!(time(&text), Some(time_ms));
        }
        for other in
            ["", "[%emt]", "[%emt 1.]", "[%emt 1.2345]", "[%clk 1.0]", "[%emt -1.0]", "[%emt 99999999999999999999]"]
        {
            assert_eq!(time(other), None, "{other}");
        }
    }
}
