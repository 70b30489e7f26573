//! For tests: pages in a real Chromium, driven over WebDriver.
//!
//! `cargo xtask test` installs what is needed. Where it is missing, [`Browser::start`] says loudly that the test was SKIPPED;
//! with `ENFOLD_BROWSER=must` it fails instead, so that a machine that has a browser cannot skip it by accident.

// A test that cannot go on ends, and a skipped one says so.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod cdp;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use cdp::{Cdp, Log};

/// A browser with one window. Its calls wait; a test reads from top to bottom.
pub struct Browser {
    runtime: Runtime,
    client: Option<Client>,
    driver: Child,
    // What the browser writes to, removed with it.
    _home: tempfile::TempDir,
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// In pixels of the page.
    pub width: u32,
    /// In pixels of the page.
    pub height: u32,
    /// Whether the user has asked for dark pages.
    pub is_dark: bool,
}

impl Screen {
    /// A window on a desk.
    pub const WIDE: Screen = Screen { width: 1280, height: 860, is_dark: false };
    /// A phone.
    pub const PHONE: Screen = Screen { width: 390, height: 844, is_dark: false };

    /// The same at night.
    pub const fn dark(self) -> Screen {
        Screen { is_dark: true, ..self }
    }
}

impl Browser {
    /// Starts one; `None` where there is none.
    pub fn start() -> Option<Browser> {
        let is_must = std::env::var("ENFOLD_BROWSER").is_ok_and(|value| value == "must");
        let driver =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut driver = match driver {
            Ok(driver) => driver,
            Err(error) if is_must => panic!("chromedriver: {error}"),
            Err(_) => {
                eprintln!("SKIPPED: pages in a browser; install chromium and chromium-driver");
                return None;
            }
        };
        let port = port(&mut driver);
        let home = tempfile::tempdir().unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        // A container has no namespaces left for a sandbox, and the pages are our own.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--disable-dev-shm-usage",
        ];
        let mut arguments: Vec<String> = arguments.map(String::from).to_vec();
        arguments.push(format!("--user-data-dir={}", home.path().display()));
        let wanted = json!({
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(wanted.as_object().unwrap().clone());
        let client = runtime.block_on(builder.connect(&format!("http://127.0.0.1:{port}"))).unwrap();
        Some(Browser { runtime, client: Some(client), driver, _home: home })
    }

    /// Opens a file, as a double click would.
    pub fn open(&self, page: &Path) {
        self.go(&format!("file://{}", page.canonicalize().unwrap().display()));
    }

    /// Opens an address.
    pub fn go(&self, address: &str) {
        self.runtime.block_on(self.client().goto(address)).unwrap();
    }

    /// Looks with another screen.
    pub fn look(&self, screen: Screen) {
        let Screen { width, height, is_dark } = screen;
        let scheme = if is_dark { "dark" } else { "light" };
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.tell("Emulation.setDeviceMetricsOverride", metrics);
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.tell("Emulation.setEmulatedMedia", features);
    }

    /// What a function body returns in the page.
    pub fn ask(&self, script: &str) -> Value {
        self.runtime.block_on(self.client().execute(script, Vec::new())).unwrap()
    }

    /// A click with the mouse, at a place of the page.
    pub fn click(&self, x: f64, y: f64) {
        self.click_slowly(x, y, || ());
    }

    fn click_slowly(&self, x: f64, y: f64, meanwhile: impl FnOnce()) {
        let mouse = |kind: &str, buttons: u8| {
            let event =
                json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
            self.tell("Input.dispatchMouseEvent", event);
        };
        mouse("mouseMoved", 0);
        mouse("mousePressed", 1);
        meanwhile();
        mouse("mouseReleased", 0);
    }

    /// A click into the middle of the first element of a selector.
    pub fn press(&self, selector: &str) {
        self.press_slowly(selector, || ());
    }

    /// A click by a slow hand: something happens before the button is let go.
    pub fn press_slowly(&self, selector: &str, meanwhile: impl FnOnce()) {
        let middle = format!(
            "const element = document.querySelector({selector:?});
             element.scrollIntoView({{ block: 'center' }});
             const box = element.getBoundingClientRect();
             return [box.left + box.width / 2, box.top + box.height / 2];"
        );
        let middle = self.ask(&middle);
        self.click_slowly(middle[0].as_f64().unwrap(), middle[1].as_f64().unwrap(), meanwhile);
    }

    /// Types into what has the focus, key by key. `\n` is Enter.
    pub fn type_in(&self, text: &str) {
        for letter in text.chars() {
            let (key, text) = match letter {
                '\n' => ("Enter".to_string(), "\r".to_string()),
                letter => (letter.to_string(), letter.to_string()),
            };
            self.key("keyDown", &key, Some(&text));
            self.key("keyUp", &key, None);
        }
    }

    /// A key without a letter: `ArrowRight`, `Escape`.
    pub fn strike(&self, key: &str) {
        self.key("rawKeyDown", key, None);
        self.key("keyUp", key, None);
    }

    fn key(&self, kind: &str, key: &str, text: Option<&str>) {
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            _ => 0,
        };
        let mut event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
        if let Some(text) = text {
            event["text"] = text.into();
        }
        self.tell("Input.dispatchKeyEvent", event);
    }

    /// Everything that the console got since the last look, as text.
    pub fn console(&self) -> Vec<String> {
        let lines = self.runtime.block_on(self.client().issue_cmd(Log)).unwrap();
        let lines = lines.as_array().cloned().unwrap_or_default();
        lines.iter().map(|line| format!("{}: {}", line["level"], line["message"])).collect()
    }

    /// A picture of what the window shows, as PNG.
    pub fn picture(&self) -> Vec<u8> {
        self.runtime.block_on(self.client().screenshot()).unwrap()
    }

    fn tell(&self, command: &'static str, parameters: Value) {
        self.runtime.block_on(self.client().issue_cmd(Cdp { command, parameters })).unwrap();
    }

    fn client(&self) -> &Client {
        self.client.as_ref().expect("it is there until the browser is dropped")
    }
}

/// The port that the driver says it listens at.
fn port(driver: &mut Child) -> u16 {
    let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let said = lines.map_while(Result::ok).find(|line| line.contains("started successfully on port"));
    let said = said.expect("chromedriver says when it has started");
    let digits: String = said.rsplit(' ').next().unwrap().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
