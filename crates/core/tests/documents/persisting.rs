//! Document 001: originals that the host keeps, and the share of the window below which nothing happens in a session.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use enfold::count::Heuristic;
use enfold::folding::persist::{CameFrom, Persist};
use enfold::folding::policy::Policy;
use enfold::session::EpochReason;
use enfold::understand::categories::Category;
use enfold::view::fold::{Handle, HandleKey};
use enfold::wire::{OpenAiChat, Wire};
use enfold::{Cache, Options, Session, fold_once};

use crate::step;

/// A session of `microcompact` in a window of 200,000: one large result, and much that was said after it.
fn session() -> Session {
    let policy = Policy::named("microcompact").unwrap();
    Session::new(&OpenAiChat, policy, 200_000).counting_with(Arc::new(Heuristic), Default::default())
}

fn fill(session: &mut Session, said: usize) {
    session.push(OpenAiChat.user_message("go")).unwrap();
    for message in step(&OpenAiChat, "c1", &"0123456789 ".repeat(2_000)) {
        session.push(message).unwrap();
    }
    session.push(format!(r#"{{"role":"assistant","content":"{}"}}"#, "word".repeat(said))).unwrap();
}

#[test]
fn the_host_keeps_an_original_and_the_view_names_its_path() {
    let kept: Arc<Mutex<Vec<(Handle, String)>>> = Arc::default();
    let keep = kept.clone();
    let persister = move |handle: Handle, original: &str| {
        keep.lock().unwrap().push((handle, original.to_string()));
        Some(format!("/var/results/{}.txt", handle.digits()))
    };
    let mut session = session().persisting(Arc::new(persister));
    fill(&mut session, 60_000);
    let prepared = session.prepare(Cache::Cold).unwrap();
    let kept = kept.lock().unwrap();
    let [(handle, original)] = kept.as_slice() else { panic!("asked {} times", kept.len()) };
    assert_eq!(*original, "0123456789 ".repeat(2_000), "before the view is handed out");
    let named = format!("{handle}, full text: /var/results/{}.txt", handle.digits());
    assert!(prepared.messages.iter().any(|message| message.contains(&named)), "{named}");
}

/// Notes what it is told of each original.
#[derive(Default)]
struct Asked(Mutex<Vec<Told>>);

/// Tool, category, place of the message.
type Told = (Option<String>, Option<Category>, Option<usize>);

impl Persist for Asked {
    fn persist(&self, _: Handle, _: &str) -> Option<String> {
        None
    }

    fn persist_from(&self, _: Handle, _: &str, from: &CameFrom) -> Option<String> {
        self.0.lock().unwrap().push((from.tool.map(String::from), from.category, from.message));
        Some("/var/results/1.txt".into())
    }
}

#[test]
fn who_keeps_an_original_is_told_its_tool_its_category_and_its_message() {
    let told = |asked: &Asked| {
        let told = (Some("bash".to_string()), Some(Category::NonReproducible), Some(2));
        assert_eq!(*asked.0.lock().unwrap(), [told]);
    };
    let asked = Arc::new(Asked::default());
    let mut session = session().persisting(asked.clone());
    fill(&mut session, 60_000);
    session.prepare(Cache::Cold).unwrap();
    told(&asked);
    let once = Arc::new(Asked::default());
    let mut options = Options::budget(200_000, HandleKey::guessable("s"));
    options.policy = Policy::named("microcompact").unwrap();
    options.persister = Some(once.clone());
    let messages: Vec<&str> = session.history().messages().iter().map(|message| &*message.raw).collect();
    let folded = fold_once(format!("[{}]", messages.join(",")), &options).unwrap();
    assert!(folded.text.contains("full text: /var/results/1.txt"));
    told(&once);
}

#[test]
fn where_the_host_cannot_keep_it_the_fold_is_the_plain_one() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let failing = move |_: Handle, _: &str| {
        count.fetch_add(1, Ordering::Relaxed);
        None
    };
    let [mut failed, mut plain] = [session().persisting(Arc::new(failing)), session()];
    fill(&mut failed, 90_000);
    fill(&mut plain, 90_000);
    let views = [&mut failed, &mut plain].map(|session| session.prepare(Cache::Cold).unwrap().messages);
    assert!(
        asked.load(Ordering::Relaxed) == 1 && views[0].iter().any(|raw| raw.contains(" tokens trimmed #"))
    );
    let marker = |view: &[bytestring::ByteString]| {
        view.iter().find_map(|raw| raw.split("tokens trimmed ").nth(1)).map(|rest| rest[..10].to_string())
    };
    assert_eq!(marker(&views[0]), marker(&views[1]));
}

#[test]
fn a_session_with_a_cold_cache_is_left_alone_up_to_a_quarter_of_its_window() {
    for (total, opened) in [(50_000, None), (50_001, Some(EpochReason::Cold))] {
        let mut session = session();
        fill(&mut session, 30_000);
        session.prepare(Cache::Cold).unwrap();
        let rest = total - session.tally().total() - 4;
        session.push(format!(r#"{{"role":"assistant","content":"{}"}}"#, "word".repeat(rest))).unwrap();
        assert_eq!(session.tally().total(), total);
        assert_eq!(session.prepare(Cache::Cold).unwrap().opened, opened, "{total}");
    }
}
