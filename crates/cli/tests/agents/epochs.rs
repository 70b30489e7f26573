//! Agents in sessions of several epochs.

use crate::{Place, check, installed, model};

const TASK: &str = "Look at every log and mend what is wrong.";

#[test]
#[ignore = "needs Claude Code: cargo xtask agents"]
fn claude_code_works_through_several_epochs() {
    let Some(claude) = installed("node_modules/.bin/claude") else { return };
    for (name, window) in
        [("claude-sonnet-4-5", "44k"), ("claude-opus-5-5", "40k"), ("claude-fable-5-1", "48k")]
    {
        let (place, model) = (Place::new(), model());
        let upstream = format!("anthropic={}", model.url());
        let agent = [&*claude, "-p", "--dangerously-skip-permissions", "--model", name, TASK];
        let options = ["--upstream", &upstream, "--window", window];
        let output = place.run(&options, &[("ANTHROPIC_API_KEY", "dummy-key")], &agent);
        eprintln!("{name}:");
        check(&model, &output, &place, 2);
    }
}

#[test]
#[ignore = "needs Codex: cargo xtask agents"]
fn codex_works_through_several_epochs() {
    let Some(codex) = installed("node_modules/.bin/codex") else { return };
    let (place, model) = (Place::new(), model());
    let upstream = format!("openai={}", model.url());
    let agent = [
        &*codex,
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--skip-git-repo-check",
        "-m",
        "scripted-model",
        TASK,
    ];
    let options = ["--upstream", &upstream, "--window", "36k"];
    let output = place.run(&options, &[("CODEX_API_KEY", "dummy-key")], &agent);
    check(&model, &output, &place, 2);
}

/// Settings of OpenCode's: models by which it speaks each of the three APIs. Where they are, `enfold run` says.
pub(crate) const OPENCODE: &str = r#"{"autoupdate":false,"share":"disabled","provider":{
    "anthropic":{"options":{"apiKey":"dummy-key"},"models":{"claude-sonnet-5-5":{"limit":{"context":200000,"output":8000}}}},
    "openai":{"options":{"apiKey":"dummy-key"},"models":{"gpt-6.1-sol":{"limit":{"context":200000,"output":8000}}}}}}"#;

#[test]
#[ignore = "needs OpenCode: cargo xtask agents"]
fn opencode_works_through_several_epochs() {
    let Some(opencode) = installed("node_modules/.bin/opencode") else { return };
    for name in ["anthropic/claude-sonnet-5-5", "openai/gpt-6.1-sol"] {
        let (place, model) = (Place::new(), model());
        let settings = place.path("data/opencode.json");
        std::fs::write(&settings, OPENCODE).unwrap();
        let (one, two) = (format!("anthropic={}", model.url()), format!("openai={}", model.url()));
        let variables =
            [("OPENCODE_CONFIG", settings.to_str().unwrap()), ("OPENCODE_DISABLE_MODELS_FETCH", "1")];
        let options = ["--upstream", &one, "--upstream", &two, "--window", "30k"];
        let output = place.run(&options, &variables, &[&opencode, "run", "--auto", "-m", name, TASK]);
        eprintln!("{name}:");
        check(&model, &output, &place, 2);
    }
}

/// It looks at no variable, only at its own file, which is written where the proxy is known.
const PI: &str = r#"mkdir -p $HOME/.pi/agent && cat > $HOME/.pi/agent/models.json <<END && exec "$0" "$@"
{"providers":{
 "ea":{"baseUrl":"$ANTHROPIC_BASE_URL","api":"anthropic-messages","apiKey":"dummy-key","models":[{"id":"claude-sonnet-5-5","reasoning":true,"contextWindow":200000,"maxTokens":8000}]},
 "ec":{"baseUrl":"$OPENAI_BASE_URL","api":"openai-completions","apiKey":"dummy-key","models":[{"id":"scripted-model","contextWindow":200000,"maxTokens":8000}]},
 "er":{"baseUrl":"$OPENAI_BASE_URL","api":"openai-responses","apiKey":"dummy-key","models":[{"id":"scripted-model","contextWindow":200000,"maxTokens":8000}]}}}
END"#;

#[test]
#[ignore = "needs pi: cargo xtask agents"]
fn pi_works_through_several_epochs_by_each_of_three_apis() {
    let Some(pi) = installed("node_modules/.bin/pi") else { return };
    for name in ["ea/claude-sonnet-5-5", "ec/scripted-model", "er/scripted-model"] {
        let (place, model) = (Place::new(), model());
        let (one, two) = (format!("anthropic={}", model.url()), format!("openai={}", model.url()));
        let options = ["--upstream", &one, "--upstream", &two, "--window", "24k"];
        let agent = ["sh", "-c", PI, &pi, "-p", "--offline", "--model", name, TASK];
        let output = place.run(&options, &[("PI_OFFLINE", "1")], &agent);
        eprintln!("{name}:");
        check(&model, &output, &place, 2);
    }
}

#[test]
#[ignore = "needs Qwen Code: cargo xtask agents"]
fn qwen_code_works_through_several_epochs_by_each_of_three_apis() {
    let Some(qwen) = installed("node_modules/.bin/qwen") else { return };
    for kind in ["openai", "openai-responses", "anthropic"] {
        let (place, model) = (Place::new(), model());
        let (one, two) = (format!("anthropic={}", model.url()), format!("openai={}", model.url()));
        let variables = [
            ("OPENAI_API_KEY", "dummy-key"),
            ("OPENAI_MODEL", "scripted-model"),
            ("ANTHROPIC_API_KEY", "dummy-key"),
            ("ANTHROPIC_MODEL", "claude-sonnet-5-5"),
        ];
        let options = ["--upstream", &one, "--upstream", &two, "--window", "30k"];
        let agent = [&*qwen, "--bare", "--auth-type", kind, "-y", "-p", TASK];
        let output = place.run(&options, &variables, &agent);
        eprintln!("{kind}:");
        check(&model, &output, &place, 2);
    }
}

#[test]
#[ignore = "needs Copilot CLI: cargo xtask agents"]
fn copilot_works_through_several_epochs_by_each_of_three_apis() {
    let Some(copilot) = installed("node_modules/.bin/copilot") else { return };
    for (kind, wire, base) in [
        ("openai", "completions", "OPENAI_BASE_URL"),
        ("openai", "responses", "OPENAI_BASE_URL"),
        ("anthropic", "completions", "ANTHROPIC_BASE_URL"),
    ] {
        let (place, model) = (Place::new(), model());
        let (one, two) = (format!("anthropic={}", model.url()), format!("openai={}", model.url()));
        let variables = [
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_PROVIDER_TYPE", kind),
            ("COPILOT_PROVIDER_WIRE_API", wire),
            ("COPILOT_PROVIDER_API_KEY", "dummy-key"),
            ("COPILOT_MODEL", "claude-sonnet-5-5"),
        ];
        let options = ["--upstream", &one, "--upstream", &two, "--window", "36k"];
        let set = format!("COPILOT_PROVIDER_BASE_URL=${base} exec \"$0\" \"$@\"");
        let agent = ["sh", "-c", &set, &copilot, "--allow-all-tools", "-p", TASK];
        let output = place.run(&options, &variables, &agent);
        eprintln!("{kind}, {wire}:");
        check(&model, &output, &place, 2);
    }
}
