//! Small sessions in OpenAI's chat format, written by hand.

use bytestring::ByteString;
use enfold::Session;
use enfold::folding::policy::Policy;
use enfold::json::quote;
use enfold::wire::OpenAiChat;

/// A session that can be asked, with a policy in TOML or a shipped one by its name.
pub fn session(policy: &str, limit: usize) -> Session {
    let policy = Policy::named(policy).or_else(|_| Policy::parse(policy)).unwrap();
    let mut session = Session::new(&OpenAiChat, policy, limit).asking();
    session.push(user("mend the build")).unwrap();
    session
}

pub fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":{}}}"#, quote(text))
}

pub fn says(text: &str) -> String {
    format!(r#"{{"role":"assistant","content":{}}}"#, quote(text))
}

pub fn call(id: &str, command: &str) -> String {
    let arguments = quote(&format!(r#"{{"command":{}}}"#, quote(command)));
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":{arguments}}}}}]}}"#
    )
}

pub fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":{}}}"#, quote(text))
}

/// Some 400 tokens of lines that differ from step to step.
pub fn output(step: usize) -> String {
    (0..20).map(|line| format!("src/file_{step}.rs:{line}: value_{step}_{line} is not used\n")).collect()
}

/// The messages of a step.
pub fn step(nth: usize) -> [String; 2] {
    let id = format!("c{nth}");
    [call(&id, &format!("make step_{nth}")), result(&id, &output(nth))]
}

pub fn push_steps(session: &mut Session, steps: std::ops::Range<usize>) {
    steps.flat_map(step).for_each(|message| assert!(session.push(message).is_ok()));
}

pub fn texts(messages: &[ByteString]) -> Vec<String> {
    messages.iter().map(ToString::to_string).collect()
}
