//! How the planes of a pair are cut into bands of columns, and where each band is in a store.

use crate::index::{Plane, Slice, Space, block_words, padded_words};

use super::super::planes::Marks;
use super::super::slices::with_twin;
use super::pieces::{Place, place_words};

/// Number of a plane of a band: quiet positions of the form's slice that are not decided.
pub const OPEN: usize = 0;
/// Number of a plane of a band: positions that the twin of the form's slice loses.
pub const LOSS: usize = 1;
/// Number of a plane of a band: positions that the twin of the form's slice does not win.
pub const NOT_WIN: usize = 2;

/// All three planes of a band.
pub type Planes = [Plane; 3];

/// One of the two forms of a pair: rows by the mover's orbits of its slice, columns by the opponent's slots. It is also the
/// opponent form of the twin.
#[derive(Clone, Debug)]
pub struct Form {
    /// The slice whose mover gives the rows.
    pub slice: Slice,
    /// Rows.
    pub rows: usize,
    /// Words in a row of all bands.
    pub stride: usize,
    /// Words in a block.
    pub block: usize,
    /// Words in a row of a band, the last excepted; a multiple of a block.
    pub width: usize,
    /// Approximate number of words in a piece of a plane.
    pub piece: usize,
    /// Processes that share the bands.
    ranks: usize,
    /// The word of the store at which the form begins.
    first: u64,
}

/// Words in a row of all bands that one process has, at most.
fn share(stride: usize, width: usize, ranks: usize) -> usize {
    (stride.div_ceil(width).div_ceil(ranks) * width).min(stride)
}

impl Form {
    /// Number of bands.
    pub fn bands(&self) -> usize {
        self.stride.div_ceil(self.width)
    }

    /// The first word of a band in a row.
    pub fn start(&self, band: usize) -> usize {
        band * self.width
    }

    /// Words in a row of a band.
    pub fn width_of(&self, band: usize) -> usize {
        self.width.min(self.stride - self.start(band))
    }

    /// Words of the three planes of a band.
    pub fn words_of(&self, band: usize) -> u64 {
        3 * self.rows as u64 * self.width_of(band) as u64
    }

    /// The rank of the process that has a band.
    pub fn owner(&self, band: usize) -> usize {
        band % self.ranks
    }

    /// Rows of a piece of a plane of a band that is written as a whole.
    pub fn rows_of_piece(&self, band: usize) -> usize {
        self.piece.div_ceil(self.width_of(band)).clamp(1, self.rows.max(1))
    }

    /// Where a plane of a band is in the store of its rank, in one of two places that take turns.
    fn place(&self, plane: usize, band: usize, generation: u64, rows: usize) -> Place {
        let before = (band / self.ranks) as u64 * 6 + plane as u64 * 2 + generation % 2;
        Place { at: self.first + before * place_words(self.rows, self.width), width: self.width_of(band), rows }
    }

    /// The place of a plane that captures write in batches of rows: a piece is the part of a batch that comes nearest to the intended size.
    pub fn place_of_captures(&self, plane: usize, band: usize, batch: usize) -> Place {
        let rows = self.rows_of_piece(band);
        let parts = (1..=batch).filter(|&part| batch.is_multiple_of(part));
        self.place(plane, band, 0, parts.min_by_key(|part| part.abs_diff(rows)).unwrap_or(1))
    }

    /// The place of a plane that is written as a whole.
    pub fn place_of_whole(&self, plane: usize, band: usize, generation: u64) -> Place {
        self.place(plane, band, generation, self.rows_of_piece(band))
    }

    /// Words that the form takes in a store.
    fn words(&self) -> u64 {
        6 * self.bands().div_ceil(self.ranks) as u64 * place_words(self.rows, self.width)
    }

    /// A plane of a band, of zeros.
    pub fn empty(&self, band: usize) -> Plane {
        Plane::sized(self.rows, self.width_of(band), self.block)
    }

    /// Whether planes have the shape of those of a band.
    pub fn fits(&self, band: usize, planes: &Planes) -> bool {
        let shape = (self.rows, self.width_of(band), self.block);
        planes.iter().all(|plane| (plane.rows(), plane.stride(), plane.block()) == shape)
    }
}

