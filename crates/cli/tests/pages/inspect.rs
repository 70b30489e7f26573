//! `enfold inspect --html`.

use crate::support::{Page, example};

#[test]
fn a_pointer_over_the_drawing_names_the_message_and_what_it_holds() {
    let Some(page) = Page::of(&["inspect", &example("long.jsonl")], "") else { return };
    page.ask("document.querySelector('.tall').scrollIntoView()");
    page.browser.press(".tall");
    assert_eq!(page.ask("return document.getElementById('tip').hidden"), false);
    let tip = page.text("#tip");
    assert!(tip.starts_with("message ") && tip.contains("so far"), "{tip}");
    page.assert_quiet();
}

#[test]
fn money_is_shown_where_usage_and_prices_are_known() {
    let Some(page) = Page::of(&["inspect", &example("claude-code.jsonl")], "") else { return };
    let money = page.text("#money");
    for said in
        ["at the list prices of claude-", "written to the cache", "read from the cache", "output", "$"]
    {
        assert!(money.contains(said), "{said}: {money}");
    }
    assert!(page.text(".cards").contains("at list prices"));
    page.assert_fits("inspect");
    page.assert_quiet();
}

#[test]
fn where_nothing_was_reported_no_money_is_claimed() {
    let Some(page) = Page::of(&["inspect", &example("long.jsonl"), "--model", "gpt-4o"], "") else { return };
    assert_eq!(page.number("return document.querySelectorAll('#money').length"), 0);
    page.assert_quiet();
}
