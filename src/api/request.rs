//! What requests contain: parameters and JSON bodies.

use axum::body::Body;
use axum::http::{Request, StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::board::excerpt;
use crate::rules::RuleSet;

use super::distinct::Distinct;
use super::{Api, Problem};

/// The most bytes that the body of a request may have. A game of a thousand turns takes a tenth of it.
pub const BODY_BYTES: usize = 256 << 10;

/// The longest text of a position: 169 points, 13 ranks, and some spaces.
const POSITION_BYTES: usize = 256;

/// The parameters that table requests understand.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// `position`, if it was given.
    pub position: Option<String>,
    /// The rules given by the others.
    pub rules: RuleSet,
}

impl Parameters {
    /// Parses the query string. Unknown names are refused, because ignoring a misspelt rule would give the values of another
    /// game.
    ///
    /// # Errors
    /// Status 400.
    pub fn read(uri: &Uri) -> Result<Self, Problem> {
        let mut parameters = Self::default();
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            let rules = &mut parameters.rules;
            let value: &str = &value;
            let words = RuleSet::OPTIONS.iter().find(|(option, _)| *option == name).map(|&(_, words)| words);
            match (&*name, words) {
                ("position", _) if value.len() > POSITION_BYTES => {
                    return Err(Problem::malformed(format!("a position has at most {POSITION_BYTES} characters")));
                }
                ("position", _) => parameters.position = Some(value.to_owned()),
                (option, Some([first, second])) => {
                    if !rules.set(option, value) {
                        let value = excerpt(value);
                        let message = format!("the parameter {option} is {value:?}; it takes {first} or {second}");
                        return Err(Problem::malformed(message));
                    }
                }
                _ => {
                    return Err(Problem::malformed(format!(
                        "there is no parameter {:?}; there are position, diagonals, continuation, directions and stalemate",
                        excerpt(&name)
                    )));
                }
            }
            if seen.contains(&name) {
                return Err(Problem::malformed(format!("the parameter {name} is given twice; give it once")));
            }
            seen.push(name);
        }
        Ok(parameters)
    }

    /// Refuses a position where none is expected.
    ///
    /// # Errors
    /// Status 400 if there is one.
    pub fn without_position(self) -> Result<Self, Problem> {
        match self.position {
            None => Ok(self),
            Some(_) => Err(Problem::malformed("this path takes no position; leave the parameter out")),
        }
    }

    /// The position.
    ///
    /// # Errors
    /// Status 400 if it was not given.
    pub fn position(&self) -> Result<&str, Problem> {
        self.position.as_deref().ok_or_else(|| {
            Problem::malformed("the parameter position is missing; for example ?position=B1W/3/WW1_w on a 3x3 board")
        })
    }
}

/// The body is too long.
pub fn too_long() -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body may have {BODY_BYTES} bytes; send less"))
}

/// The fields of a body, a JSON object.
#[derive(Debug)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// Reads the body.
    ///
    /// # Errors
    /// Status 415 unless its content type is JSON (which also makes browsers ask before pages of other origins post), 413 if it
    /// is too long, 408 if it arrives too slowly, 400 if it is not a JSON object, with the line and column.
    pub async fn read(api: &Api, request: Request<Body>) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            let message = "the body has to be JSON; send it with Content-Type: application/json";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        if announced.and_then(|length| length.parse::<u64>().ok()).is_some_and(|length| length > BODY_BYTES as u64) {
            return Err(too_long());
        }
        let body = api.host.body(request.into_body()).await?;
        let read = serde_json::from_slice(&body).map(|Distinct(fields)| Self(fields));
        read.map_err(|error| Problem::malformed(format!("the body is not a JSON object: {error}")))
    }

    /// Removes these fields and returns those that exist.
    #[must_use]
    pub fn take(&mut self, names: &[&str]) -> Self {
        let taken = names.iter().filter_map(|&name| self.0.remove_entry(name));
        Self(taken.collect())
    }

    /// Deserializes all fields.
    ///
    /// # Errors
    /// Status 400, with the field that is wrong.
    pub fn parse<T: DeserializeOwned>(self) -> Result<T, Problem> {
        serde_path_to_error::deserialize(Value::Object(self.0)).map_err(|error| {
            let (place, inner) = (error.path().to_string(), error.inner().to_string());
            // Both quote names and texts of the body, of any length.
            let [place, inner] = [&place, &inner].map(|text| excerpt(text));
            let place = if place == "." { String::new() } else { format!("{place}: ") };
            Problem::malformed(format!("in the body, {place}{inner}"))
        })
    }
}
