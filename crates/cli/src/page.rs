//! Self-contained pages: no network, no fonts, no code but their own.
//!
//! What a session says is data of strangers: every text goes through [`text`] or [`lines`], data for a script through
//! [`embedded`], and a page forbids itself to load anything.

use std::borrow::Cow;

use serde_json::Value;

use crate::report::clean;

/// A page. `body` and `end` (scripts and what they need) are markup.
pub fn page(title: &str, style: &str, body: &str, end: &str) -> String {
    format!(
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\
         <meta name='viewport' content='width=device-width, initial-scale=1'>\
         <meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\
         <title>{} · enfold</title><style>{}{style}</style></head>\n<body><main>\n{body}\n</main>{end}</body></html>\n",
        text(title),
        include_str!("page.css"),
    )
}

/// A large number with its name under it.
pub fn card(value: String, name: &str) -> String {
    format!("<div class='card'><b>{value}</b><span>{name}</span></div>")
}

/// Where a page comes from.
pub fn footer(file: &str) -> String {
    format!("<footer>{} · made by enfold {}</footer>", text(file), env!("CARGO_PKG_VERSION"))
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Text of strangers on a line: no markup, no control characters.
pub fn text(text: &str) -> String {
    escape(&clean(text))
}

/// Text of strangers in a block that keeps its lines and tabs.
pub fn lines(text: &str) -> String {
    let lines: Vec<Cow<str>> = text.split('\n').map(line).collect();
    escape(&lines.join("\n"))
}

fn line(line: &str) -> Cow<'_, str> {
    if !line.contains('\t') {
        return clean(line);
    }
    let pieces: Vec<Cow<str>> = line.split('\t').map(clean).collect();
    Cow::Owned(pieces.join("\t"))
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// JSON inside a script element: nothing in it can end the element.
pub fn embedded(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_lines_and_tabs_and_nothing_else_of_the_control_characters() {
        assert_eq!(lines("a\tb\r\n<i>\x1b[0m\u{202e}"), "a\tb \n&lt;i&gt;\u{fffd}[0m\u{fffd}");
        assert_eq!(text("a\tb\n'"), "a b &#39;");
    }
}
