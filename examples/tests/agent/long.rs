//! Hundreds of steps through a small window.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use enfold::count::models::Table;
use enfold::count::{CachedCounter, Counter, Tally};
use enfold::file;
use enfold::file::document::Document;
use enfold::history::ItemKind;
use enfold_script::{Call, Model, Reply, Request};
use serde_json::json;

use crate::{KEY, run, text};

const WINDOW: usize = 16_000;
const ANSWER: usize = 2_000;

/// A part of the work: six steps.
const PARTS: usize = 52;

const TASK: &str =
    "Write every part, read it, mend its third line, and check it.\nKeep \"quotes\", \\ and 😀 as they are.";

#[test]
fn an_agent_works_for_hundreds_of_steps_through_a_small_window_on_anthropic() {
    works_for_hundreds_of_steps("anthropic", "anthropic");
}

#[test]
fn an_agent_works_for_hundreds_of_steps_through_a_small_window_on_chat() {
    works_for_hundreds_of_steps("chat", "openai-chat");
}

#[test]
fn an_agent_works_for_hundreds_of_steps_through_a_small_window_on_responses() {
    works_for_hundreds_of_steps("responses", "openai-responses");
}

fn works_for_hundreds_of_steps(api: &str, wire: &str) {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("work");
    fs::create_dir(&folder).unwrap();
    fs::write(outside.path().join("secret.txt"), "not for the model").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), folder.join("way_out")).unwrap();

    let script = Arc::new(Mutex::new(Script::default()));
    let model = Model::start({
        let script = script.clone();
        move |request| script.lock().unwrap().reply(request)
    });
    let save = outside.path().join("session.jsonl");
    let mut options = vec!["--window", "16k", "--max-tokens", "2k", "--max-steps", "400"];
    options.extend(["--save", save.to_str().unwrap()]);
    let output = run(api, &model, &folder, &options, TASK);

    let log = text(&output.stderr);
    assert!(output.status.success(), "{}", tail(&log));
    assert_eq!(text(&output.stdout), "All parts are done.\n");
    assert_eq!(model.refused(), Vec::<String>::new(), "no request that a provider would refuse");

    let script = script.lock().unwrap();
    // The request that was answered with a 500 came again, byte for byte.
    let all = model.requests();
    assert_eq!(all[script.failed].body, all[script.failed + 1].body);
    let requests: Vec<&Request> = all.iter().filter(|request| request.nth != script.failed).collect();
    assert_eq!(requests.len(), PARTS * 6 + 1);
    let documents: Vec<Document> = requests.iter().map(|request| read(wire, &request.body)).collect();

    has_the_task_within_the_budget(&documents);
    let largest = requests.iter().map(|request| request.tokens()).max().unwrap();
    assert!(largest + ANSWER <= WINDOW, "{largest} tokens as the model counts");
    let epochs = grows_between_epochs(&requests, &log);
    assert!(epochs >= 4, "{epochs} epochs");
    let saved = Saved::read(wire, &save, &script.expected);
    saved.is_as_scripted(&script);
    let opened = saved.is_seen(&script, &documents);
    assert!(opened >= 4, "{opened} originals were seen whole");
    has_the_files(&folder);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 3, "nothing was written outside");
    assert!(requests.iter().all(|request| !request.body.contains(KEY)));
    eprintln!(
        "{api}: {} requests of at most {largest} tokens, {epochs} epochs, {opened} unfolded",
        requests.len()
    );
}

/// What the model does, and what it expects to be told next.
#[derive(Default)]
struct Script {
    /// Steps taken.
    step: usize,
    /// The request that was answered with a 500.
    failed: usize,
    /// Handles that were opened.
    opened: BTreeSet<String>,
    /// What stands in the results of each step.
    expected: Vec<Expected>,
}

enum Expected {
    /// Each of these, in a result each.
    Pieces(Vec<String>),
    /// What stood in the conversation before.
    Original,
}

impl Expected {
    /// How many results there are.
    fn count(&self) -> usize {
        match self {
            Expected::Pieces(pieces) => pieces.len(),
            Expected::Original => 1,
        }
    }
}

