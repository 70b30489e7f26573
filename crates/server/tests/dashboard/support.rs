//! A proxy on threads of its own, in front of a scripted model, and its dashboard in a browser.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use enfold_browser::{Browser, Screen};
use enfold_llm::{Proxy as Through, connect};
use enfold_script::{Model, Reply};
use enfold_server::{Bound, Config, Home, Reach, Upstream};
use enfold_store::Sqlite;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

/// A proxy, a model behind it, and a browser before it.
pub struct Stage {
    pub browser: Browser,
    pub url: String,
    pub token: String,
    runtime: Runtime,
    _model: Model,
    _folder: tempfile::TempDir,
}

impl Stage {
    /// Everything started, no page open yet; `None` where there is no browser. Windows are small, so that epochs come soon.
    pub fn set(window: usize) -> Option<Stage> {
        let browser = Browser::start()?;
        let folder = tempfile::tempdir().unwrap();
        let model = Model::start(|_| Reply::Text("I will look at the next part.".into()));
        let mut config = Config::new("127.0.0.1:0".parse().unwrap());
        for name in ["anthropic", "openai", "gemini"] {
            config.upstreams.put(Upstream::new(name, model.url()).unwrap());
        }
        (config.proxy, config.window) = (Through::Direct, Some(window));
        let home = Home::open(folder.path()).unwrap();
        let token = home.token.clone();
        let store = Arc::new(Sqlite::open(folder.path().join("enfold.db")).unwrap());
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let bound = runtime.block_on(Bound::new(config, home, store, Reach::Loopback)).unwrap();
        let url = format!("http://{}", bound.address());
        runtime.spawn(bound.serve(std::future::pending()));
        browser.look(Screen::WIDE);
        Some(Stage { browser, url, token, runtime, _model: model, _folder: folder })
    }

    /// One request of an agent, answered.
    pub fn send(&self, session: &str, body: String) {
        let request = Request::post(format!("{}/v1/messages", self.url))
            .header("content-type", "application/json")
            .header("x-api-key", "sk-canary-5f1c9e0d77")
            .header("user-agent", "claude-cli/2.1")
            .header("x-claude-code-session-id", session)
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        self.runtime.block_on(async {
            let (client, _) =
                connect::client(request.uri(), Through::Direct, Duration::from_secs(5)).unwrap();
            let answer = client.request(request).await.unwrap();
            assert_eq!(answer.status(), 200);
            answer.into_body().collect().await.unwrap();
        });
    }

    /// The dashboard, by the link that the command prints.
    pub fn enter(&self) {
        self.browser.go(&format!("{}/#token={}", self.url, self.token));
    }

    pub fn ask(&self, script: &str) -> Value {
        self.browser.ask(script)
    }

    pub fn number(&self, script: &str) -> u64 {
        self.ask(script).as_f64().unwrap_or_else(|| panic!("{script}: no number")) as u64
    }

    pub fn text(&self, selector: &str) -> String {
        let text = self.ask(&format!("return document.querySelector({selector:?})?.textContent ?? ''"));
        text.as_str().unwrap().to_string()
    }

    /// Waits until a script returns true: pages follow what happens within a moment.
    pub fn until(&self, script: &str) {
        let since = Instant::now();
        while self.ask(script) != Value::Bool(true) {
            let says = || self.text("body");
            assert!(since.elapsed() < Duration::from_secs(20), "never came true: {script}\n{}", says());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Neither an error nor a warning, and nothing loaded from anywhere else.
    pub fn assert_quiet(&self) {
        assert_eq!(self.browser.console(), Vec::<String>::new());
        let loaded = self.ask("return performance.getEntriesByType('resource').map((entry) => entry.name)");
        for name in loaded.as_array().unwrap() {
            let name = name.as_str().unwrap();
            assert!(name.starts_with(&self.url) && !name.contains(&self.token), "{name}");
        }
    }

    /// On no screen does anything stick out sideways. Pictures are kept where they are asked for.
    pub fn assert_fits(&self, name: &str) {
        for (screen, kind) in [
            (Screen::WIDE, "wide-light"),
            (Screen::WIDE.dark(), "wide-dark"),
            (Screen::PHONE, "phone-light"),
            (Screen::PHONE.dark(), "phone-dark"),
        ] {
            self.browser.look(screen);
            self.ask("scrollTo(0, 0)");
            let widest = self.number("return document.documentElement.scrollWidth");
            assert!(widest <= screen.width.into(), "{name}, {kind}: {widest} pixels wide");
            let paper = self.ask("return getComputedStyle(document.body).backgroundColor");
            assert_eq!(paper == "rgb(20, 22, 26)", screen.is_dark, "{name}, {kind}: {paper}");
            self.keep(name, kind);
        }
        // All of it, for whoever looks.
        self.browser.look(Screen { height: 3_600, ..Screen::WIDE });
        self.keep(name, "whole");
        self.browser.look(Screen::WIDE);
    }

    /// What the window shows now, on both kinds of screens.
    pub fn picture(&self, name: &str, at: &str) {
        for (screen, kind) in [(Screen::PHONE.dark(), "phone"), (Screen::WIDE, "here")] {
            self.browser.look(screen);
            self.ask(&format!("document.querySelector({at:?}).scrollIntoView({{ block: 'start' }})"));
            self.keep(name, kind);
        }
    }

    /// The README's pictures go where they are kept; the others, where one can look at them.
    fn keep(&self, name: &str, kind: &str) {
        if std::env::var_os("ENFOLD_SCREENSHOTS").is_some() {
            let is_shown = name == "dashboard-session" && kind.starts_with("wide");
            let folder = if is_shown { "../../docs/images" } else { "../../target/screenshots" };
            let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("{name}-{kind}.png")), self.browser.picture()).unwrap();
        }
    }
}
