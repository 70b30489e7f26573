//! Sessions of an agent at work, drawn at random: files read again after edits, logs, searches, failures.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::generate::{Call, Outcome, Piece, Response, Session, Turn, Wildness, text};

/// A session of tool work. The same file is read and edited over several versions.
pub fn work(wildness: Wildness) -> impl Strategy<Value = Session> {
    let wild = wildness == Wildness::Broken;
    let turns = prop::collection::vec(asked(wild), 1..4);
    let instructions = prop::collection::vec(text(false), 0..2);
    (instructions.clone(), instructions, turns).prop_map(move |(system, developer, turns)| {
        let mut desk = Desk::new(wild);
        let turns = turns.into_iter().map(|asked| desk.turn(asked)).collect();
        Session { system, developer, turns }
    })
}

/// What the user says, and what is done about it.
#[derive(Clone, Debug)]
struct Asked {
    says: Vec<Says>,
    does: Vec<Does>,
}

#[derive(Clone, Debug)]
enum Says {
    Task(String),
    /// What harnesses put before the task.
    Instructions,
    Paste(u16),
    Image,
}

/// One response: what is thought and said, and the calls it makes at once.
#[derive(Clone, Debug)]
struct Does {
    thinking: Option<String>,
    text: Option<String>,
    acts: Vec<(Act, Fate)>,
    note: bool,
}

/// One call.
#[derive(Clone, Debug)]
enum Act {
    Read { file: u8, from: u16, lines: Option<u16> },
    Cat { file: u8 },
    Edit { file: u8, line: u16 },
    Write { file: u8, lines: u16 },
    Patch { file: u8, line: u16 },
    Run { lines: u16, fails: bool },
    Search { hits: u16 },
    Json { rows: u16 },
    Odd { text: String },
    Nothing,
}

/// What becomes of the call, beyond its own outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Fine,
    Pictured,
    InPieces,
    Unanswered,
    Orphaned,
    WithoutId,
    SharesId,
}

fn asked(wild: bool) -> impl Strategy<Value = Asked> {
    let says = prop_oneof![
        5 => "[a-z]{3,9} the [a-z]{3,9}".prop_map(Says::Task),
        1 => Just(Says::Instructions),
        1 => (1u16..80).prop_map(Says::Paste),
        1 => Just(Says::Image),
    ];
    (prop::collection::vec(says, 1..3), prop::collection::vec(does(wild), 0..9))
        .prop_map(|(says, does)| Asked { says, does })
}

fn does(wild: bool) -> impl Strategy<Value = Does> {
    let acts = prop::collection::vec((act(), fate(wild)), 0..4);
    let speech = prop_oneof![3 => "[A-Z][a-z ]{5,60}\\.", 1 => text(false)];
    (prop::option::of(text(false)), prop::option::of(speech), acts, prop::bool::weighted(0.1)).prop_map(
        move |(thinking, text, acts, note)| {
            let silent = text.is_none() && acts.is_empty() && !wild;
            Does { thinking, text: if silent { Some("Done.".into()) } else { text }, acts, note }
        },
    )
}

fn act() -> impl Strategy<Value = Act> {
    let file = 0u8..3;
    prop_oneof![
        4 => (file.clone(), 0u16..60, prop::option::of(1u16..60))
            .prop_map(|(file, from, lines)| Act::Read { file, from, lines }),
        1 => file.clone().prop_map(|file| Act::Cat { file }),
        2 => (file.clone(), any::<u16>()).prop_map(|(file, line)| Act::Edit { file, line }),
        1 => (file.clone(), 1u16..80).prop_map(|(file, lines)| Act::Write { file, lines }),
        1 => (file, any::<u16>()).prop_map(|(file, line)| Act::Patch { file, line }),
        2 => (prop_oneof![4 => 1u16..60, 1 => 200u16..600], any::<bool>())
            .prop_map(|(lines, fails)| Act::Run { lines, fails }),
        1 => (0u16..40).prop_map(|hits| Act::Search { hits }),
        1 => (0u16..120).prop_map(|rows| Act::Json { rows }),
        1 => text(true).prop_map(|text| Act::Odd { text }),
        1 => Just(Act::Nothing),
    ]
}

