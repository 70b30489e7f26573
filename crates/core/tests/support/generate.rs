//! Sessions drawn at random, in no format yet: [`super::render`] spells them in each.

use proptest::prelude::*;
use serde_json::{Value, json};

/// What happened, format by format the same.
#[derive(Clone, Debug)]
pub struct Session {
    pub system: Vec<String>,
    /// Instructions below the system's; formats without such a role leave them out.
    pub developer: Vec<String>,
    pub turns: Vec<Turn>,
}

#[derive(Clone, Debug)]
pub struct Turn {
    pub user: Vec<Piece>,
    pub responses: Vec<Response>,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Text(String),
    Image,
    ImageUrl,
}

#[derive(Clone, Debug)]
pub struct Response {
    pub thinking: Option<String>,
    pub text: Option<String>,
    pub calls: Vec<Call>,
    /// What the harness says beside the results: in their message where the format allows it.
    pub note: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub tool: String,
    /// A number that makes the id; calls of one session may share it. `None`: the id is missing.
    pub id: Option<u16>,
    pub input: Value,
    /// `None`: never answered.
    pub result: Option<Outcome>,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub texts: Vec<String>,
    pub image: bool,
    pub is_error: bool,
    /// Its call is not in the session.
    pub is_orphan: bool,
}

/// How wild sessions may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wildness {
    /// Every provider would accept it.
    Valid,
    /// With unanswered calls, orphans, shared ids, empty texts.
    Broken,
}

pub fn session(wildness: Wildness) -> impl Strategy<Value = Session> {
    let wild = wildness == Wildness::Broken;
    let turns = prop::collection::vec(turn(wild), 1..4);
    (prop::collection::vec(text(false), 0..3), turns).prop_map(move |(system, turns)| {
        let mut session = Session { system, developer: Vec::new(), turns };
        number_calls(&mut session, !wild);
        session
    })
}

/// No two calls are the same, so that a comparison knows them apart.
fn number_calls(session: &mut Session, ids_too: bool) {
    let responses = session.turns.iter_mut().flat_map(|turn| &mut turn.responses);
    for (nth, call) in responses.flat_map(|response| &mut response.calls).enumerate() {
        let path = call.input["path"].as_str().unwrap_or_default();
        call.input["path"] = format!("{path} {nth}").into();
        if ids_too {
            call.id = Some(nth as u16);
        }
    }
}

pub fn text(may_be_empty: bool) -> BoxedStrategy<String> {
    let words = prop::sample::select(vec![
        "plain",
        "two\nlines\r\n",
        "tab\tquote\"back\\slash/",
        "ünï 漢字 😀",
        "\u{0}\u{1b}[31m\u{2028}",
        "{\"looks\":\"like JSON\"}",
        "<system-reminder>note</system-reminder>",
        " padded ",
    ]);
    let text = (words, any::<u32>()).prop_map(|(words, n)| format!("{words}{n}"));
    if may_be_empty {
        prop_oneof![6 => text, 1 => Just(String::new()), 1 => Just(" \n".to_string())].boxed()
    } else {
        text.boxed()
    }
}

fn turn(wild: bool) -> impl Strategy<Value = Turn> {
    let piece = prop_oneof![4 => text(wild).prop_map(Piece::Text), 1 => Just(Piece::Image), 1 => Just(Piece::ImageUrl)];
    let fewest = usize::from(!wild);
    (prop::collection::vec(piece, fewest..3), prop::collection::vec(response(wild), 0..4))
        .prop_map(|(user, responses)| Turn { user, responses })
}

fn response(wild: bool) -> impl Strategy<Value = Response> {
    let calls = prop::collection::vec(call(wild), 0..4);
    (prop::option::of(text(false)), prop::option::of(text(wild)), calls).prop_map(
        move |(thinking, text, calls)| {
            let silent = text.is_none() && calls.is_empty() && !wild;
            Response { thinking, text: if silent { Some("done".into()) } else { text }, calls, note: None }
        },
    )
}

fn call(wild: bool) -> impl Strategy<Value = Call> {
    let tool = prop::sample::select(vec!["read", "bash", "mcp__x__y"]).prop_map(String::from);
    let result = outcome(wild);
    let result =
        if wild { prop::option::weighted(0.8, result).boxed() } else { result.prop_map(Some).boxed() };
    (tool, 0u16..40, text(false), result).prop_map(|(tool, id, path, result)| Call {
        tool,
        id: Some(id),
        input: json!({"path": path, "n": 1.5}),
        result,
    })
}

fn outcome(wild: bool) -> impl Strategy<Value = Outcome> {
    let texts = prop::collection::vec(text(wild), usize::from(!wild)..3);
    let orphan = prop::bool::weighted(if wild { 0.1 } else { 0.0 });
    (texts, prop::bool::weighted(0.2), prop::bool::weighted(0.2), orphan)
        .prop_map(|(texts, image, is_error, is_orphan)| Outcome { texts, image, is_error, is_orphan })
}
