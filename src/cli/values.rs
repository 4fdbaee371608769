//! Parses values of options, with messages that say what is expected.

use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use bytesize::ByteSize;

/// Parses a whole number.
pub fn read_number<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ParseIntError| {
        let why = match error.kind() {
            IntErrorKind::PosOverflow => "this number is too large",
            IntErrorKind::Zero => "the least is 1",
            _ => "expected a whole number, such as 6",
        };
        why.to_owned()
    })
}

/// Parses a number of threads.
pub fn read_threads(text: &str) -> Result<u16, String> {
    let threads = read_number(text)?;
    if (1..=1024).contains(&threads) { Ok(threads) } else { Err("expected a number from 1 to 1024".to_owned()) }
}

/// Parses a number of bytes.
pub fn read_size(text: &str) -> Result<ByteSize, String> {
    text.parse().map_err(|_| "expected a size, such as 12G or 512MB".to_owned())
}

/// Parses a time.
pub fn read_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| "expected a time, such as 90s, 10m or 1h 30m".to_owned())
}

/// Parses a time of at least a millisecond.
pub fn read_positive_time(text: &str) -> Result<Duration, String> {
    let time = read_time(text)?;
    if time.as_millis() > 0 { Ok(time) } else { Err("the least is 1ms".to_owned()) }
}
