//! Splits a file of several games, one after another, into their records.

use std::io::{self, BufRead, Read as _};

use crate::files::MAX_TEXT;

/// The records in a file, without the file in memory: each begins with its tags and ends where the tags of the next begin.
#[derive(Debug)]
pub struct Records<R> {
    input: R,
    /// The first line of the next record; empty before the first one and after the last.
    next: Vec<u8>,
}

impl<R: BufRead> Records<R> {
    /// Those of an input.
    #[must_use]
    pub fn of(input: R) -> Self {
        Self { input, next: Vec::new() }
    }

    /// Whether no record follows that which was returned last.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.next.is_empty()
    }
}

impl<R: BufRead> Iterator for Records<R> {
    /// A record, or the error of the input, or that a record has more than [`MAX_TEXT`] bytes.
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut record, mut in_tags) = (std::mem::take(&mut self.next), true);
        loop {
            let mut line = Vec::new();
            let limit = MAX_TEXT + 1 - record.len() as u64;
            if let Err(error) = self.input.by_ref().take(limit).read_until(b'\n', &mut line) {
                return Some(Err(error));
            }
            let is_tag = line.starts_with(b"[");
            if is_tag && !in_tags {
                self.next = line;
                return Some(Ok(record));
            }
            if line.is_empty() {
                return (!record.is_empty()).then_some(Ok(record));
            }
            if !line.trim_ascii().is_empty() {
                in_tags = is_tag;
            }
            record.append(&mut line);
            if record.len() as u64 > MAX_TEXT {
                return Some(Err(io::Error::other(format!("a game of it has more than {MAX_TEXT} bytes"))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_begin_with_their_tags() {
        let [first, second, third] = ["\n[A \"1\"]\n\n[B \"2\"]\n1. a1-a2\n\n1-0\n\n", "[A \"3\"]\n*\n", "[C \"4\"]\n"];
        let text = [first, second, third].concat();
        let mut records = Records::of(text.as_bytes());
        for (record, is_last) in [(first, false), (second, false), (third, true)] {
            assert_eq!(records.next().unwrap().unwrap(), record.as_bytes());
            assert_eq!(records.is_at_end(), is_last);
        }
        assert!(records.next().is_none());
        assert!(Records::of(&b""[..]).next().is_none());
        assert_eq!(Records::of(&b"a1-a2"[..]).count(), 1);
    }

    #[test]
    fn records_without_end_are_refused() {
        let mut records = Records::of(io::BufReader::new(io::repeat(b'a')));
        assert!(records.next().unwrap().unwrap_err().to_string().contains("more than 16777216 bytes"));
    }
}
