//! An explanation as one self-contained page: the session as a strip, a slider over budgets, before and after.

use enfold_page::{self as frame, file_name, text};
use serde_json::json;

use super::looks::{Look, messages};
use crate::folding::Folding;

/// What runs in the page, in this order.
const SCRIPTS: [&str; 4] = [
    include_str!("page/view.js"),
    include_str!("page/strip.js"),
    include_str!("page/rows.js"),
    include_str!("page/start.js"),
];

/// The page of a session at several budgets, smallest first; it opens at the one that `start` names.
pub fn page(folding: &Folding, looks: &[Look], start: usize) -> String {
    let explained = &looks[start].explained;
    let data = json!({
        "before": explained.before,
        "messages": messages(&folding.document.history, &folding.counted.tally),
        "views": looks.iter().map(Look::data).collect::<Vec<_>>(),
        "start": start,
    });
    let converted = match explained.format == explained.to {
        true => text(explained.format),
        false => format!("{} → {}", text(explained.format), text(explained.to)),
    };
    let about = format!(
        "{converted} · policy {} · counted with {}",
        text(&explained.policy),
        text(&explained.counter.label)
    );
    let name = file_name(&explained.file);
    let body = format!(
        "<header><h1>{}</h1><p>{about}</p></header>{BODY}{}",
        text(name),
        frame::footer(&explained.file)
    );
    frame::page(name, &body, &data, &SCRIPTS)
}

/// Empty places that the scripts fill.
const BODY: &str = "
<noscript><section>This page shows what it holds with a script; allow scripts for this file.</section></noscript>
<section>
  <div class='budget'><output id='room' for='budget'></output>
    <input id='budget' type='range' min='0' step='1' aria-label='budget'><span>what the model may be sent</span><p id='stops'></p></div>
  <div class='cards' id='cards'></div>
</section>
<section>
  <h2>The session <small>every message as wide as it is heavy; press one to go there</small></h2>
  <div class='flags' id='flags'></div>
  <div class='strip' id='strip' tabindex='0' role='group' aria-label='the session, message by message'><svg
    viewBox='0 0 1000 100' preserveAspectRatio='none' aria-hidden='true'></svg><em></em></div>
  <div class='hits' id='hits'></div>
  <p class='legend'><span><i class='dot s-kept'></i>kept</span><span><i class='dot s-thinned'></i>thinned: the lower part stands</span>
    <span><i class='dot s-told'></i>told in a line</span><span><i class='dot s-gone'></i>gone, behind a handle</span>
    <span><i class='dot p-user'></i>flags: what the user asked</span></p>
</section>
<section><h2>Passes <small>in order; the pale part is what each one saved</small></h2><div id='passes'></div></section>
<section id='not-whole' hidden><h2>Not whole <small>what the user said</small></h2><ul id='shortened'></ul></section>
<section class='sheet'>
  <h2>Messages <small>before, and as the model reads them; each opens, and so does every handle</small></h2>
  <p class='tools'><input id='search' type='search' placeholder='search both sides; Enter goes to the next' aria-label='search'>
    <small id='count' role='status'></small><button id='open'>open all folds</button><button id='close'>close all</button>
    <label><input type='checkbox' id='only'> only what changed</label></p>
  <div class='two heads'><b>before</b><b>after</b></div>
  <div id='rows'></div>
</section>
<dialog id='opened'></dialog>
";
