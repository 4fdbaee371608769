//! `fanorona info`: the contents of the database folder.

use std::collections::BTreeMap;

use clap::Args as ClapArgs;
use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::{Slice, Space};
use crate::report::first_build;
use crate::rules::RuleSet;
use crate::table::{Access, Header, Metric, folder_name, folders, open_table, slices_in};

use super::options::{DatabaseOption, bytes, grouped};
use super::output::{CliResult, all_usable, print, print_json, table};

/// List the boards, rules and slices in the database folder
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    #[command(flatten)]
    database: DatabaseOption,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct FolderInfo {
    board: String,
    rules: RuleSet,
    folder: String,
    /// Every slice up to this many stones has a table.
    stones: usize,
    slices: usize,
    positions: u64,
    bytes: u64,
    /// Every slice up to this many stones has a depth table.
    depth_stones: usize,
    depth_slices: usize,
    depth_bytes: u64,
    /// Files that cannot be used, and why.
    unusable: Vec<String>,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let database = &arguments.database.folder;
    let mut infos = Vec::new();
    for (size, rules) in folders(&database.into())? {
        infos.extend(inspect(arguments, size, rules)?);
    }
    let unusable: Vec<&str> = infos.iter().flat_map(|info| &info.unusable).map(String::as_str).collect();
    let verdict = all_usable(&unusable);
    if arguments.json {
        print_json(&infos)?;
        return verdict;
    }
    if infos.is_empty() {
        return print(&format!(
            "There are no tables in {} yet; build some with: {}",
            database.display(),
            first_build(database)
        ));
    }
    let mut list = table(["board", "rules", "all slices to", "depths to", "files", "positions", "size"]);
    for info in &infos {
        let (board, rules) = (info.board.clone(), info.rules.words().join(", "));
        let reach = format!("{} stones", info.stones);
        let depths = match info.depth_stones {
            0 => "-".to_owned(),
            stones => format!("{stones} stones"),
        };
        let files = (info.slices + info.depth_slices).to_string();
        let size = bytes(info.bytes + info.depth_bytes);
        list.add_row([board, rules, reach, depths, files, grouped(info.positions), size]);
    }
    print(&format!("{}\n{list}", database.display()))?;
    verdict
}

fn inspect(arguments: &Arguments, size: BoardSize, rules: RuleSet) -> CliResult<Option<FolderInfo>> {
    let folder = arguments.database.folder.join(folder_name(size, rules));
    if size.points() > MAX_POINTS {
        return Ok(None);
    }
    let space = Space::new(size, rules.diagonals);
    let mut info = FolderInfo {
        board: size.to_string(),
        rules,
        folder: folder.display().to_string(),
        stones: 0,
        slices: 0,
        positions: 0,
        bytes: 0,
        depth_stones: 0,
        depth_slices: 0,
        depth_bytes: 0,
        unusable: Vec::new(),
    };
    let mut usable: [BTreeMap<Slice, Header>; 2] = Default::default();
    for (number, metric) in Metric::ALL.into_iter().enumerate() {
        for slice in slices_in((&folder, &Access::Read), metric)? {
            let table = open_table((&folder, &Access::Read), &space, rules, (slice, metric));
            let values = usable[0].get(&slice).filter(|_| metric == Metric::Dtw);
            match table.and_then(|table| table.fits(values).map(|()| *table.header())) {
                Ok(header) => {
                    let (slices, bytes) = match metric {
                        Metric::Wdl => (&mut info.slices, &mut info.bytes),
                        Metric::Dtw => (&mut info.depth_slices, &mut info.depth_bytes),
                    };
                    *slices += 1;
                    *bytes += header.file_bytes;
                    info.positions += if metric == Metric::Wdl { header.counts.positions } else { 0 };
                    usable[number].insert(slice, header);
                }
                Err(error) => info.unusable.push(error.to_string()),
            }
        }
    }
    let [stones, depth_stones] =
        usable.map(|usable| Slice::complete_up_to(size.points(), |slice| usable.contains_key(&slice)));
    (info.stones, info.depth_stones) = (stones, depth_stones.min(stones));
    let is_empty = info.slices + info.depth_slices == 0 && info.unusable.is_empty();
    Ok((!is_empty).then_some(info))
}
