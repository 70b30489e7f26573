//! What a server needs: whole lists, events as they happen, waiting without a thread, originals as files, settling at the end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use enfold::count::{Calibration, Usage};
use enfold::folding::policy::Policy;
use enfold::history::MessageId;
use enfold::session::{Event, Prepared, Synced};
use enfold::view::fold::Handle;
use enfold_coordinator::{Config, Coordinator, Error};
use enfold_script::Reply;
use enfold_store::{Acquired, Leases, Records, Sessions, Sqlite};
use tokio::runtime::Runtime;

use crate::support::{begin, config, failures, faults, history, model, narrative, open, step, well};

/// Steps until an epoch opens.
fn until_it_folds(session: &mut Coordinator) -> Prepared {
    let folded = (0..60).find_map(|nth| {
        step(nth).into_iter().for_each(|message| session.push(message).unwrap());
        Some(session.prepare().unwrap()).filter(|ready| ready.opened.is_some())
    });
    folded.expect("sixty steps are more than the window")
}

/// In a runtime, as a server would.
fn in_runtime<T>(future: impl Future<Output = T> + Send) -> T {
    Runtime::new().unwrap().block_on(future)
}

#[test]
fn waiting_without_a_thread_gives_the_same_views() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let (models, summarizers): (Vec<_>, Vec<_>) = [model(well), model(well)].into_iter().unzip();
    let mut sessions: Vec<Coordinator> = folders
        .iter()
        .zip(summarizers)
        .map(|(folder, summarizer)| open(folder.path(), config("summarize").asking(summarizer)))
        .collect();
    sessions.iter_mut().for_each(begin);
    let mut epochs = 0;
    for nth in 0..40 {
        let mut views = Vec::new();
        for (session, is_async) in sessions.iter_mut().zip([false, true]) {
            step(nth).into_iter().for_each(|message| session.push(message).unwrap());
            let ready = match is_async {
                true => in_runtime(session.prepare_async()).unwrap(),
                false => session.prepare().unwrap(),
            };
            epochs += usize::from(ready.opened.is_some());
            assert!(ready.opened.is_none() || ready.summary.unwrap().narrative.is_some());
            views.push(ready.messages);
        }
        assert_eq!(views[0], views[1], "step {nth}");
    }
    assert!(epochs >= 4, "{epochs}");
    assert!(models.iter().all(|model| model.refused().is_empty()));
}

#[test]
fn a_marker_that_comes_back_inside_a_call_is_told_at_once_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut config = config("balanced");
    let sink = heard.clone();
    config.sink =
        Some(Arc::new(move |_: &str, event: &Event| sink.lock().unwrap().push(event.name().into())));
    let mut session = open(folder.path(), config);
    begin(&mut session);
    let ready = until_it_folds(&mut session);
    let shown = ready.messages.iter().map(|message| message.to_string()).collect::<String>();
    let is_shown = |handle: &&Handle| shown.contains(&handle.to_string());
    let handle = *ready.originals.keys().find(is_shown).unwrap();
    session
        .push(format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"w","type":"function","function":{{"name":"write","arguments":"{{\"path\":\"a\",\"text\":\"[9 lines {handle}]\"}}"}}}}]}}"#
        ))
        .unwrap();
    assert_eq!(heard.lock().unwrap().last().unwrap(), "marker:returned");
    session.push(r#"{"role":"tool","tool_call_id":"w","content":"written"}"#).unwrap();
    session.prepare().unwrap();
    assert!(session.recall(handle).unwrap().is_some());
    let store = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    let stored = store.events("a session").unwrap();
    let returned: Vec<&str> =
        stored.iter().filter(|event| event.kind == "marker:returned").map(|event| &*event.json).collect();
    assert_eq!(returned.len(), 1, "{returned:?}");
    assert!(
        returned[0].contains(&handle.to_string()) && returned[0].contains(r#""callId":"w""#),
        "{returned:?}"
    );
}

#[test]
fn a_request_that_is_given_up_gives_back_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let (model, summarizer) = model(|request| {
        std::thread::sleep(Duration::from_millis(1_800));
        Reply::Text(narrative(&request.body))
    });
    let mut session = open(folder.path(), config("summarize").asking(summarizer));
    history(30).into_iter().for_each(|message| session.push(message).unwrap());
    let given_up = in_runtime(async {
        tokio::time::timeout(Duration::from_millis(900), session.prepare_async()).await.is_err()
    });
    assert!(given_up, "the model takes longer");
    assert_eq!(model.requests().len(), 1);
    let store = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    let now = (config("summarize").clock)();
    let acquired = store.acquire("a session", "somebody", now, Duration::from_secs(1)).unwrap();
    let Acquired::Lease(lease) = acquired else { panic!("the lease is still held") };
    store.release(&lease).unwrap();
    let ready = in_runtime(session.prepare_async()).unwrap();
    assert_eq!(faults(&ready.messages), Vec::<String>::new());
    assert_eq!(ready.epoch, 1, "what was given up is not counted");
}

