//! JSON objects in which no name is given twice, at any depth. Of two values of the same name, readers differ in which counts.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::board::excerpt;

/// A JSON object without repeated names.
#[derive(Debug)]
pub struct Distinct(pub Map<String, Value>);

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Distinct;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Distinct, A::Error> {
        let mut map = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format_args!("the name {:?} is given twice", excerpt(&name))));
            }
            let Part(value) = entries.next_value()?;
            map.insert(name, value);
        }
        Ok(Distinct(map))
    }
}

/// Any JSON value whose objects are distinct.
struct Part(Value);

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any).map(Self)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Part(value)) = elements.next_element()? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value, A::Error> {
        Object.visit_map(entries).map(|Distinct(map)| map.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_read_unless_a_name_is_given_twice() {
        let text = r#"{"a": [1, -2, 2.5, "b", null, true, {"c": {"a": 1}}, {"c": 2}], "b": {}}"#;
        let Distinct(map) = serde_json::from_str(text).expect("an object");
        assert_eq!(Value::Object(map), serde_json::from_str::<Value>(text).expect("a value"));
        for twice in [r#"{"a": 1, "a": 1}"#, r#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#, r#"{"a": {"\u0062": 1, "b": 2}}"#]
        {
            let error = serde_json::from_str::<Distinct>(twice).expect_err("twice").to_string();
            assert!(error.contains("is given twice"), "{error}");
        }
        assert!(serde_json::from_str::<Distinct>("[]").is_err() && serde_json::from_str::<Distinct>("1").is_err());
    }
}
