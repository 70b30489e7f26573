//! What all of Enfold's pages share: one stylesheet ([`LOOK`], the file `look.css`), one frame, and one way to show what
//! strangers wrote.
//!
//! A page is one file without network, fonts or code but its own. What a session says is data of strangers: every text
//! goes through [`text`] or [`lines`], data for a script through [`embedded`]. Should one slip through all the same, it
//! stays dead: a page loads nothing and runs only the scripts that [`page`] put there.
//!
//! | in `look.css` | for |
//! |---|---|
//! | `:root` | colours, light and dark: kinds of content (`--user`, `--results`…), what folding left (`--kept`, `--thinned`, `--told`, `--gone`), good, warn, bad |
//! | `section`, `.cards`, `.card`, `.legend`, `.meter`, `.gauge` | blocks, large numbers, keys, bars |
//! | `.plot`, `.strip`, `#tip` | drawings over the width of a session, and what is said about a place in them |
//! | `.sheet`, `.two`, `details` | before and after, message by message |
//! | `.session`, `.state`, `.events`, `.values` | what is live: rows of sessions, events with their numbers |

mod harmless;
mod parts;

use serde_json::Value;

pub use harmless::{block, clean, clean_lines};
pub use parts::{Part, said, said_by};

/// The stylesheet of every page.
pub const LOOK: &str = include_str!("../look.css");

/// What the scripts of all pages begin with.
pub const SCRIPT: &str = include_str!("../page.js");

/// A page. `body` is markup; `data` is what the scripts find as JSON in the element `data`.
pub fn page(title: &str, body: &str, data: &Value, scripts: &[&str]) -> String {
    let (data, script) = (embedded(data), scripts.concat());
    // Whoever wrote into the page would have to know the hash of what they were about to write.
    let seal = blake3::hash(format!("{title}{body}{data}").as_bytes()).to_hex();
    let nonce = &seal[..32];
    format!(
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\
         <meta name='viewport' content='width=device-width, initial-scale=1'>\
         <meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'\">\
         <title>{} · enfold</title><style>{LOOK}</style></head>\n<body><main>\n{body}\n</main>\
         <div id='tip' role='status' hidden></div>\
         <script type='application/json' id='data'>{data}</script><script nonce='{nonce}'>{SCRIPT}{script}</script></body></html>\n",
        text(title),
    )
}

/// A large number with its name under it.
pub fn card(value: impl AsRef<str>, name: &str) -> String {
    format!("<div class='card'><b>{}</b><span>{name}</span></div>", value.as_ref())
}

/// Where a page comes from.
pub fn footer(file: &str) -> String {
    format!("<footer>{} · made by enfold {}</footer>", text(file), env!("CARGO_PKG_VERSION"))
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Text of strangers on a line: no markup, no control characters.
pub fn text(text: &str) -> String {
    escape(&clean(text))
}

/// Text of strangers in a block that keeps its lines and tabs.
pub fn lines(text: &str) -> String {
    escape(&block(text))
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
    fn markup_of_strangers_is_shown_and_not_run() {
        assert_eq!(lines("a\tb\r\n<i>\x1b[0m\u{202e}"), "a\tb \n&lt;i&gt;\u{fffd}[0m\u{fffd}");
        assert_eq!(text("a\tb\n'"), "a b &#39;");
        let evil = serde_json::json!("</script><script>alert(1)</script>");
        let page = page("</title><script>", "", &evil, &["let its_own;"]);
        assert_eq!(page.matches("<script").count(), 2, "{page}");
        assert_eq!(page.matches("</script>").count(), 2, "{page}");
    }

    #[test]
    fn scripts_run_only_under_a_nonce_that_depends_on_everything_in_the_page() {
        let nonce = |body: &str| {
            let page = page("t", body, &Value::Null, &["let its_own;"]);
            let nonce =
                page.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).map(String::from);
            let nonce = nonce.expect("a page has one");
            assert!(
                page.contains(&format!("<script nonce='{nonce}'>{SCRIPT}let its_own;</script>")),
                "{page}"
            );
            nonce
        };
        assert_eq!(nonce("a"), nonce("a"));
        assert_ne!(nonce("a"), nonce("b"));
    }
}