#[test]
fn a_list_that_the_host_changed_is_taken_over_and_survives() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), config("balanced"));
    let mut list = history(25);
    assert_eq!(session.sync(list.clone()).unwrap(), Synced::Grown(list.len()));
    assert!(session.prepare().unwrap().opened.is_some());
    list.extend(step(25));
    assert_eq!(session.sync(list.clone()).unwrap(), Synced::Grown(2));
    assert_eq!(session.sync(list.clone()).unwrap(), Synced::Grown(0));
    // The user goes back and asks for something else.
    list.truncate(12);
    list.push(r#"{"role":"user","content":"Rather spaces, then."}"#.into());
    assert_eq!(session.sync(list.clone()).unwrap(), Synced::Rewritten { at: 12 });
    let ready = session.prepare().unwrap();
    assert!(ready.messages.last().unwrap().contains("Rather spaces"));
    drop(session);
    let mut again = open(folder.path(), config("balanced"));
    assert_eq!(again.prepare().unwrap().messages, ready.messages);
    let stored = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    let stored = stored.messages("a session", MessageId::ALL).unwrap();
    assert_eq!(stored.iter().map(|it| it.raw.to_string()).collect::<Vec<_>>(), list);
}

#[test]
fn the_start_of_a_compaction_is_heard_before_a_model_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let (model, summarizer) = model({
        let heard = heard.clone();
        move |request| {
            heard.lock().unwrap().push("asked".into());
            Reply::Text(narrative(&request.body))
        }
    });
    let sink = {
        let heard = heard.clone();
        move |_: &str, event: &enfold::session::Event| heard.lock().unwrap().push(event.name().into())
    };
    let config = Config { sink: Some(Arc::new(sink)), ..config("summarize").asking(summarizer) };
    let mut session = open(folder.path(), config);
    history(30).into_iter().for_each(|message| session.push(message).unwrap());
    let ready = session.prepare().unwrap();
    assert_eq!(failures(&ready), []);
    assert_eq!(*heard.lock().unwrap(), ["compaction:start", "asked", "compaction:complete"]);
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn originals_become_files_and_a_folder_that_is_none_is_done_without() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("originals").display().to_string();
    let mut session = open(folder.path(), Config { blobs: Some(blobs.clone()), ..config("balanced") });
    begin(&mut session);
    let ready = until_it_folds(&mut session);
    assert!(!ready.originals.is_empty());
    for (handle, original) in &ready.originals {
        let file = std::fs::read_to_string(format!("{blobs}/{}", handle.file_name())).unwrap();
        assert_eq!(Some(file), original.read(session.session().history()).map(|it| it.to_string()));
    }
    assert!(ready.messages.iter().any(|message| message.contains("full text: ")));

    let other = tempfile::tempdir().unwrap();
    let no_folder = other.path().join("enfold.db").display().to_string();
    let mut session = open(other.path(), Config { blobs: Some(no_folder), ..config("balanced") });
    begin(&mut session);
    let ready = until_it_folds(&mut session);
    assert!(!ready.messages.iter().any(|message| message.contains("full text: ")));
    let handle = *ready.originals.keys().next().unwrap();
    assert!(session.recall(handle).unwrap().is_some());
}

#[test]
fn what_the_provider_counted_is_there_for_the_next_process_and_nothing_else_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), config("balanced"));
    begin(&mut session);
    let tokens = until_it_folds(&mut session).tokens as u64;
    let store = Sqlite::open(folder.path().join("enfold.db")).unwrap();
    let sent = || store.checkpoint("a session").unwrap().unwrap();
    let before = sent();
    session.report(Usage { input: 2 * tokens, ..Usage::default() });
    session.store_usage(Vec::new()).unwrap();
    assert_eq!(sent(), before);
    let other = open(folder.path(), config("balanced"));
    assert_eq!(other.session().calibration(), session.session().calibration());
    assert_ne!(*other.session().calibration(), Calibration::new());
    assert_eq!(other.session().view(), session.session().view());
}

