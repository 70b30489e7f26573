//! Request bodies: the raw parts of an [`Ask`] spliced together, and what a model is known to refuse left out.

use bytestring::ByteString;
use enfold::json::{Kind, ObjectWriter, Raw};

use crate::{Api, Ask, Error};

/// How the answer is to arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream,
}

/// What a model was found to want otherwise. Learnt from refusals, each at most once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Habits {
    /// It takes no `temperature`.
    no_temperature: bool,
    /// It takes the other one of `max_tokens` and `max_completion_tokens`.
    other_limit: bool,
    /// It takes no `stream_options`.
    no_stream_options: bool,
}

/// Names under which the three APIs limit the answer. An extra field of one of these names gives way to ours.
const LIMITS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/// Checks that every raw part is JSON of the right kind, so that none can reach into its neighbours.
pub(crate) fn check(ask: &Ask) -> Result<(), Error> {
    for (nth, message) in ask.messages.iter().enumerate() {
        part(message, &format!("message {nth}"), Some(Kind::Object))?;
    }
    if let Some(tools) = &ask.tools {
        part(tools, "the list of tools", Some(Kind::Array))?;
    }
    for (name, value) in &ask.extra {
        part(value, &format!("field `{name}`"), None)?;
    }
    match ask.temperature {
        Some(temperature) if !temperature.is_finite() => {
            Err(Error::Setup("the temperature is not a number".into()))
        }
        _ => Ok(()),
    }
}

fn part(text: &ByteString, what: &str, wanted: Option<Kind>) -> Result<(), Error> {
    let raw = Raw::parse(text).map_err(|why| Error::Setup(format!("{what} is not JSON: {why}")))?;
    let name = match wanted {
        Some(kind) if kind == raw.kind() => return Ok(()),
        None => return Ok(()),
        Some(Kind::Array) => "array",
        Some(_) => "object",
    };
    Err(Error::Setup(format!("{what} is not a JSON {name}")))
}

/// Writes the body of a request. `by_openai` says whether OpenAI itself will read it.
pub(crate) fn write(api: Api, by_openai: bool, ask: &Ask, delivery: Delivery, habits: Habits) -> String {
    let mut fields = Fields::default();
    fields.add("model", |out, key| out.string(key, &ask.model));
    let limit = limit_name(api, by_openai, habits);
    fields.add(limit, |out, key| out.json(key, &ask.max_tokens.to_string()));
    if let Some(temperature) = ask.temperature.filter(|_| !habits.no_temperature) {
        fields.add("temperature", |out, key| out.json(key, &temperature.to_string()));
    }
    write_messages(&mut fields, api, ask);
    if let Some(tools) = &ask.tools {
        fields.add("tools", |out, key| out.json(key, tools));
    }
    if delivery == Delivery::Stream {
        fields.add("stream", |out, key| out.json(key, "true"));
        if api == Api::Chat && !habits.no_stream_options {
            fields.add("stream_options", |out, key| out.json(key, r#"{"include_usage":true}"#));
        }
    }
    for (name, value) in ask.extra.iter().filter(|(name, _)| !is_ours(name, habits)) {
        fields.add(name, |out, key| out.json(key, value));
    }
    if api == Api::Responses {
        // A question about a session must not stay on the provider's server; `extra` may say otherwise.
        fields.add("store", |out, key| out.json(key, "false"));
    }
    fields.out.finish()
}

fn write_messages<'a>(fields: &mut Fields<'a>, api: Api, ask: &'a Ask) {
    let messages = ask.messages.iter().map(|message| &**message);
    match (api, &ask.system) {
        (Api::Anthropic, system) => {
            if let Some(system) = system {
                fields.add("system", |out, key| out.string(key, system));
            }
            fields.add("messages", |out, key| out.array(key, messages));
        }
        (Api::Chat, None) => fields.add("messages", |out, key| out.array(key, messages)),
        (Api::Chat, Some(system)) => {
            let first = ObjectWriter::new().string("role", "system").string("content", system).finish();
            fields
                .add("messages", |out, key| out.array(key, std::iter::once(first.as_str()).chain(messages)));
        }
        (Api::Responses, system) => {
            if let Some(system) = system {
                fields.add("instructions", |out, key| out.string(key, system));
            }
            fields.add("input", |out, key| out.array(key, messages));
        }
    }
}

fn limit_name(api: Api, by_openai: bool, habits: Habits) -> &'static str {
    match api {
        Api::Anthropic => "max_tokens",
        Api::Responses => "max_output_tokens",
        Api::Chat if by_openai != habits.other_limit => "max_completion_tokens",
        Api::Chat => "max_tokens",
    }
}

/// Fields that an extra may not bring: how the answer arrives and how long it gets is decided here.
fn is_ours(name: &str, habits: Habits) -> bool {
    matches!(name, "stream" | "stream_options")
        || LIMITS.contains(&name)
        || name == "temperature" && habits.no_temperature
}

/// Writes each field once; the first one of a name wins.
#[derive(Default)]
struct Fields<'a> {
    out: ObjectWriter,
    names: Vec<&'a str>,
}

impl<'a> Fields<'a> {
    fn add(&mut self, name: &'a str, write: impl FnOnce(ObjectWriter, &str) -> ObjectWriter) {
        if !self.names.contains(&name) {
            self.names.push(name);
            self.out = write(std::mem::take(&mut self.out), name);
        }
    }
}