/// Both forms of a pair, or the one of a slice that is its own twin, and where the log begins.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The forms.
    pub forms: Vec<Form>,
    /// The word of the store at which the log begins.
    pub log: u64,
}

/// How much of a pair is held in memory while paikas are followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// For each form, words in a row of a band.
    pub widths: Vec<usize>,
    /// Bytes for bands that stay in memory.
    pub resident: u64,
}

/// The dimensions of a form, without listing its sets: rows, words in a row, words in a block.
fn shape(space: &Space, slice: Slice) -> (u64, usize, usize) {
    let words = usize::try_from(space.words(slice.opponent)).unwrap_or(usize::MAX / 16);
    (space.orbits(slice.mover), padded_words(words), block_words(words))
}

/// Bytes that the work on a band takes beside the bands that stay: the band, the one read ahead, and marks.
fn working(rows: u64, width: usize, block: usize) -> u64 {
    rows.saturating_mul(6 * 8 * width as u64) + 4 * Marks::bytes(rows, (width / block) as u64)
}

/// Bytes of the three planes of every form.
pub fn base_bytes(space: &Space, slice: Slice) -> u64 {
    let bytes = |(rows, stride, _): (u64, usize, usize)| rows.saturating_mul(24 * stride as u64);
    with_twin(slice).map(|slice| bytes(shape(space, slice))).fold(0, u64::saturating_add)
}

/// Bytes of the three planes of every form that one process has, at most, in bands of those widths.
fn share_bytes(space: &Space, slice: Slice, widths: &[usize], ranks: usize) -> u64 {
    let shapes = with_twin(slice).map(|slice| shape(space, slice)).zip(widths);
    let bytes =
        |((rows, stride, _), &width): (_, &usize)| u64::saturating_mul(rows, 24 * share(stride, width, ranks) as u64);
    shapes.map(bytes).fold(0, u64::saturating_add)
}

/// Bytes that the narrowest bands need.
pub fn least_working(space: &Space, slice: Slice) -> u64 {
    with_twin(slice)
        .map(|slice| shape(space, slice))
        .map(|(rows, _, block)| working(rows, block, block))
        .max()
        .unwrap_or(0)
}

/// Rows of a band have to be wider than this to be worth finding their neighbours once for each band.
const NARROW: usize = 32;

impl Shares {
    /// Divides `bytes` bytes of memory of each process. If they are enough, all bands stay in memory; otherwise a quarter of them is for
    /// the work on a band, or half where bands would be narrow.
    pub fn of(space: &Space, slice: Slice, bytes: u64, ranks: usize) -> Self {
        // Values are put in order a band at a time, so there are some even if all stay; and several for each rank, as
        // they take different times.
        let least = 4 * ranks;
        let forms: Vec<_> = with_twin(slice).map(|slice| shape(space, slice)).collect();
        let cut = |stride: usize, block: usize, bands: usize| stride.div_ceil(bands).next_multiple_of(block);
        let widths: Vec<usize> = forms.iter().map(|&(_, stride, block)| cut(stride, block, least)).collect();
        let most = forms.iter().zip(&widths).map(|(&(rows, _, block), &width)| working(rows, width, block)).max();
        let resident = share_bytes(space, slice, &widths, ranks);
        if resident.saturating_add(most.unwrap_or(0)) <= bytes {
            return Self { widths, resident };
        }
        let fitting = |&(rows, stride, block): &(u64, usize, usize)| {
            let fits = |&bands: &usize| {
                let width = cut(stride, block, bands);
                let work = working(rows, width, block);
                work <= bytes / 4 || work <= bytes / 2 && width <= NARROW
            };
            cut(stride, block, (least..stride / block).find(fits).unwrap_or(stride / block))
        };
        let widths: Vec<usize> = forms.iter().map(fitting).collect();
        Self::with_widths(space, slice, widths.clone(), bytes).unwrap_or(Self { widths, resident: 0 })
    }

