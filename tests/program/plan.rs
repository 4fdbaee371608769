//! Plans of builds: what they say of memory is what builds use, and solving builds from tiles where building does.

use crate::program::Place;

/// 6v4 takes 160 MB in planes and 106 MB from tiles, by the plan.
const FROM_TILES: &str = "3x7 --stones 10 --memory 130M --threads 1";

#[test]
fn solving_builds_from_tiles_what_does_not_fit() {
    let place = Place::new();
    let ran = place.run(&format!("solve {FROM_TILES} --json"));
    assert!(ran.err.contains("6v4 and twin: from ") && ran.err.contains(" of scratch read, "), "{}", ran.err);
    assert_eq!(ran.json()["value"], "white wins");
    // The same tables as in memory.
    place.run("build 3x7 --stones 10 --memory 1G --db whole").done();
    for slice in ["6v4", "4v6", "5v5", "1v8"] {
        let [tiles, planes] = ["db", "whole"].map(|database| format!("{database}/3x7/{slice}.wdl"));
        let read = |file| std::fs::read(place.path().join(file)).expect("a table");
        assert!(read(tiles) == read(planes), "{slice}");
    }
}

/// The most memory that the program has had at a time, in bytes.
#[cfg(target_os = "linux")]
fn peak(place: &Place, arguments: &str) -> f64 {
    use std::process::Stdio;

    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
    let mut peak = 0.0f64;
    let status = loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = peak.max(line.map_or(0.0, |kilobytes| 1024.0 * kilobytes.parse::<f64>().expect("a number")));
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(status.success(), "{arguments:?}");
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn builds_use_the_memory_that_plans_say() {
    let place = Place::new();
    let program = peak(&place, "build 3x3 --stones 2");
    for (arguments, form, metric) in [
        ("3x7 --stones 9 --memory 1G --threads 1", "planes", "wdl"),
        ("3x7 --slice 6v4 --memory 120M --threads 1", "tiles", "wdl"),
        ("3x5 --stones 15 --memory 1G --threads 1", "crowded", "wdl"),
        ("3x7 --stones 8 --memory 1G --threads 1 --metric both", "planes", "dtw"),
        ("9x3 --slice 4v3 --memory 60M --threads 1 --metric both", "layers", "dtw"),
    ] {
        let place = Place::new();
        let plan = place.run(&format!("build {arguments} --dry-run --json")).json();
        let pairs = plan["pairs"].as_array().expect("pairs");
        assert!(pairs.iter().any(|pair| (&pair["form"], &pair["metric"]) == (&form.into(), &metric.into())));
        let planned = plan["totals"]["memory"].as_f64().expect("bytes");
        let used = peak(&place, &format!("build {arguments}"));
        let (above, mb) = (used - program, 1e6);
        let text =
            format!("{arguments}: planned {:.1} MB, used {:.1} and the program itself", planned / mb, above / mb);
        assert!(above < 1.15 * planned + 2.0 * mb && above > 0.4 * planned, "{text}");
        assert!(used < plan["memory_allowed"].as_f64().expect("bytes"), "{text}");
    }
}
