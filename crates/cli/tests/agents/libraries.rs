//! The official libraries of the providers, and what is built on them.

use std::path::Path;
use std::process::Command;

use enfold_script::{Model, Reply};

use crate::{Place, installed};

/// Asks by a script, through the proxy and without; what it reads must be the same.
#[track_caller]
fn check(program: &str, script: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents").join(script);
    // Packages are looked for where the script stands.
    let at = Path::new(&std::env::var_os("ENFOLD_AGENTS").unwrap()).join(script.file_name().unwrap());
    std::fs::copy(&script, &at).unwrap();
    let script = at;
    let ask = |through: bool| {
        let (place, model) = (
            Place::new(),
            Model::start(|request| match request.messages().len() % 4 {
                1 => Reply::call("bash", r#"{"command":"ls"}"#),
                _ => Reply::Text("done".into()),
            }),
        );
        let (url, v1) = (model.url().to_string(), format!("{}/v1", model.url()));
        let output = match through {
            true => {
                let upstreams = ["anthropic", "openai", "gemini"].map(|name| format!("{name}={url}"));
                let named = upstreams.iter().flat_map(|upstream| ["--upstream", upstream]);
                let options: Vec<&str> = named.chain(["--window", "16k"]).collect();
                place.run(&options, &[], &[program, script.to_str().unwrap()])
            }
            false => Command::new(program)
                .arg(&script)
                .env("ANTHROPIC_BASE_URL", &url)
                .env("OPENAI_BASE_URL", &v1)
                .env("GOOGLE_GEMINI_BASE_URL", &url)
                .output()
                .unwrap(),
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(model.refused(), Vec::<String>::new());
        let summary = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_string();
        (String::from_utf8_lossy(&output.stdout).into_owned(), summary)
    };
    let ((direct, _), (through, summary)) = (ask(false), ask(true));
    assert_eq!(direct, through);
    assert!(direct.lines().count() > 40, "{direct}");
    eprintln!("{summary}");
    assert!(!summary.contains(" 0 folds"), "{summary}");
}

#[test]
#[ignore = "needs the official libraries: cargo xtask agents"]
fn the_official_python_libraries_see_no_difference() {
    let Some(python) = installed("sdk/bin/python") else { return };
    check(&python, "libraries.py");
}

#[test]
#[ignore = "needs the official libraries: cargo xtask agents"]
fn the_official_node_libraries_and_the_ai_sdk_see_no_difference() {
    let Some(node) = installed("node_modules/.bin/node") else { return };
    check(&node, "libraries.mjs");
}
