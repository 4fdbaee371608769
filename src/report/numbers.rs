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

/// Seconds for people.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    indicatif::HumanDuration(std::time::Duration::from_secs_f64(seconds.min(1e15))).to_string()
}
