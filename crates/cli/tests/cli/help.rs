//! What the command line says about itself.

use crate::support::enfold;

#[test]
fn help_names_every_command_and_the_exit_codes() {
    insta::assert_snapshot!(enfold(&["--help"], "").stdout);
}

#[test]
fn the_help_of_each_command_teaches_with_examples() {
    for command in [
        "fold",
        "explain",
        "unfold",
        "inspect",
        "count",
        "convert",
        "validate",
        "file-at",
        "intent",
        "changelog",
        "ledger",
        "sessions",
        "sessions list",
        "sessions show",
        "sessions messages",
        "sessions view",
        "sessions import",
        "sessions export",
        "sessions rm",
        "sessions gc",
        "log",
        "search",
        "serve",
        "run",
        "mcp",
        "doctor",
        "passes",
        "policies",
        "templates",
        "models",
        "completions",
        "man",
    ] {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = enfold(&words, "").stdout;
        assert!(help.contains("Examples:\n  enfold "), "{help}");
        insta::assert_snapshot!(format!("help_{}", command.replace(' ', "_")), help);
    }
}

#[test]
fn completions_come_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = enfold(&["completions", shell], "").stdout;
        assert!(script.contains("convert"), "{shell}: {script}");
    }
}

#[test]
fn man_pages_come_for_all_and_for_one() {
    assert!(enfold(&["man"], "").stdout.contains("enfold\\-convert(1)"));
    assert!(enfold(&["man", "convert"], "").stdout.contains(".TH enfold-convert 1"));
    let none = enfold(&["man", "nothing"], "");
    assert_eq!(none.code, 2);
    assert!(
        none.stderr.starts_with("error: man page `nothing`: there is none; there are: "),
        "{}",
        none.stderr
    );
}

#[test]
fn wrong_usage_is_exit_code_2() {
    assert_eq!(enfold(&["convert", "--to", "nonsense"], "").code, 2);
    assert_eq!(enfold(&["nonsense"], "").code, 2);
    assert_eq!(enfold(&[], "").code, 2);
}
