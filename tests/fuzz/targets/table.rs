//! Lets libFuzzer call the body of the target `table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fanorona_fuzz::bodies::table::run(data));
