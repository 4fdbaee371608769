//! Lets libFuzzer call the body of the target `router`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fanorona_fuzz::bodies::router::run(data));
