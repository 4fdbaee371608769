//! Names of points: a column letter and a row number, `a1` at the bottom left.

use super::size::BoardSize;

/// The name of a point, such as `e3`.
#[must_use]
pub fn point_name(size: BoardSize, point: usize) -> String {
    #[allow(clippy::cast_possible_truncation)] // below 13
    let column = char::from(b'a' + (point % size.columns()) as u8);
    format!("{column}{}", point / size.columns() + 1)
}

/// Reads a point name from the start of a text; returns the point and the rest of the text.
#[must_use]
pub fn read_point(size: BoardSize, text: &str) -> Option<(usize, &str)> {
    let letter = text.bytes().next()?.to_ascii_lowercase();
    let column = usize::from(letter.checked_sub(b'a')?);
    let digits = text.bytes().skip(1).take(2).take_while(u8::is_ascii_digit).count();
    if column >= size.columns() {
        return None;
    }
    let row: usize = text[1..=digits].parse().ok()?;
    (1..=size.rows()).contains(&row).then(|| (column + size.columns() * (row - 1), &text[1 + digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        let size = BoardSize::new(13, 13).unwrap();
        for point in 0..size.points() {
            assert_eq!(read_point(size, &point_name(size, point)), Some((point, "")));
        }
        assert_eq!(read_point(size, "m13-m12A"), Some((168, "-m12A")));
        for bad in ["", "a", "a0", "a14", "n1", "1a", "é1", "a-1"] {
            assert_eq!(read_point(size, bad), None, "{bad}");
        }
    }
}
