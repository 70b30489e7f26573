//! `enfold explain --html`.

use crate::support::{Page, example};

fn long() -> Option<Page> {
    Page::of(&["explain", &example("long.jsonl"), "--budget", "16k"], "")
}

/// Where a message stands in the strip: the middle of its column.
const FIND: &str = "
    const box = document.getElementById('strip').getBoundingClientRect();
    const tokens = page.data.messages.map((message) => message.tokens);
    const total = tokens.reduce((a, b) => a + b);
    const wide = tokens.map((own) => Math.max(own, total / 900));
    const whole = wide.reduce((a, b) => a + b);
    const before = wide.slice(0, NTH).reduce((a, b) => a + b, 0);
    return [box.left + box.width * (before + wide[NTH] / 2) / whole, box.top + box.height / 2];";

fn click_message(page: &Page, nth: usize) {
    let place = page.ask(&FIND.replace("NTH", &nth.to_string()));
    page.browser.click(place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
}

#[test]
fn the_strip_shows_every_fate_and_a_press_goes_to_the_message() {
    let Some(page) = long() else { return };
    for fate in ["kept", "thinned", "told"] {
        let drawn = format!("return document.querySelectorAll('#strip rect.s-{fate}').length");
        assert!(page.number(&drawn) > 0, "{fate}");
    }
    let wide = page.ask(
        "return [...document.querySelectorAll('#strip rect[height=\"100\"]')]
            .reduce((sum, rect) => sum + Number(rect.getAttribute('width')), 0)",
    );
    assert!(wide.as_f64().unwrap() > 999.0, "from end to end: {wide}");
    let heaviest = page.number(
        "const tokens = page.data.messages.map((message) => message.tokens);
         return tokens.indexOf(Math.max(...tokens.slice(40, 120)))",
    ) as usize;
    click_message(&page, heaviest);
    let row = format!("#m{}", heaviest + 1);
    assert_eq!(page.ask(&format!("return document.querySelector('{row}').open")), true);
    assert_eq!(page.ask(&format!("return document.querySelector('{row}').classList.contains('here')")), true);
    let top = page.ask(&format!("return document.querySelector('{row}').getBoundingClientRect().top"));
    assert!((0.0..200.0).contains(&top.as_f64().unwrap()), "it is in sight: {top}");
    assert_eq!(page.ask("return location.hash"), row);
    page.assert_quiet();
}

#[test]
fn a_link_to_a_message_opens_there() {
    let Some(page) = long() else { return };
    page.open_at("#m50");
    assert_eq!(page.ask("return document.querySelector('#m50').open"), true);
    let top = page.ask("return document.querySelector('#m50').getBoundingClientRect().top");
    assert!((0.0..200.0).contains(&top.as_f64().unwrap()), "{top}");
}

#[test]
fn the_strip_is_walked_with_the_keyboard() {
    let Some(page) = long() else { return };
    page.ask("document.getElementById('strip').focus()");
    for _ in 0..3 {
        page.browser.strike("ArrowRight");
    }
    page.browser.type_in("\n");
    assert_eq!(page.ask("return location.hash"), "#m4");
    page.assert_quiet();
}

#[test]
fn each_request_of_the_user_has_a_flag_that_goes_there() {
    let Some(page) = long() else { return };
    assert_eq!(page.number("return document.querySelectorAll('.flag').length"), 3);
    let label = page.ask("return document.querySelectorAll('.flag')[1].getAttribute('aria-label')");
    assert!(label.as_str().unwrap().contains("the user: "), "{label}");
    page.browser.press(".flag");
    assert_eq!(page.ask("return location.hash"), "#m2");
    page.assert_quiet();
}

#[test]
fn the_slider_folds_more_and_less() {
    let Some(page) = long() else { return };
    let cards = "return [...document.querySelectorAll('#cards b')].map((card) => card.textContent)";
    let (before, stops) = (page.ask(cards), page.number("return page.data.views.length"));
    assert!(stops >= 5, "{stops} budgets");
    assert_eq!((page.text("#room").as_str(), before[0].as_str()), ("16,000 tokens", Some("65,518")));
    let told = "return document.querySelectorAll('details.told').length";
    let first = page.number(told);
    page.ask("document.getElementById('budget').focus()");
    page.browser.strike("ArrowLeft");
    assert!(page.number(told) > first, "less room, more told");
    assert_ne!(page.ask(cards), before);
    let fits = page.ask("return page.data.views.every((view) => view.after <= view.budget)");
    assert_eq!(fits, true);
    page.ask("document.querySelector('#stops button:last-child').click()");
    assert_eq!(page.number("return document.querySelectorAll('details.changed').length"), 0, "all of it");
    assert_eq!(page.ask("return document.getElementById('budget').value"), (stops - 1).to_string());
    page.assert_quiet();
}

#[test]
fn a_search_finds_what_is_hidden_and_enter_goes_from_one_to_the_next() {
    let Some(page) = long() else { return };
    page.browser.press("#search");
    page.browser.type_in("money_format");
    let shown = page.number("return document.querySelectorAll('#rows details:not([hidden])').length");
    let ticks = page.number("return document.querySelectorAll('#hits i').length");
    assert!(ticks > 3, "{ticks}");
    assert_eq!(page.text("#count"), format!("{ticks} messages"));
    assert!(shown >= ticks && shown <= ticks + 1, "{shown} rows, {ticks} hits; what was inserted stays");
    let says_it = page.ask("return [...document.querySelectorAll('#rows details:not([hidden]):not(#inserted)')]
        .every((row) => { row.open = true; row.ontoggle(); return row.textContent.includes('money_format'); })");
    assert_eq!(says_it, true);
    page.browser.type_in("\n");
    let first = page.ask("return location.hash");
    page.browser.type_in("\n");
    assert_ne!(page.ask("return location.hash"), first);
    page.assert_quiet();
}

#[test]
fn every_handle_opens_what_it_hides() {
    let Some(page) = long() else { return };
    page.ask("document.getElementById('open').click()");
    // Rows are filled when the browser says that they were opened.
    let handles = "return [...new Set([...document.querySelectorAll('.handle')].map((handle) => handle.textContent))].length";
    let (seen, all) = (page.number(handles), page.number("return Object.keys(page.view().handles).length"));
    assert_eq!(seen, all, "each stands in the view or beside its reason");
    let told = "const handle = document.querySelector('#inserted .handle');
        document.querySelector('#inserted').open = true; handle.scrollIntoView(); handle.click(); return handle.textContent";
    let told = page.ask(told);
    let dialog = page.text("#opened");
    assert!(dialog.contains(told.as_str().unwrap()) && dialog.contains("told"), "{dialog}");
    let whole = page.ask("const fold = page.view().folds[page.view().handles[document.querySelector('#opened b').textContent.split(' ')[0]]];
        return fold.messages.every((number) => document.querySelector('#opened').textContent.includes(page.data.messages[number - 1].text))");
    assert_eq!(whole, true, "the originals, whole");
    page.browser.strike("Escape");
    assert_eq!(page.ask("return document.querySelector('#opened').open"), false);
    page.assert_quiet();
}

#[test]
fn only_what_changed_can_be_looked_at() {
    let Some(page) = long() else { return };
    page.browser.press("#only");
    let rest = "return [...document.querySelectorAll('#rows details:not([hidden])')].every((row) => row.matches('.changed'))";
    assert_eq!(page.ask(rest), true);
    page.assert_quiet();
}

#[test]
fn the_page_fits_desks_and_phones_by_day_and_by_night() {
    let Some(page) = long() else { return };
    page.assert_fits("explain");
    page.ask("page.rows.jump(6)");
    page.ask("document.getElementById('open').click()");
    page.assert_fits("explain-messages");
    page.assert_quiet();
}

#[test]
fn a_summary_stands_where_the_model_reads_it() {
    let args = ["explain", &example("long.jsonl"), "--budget", "16k", "--policy", "summarize"];
    let Some(page) = Page::of(&args, "") else { return };
    let place = page.ask("return document.querySelector('#inserted').nextElementSibling.id");
    let before = page.number("return page.view().inserted.before");
    assert_eq!(place, format!("m{before}"));
    assert!(page.text("#inserted").contains("a summary of "), "{}", page.text("#inserted"));
    page.assert_quiet();
}
