//! The page: files inside the program, or in a folder while the page is being changed.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri, header};
use xxhash_rust::xxh3::xxh3_64;

use super::{Problem, Shared};

/// The types of files that the page is made of.
const HTML: &str = "text/html; charset=utf-8";

/// A file of the page: its name in `page/`, its type, and what it holds.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

/// Everything that the page needs; nothing comes from anywhere else.
const ASSETS: [Asset; 1] = [Asset { name: "index.html", kind: HTML, bytes: include_bytes!("page/index.html") }];

/// `GET /` and `GET /assets/…`: the page and its parts. Clients ask every time whether theirs is still good, so that page and
/// server always fit.
pub async fn page(State(service): State<Shared>, uri: Uri, headers: HeaderMap) -> Result<Response<Body>, Problem> {
    let name = match uri.path() {
        "/" => "index.html",
        path => path.trim_start_matches("/assets/"),
    };
    // Only names of the list are looked for, so that no path leads elsewhere.
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return Err(Problem::missing(format!("the page has no part {name:?}; it begins at /")));
    };
    let bytes = match &service.page {
        None => Bytes::from_static(asset.bytes),
        Some(folder) => {
            let path = folder.join(asset.name);
            let read = service.probes.run(service.time_limit, move |_| Ok(std::fs::read(&path).map_err(|e| (path, e))));
            match read.await? {
                Ok(bytes) => Bytes::from(bytes),
                Err((path, error)) => {
                    return Err(Problem::missing(format!("cannot read {}: {error}; see --page", path.display())));
                }
            }
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
