//! `fanorona info`: the contents of the database folder.

use clap::Args as ClapArgs;
use serde::Serialize;

use crate::board::{BoardSize, MAX_POINTS};
use crate::index::Space;
use crate::rules::RuleSet;
use crate::table::{Access, Database, Folder, TableError, folders};

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
        return print(&arguments.database.lacks_tables());
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
    if size.points() > MAX_POINTS {
        return Ok(None);
    }
    let database = Database { folder: arguments.database.folder.clone(), access: Access::Read };
    let (folder, unusable) = Folder::open_usable(database, &Space::new(size, rules.diagonals), rules)?;
    let headers = || folder.tables().map(|(_, table)| table.header());
    let depth_headers = || folder.depth_tables().map(|(_, table)| table.header());
    let info = FolderInfo {
        board: size.to_string(),
        rules,
        folder: folder.path().display().to_string(),
        stones: folder.complete_up_to(size.points()),
        slices: headers().count(),
        positions: headers().map(|header| header.counts.positions).sum(),
        bytes: headers().map(|header| header.file_bytes).sum(),
        depth_stones: folder.depths_up_to(size.points()),
        depth_slices: depth_headers().count(),
        depth_bytes: depth_headers().map(|header| header.file_bytes).sum(),
        unusable: unusable.iter().map(TableError::to_string).collect(),
    };
    let is_empty = info.slices + info.depth_slices == 0 && info.unusable.is_empty();
    Ok((!is_empty).then_some(info))
}
