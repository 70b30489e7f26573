//! `enfold passes`, `enfold policies` and `enfold templates`: what the command line knows about folding.

use crate::support::{arg, enfold, file, json};

#[test]
fn passes_are_listed_and_each_has_its_page() {
    let list = enfold(&["passes"], "").stdout;
    let passes = json(&["passes", "--json"]);
    let passes = passes["passes"].as_array().unwrap();
    assert!(passes.len() > 3);
    for pass in passes {
        let name = pass["pass"].as_str().unwrap();
        assert!(list.contains(name), "{name}: {list}");
        let page = enfold(&["passes", name], "").stdout;
        for heading in
            ["# What it does", "# When it fires", "# What is lost and how to recall it", "# Options"]
        {
            assert!(page.contains(heading), "{name}: {heading}\n{page}");
        }
        for option in pass["options"].as_array().unwrap() {
            let (option, meaning) = (option["option"].as_str().unwrap(), option["meaning"].as_str());
            assert!(page.contains(option) && meaning.is_some(), "{name}: {option}\n{page}");
        }
    }
}

#[test]
fn the_page_of_a_pass_ends_in_its_options() {
    insta::assert_snapshot!(enfold(&["passes", "cap_results"], "").stdout);
}

#[test]
fn policies_are_listed_described_and_printed() {
    let policies = json(&["policies", "--json"]);
    let list = enfold(&["policies"], "").stdout;
    for policy in policies["policies"].as_array().unwrap() {
        let name = policy["policy"].as_str().unwrap();
        assert!(list.contains(name), "{list}");
        let described = enfold(&["policies", name], "").stdout;
        for pass in policy["passes"].as_array().unwrap() {
            assert!(described.contains(pass["pass"].as_str().unwrap()), "{described}");
        }
        assert_eq!(json(&["policies", name, "--json"]), *policy);
        let text = enfold(&["policies", name, "--toml"], "").stdout;
        let (_folder, path) = file("own.toml", &text);
        assert_eq!(json(&["policies", arg(&path), "--json"]), *policy, "printed, it is the same policy");
    }
}

#[test]
fn misspelt_names_are_answered_with_the_nearest() {
    let said = |args: &[&str]| {
        let ran = enfold(args, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        ran.stderr
    };
    insta::assert_snapshot!(said(&["passes", "cap_result"]), @"error: pass `cap_result`: there is none of that name; did you mean `cap_results`? (`enfold passes` lists them)");
    insta::assert_snapshot!(said(&["policies", "balance"]), @"error: policy `balance`: there is no policy of that name; did you mean `balanced`? (`enfold policies` lists them; a file of your own needs a dot or a slash)");
    insta::assert_snapshot!(said(&["policies", "zzz"]), @"error: policy `zzz`: there is no policy of that name (`enfold policies` lists them; a file of your own needs a dot or a slash)");
}

#[test]
fn templates_are_listed_printed_and_checked() {
    let templates = json(&["templates", "--json"]);
    let list = enfold(&["templates"], "").stdout;
    for template in templates["templates"].as_array().unwrap() {
        let name = template["template"].as_str().unwrap();
        assert!(list.contains(name), "{list}");
        let (_folder, path) = file("own.md", enfold(&["templates", name], "").stdout);
        assert_eq!(
            json(&["templates", "--check", arg(&path), "--json"]),
            *template,
            "printed, it is the same"
        );
        let checked = enfold(&["templates", "--check", arg(&path)], "").stdout;
        assert!(checked.ends_with("It can be used.\n"), "{checked}");
    }
    let ran = enfold(&["templates", "codding"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean `coding`?"), "{}", ran.stderr);
}

#[test]
fn a_template_that_cannot_be_used_is_answered_with_its_line() {
    let text = enfold(&["templates", "coding"], "").stdout;
    let line = text.lines().position(|line| line.contains("{tokens} tokens")).unwrap() + 1;
    let (_folder, path) = file("own.md", text.replace("{tokens} tokens", "{tokns} tokens"));
    let ran = enfold(&["templates", "--check", arg(&path)], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains(&format!("own.md: line {line}: ")), "{}", ran.stderr);
    assert!(ran.stderr.contains("tokns"), "{}", ran.stderr);
}
