//! The commands of the README and of the docs: they are accepted, and print what is shown.

use std::path::Path;

use crate::docs::{arguments, assert_shown, blocks, page, pages};
use crate::program::Place;

#[test]
fn every_command_is_accepted() {
    let (place, mut commands) = (Place::new(), 0);
    for (name, page) in pages() {
        for line in blocks(&page).iter().flat_map(|block| block.lines()) {
            let Some(mut arguments) = arguments(line) else { continue };
            // What stands before is parsed, and nothing is done.
            arguments.push("--help".to_owned());
            let ran = place.run_with(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(ran.code, Some(0), "{name}: {line}\n{}", ran.err);
            commands += 1;
        }
    }
    assert!(commands >= 6, "{commands}");
}

#[test]
fn the_readme_shows_what_query_prints() {
    let blocks = blocks(&page("README.md"));
    let at = blocks.iter().position(|block| block.contains("-- query")).expect("a query");
    let query = arguments(blocks[at].trim_end()).expect("a command");
    let build = arguments(blocks[at - 1].trim_end()).expect("a command").join(" ");
    assert!(build.starts_with("build 9x5 --stones 6 "), "{build}");
    // The slice of the position and those before it are some of the six stones', in much less time.
    let place = Place::new();
    place.run(&build.replace("--stones 6", "--slice 3v3")).done();
    let printed = place.run_with(&query.iter().map(String::as_str).collect::<Vec<_>>()).done();
    assert_shown(&blocks[at + 1], &printed);
}

#[test]
fn every_file_that_a_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut named = 0;
    for (name, page) in pages() {
        // `[text](path#part)`, from the folder of the page.
        let links = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let folder = root.join(&name).parent().expect("a folder").to_owned();
        let links = links
            .filter(|link| !link.contains("://"))
            .map(|link| folder.join(link.split('#').next().unwrap_or_default()));
        // `tests/…`, `src/…` and `experiments/…` in code, from the root; `*` stands for any end.
        let code = page.split('`').skip(1).step_by(2).filter(|code| !code.contains(char::is_whitespace));
        let code =
            code.filter(|code| ["tests/", "src/", "experiments/", ".ci/"].iter().any(|top| code.starts_with(top)));
        let code = code.map(|code| root.join(code.split('*').next().unwrap_or_default()));
        for path in links.chain(code) {
            let folder = path.parent().expect("a folder");
            let begins = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let is_there = path.exists()
                || folder.read_dir().is_ok_and(|mut entries| {
                    entries.any(|entry| entry.expect("a file").file_name().to_string_lossy().starts_with(&begins))
                });
            assert!(is_there, "{name}: {}", path.display());
            named += 1;
        }
    }
    assert!(named > 50, "{named}");
}
