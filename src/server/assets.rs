//! The files of the page, from the program or, during development, from a folder.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use xxhash_rust::xxh3::xxh3_64;

use crate::api::Problem;
use crate::board::excerpt;

use super::Shared;

/// Content types of the files of the page.
const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// A file of the page: its name in `page/`, its content type, and its bytes.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! asset {
    ($name:literal, $kind:ident) => {
        Asset { name: $name, kind: $kind, bytes: include_bytes!(concat!("page/", $name)) }
    };
}

/// All files of the page; it loads nothing from elsewhere.
const ASSETS: [Asset; 58] = [
    asset!("api.js", JS),
    asset!("appearance.js", JS),
    asset!("board.css", CSS),
    asset!("board.js", JS),
    asset!("build.js", JS),
    asset!("clock.js", JS),
    asset!("colours.css", CSS),
    asset!("connection.js", JS),
    asset!("counters.js", JS),
    asset!("diagrams.js", JS),
    asset!("dialog.css", CSS),
    asset!("dialog.js", JS),
    asset!("dom.js", JS),
    asset!("editor.js", JS),
    asset!("exchange.js", JS),
    asset!("fr.js", JS),
    asset!("fr_games.js", JS),
    asset!("fr_learning.js", JS),
    asset!("fr_server.js", JS),
    asset!("fr_tables.js", JS),
    asset!("game.js", JS),
    asset!("game_controller.js", JS),
    asset!("graph.js", JS),
    asset!("icon.svg", SVG),
    asset!("index.html", HTML),
    asset!("keys.js", JS),
    asset!("latest_build.js", JS),
    asset!("learn.js", JS),
    asset!("lessons.js", JS),
    asset!("live.js", JS),
    asset!("lookup.js", JS),
    asset!("main.js", JS),
    asset!("movelist.js", JS),
    asset!("newgame.js", JS),
    asset!("opponent.js", JS),
    asset!("panel.js", JS),
    asset!("position.js", JS),
    asset!("practice.css", CSS),
    asset!("practice.js", JS),
    asset!("practice_choice.js", JS),
    asset!("review.css", CSS),
    asset!("review.js", JS),
    asset!("rules.js", JS),
    asset!("scene.js", JS),
    asset!("settings.js", JS),
    asset!("shown_game.js", JS),
    asset!("sounds.js", JS),
    asset!("status.js", JS),
    asset!("store.js", JS),
    asset!("style.css", CSS),
    asset!("tables.css", CSS),
    asset!("tables.html", HTML),
    asset!("tables.js", JS),
    asset!("toolbar.js", JS),
    asset!("touch.js", JS),
    asset!("turn.js", JS),
    asset!("values.js", JS),
    asset!("words.js", JS),
];

/// `GET /` and `GET /assets/…`: the files of the page. Clients revalidate them every time, so that the page always matches the
/// server.
pub async fn page(State(service): State<Shared>, uri: Uri, headers: HeaderMap) -> Result<Response<Body>, Problem> {
    let name = match uri.path() {
        "/" => "index.html",
        "/tables" => "tables.html",
        path => path.trim_start_matches("/assets/"),
    };
    // Only names in the list are served, so that no path leads outside.
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return Err(Problem::missing(format!("the page has no file {:?}; it begins at /", excerpt(name))));
    };
    let bytes = match &service.page {
        None => Bytes::from_static(asset.bytes),
        Some(folder) => {
            let path = folder.join(asset.name);
            let read = service.api.run_short(move |_| {
                let missing = |error| Problem::missing(format!("cannot read {}: {error}", path.display()));
                std::fs::read(&path).map_err(missing)
            });
            Bytes::from(read.await?)
        }
    };
    let tag = format!("\"{:016x}\"", xxh3_64(&bytes));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|theirs| theirs.as_bytes() == tag.as_bytes());
    let mut response = Response::new(if known { Body::empty() } else { Body::from(bytes) });
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        fields.insert(header::ETAG, tag);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Lists of texts, of which a browser loads at most one.
    const TRANSLATIONS: [&str; 5] = ["fr.js", "fr_games.js", "fr_learning.js", "fr_server.js", "fr_tables.js"];

    fn text(name: &str) -> &'static str {
        let asset = ASSETS.iter().find(|asset| asset.name == name).expect("a part of the page");
        std::str::from_utf8(asset.bytes).expect("text")
    }

    #[test]
    fn every_file_of_the_page_is_served_and_nothing_else() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/page");
        let entries = folder.read_dir().expect("the folder of the page").map(|entry| entry.expect("an entry"));
        let files = entries.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name());
        let mut files: Vec<String> = files.map(|name| name.into_string().expect("a name")).collect();
        files.sort_unstable();
        assert_eq!(files, ASSETS.map(|asset| asset.name));
    }

    #[test]
    fn parts_say_what_they_are_for_and_are_short() {
        for Asset { name, kind, .. } in ASSETS {
            let opening = if kind == JS { "// " } else { "/* " };
            if [JS, CSS].contains(&kind) {
                let first = text(name).lines().next().expect("a line");
                assert!(first.starts_with(opening) && first.contains('.'), "{name} begins with {first:?}");
            }
            assert!(text(name).lines().count() <= 300, "{name} is long");
        }
    }

    #[test]
    fn the_first_load_is_small() {
        let mut parts = vec!["index.html"];
        let mut at = 0;
        while let Some(&name) = parts.get(at) {
            // What a page names, and what a module imports before it runs; translations and other pages come when they are asked for.
            let lines = text(name).lines().filter(|line| name == "index.html" || line.contains(" from \"./"));
            let named = lines.flat_map(|line| line.split('"'));
            for part in named.filter_map(|text| text.strip_prefix("/assets/").or(text.strip_prefix("./"))) {
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            at += 1;
        }
        assert!(parts.contains(&"words.js") && !parts.iter().any(|part| TRANSLATIONS.contains(part)), "{parts:?}");
        let bytes: usize = parts.iter().map(|part| text(part).len()).sum();
        assert!(bytes <= 200_000, "the page has {bytes} bytes");
    }

    #[test]
    fn what_parts_ask_for_is_there_and_nothing_is_inline() {
        for Asset { name, .. } in ASSETS {
            for quoted in text(name).split(['"', '\'', ' ']) {
                for start in ["/assets/", "./"] {
                    if let Some(part) = quoted.strip_prefix(start) {
                        assert!(ASSETS.iter().any(|asset| asset.name == part), "{name} asks for {part:?}");
                    }
                }
            }
            let own = text(name).replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains("://"), "{name} loads from elsewhere");
        }
        let page = text("index.html");
        for inline in [" style=", " onclick=", "<style"] {
            assert!(!page.contains(inline), "the page has {inline:?}, which its own policy forbids");
        }
        assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=").count());
    }
}
