//! Sizes that kernels know as constants: the words of a block, and the rows of a group.

/// Rows in a group: the cells of a word.
#[must_use]
pub fn group_rows(order: usize) -> usize {
    64 / order
}

/// Evaluates an expression in which the [words of a block](crate::index::block_words) are a constant.
macro_rules! with_block {
    ($words:expr, $block:ident => $then:expr) => {
        with_block!($words, $block => $then, 1, 2, 4, else 8)
    };
    ($number:expr, $constant:ident => $then:expr, $($value:literal,)+ else $last:literal) => {
        match $number {
            $($value => {
                const $constant: usize = $value;
                $then
            })+
            _ => {
                const $constant: usize = $last;
                $then
            }
        }
    };
}

/// Evaluates an expression in which the [rows of a group](group_rows) are a constant, for a group of symmetries of that order.
macro_rules! with_group {
    ($order:expr, $rows:ident => $then:expr) => {
        with_block!(group_rows($order), $rows => $then, 16, else 8)
    };
}

pub(crate) use {with_block, with_group};
