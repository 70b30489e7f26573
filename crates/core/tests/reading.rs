//! What each wire format's reader and writer make of a request with everything in it.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

use std::fmt::Write;

use enfold::file;
use enfold::file::convert::convert;
use enfold::file::document::{Document, Frame};
use enfold::history::{ItemKind, MediaSource};
use enfold::json::Raw;
use enfold::source::Source;
use enfold::wire;
use enfold::wire::WIRES;
use support::fixtures;

fn read(text: &str) -> Document {
    file::read(Source::from_text(text.to_string().into()).unwrap()).unwrap()
}

/// A message per paragraph, an item per line: `turn.step kind: texts`.
fn describe(document: &Document) -> String {
    let mut out = String::new();
    for message in document.history.messages() {
        writeln!(out, "{} {:?} {:?}", message.role.name(), message.slot, message.extras).unwrap();
        for id in message.item_ids() {
            let item = document.history.item(id);
            let step = item.step.map_or("-".into(), |step| step.to_string());
            let kind = match &item.kind {
                ItemKind::Media(media) => match &media.source {
                    MediaSource::Inline(span) => {
                        format!("{:?} {:?} {}", media.kind, media.mime, &message.raw[span.range()])
                    }
                    MediaSource::Remote(url) => format!("{:?} {:?} at {url}", media.kind, media.mime),
                },
                kind => format!("{kind:?}"),
            };
            write!(out, "  #{id} {}.{step} {kind}", item.turn).unwrap();
            if let Some(pair) = document.history.pair(id) {
                write!(out, " <-> #{pair}").unwrap();
            }
            if let Some(within) = item.within {
                write!(out, " in #{within}").unwrap();
            }
            for text in &item.texts {
                write!(out, " {:?} {:?}", text.spelling, text.value).unwrap();
            }
            out.push('\n');
        }
    }
    out
}

fn converted(from: &str, to: &str) -> String {
    let written = convert(&read(fixtures::fixture(from)), wire::named(to).unwrap(), Some(Frame::Request));
    let pretty: serde_json::Value = serde_json::from_str(&written.text).unwrap();
    let losses: Vec<String> = written.losses.iter().map(ToString::to_string).collect();
    format!("{}\n\n{pretty:#}", losses.join("\n"))
}

#[test]
fn every_block_becomes_the_right_item() {
    for (format, text) in fixtures::ALL {
        insta::assert_snapshot!(format!("read_{format}"), describe(&read(text)));
    }
}

#[test]
fn what_is_lost_between_formats_is_named() {
    for to in ["anthropic", "openai-responses", "ai-sdk", "gemini"] {
        insta::assert_snapshot!(format!("openai-chat_as_{to}"), converted("openai-chat", to));
    }
    insta::assert_snapshot!("anthropic_as_openai-chat", converted("anthropic", "openai-chat"));
    insta::assert_snapshot!("openai-responses_as_anthropic", converted("openai-responses", "anthropic"));
}

#[test]
fn tool_definitions_keep_name_description_and_schema_everywhere() {
    let schema = r#"{"type":"object", "properties":{"n":{"minimum":1.0}}}"#;
    let tool = wire::ToolDefinition {
        name: "read".into(),
        description: Some("Reads \"it\".".into()),
        schema: Some(schema.into()),
    };
    for wire in WIRES {
        let written = wire.write_tools(std::slice::from_ref(&tool));
        assert_eq!(wire.read_tools(Raw::parse(&written).unwrap()), std::slice::from_ref(&tool), "{written}");
    }
}

#[test]
fn a_prompt_that_is_a_string_is_a_message() {
    let document = read(r#"{"model":"m","input":"Hi \u0041"}"#);
    assert_eq!(document.format, "openai-responses");
    assert_eq!(document.history.items()[0].text(), "Hi A");
}

#[test]
fn values_that_are_no_messages_are_errors_that_say_why() {
    let why = |format: &str, text: &str| {
        let source = Source::from_text(text.to_string().into()).unwrap();
        file::read_as(format, source).err().unwrap().to_string()
    };
    let title = "not in the format \"Anthropic Messages\"";
    assert!(why("anthropic", "[5]").starts_with(title), "{}", why("anthropic", "[5]"));
    assert!(why("anthropic", r#"[{"role":"tool"}]"#).contains("the role is `tool`"));
    assert!(why("gemini", r#"[{"text":"x"}]"#).contains("neither a `role` nor `parts`"));
    assert!(why("openai-responses", r#"[{"content":"x"}]"#).contains("neither a `type` nor a `role`"));
    assert!(why("ai-sdk", r#"{"a":1}"#).contains("holds no list `messages`"));
}