impl Script {
    fn reply(&mut self, request: &Request) -> Reply {
        if self.step == 99 && self.failed == 0 {
            self.failed = request.nth;
            return Reply::status(500, r#"{"error":{"message":"oops"}}"#);
        }
        let (reply, expected) = self.action(request);
        self.step += 1;
        self.expected.push(expected);
        reply
    }

    fn action(&mut self, request: &Request) -> (Reply, Expected) {
        let part = self.step / 6;
        let path = path(part);
        let simple = |name: &str, arguments: serde_json::Value, told: String| {
            (Reply::call(name, arguments.to_string()), Expected::Pieces(vec![told]))
        };
        match self.step % 6 {
            _ if part == PARTS => (Reply::Text("All parts are done.".into()), Expected::Pieces(vec![])),
            0 => {
                let arguments = json!({"path": path, "content": written(part)});
                simple("write_file", arguments, format!("{path} has 25 lines"))
            }
            1 => simple("read_file", json!({"path": path}), written(part)),
            2 => {
                let (old, new) = (line(part, 3), mended(part));
                let arguments = json!({"path": path, "old_string": old, "new_string": new});
                simple("edit_file", arguments, format!("{path} is changed"))
            }
            3 => simple("run", json!({"command": checking(part)}), checked(part)),
            4 => {
                let command = format!("echo \"part {part} has no tests\" >&2; exit 3");
                let told = format!("Exit code: 3\nOutput:\npart {part} has no tests\n");
                simple("run", json!({"command": command}), told)
            }
            _ => self.oddity(part, request),
        }
    }

    /// What models do now and then.
    fn oddity(&mut self, part: usize, request: &Request) -> (Reply, Expected) {
        let told = |reply: Reply, told: &str| (reply, Expected::Pieces(vec![told.to_string()]));
        match part % 8 {
            0 => told(Reply::call("teleport", "{}"), "there is no tool `teleport`"),
            1 => match request.wire {
                // Anthropic's server reads the arguments, and calls what it cannot read so.
                Some("anthropic") => told(Reply::call("run", "{\"comm"), "`command` is missing"),
                _ => told(Reply::call("run", "{\"comm"), "the arguments are not JSON"),
            },
            2 => {
                let call = |name: &str, arguments: serde_json::Value| Call {
                    name: name.into(),
                    arguments: arguments.to_string(),
                };
                let path = path(part);
                let calls = vec![
                    call("read_file", json!({"path": path, "offset": 2, "limit": 1})),
                    call("list_files", json!({"path": "parts"})),
                ];
                (Reply::Calls(calls), Expected::Pieces(vec![format!("{}\n", mended(part)), path]))
            }
            3 => told(Reply::call("read_file", r#"{"path":"../secret.txt"}"#), "outside the folder"),
            4 => {
                let arguments = r#"{"path":"way_out/evil.txt","content":"x"}"#;
                told(Reply::call("write_file", arguments), "outside the folder")
            }
            5 => told(Reply::call("run", r#"{"command":"true"}"#), "Exit code: 0\nOutput:\n"),
            // The newest one that was not opened yet.
            _ => match handles(&request.body).into_iter().rfind(|handle| !self.opened.contains(handle)) {
                Some(handle) => {
                    self.opened.insert(handle.clone());
                    let arguments = json!({"handle": format!("#{handle}")}).to_string();
                    (Reply::call("unfold", arguments), Expected::Original)
                }
                None => told(Reply::call("unfold", r##"{"handle":"#000000000"}"##), "there is no handle"),
            },
        }
    }
}

fn path(part: usize) -> String {
    format!("parts/part_{part}.txt")
}

fn line(part: usize, number: usize) -> String {
    format!("part {part}, line {number}: value_{part}_{number} = {}", part * 1_000 + number * 7)
}

fn written(part: usize) -> String {
    (1..=25).map(|number| line(part, number) + "\n").collect()
}

fn mended(part: usize) -> String {
    format!("part {part}, line 3: mended \"{part}\"")
}

/// Lines of output: some 700 tokens, now and then more than four windows take.
fn checks(part: usize) -> usize {
    if part % 20 == 19 { 10_000 } else { 100 }
}

fn checking(part: usize) -> String {
    format!("for i in $(seq 1 {}); do echo \"check_{part}_$i: ok\"; done", checks(part))
}

fn checked(part: usize) -> String {
    let lines = (1..=checks(part)).map(|number| format!("check_{part}_{number}: ok\n"));
    format!("Exit code: 0\nOutput:\n{}", lines.collect::<String>())
}

/// The handles in a view, in the order in which they stand there.
fn handles(body: &str) -> Vec<String> {
    let after = body.split('#').skip(1);
    let digits = after.filter(|rest| rest.get(9..10) == Some("]")).map(|rest| rest[..9].to_string());
    digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())).collect()
}

fn read(wire: &str, body: &str) -> Document {
    file::read_bytes_as(wire, body.as_bytes().to_vec()).unwrap()
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

fn has_the_task_within_the_budget(documents: &[Document]) {
    let model = Table::shipped().resolve("scripted").model;
    let counter: Arc<dyn Counter> = Arc::new(CachedCounter::new(model.counter(), 1 << 16));
    for (nth, document) in documents.iter().enumerate() {
        let mut items = document.history.items().iter();
        assert!(items.any(|item| item.kind == ItemKind::Text && item.text() == TASK), "request {nth}");
        let tokens = Tally::of(&document.history, counter.clone(), model.image).total();
        let tools = counter.count(document.tools.as_ref().unwrap());
        assert!(tokens + tools + ANSWER <= WINDOW, "request {nth} has {tokens} and {tools} tokens");
    }
}

/// Within an epoch each request is the one before and more. Returns how many epochs were opened.
fn grows_between_epochs(requests: &[&Request], log: &str) -> usize {
    let epoch =
        |line: &str| line.strip_prefix("step ")?.split_once(": epoch ")?.1.split(',').next()?.parse().ok();
    let epochs: Vec<usize> = log.lines().filter_map(epoch).collect();
    assert_eq!(epochs.len(), requests.len());
    for (nth, pair) in requests.windows(2).enumerate() {
        let (before, now) = (pair[0].messages(), pair[1].messages());
        if epochs[nth] == epochs[nth + 1] {
            assert_eq!(now[..before.len()], before[..], "request {}", nth + 1);
        }
    }
    epochs.last().unwrap() - epochs[0]
}

/// What really happened, as the agent saved it.
struct Saved {
    /// Each message as it came, and the texts in it.
    messages: Vec<(String, Vec<String>)>,
    /// The results of each step: the message they stand in, and their text.
    results: Vec<Vec<(usize, String)>>,
}

impl Saved {
    fn read(wire: &str, file: &Path, expected: &[Expected]) -> Saved {
        let document = file::read_bytes(fs::read(file).unwrap()).unwrap();
        assert_eq!(document.wire.name(), wire, "a file that is known by its content");
        let history = &document.history;
        let texts = |nth| {
            let texts = history.items_of(nth).iter().flat_map(|item| &item.texts);
            texts.map(|text| text.value.to_string()).collect()
        };
        let messages = history.message_ids().zip(history.messages());
        let messages = messages.map(|(nth, message)| (message.raw.to_string(), texts(nth))).collect();
        let mut results = history.items().iter().filter(|item| item.result().is_some());
        let mut next = |count| {
            results
                .by_ref()
                .take(count)
                .map(|item| (item.message.index(), item.text().into_owned()))
                .collect()
        };
        let results = expected.iter().map(|expected| next(expected.count())).collect();
        Saved { messages, results }
    }

    /// Every tool said what it should; what a handle opened is what was said before, byte for byte.
    fn is_as_scripted(&self, script: &Script) {
        for (step, (expected, results)) in script.expected.iter().zip(&self.results).enumerate() {
            assert_eq!(results.len(), expected.count(), "step {step}");
            match expected {
                Expected::Pieces(pieces) => {
                    for ((_, result), piece) in results.iter().zip(pieces) {
                        assert!(
                            result.contains(piece.as_str()),
                            "step {step}: {piece:?} is not in {result:?}"
                        );
                    }
                }
                Expected::Original => {
                    let (message, text) = &results[0];
                    assert!(self.was_said_before(*message, text), "step {step}: nobody ever said {text:?}");
                }
            }
        }
    }

    /// A handle opens a text, or the messages that were left out, a line each.
    fn was_said_before(&self, message: usize, text: &str) -> bool {
        let before = &self.messages[..message];
        before.iter().any(|(_, texts)| texts.iter().any(|said| said == text))
            || text.lines().all(|line| before.iter().any(|(raw, _)| raw == line))
    }

    /// The model sees the newest results as they were said, or folded with a handle. Returns how many originals it
    /// saw whole after it had opened them.
    fn is_seen(&self, script: &Script, documents: &[Document]) -> usize {
        let mut opened = 0;
        for (step, document) in documents.iter().skip(1).enumerate() {
            let results = document.history.items().iter().rev().take_while(|item| item.result().is_some());
            for (item, (_, said)) in results.zip(self.results[step].iter().rev()) {
                let (text, is_recalled) = (item.text(), matches!(script.expected[step], Expected::Original));
                opened += usize::from(is_recalled && text == *said);
                assert!(text == *said || !handles(&text).is_empty(), "step {step}: {text}");
            }
        }
        opened
    }
}

fn has_the_files(folder: &Path) {
    for part in 0..PARTS {
        let wanted = written(part).replace(&line(part, 3), &mended(part));
        assert_eq!(fs::read_to_string(folder.join(path(part))).unwrap(), wanted, "part {part}");
    }
    assert_eq!(fs::read_dir(folder.join("parts")).unwrap().count(), PARTS);
}