fn fate(wild: bool) -> impl Strategy<Value = Fate> {
    let tame = prop_oneof![8 => Just(Fate::Fine), 1 => Just(Fate::Pictured), 1 => Just(Fate::InPieces)];
    let broken =
        prop::sample::select(vec![Fate::Unanswered, Fate::Orphaned, Fate::WithoutId, Fate::SharesId]);
    if wild { prop_oneof![8 => tame, 2 => broken].boxed() } else { tame.boxed() }
}

const FILES: [&str; 3] = ["src/main.rs", "lib/größe.py", "/repo/docs/notes.md"];

/// The files as they stand while the session goes on.
struct Desk {
    files: [Vec<String>; 3],
    calls: u16,
    edits: u32,
    wild: bool,
}

impl Desk {
    fn new(wild: bool) -> Desk {
        let content = |file: usize| (0..70).map(|line| source_line(file, line)).collect();
        Desk { files: [0, 1, 2].map(content), calls: 0, edits: 0, wild }
    }

    fn turn(&mut self, asked: Asked) -> Turn {
        let user = asked.says.into_iter().map(|says| match says {
            Says::Task(text) => Piece::Text(text),
            Says::Instructions => Piece::Text(
                "# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nRun the tests.\n</INSTRUCTIONS>"
                    .into(),
            ),
            Says::Paste(lines) => Piece::Text(log(lines, 7)),
            Says::Image => Piece::Image,
        });
        let responses = asked.does.into_iter().map(|does| self.response(does));
        Turn { user: user.collect(), responses: responses.collect() }
    }

    fn response(&mut self, does: Does) -> Response {
        let calls: Vec<Call> = does.acts.into_iter().map(|(act, fate)| self.call(act, fate)).collect();
        let is_answered = calls.iter().any(|call| call.result.is_some());
        let note = (does.note && (is_answered || self.wild))
            .then(|| "<system-reminder>The list of todos is empty.</system-reminder>".to_string());
        Response { thinking: does.thinking, text: does.text, calls, note }
    }

    fn call(&mut self, act: Act, fate: Fate) -> Call {
        self.calls += 1;
        let (tool, input, text, is_error) = self.act(act);
        let texts = match fate {
            Fate::InPieces => {
                let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                let (head, tail) = text.split_at(middle);
                [head, tail].into_iter().filter(|piece| !piece.is_empty()).map(String::from).collect()
            }
            // Providers refuse an empty text in a list of parts, so nobody sends one.
            _ if text.is_empty() && !self.wild => vec!["(no output)".to_string()],
            _ => vec![text],
        };
        let outcome =
            Outcome { texts, image: fate == Fate::Pictured, is_error, is_orphan: fate == Fate::Orphaned };
        let id = match fate {
            Fate::WithoutId => None,
            Fate::SharesId => Some(1),
            _ => Some(self.calls),
        };
        let result = (fate != Fate::Unanswered).then_some(outcome);
        Call { tool: tool.into(), id, input, result }
    }

