//! Whose requests are answered, and whose may change something here.

use std::net::IpAddr;

use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};

use crate::api::Problem;
use crate::board::excerpt;

/// What browsers say of the page that a request comes from; pages cannot set it.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Which names of the server requests may give as their host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// Any.
    #[default]
    Any,
    /// Addresses, `localhost`, and these. A foreign page whose name has been made to lead to this machine (DNS rebinding) sends
    /// that name, and so cannot read a server that only this machine reaches.
    Named(Vec<String>),
}

impl Hosts {
    /// Refuses a request with another host. One without a host does not come from a browser.
    ///
    /// # Errors
    /// Status 421.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let (Self::Named(names), Some(_)) = (self, headers.get(header::HOST)) else { return Ok(()) };
        let host = text(headers, header::HOST);
        let name = name_of(host).unwrap_or_default();
        let known =
            address(&name).is_some() || name == "localhost" || names.iter().any(|n| n.eq_ignore_ascii_case(&name));
        if known {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            format!(
                "this server answers to localhost and to addresses, and the host of this request is {:?}; start it with --host NAME to \
                 allow a name",
                excerpt(host)
            ),
        ))
    }
}

/// Whose requests may start and stop builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Builds {
    /// Nobody's.
    #[default]
    Never,
    /// Those that name this machine as their host: `localhost` or an address such as `127.0.0.1` or `[::1]`, with any port. A
    /// foreign page whose name has been made to lead to this machine sends that name instead.
    Local,
    /// All.
    Always,
}

impl Builds {
    /// Refuses a request that may not build.
    ///
    /// # Errors
    /// Status 403.
    pub fn check(self, headers: &HeaderMap) -> Result<(), Problem> {
        let host = text(headers, header::HOST);
        let refuse = |message: String| Err(Problem::new(StatusCode::FORBIDDEN, message));
        match self {
            Self::Never => refuse("this server builds no tables; start it with --build to allow it".to_owned()),
            Self::Local if !is_local(host) => refuse(format!(
                "this server builds for requests to localhost, 127.0.0.1 or [::1], and the host of this one is {:?}; start it with \
                 --build to allow all",
                excerpt(host)
            )),
            _ => check_origin(headers),
        }
    }
}

/// Refuses a request that changes something here and comes from a page of another site.
///
/// # Errors
/// Status 403.
pub fn check_origin(headers: &HeaderMap) -> Result<(), Problem> {
    if is_same_origin(headers) {
        return Ok(());
    }
    let message = "pages of other sites may not change anything here; open the page of this server. A proxy has to pass the header Host on";
    Err(Problem::new(StatusCode::FORBIDDEN, message))
}

/// Whether a request comes from a page of this server, or from no page. Browsers say so themselves where the connection is secure, as it is
/// up to a proxy that may have replaced the host.
fn is_same_origin(headers: &HeaderMap) -> bool {
    if text(headers, FETCH_SITE) == "same-origin" {
        return true;
    }
    let origin = text(headers, header::ORIGIN).parse::<Uri>().ok();
    let of_page = origin.as_ref().and_then(Uri::authority).map(Authority::as_str);
    !headers.contains_key(header::ORIGIN) || of_page.is_some_and(|page| page == text(headers, header::HOST))
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The name in the value of a `Host` header, without its port, in lower case.
fn name_of(host: &str) -> Option<String> {
    Some(host.parse::<Authority>().ok()?.host().to_ascii_lowercase())
}

/// The IP address that a name is, if it is one.
fn address(name: &str) -> Option<IpAddr> {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    inner.parse().ok()
}

/// Whether the value of a `Host` header is this machine.
fn is_local(host: &str) -> bool {
    name_of(host).is_some_and(|name| name == "localhost" || address(&name).is_some_and(|address| address.is_loopback()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_local() {
        for host in ["localhost", "localhost:9000", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:9000", "[::1]", "[::1]:9000"]
        {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:9000",
            "localhost.evil.example",
            "127.0.0.1.evil.example:9000",
            "localhost@evil.example",
            "192.168.0.1:9000",
            "0.0.0.0:9000",
            "[::2]:9000",
            "local host",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }

    fn headers<const N: usize>(pairs: [(HeaderName, &str); N]) -> HeaderMap {
        pairs.into_iter().map(|(name, value)| (name, value.parse().expect("a value"))).collect()
    }

    #[test]
    fn names_are_refused_unless_they_are_allowed() {
        let hosts = Hosts::Named(vec!["Fanorona.example".to_owned()]);
        let status = |host: &str| hosts.check(&headers([(header::HOST, host)])).err().map(|problem| problem.status);
        for host in ["localhost:1", "LocalHost", "127.0.0.1:9000", "[::1]", "192.168.0.1", "fanorona.example:80"] {
            assert_eq!(status(host), None, "{host}");
        }
        for host in ["evil.example", "evil.example:9000", "localhost.evil.example", "localhost@evil.example", "", "a b"]
        {
            assert_eq!(status(host), Some(StatusCode::MISDIRECTED_REQUEST), "{host}");
            assert!(Hosts::Any.check(&headers([(header::HOST, host)])).is_ok());
        }
        assert!(hosts.check(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn pages_of_other_origins_do_not_build() {
        let from = |origin: &str| {
            Builds::Always.check(&headers([(header::HOST, "localhost:9000"), (header::ORIGIN, origin)])).is_ok()
        };
        assert!(from("http://localhost:9000"));
        for other in ["http://localhost:9001", "http://evil.example", "null", "", "http://localhost:9000.evil.example"]
        {
            assert!(!from(other), "{other}");
        }
        // A proxy may replace the host.
        let site = |site: &str| {
            let origin = (header::ORIGIN, "https://fanorona.example");
            Builds::Always.check(&headers([(header::HOST, "127.0.0.1:9000"), origin, (FETCH_SITE, site)])).is_ok()
        };
        assert!(site("same-origin") && !site("same-site") && !site("cross-site") && !site(""));
    }
}
