//! Whose requests may start and stop builds.

use std::net::IpAddr;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};

use crate::board::excerpt;

use super::Problem;

/// Whose requests may start and stop builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Builds {
    /// Nobody's.
    #[default]
    Never,
    /// Those that name this machine as their host: `localhost` or an address such as `127.0.0.1` or `[::1]`, with any port. A page
    /// of somebody else whose name has been made to lead to this machine sends that name instead.
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
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let refuse = |message: String| Err(Problem::new(StatusCode::FORBIDDEN, message));
        match self {
            Self::Never => refuse("this server builds no tables; start it with --build to allow it".to_owned()),
            Self::Local if !is_local(host) => refuse(format!(
                "this server builds for requests to localhost, 127.0.0.1 or [::1], and the host of this one is {:?}; start it with \
                 --build to allow all",
                excerpt(host)
            )),
            _ => Ok(()),
        }
    }
}

/// Whether the value of a `Host` header is this machine.
fn is_local(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
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
}
