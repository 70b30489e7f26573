//! A browser for the tests of pages: found, or installed where this machine lets us.

use std::process::Command;

/// Debian's names.
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

/// Whether there is one now. Says so loudly where there is not.
pub(crate) fn is_there() -> bool {
    if has_driver() || (install() && has_driver()) {
        return true;
    }
    println!("SKIPPED: pages in a browser; install {} to run these too", PACKAGES.join(" and "));
    false
}

fn has_driver() -> bool {
    Command::new("chromedriver").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// With apt, as root or as somebody who may become root without being asked.
fn install() -> bool {
    let apt = |arguments: &[&str]| {
        let plain = Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").status();
        if plain.is_ok_and(|status| status.success()) {
            return true;
        }
        let command = ["-n", "apt-get"];
        Command::new("sudo").args(command).args(arguments).status().is_ok_and(|status| status.success())
    };
    println!("$ apt-get install {}", PACKAGES.join(" "));
    let install = [&["install", "--yes", "--no-install-recommends"], &PACKAGES[..]].concat();
    apt(&install) || (apt(&["update"]) && apt(&install))
}
