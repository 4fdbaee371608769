//! Lets libFuzzer call the body of the target `certificate`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fanorona_fuzz::bodies::certificate::run(data));
