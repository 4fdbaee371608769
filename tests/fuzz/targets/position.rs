//! Lets libFuzzer call the body of the target `position`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fanorona_fuzz::bodies::position::run(data));
