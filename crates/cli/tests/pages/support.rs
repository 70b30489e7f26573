//! A page made by the command, and opened.

use std::path::PathBuf;

use enfold_browser::{Browser, Screen};
use serde_json::Value;

/// A page in a browser.
pub struct Page {
    pub browser: Browser,
    folder: tempfile::TempDir,
}

impl Page {
    /// Makes the page with these arguments and opens it; `None` where there is no browser.
    pub fn of(args: &[&str], stdin: &str) -> Option<Page> {
        let browser = Browser::start()?;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
        command.args(args).args(["--html".as_ref(), path.as_os_str()]).write_stdin(stdin);
        command.env("HOME", "/nonexistent/home").assert().success();
        browser.look(Screen::WIDE);
        browser.open(&path);
        Some(Page { browser, folder })
    }

    /// Opens the page again at a place in it.
    pub fn open_at(&self, place: &str) {
        let page = self.folder.path().join("page.html").canonicalize().unwrap();
        self.browser.go("about:blank");
        self.browser.go(&format!("file://{}{place}", page.display()));
    }

    pub fn ask(&self, script: &str) -> Value {
        self.browser.ask(script)
    }

    pub fn number(&self, script: &str) -> u64 {
        self.ask(script).as_f64().unwrap_or_else(|| panic!("{script}: no number")) as u64
    }

    pub fn text(&self, selector: &str) -> String {
        let text = self.ask(&format!("return document.querySelector({selector:?}).textContent"));
        text.as_str().unwrap().to_string()
    }

    /// Neither an error nor a warning, and no request but for the page itself.
    pub fn assert_quiet(&self) {
        assert_eq!(self.browser.console(), Vec::<String>::new());
        let loaded = self.ask("return performance.getEntriesByType('resource').map((entry) => entry.name)");
        assert_eq!(loaded, Value::Array(Vec::new()), "a page loads nothing");
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
            let widest = self.number("return document.documentElement.scrollWidth");
            assert!(widest <= screen.width.into(), "{name}, {kind}: {widest} pixels wide");
            let paper = self.ask("return getComputedStyle(document.body).backgroundColor");
            let is_dark = paper == "rgb(20, 22, 26)";
            assert_eq!(is_dark, screen.is_dark, "{name}, {kind}: {paper}");
            if std::env::var_os("ENFOLD_SCREENSHOTS").is_some() {
                std::fs::write(pictures().join(format!("{name}-{kind}.png")), self.browser.picture())
                    .unwrap();
            }
        }
        self.browser.look(Screen::WIDE);
    }
}

fn pictures() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/images");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// An example session of the repository.
pub fn example(name: &str) -> String {
    format!("{}/../../examples/sessions/{name}", env!("CARGO_MANIFEST_DIR"))
}