/// The messages of a step with what the model thought before its call.
fn thought_step(nth: usize) -> [String; 2] {
    let [call, result] = step(nth);
    let thought = format!(r#"{{"reasoning_content":"thought {nth}, {}","#, "so it goes, ".repeat(20));
    [call.replacen('{', &thought, 1), result]
}

#[test]
fn views_are_what_the_models_provider_takes() {
    // DeepSeek refuses calls without the thoughts before them; others do not want them back.
    for (model, keeps) in [(Some("deepseek-reasoner"), true), (Some("gpt-4o"), false), (None, false)] {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { model: model.map(String::from), ..config("balanced") };
        let mut session = open(folder.path(), config);
        begin(&mut session);
        (0..30).flat_map(thought_step).for_each(|message| session.push(message).unwrap());
        let ready = session.prepare().unwrap();
        assert!(ready.opened.is_some());
        let calls = || ready.messages.iter().filter(|message| message.contains("tool_calls"));
        assert!(calls().count() > 0);
        assert_eq!(calls().all(|call| call.contains("reasoning_content")), keeps, "{model:?}");
    }
}

#[test]
fn tools_take_their_part_of_the_limit_also_when_the_session_is_read_again() {
    let tool = r#"{"type":"function","function":{"name":"read","description":"DESCRIPTION"}}"#;
    let tools = format!("[{}]", tool.replace("DESCRIPTION", &"reads a file and more, ".repeat(300)));
    let folder = tempfile::tempdir().unwrap();
    let most = |tools: Option<&str>| {
        let folder = tempfile::tempdir().unwrap();
        let tools = tools.map(|tools| tools.to_string().into());
        let mut session = open(folder.path(), Config { tools, ..config("balanced") });
        begin(&mut session);
        until_it_folds(&mut session).trace.limit
    };
    let (without, with) = (most(None), most(Some(&tools)));
    assert!(without == 6_000 && with < 6_000 - 1_000, "{without} {with}");

    // The same tools with the messages, in a folder that cannot be written: the session begins again from the store.
    let no_folder = folder.path().join("enfold.db").display().to_string();
    let mut session = open(folder.path(), Config { blobs: Some(no_folder), ..config("balanced") });
    session.sync_parts(None, Some(tools.into()), history(30)).unwrap();
    assert_eq!(session.prepare().unwrap().trace.limit, with);
}

#[cfg(unix)]
#[test]
fn originals_in_files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("a/originals");
    let config = Config { blobs: Some(blobs.display().to_string()), ..config("balanced") };
    let mut session = open(folder.path(), config);
    begin(&mut session);
    until_it_folds(&mut session);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder.path().join("a")), mode(&blobs)), (0o700, 0o700));
    let files: Vec<_> = std::fs::read_dir(&blobs).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn a_file_that_holds_something_else_is_neither_overwritten_nor_named() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let blobs = first.path().join("originals");
    let config = || Config { blobs: Some(blobs.display().to_string()), ..config("balanced") };
    let mut session = open(first.path(), config());
    begin(&mut session);
    let handle = *until_it_folds(&mut session).originals.keys().next().unwrap();
    let file = blobs.join(handle.file_name());
    std::fs::write(&file, "mine").unwrap();

    // The same session once more, in another store.
    let mut session = open(second.path(), config());
    begin(&mut session);
    let ready = until_it_folds(&mut session);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    assert!(ready.originals.contains_key(&handle), "the same handle hides the same text");
    assert!(!ready.messages.iter().any(|message| message.contains("full text: ")));
}

#[test]
fn the_host_keeps_originals_of_a_stored_session() {
    let folder = tempfile::tempdir().unwrap();
    let kept: Arc<Mutex<Vec<String>>> = Arc::default();
    let keep = kept.clone();
    let persister = move |handle: Handle, original: &str| {
        keep.lock().unwrap().push(original.to_string());
        // Every other one cannot be kept.
        handle.digits().ends_with(['0', '2', '4', '6', '8']).then(|| format!("/kept/{}.txt", handle.digits()))
    };
    let policy = "name = \"mine\"\nabout = \"\"\n[[pass]]\nuse = \"prune_outputs\"\nprotect_tokens = 500\n\
                  min_tokens = 1\nkeep_turns = 0\nwhy = \"\"\n";
    let policy = Arc::new(Policy::parse(policy).unwrap());
    let config = Config { policy, persister: Some(Arc::new(persister)), ..config("prune") };
    let mut session = open(folder.path(), config);
    begin(&mut session);
    let ready = until_it_folds(&mut session);
    let kept = kept.lock().unwrap();
    let mut named = 0;
    for (handle, original) in &ready.originals {
        let path = format!("{handle}, full text: /kept/{}.txt", handle.digits());
        if ready.messages.iter().any(|message| message.contains(&path)) {
            let original = original.read(session.session().history()).unwrap();
            assert!(kept.iter().any(|kept| **kept == *original), "kept before it is hidden");
            named += 1;
        }
    }
    let all = ready.messages.iter().filter(|message| message.contains("full text: /kept/")).count();
    assert!(
        named > 0 && named < ready.originals.len() && all >= named,
        "{named} of {}",
        ready.originals.len()
    );
}

#[test]
fn the_session_settles_when_the_work_ends_also_by_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), config("balanced"));
    let work = |session: &mut Coordinator| -> Result<(), Error> {
        let mut session = session.work();
        for message in history(17) {
            session.push(message)?;
            assert_eq!(session.prepare()?.opened, None, "it still fits");
        }
        // The newest two turns stand: what is folded is the work before them.
        for asks in ["And the tests?", "All of them?"] {
            session.push(r#"{"role":"assistant","content":"Done."}"#)?;
            session.push(format!(r#"{{"role":"user","content":"{asks}"}}"#))?;
        }
        session.prepare()?;
        session.push("this is no message")
    };
    assert!(work(&mut session).is_err());
    assert_eq!(session.prepare().unwrap().epoch, 1, "folded while the user has the word");
}