    /// Bands of given widths, and what is left for bands that stay. `None` if they are too wide.
    pub fn with_widths(space: &Space, slice: Slice, widths: Vec<usize>, bytes: u64) -> Option<Self> {
        let forms = with_twin(slice).map(|slice| shape(space, slice));
        let works = forms.zip(&widths).map(|((rows, _, block), &width)| working(rows, width, block)).max();
        Some(Self { widths, resident: bytes.checked_sub(works.unwrap_or(0))? })
    }
}

impl Layout {
    /// The forms of a pair in bands of those widths and pieces of about that many words, shared by that many processes.
    pub fn new(space: &Space, slice: Slice, widths: &[usize], piece: usize, ranks: usize) -> Self {
        let mut log = 0;
        let forms = with_twin(slice).zip(widths).map(|(slice, &width)| {
            let (rows, columns) = (space.subsets(slice.mover), space.subsets(slice.opponent));
            let (stride, block) = (padded_words(columns.words()), block_words(columns.words()));
            let width = width.next_multiple_of(block).clamp(block, stride);
            let form = Form { slice, rows: rows.orbits(), stride, block, width, piece, ranks, first: log };
            log += form.words();
            form
        });
        let forms = forms.collect();
        Self { forms, log }
    }

    /// The number of the other form.
    pub fn twin(&self, form: usize) -> usize {
        self.forms.len() - 1 - form
    }

    /// For every band of every form, whether it stays in the memory of process `rank`, which has `bytes` bytes for that.
    pub fn residents(&self, mut bytes: u64, rank: usize) -> Vec<Vec<bool>> {
        let mut residents: Vec<Vec<bool>> = self.forms.iter().map(|form| vec![false; form.bands()]).collect();
        for band in 0..residents.iter().map(Vec::len).max().unwrap_or(0) {
            for (form, resident) in self
                .forms
                .iter()
                .zip(&mut residents)
                .filter(|(form, _)| band < form.bands() && form.owner(band) == rank)
            {
                let need = 8 * form.words_of(band);
                resident[band] = need <= bytes;
                bytes -= if resident[band] { need } else { 0 };
            }
        }
        residents
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Diagonals;

    #[test]
    fn pieces_of_captures_are_parts_of_batches_and_stay_in_their_place() {
        let space = Space::new("7x5".parse().expect("a board"), Diagonals::Corner);
        for piece in [1, 30, 1000, 1 << 17, usize::MAX] {
            let layout = Layout::new(&space, Slice::new(3, 2), &[5, 16], piece, 2);
            for form in &layout.forms {
                for (band, batch) in (0..form.bands()).flat_map(|band| [1, 17, 26, 60, 61, 64].map(|rows| (band, rows)))
                {
                    let places = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)];
                    let begin = |(plane, generation)| form.place_of_whole(plane, band, generation).at;
                    let end = |number: usize| places.get(number + 1).map_or(u64::MAX, |&next| begin(next));
                    let pieces = |place: Place| form.rows.div_ceil(place.rows);
                    let stays = |number, place: Place| {
                        let last = form.rows - (pieces(place) - 1) * place.rows;
                        place.of_piece(pieces(place) - 1) + ((last * place.width) as u64) < end(number)
                    };
                    for (number, &(plane, generation)) in places.iter().enumerate() {
                        assert!(
                            stays(number, form.place_of_whole(plane, band, generation)),
                            "{band} {plane} {generation}"
                        );
                    }
                    for plane in [LOSS, NOT_WIN] {
                        let place = form.place_of_captures(plane, band, batch);
                        assert_eq!((place.at, batch % place.rows), (begin((plane, 0)), 0), "{batch} rows of {piece}");
                        assert!(stays(2 * plane, place), "{band} {plane}, {batch} rows of {piece}");
                    }
                }
            }
        }
        let layout = Layout::new(&space, Slice::new(3, 2), &[8, 8], 48, 1);
        let rows = |batch| layout.forms[0].place_of_captures(LOSS, 0, batch).rows;
        assert_eq!((layout.forms[0].width, layout.forms[0].rows_of_piece(0)), (8, 6));
        assert_eq!([1, 17, 26, 60, 61, 64].map(rows), [1, 1, 2, 6, 1, 4]);
    }
}
