//! Formats numbers for people.

/// A number of bytes, in powers of a thousand.
#[must_use]
pub fn bytes(count: u64) -> String {
    bytesize::ByteSize(count).display().si().to_string()
}

/// A whole number with spaces between groups of three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string().replace(',', " ")
}