impl Habits {
    /// What the refusal of a request that was written with these habits teaches; `None` if nothing new.
    pub(crate) fn taught_by(self, error: &Error, api: Api) -> Option<Habits> {
        let Error::BadRequest(said) = error else { return None };
        let words = said.message.to_lowercase();
        let about = |field: &str| said.param.as_deref() == Some(field) || words.contains(field);
        let refused = REFUSALS.iter().any(|wanted| words.contains(wanted))
            || said.code.as_deref().is_some_and(|code| code.starts_with("unsupported_"));
        let learnt = if !refused {
            self
        } else if about("temperature") {
            Habits { no_temperature: true, ..self }
        } else if about("stream_options") {
            Habits { no_stream_options: true, ..self }
        } else if api == Api::Chat && (about("max_tokens") || about("max_completion_tokens")) {
            Habits { other_limit: true, ..self }
        } else {
            self
        };
        (learnt != self).then_some(learnt)
    }
}

/// Words of a server that does not take a field, in contrast to one that does not like its value.
const REFUSALS: &[&str] = &[
    "unsupported",
    "not supported",
    "does not support",
    "deprecated",
    "may only be set to 1",
    "extra inputs are not permitted",
    "extra fields not permitted",
    "unrecognized",
    "unknown",
    "unexpected",
    "instead",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Said;

    fn ask() -> Ask {
        let mut ask = Ask::new("m", 100).message(r#"{ "role":"user", "content":"\u0041 1.50e+3" }"#);
        ask.system = Some("be \"brief\"".into());
        ask.tools = Some(r#"[ {"name":"t"} ]"#.into());
        ask.temperature = Some(0.3);
        ask
    }

    fn body(api: Api, delivery: Delivery, habits: Habits) -> String {
        write(api, false, &ask(), delivery, habits)
    }

    #[test]
    fn raw_parts_stand_byte_for_byte_where_each_api_wants_them() {
        assert_eq!(
            body(Api::Anthropic, Delivery::Whole, Habits::default()),
            r#"{"model":"m","max_tokens":100,"temperature":0.3,"system":"be \"brief\"","messages":[{ "role":"user", "content":"\u0041 1.50e+3" }],"tools":[ {"name":"t"} ]}"#
        );
        assert_eq!(
            body(Api::Chat, Delivery::Stream, Habits::default()),
            r#"{"model":"m","max_tokens":100,"temperature":0.3,"messages":[{"role":"system","content":"be \"brief\""},{ "role":"user", "content":"\u0041 1.50e+3" }],"tools":[ {"name":"t"} ],"stream":true,"stream_options":{"include_usage":true}}"#
        );
        assert_eq!(
            body(Api::Responses, Delivery::Stream, Habits::default()),
            r#"{"model":"m","max_output_tokens":100,"temperature":0.3,"instructions":"be \"brief\"","input":[{ "role":"user", "content":"\u0041 1.50e+3" }],"tools":[ {"name":"t"} ],"stream":true,"store":false}"#
        );
    }

    #[test]
    fn the_fields_of_an_existing_request_can_be_handed_over() {
        let ask = Ask::new("m", 5)
            .message("{}")
            .extra("model", r#""other""#)
            .extra("system", r#"[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]"#)
            .extra("stream", "true")
            .extra("max_tokens", "9")
            .extra("max_completion_tokens", "9")
            .extra("tool_choice", r#"{"type":"none"}"#);
        assert_eq!(
            write(Api::Anthropic, false, &ask, Delivery::Whole, Habits::default()),
            r#"{"model":"m","max_tokens":5,"messages":[{}],"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"none"}}"#
        );
    }

    #[test]
    fn parts_that_are_no_json_are_refused_before_anything_is_sent() {
        for ask in [
            Ask::new("m", 1).message(r#"{"role":"user"}],"x":[{}"#),
            Ask::new("m", 1).message("[]"),
            Ask::new("m", 1).extra("a", r#"1,"b":2"#),
            Ask { tools: Some("{}".into()), ..Ask::new("m", 1) },
            Ask { temperature: Some(f64::NAN), ..Ask::new("m", 1) },
        ] {
            assert!(matches!(check(&ask), Err(Error::Setup(_))), "{ask:?}");
        }
        assert_eq!(check(&ask()), Ok(()));
    }

    #[track_caller]
    fn taught(message: &str, param: Option<&str>) -> Option<Habits> {
        let said = Said {
            status: Some(400),
            message: message.into(),
            param: param.map(str::to_string),
            ..Said::default()
        };
        Habits::default().taught_by(&Error::BadRequest(said), Api::Chat)
    }

    #[test]
    fn refused_fields_are_learnt_from_the_providers_words() {
        let no_temperature = Some(Habits { no_temperature: true, ..Habits::default() });
        let other_limit = Some(Habits { other_limit: true, ..Habits::default() });
        for message in [
            "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
            "Unsupported parameter: 'temperature' is not supported with this model.",
            "`temperature` is deprecated for this model.",
            "`temperature` may only be set to 1 when thinking is enabled.",
        ] {
            assert_eq!(taught(message, None), no_temperature, "{message}");
        }
        for message in [
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "body.max_completion_tokens: Extra inputs are not permitted",
        ] {
            assert_eq!(taught(message, None), other_limit, "{message}");
        }
        let no_stream_options = Some(Habits { no_stream_options: true, ..Habits::default() });
        assert_eq!(taught("Unrecognized request argument supplied: stream_options", None), no_stream_options);
    }

    #[test]
    fn a_wrong_value_teaches_nothing_and_no_lesson_comes_twice() {
        let too_many = "max_tokens is too large: 100000. This model supports at most 16384 completion tokens";
        assert_eq!(taught(too_many, Some("max_tokens")), None);
        assert_eq!(taught("Invalid 'messages': unknown role", None), None);
        let learnt = taught("temperature is not supported", None).unwrap();
        let again =
            Error::BadRequest(Said { message: "temperature is not supported".into(), ..Said::default() });
        assert_eq!(learnt.taught_by(&again, Api::Chat), None);
    }
}
