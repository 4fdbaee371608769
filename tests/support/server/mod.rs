//! The service without a socket, and what its description says of its answers.
#![allow(dead_code)] // each test file uses some of it

use std::path::Path;
use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use fanorona::server::{Settings, router};
use serde_json::{Map, Value};
use tower::ServiceExt;

/// What came back.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// The service over a database folder, as it is set up usually.
pub fn service(database: &Path) -> Router {
    router(Settings::new(database.to_owned()))
}

pub async fn send(service: &Router, request: Request<Body>) -> Answer {
    let response = service.clone().oneshot(request).await.expect("services answer");
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 1 << 26).await.expect("a body");
    Answer { status: parts.status, headers: parts.headers, body }
}

pub async fn get(service: &Router, path: &str) -> Answer {
    send(service, Request::get(path).body(Body::empty()).expect("a request")).await
}

pub async fn post(service: &Router, path: &str, body: impl Into<Body>) -> Answer {
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    send(service, request.body(body.into()).expect("a request")).await
}

/// Asks with a body that fits its description, and gets an answer that fits its own.
pub async fn ask(service: &Router, path: &str, body: &Value) -> Value {
    let described = &DESCRIPTION["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(conflict(body, described), None);
    let answer = post(service, path, body.to_string()).await.done();
    assert_eq!(conflict(&answer, &answers("post", path, "200")), None);
    answer
}

impl Answer {
    /// The body as JSON, which it says it is.
    pub fn json(&self) -> Value {
        assert_eq!(self.headers[header::CONTENT_TYPE], "application/json", "{:?}", self.body);
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// Asserts success; hands out what was answered.
    pub fn done(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.body);
        self.json()
    }

    /// Asserts an error of that status, with one line that says all of `words`.
    pub fn fails(&self, status: u16, words: &[&str]) {
        assert_eq!(self.status.as_u16(), status, "{:?}", self.body);
        let told = self.json();
        assert_eq!(conflict(&told, &schema("Error")), None);
        assert_eq!(told["error"]["status"], status);
        let message = told["error"]["message"].as_str().expect("a message");
        assert!(!message.is_empty() && message.lines().count() == 1, "{message:?}");
        for word in words {
            assert!(message.contains(word), "{word:?} is missing: {message}");
        }
    }
}

/// The description of the service.
pub static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../src/server/openapi.json")).expect("JSON"));

/// A schema of the description, by name.
pub fn schema(name: &str) -> Value {
    let schema = &DESCRIPTION["components"]["schemas"][name];
    assert!(schema.is_object(), "no schema {name}");
    schema.clone()
}

/// The schema of what a path answers to a method with a status.
pub fn answers(method: &str, path: &str, status: &str) -> Value {
    let response = resolved(&DESCRIPTION["paths"][path][method]["responses"][status]);
    let schema = &response["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "nothing says what {method} {path} answers with {status}");
    schema.clone()
}

/// What stands at the end of a reference into the description.
pub fn resolved(value: &Value) -> &Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(place) => DESCRIPTION.pointer(place.trim_start_matches('#')).expect("a reference that leads somewhere"),
        None => value,
    }
}

/// Where a value does not fit a schema: what JSON Schema says of the words that the description uses, and no others.
pub fn conflict(value: &Value, schema: &Value) -> Option<String> {
    let none = Map::new();
    let schema = resolved(schema).as_object().expect("a schema");
    let fields = value.as_object().unwrap_or(&none);
    let at = |place: &str, found: Option<String>| found.map(|found| format!("{place}: {found}"));
    let alternatives = |list: &Value| {
        let list = list.as_array().expect("a list");
        let conflicts: Vec<_> = list.iter().map(|schema| conflict(value, schema)).collect();
        let fitting = conflicts.iter().filter(|conflict| conflict.is_none()).count();
        (fitting, format!("{:?}", conflicts.into_iter().flatten().collect::<Vec<_>>()))
    };
    for (word, says) in schema {
        let number = || says.as_u64().expect("a number");
        let wrong = match word.as_str() {
            "description" | "examples" | "default" => None,
            "type" => {
                let types = says.as_array().map_or(std::slice::from_ref(says), Vec::as_slice);
                let fits = types.iter().any(|kind| has_type(value, kind.as_str().expect("a type")));
                (!fits).then(|| format!("{value} is not of type {says}"))
            }
            "enum" => (!says.as_array().expect("a list").contains(value)).then(|| format!("{value} is none of {says}")),
            "const" => (value != says).then(|| format!("{value} is not {says}")),
            "minimum" => {
                value.as_f64().filter(|&found| found < says.as_f64().unwrap()).map(|_| format!("{value} < {says}"))
            }
            "maximum" => {
                value.as_f64().filter(|&found| found > says.as_f64().unwrap()).map(|_| format!("{value} > {says}"))
            }
            "maxLength" => {
                let length = value.as_str().map_or(0, |text| text.chars().count() as u64);
                (length > number()).then(|| format!("{length} characters"))
            }
            "minItems" => {
                (value.as_array().is_some_and(|list| (list.len() as u64) < number())).then(|| "few".to_owned())
            }
            "maxItems" => {
                (value.as_array().is_some_and(|list| list.len() as u64 > number())).then(|| "many".to_owned())
            }
            "pattern" => {
                let fits = value.as_str().is_none_or(|text| matches(text, says.as_str().expect("a pattern")));
                (!fits).then(|| format!("{value} does not match {says}"))
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten().enumerate();
                items.find_map(|(i, item)| at(&i.to_string(), conflict(item, says)))
            }
            "required" => {
                let mut names = says.as_array().expect("a list").iter().map(|name| name.as_str().expect("a name"));
                let missing = names.find(|&name| value.is_object() && !fields.contains_key(name));
                missing.map(|name| format!("{name} is missing"))
            }
            "properties" => {
                let mut described = says.as_object().expect("an object").iter();
                described.find_map(|(name, says)| at(name, conflict(fields.get(name)?, says)))
            }
            "propertyNames" => fields.keys().find_map(|name| at(name, conflict(&Value::from(name.as_str()), says))),
            "additionalProperties" => {
                let described = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
                let mut others = fields.iter().filter(|(name, _)| !described.contains_key(*name));
                match says {
                    Value::Bool(allowed) => {
                        assert!(!allowed);
                        others.next().map(|(name, _)| format!("{name} is not described"))
                    }
                    says => others.find_map(|(name, value)| at(name, conflict(value, says))),
                }
            }
            "anyOf" => Some(alternatives(says)).filter(|(fitting, _)| *fitting == 0).map(|(_, why)| why),
            "oneOf" => Some(alternatives(says)).filter(|(fitting, _)| *fitting != 1).map(|(_, why)| why),
            other => panic!("{other} is a word that this test does not know"),
        };
        if wrong.is_some() {
            return wrong;
        }
    }
    None
}

/// Whether a text matches one of the patterns that the description uses.
fn matches(text: &str, pattern: &str) -> bool {
    let side = |text: &str| ["1", "3", "5", "7", "9", "11", "13"].contains(&text);
    let row = |text: &str| (1..=13).any(|row: u8| row.to_string() == text);
    match pattern {
        "^[0-9a-f]{32}$" => text.len() == 32 && text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)),
        "^([13579]|11|13)x([13579]|11|13)$" => {
            text.split_once('x').is_some_and(|(left, right)| side(left) && side(right))
        }
        "^[a-m]([1-9]|1[0-3])$" => text.starts_with(|c| ('a'..='m').contains(&c)) && row(&text[1..]),
        other => panic!("{other} is a pattern that this test does not know"),
    }
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}
