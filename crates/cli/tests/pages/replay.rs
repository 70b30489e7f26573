//! `enfold replay --html`.

use crate::support::{Page, example};

#[test]
fn curves_epochs_and_the_front_are_drawn() {
    let Some(page) = Page::of(&["replay", &example("long.jsonl"), "--window", "16k"], "") else { return };
    assert_eq!(
        page.number("return document.querySelectorAll('polyline').length"),
        9,
        "three curves of three ways"
    );
    assert!(page.number("return document.querySelectorAll('polyline ~ circle').length") > 0, "epochs");
    assert!(page.text("table").contains("balanced"));
    page.assert_fits("replay");
    page.assert_quiet();
}
