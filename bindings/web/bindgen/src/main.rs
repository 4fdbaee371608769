//! `bindgen LIBRARY.wasm FOLDER` writes the program for a browser, `fanorona_web_bg.wasm`, and the module that loads it, for `.ci/site`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, folder] = &arguments[..] else {
        eprintln!("Usage: bindgen LIBRARY.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(library).out_name("fanorona_web").typescript(false).omit_default_module_path(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    match bindgen.web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{library}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
