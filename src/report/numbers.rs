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
    if seconds < 600.0 {
        let (minutes, seconds) = ((seconds / 60.0).floor(), seconds % 60.0);
        return format!("{minutes} min {} s", seconds.floor());
    }
    if (3_600.0..36_000.0).contains(&seconds) {
        let (hours, minutes) = ((seconds / 3_600.0).floor(), seconds % 3_600.0 / 60.0);
        return format!("{hours} h {} min", minutes.floor());
    }
    indicatif::HumanDuration(std::time::Duration::from_secs_f64(seconds.min(1e15))).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_exact_as_people_need() {
        let shown = [0.04, 59.9, 61.9, 599.9, 600.0, 6_000.0, 7_300.0, 40_000.0].map(duration);
        assert_eq!(
            shown,
            ["0.0 s", "59.9 s", "1 min 1 s", "9 min 59 s", "10 minutes", "1 h 40 min", "2 h 1 min", "11 hours"]
        );
    }
}
