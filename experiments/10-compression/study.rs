//! Choices of compression for tables of values and of depths: packing, block size, level; as CSV.
//!
//! `compression_study BOARD MOVER OPPONENT`, with more stones of the mover than of the
//! opponent or as many.

use std::time::Instant;

use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::retro::{DepthSlices, Slices, pairs, solve_cells, solve_pair};
use fanorona::rules::RuleSet;
use fanorona::table::SliceData;
use rayon::prelude::*;
use studies::number;

/// Words of a block; the tables choose a power of two by the share of quiet positions.
const BLOCK_WORDS: [u64; 4] = [1 << 8, 1 << 10, 1 << 12, 1 << 14];

const LEVELS: [i32; 5] = [1, 3, 9, 15, 19];

type Packing = (&'static str, fn(&[u8]) -> Vec<u8>);

/// Ways to write the values of a block, from five to a byte.
const PACKINGS: [Packing; 3] = [
    ("five to a byte", |packed| packed.to_vec()),
    ("four to a byte", |packed| {
        digits(packed).chunks(4).map(|four| four.iter().rev().fold(0, |byte, digit| byte << 2 | digit)).collect()
    }),
    ("one to a byte", digits),
];

/// The values of a block, one to a byte.
fn digits(packed: &[u8]) -> Vec<u8> {
    packed.iter().flat_map(|&byte| [1, 3, 9, 27, 81].map(|place| byte / place % 3)).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, mover, opponent] = &arguments[..] else { return Err("give a board and two numbers of stones".into()) };
    let size: BoardSize = board.parse()?;
    let wanted = Slice::new(number(mover)?, number(opponent)?);
    let space = Space::new(size, RuleSet::default().diagonals);
    let (mut values, mut depths) = (Slices::new(), DepthSlices::<u8>::new());
    for slice in pairs(wanted.stones(), size.points()) {
        if slice.stones() == wanted.stones() && slice != wanted {
            continue;
        }
        eprintln!("solving {slice}");
        for solved in solve_pair(&space, RuleSet::default(), slice, &|slice| &values[&slice], &|_| ()) {
            values.insert(solved.slice(), solved);
        }
        for solved in solve_cells(&space, RuleSet::default(), slice, &|slice| &depths[&slice], &|_| ())? {
            depths.insert(solved.slice(), solved);
        }
    }
    println!(
        "table,packing,block_words,level,packed_bytes,bytes,bits_per_position,compress_seconds,decompress_seconds"
    );
    let values = values.get(&wanted).ok_or("give the side with more stones first")?;
    let depths = depths.get(&wanted).ok_or("give the side with more stones first")?;
    for words in BLOCK_WORDS {
        let blocks = encoded(&space, values, words);
        for (name, pack) in PACKINGS {
            let blocks: Vec<Vec<u8>> = blocks.par_iter().map(|block| pack(block)).collect();
            compare(&space, wanted, &format!("values,{name}"), words, &blocks)?;
        }
        compare(&space, wanted, "depths,wins then losses", words, &encoded(&space, depths, words))?;
    }
    Ok(())
}

/// The packed blocks of a slice.
fn encoded(space: &Space, content: &impl SliceData, block_words: u64) -> Vec<Vec<u8>> {
    let slice = content.slice();
    let words = space.orbits(slice.mover) * space.words(slice.opponent);
    let starts = (0..words.div_ceil(block_words)).into_par_iter().map(|block| block * block_words);
    starts.map(|first| content.encode(space, first, block_words.min(words - first)).0).collect()
}

/// Compresses the blocks at each level. Seconds are wall time, on all threads.
fn compare(space: &Space, slice: Slice, name: &str, words: u64, blocks: &[Vec<u8>]) -> std::io::Result<()> {
    #[allow(clippy::cast_precision_loss)] // a ratio
    let canonical = space.placements(slice) as f64 / space.symmetry().order() as f64;
    let packed: usize = blocks.iter().map(Vec::len).sum();
    for level in LEVELS {
        let start = Instant::now();
        let compressed: Vec<Vec<u8>> =
            blocks.par_iter().map(|block| zstd::bulk::compress(block, level)).collect::<Result<_, _>>()?;
        let compressing = start.elapsed().as_secs_f64();
        let start = Instant::now();
        compressed.par_iter().zip(blocks).try_for_each(|(compressed, block)| {
            let same = zstd::bulk::decompress(compressed, block.len())? == *block;
            if same { Ok(()) } else { Err(std::io::Error::other("a block came out different")) }
        })?;
        let decompressing = start.elapsed().as_secs_f64();
        let bytes: usize = compressed.iter().map(|block| block.len() + 16).sum();
        #[allow(clippy::cast_precision_loss)] // a ratio
        let bits = 8.0 * bytes as f64 / canonical;
        println!("{name},{words},{level},{packed},{bytes},{bits:.4},{compressing:.2},{decompressing:.2}");
    }
    Ok(())
}
