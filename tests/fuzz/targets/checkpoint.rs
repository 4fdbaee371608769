//! Lets libFuzzer call the body of the target `checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fanorona_fuzz::bodies::checkpoint::run(data));