    /// Tool, arguments, what it answers, and whether that is an error.
    fn act(&mut self, act: Act) -> (&'static str, Value, String, bool) {
        let path = |file: u8| FILES[usize::from(file)];
        match act {
            Act::Read { file, from, lines } => {
                let content = &self.files[usize::from(file)];
                let from = usize::from(from).min(content.len());
                let count = lines.map_or(content.len(), usize::from);
                let shown = content.iter().enumerate().skip(from).take(count);
                let text: Vec<String> = shown.map(|(nth, line)| format!("{:6}\t{line}", nth + 1)).collect();
                let input = match lines {
                    Some(lines) => json!({"file_path": path(file), "offset": from + 1, "limit": lines}),
                    None => json!({"file_path": path(file)}),
                };
                ("Read", input, text.join("\n"), false)
            }
            Act::Cat { file } => {
                let input = json!({"command": format!("cat {}", path(file))});
                ("bash", input, self.files[usize::from(file)].join("\n") + "\n", false)
            }
            Act::Edit { file, line } => {
                let (old, new) = self.change(file, line);
                let input = json!({"file_path": path(file), "old_string": old, "new_string": new});
                ("Edit", input, format!("The file {} has been updated.", path(file)), false)
            }
            Act::Write { file, lines } => {
                let content: Vec<String> = (0..u32::from(lines))
                    .map(|line| source_line(usize::from(file), line + self.edits))
                    .collect();
                let input = json!({"path": path(file), "content": content.join("\n")});
                self.files[usize::from(file)] = content;
                ("write_file", input, format!("{lines} lines written"), false)
            }
            Act::Patch { file, line } => {
                let (old, new) = self.change(file, line);
                let patch = format!(
                    "*** Begin Patch\n*** Update File: {}\n@@\n-{old}\n+{new}\n*** End Patch\n",
                    path(file)
                );
                ("apply_patch", json!({"input": patch}), "Success. Updated the following files".into(), false)
            }
            Act::Run { lines, fails } => {
                let exit = if fails { "\nerror: test failed, exit code 101" } else { "\ntest result: ok" };
                let input = json!({"command": "cargo test --all", "timeout": 600});
                ("bash", input, log(lines, 3) + exit, fails)
            }
            Act::Search { hits } => {
                let hit = |nth: u16| {
                    let file = usize::from(nth % 3);
                    format!("{}:{nth}:{}", FILES[file], source_line(file, u32::from(nth)))
                };
                let text: Vec<String> = (0..hits).map(hit).collect();
                ("Grep", json!({"pattern": "fn step_", "path": "."}), text.join("\n"), false)
            }
            Act::Json { rows } => {
                let row = |nth: u16| json!({"id": nth, "name": format!("user_{nth}"), "tags": ["a", "ü"], "score": 0.5});
                let text = Value::Array((0..rows).map(row).collect()).to_string();
                ("fetch_users", json!({"limit": rows}), text, false)
            }
            Act::Odd { text } => ("mcp__x__y", json!({"q": "odd"}), text, true),
            Act::Nothing => ("bash", json!({"command": "true"}), String::new(), false),
        }
    }

    /// Changes a line of a file; the old and the new text of it.
    fn change(&mut self, file: u8, line: u16) -> (String, String) {
        self.edits += 1;
        let content = &mut self.files[usize::from(file)];
        if content.is_empty() {
            content.push(String::new());
        }
        let nth = usize::from(line) % content.len();
        let new = format!("    let changed_{} = \"version {}\";", self.edits, self.edits);
        (std::mem::replace(&mut content[nth], new.clone()), new)
    }
}

fn source_line(file: usize, line: u32) -> String {
    match line % 7 {
        0 => String::new(),
        1 => format!("fn step_{line}(input: &Thing{file}) -> Result<Größe, Error> {{"),
        6 => "}".into(),
        _ => format!("    let value_{line} = compute_{}(input, {line}, \"漢字 {file}\")?;", line % 5),
    }
}

fn log(lines: u16, seed: u16) -> String {
    let line = |nth: u16| match (nth.wrapping_mul(seed)) % 5 {
        0 => "   Compiling thing v0.1.0".to_string(),
        1 => format!("test module::case_{nth} ... ok"),
        2 => format!("warning: unused variable `value_{nth}` in src/main.rs:{nth}:5"),
        3 => format!("2026-11-16T10:{:02}:00Z INFO worker-{} done in {nth} ms", nth % 60, nth % 4),
        _ => format!("test module::case_{nth} ... FAILED 😀"),
    };
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}
