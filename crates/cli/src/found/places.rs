//! Where agents keep their sessions.

use std::path::PathBuf;

/// A folder of an agent's.
pub struct Place {
    /// The agent, as formats are named.
    pub agent: &'static str,
    /// The variable with which its user moves the folder, and what follows its value.
    variable: (&'static str, &'static str),
    /// Where it is otherwise, from the home folder.
    pub home: &'static str,
    /// How many levels down the sessions are: 1 is in the folder itself.
    pub depth: usize,
    /// What a session is.
    pub kind: Kind,
    /// Whether something of this name is a session of its own: sub-agents' logs are not.
    pub is_session: fn(&str) -> bool,
}

/// What a session is on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    /// A folder with a file per event.
    Folder,
}

/// A row per agent whose transcripts are read and who keeps them in one place.
pub const PLACES: &[Place] = &[
    Place {
        agent: "claude-code",
        variable: ("CLAUDE_CONFIG_DIR", "projects"),
        home: ".claude/projects",
        depth: 2,
        kind: Kind::File,
        is_session: |name| name.ends_with(".jsonl") && !name.starts_with("agent-"),
    },
    Place {
        agent: "codex",
        variable: ("CODEX_HOME", "sessions"),
        home: ".codex/sessions",
        depth: 4,
        kind: Kind::File,
        is_session: |name| {
            name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".zst"))
        },
    },
    Place {
        agent: "copilot-cli",
        variable: ("COPILOT_HOME", "session-state"),
        home: ".copilot/session-state",
        depth: 2,
        kind: Kind::File,
        is_session: |name| name == "events.jsonl",
    },
    Place {
        agent: "gemini-cli",
        variable: ("GEMINI_CLI_HOME", ".gemini/tmp"),
        home: ".gemini/tmp",
        depth: 3,
        kind: Kind::File,
        is_session: |name| {
            name.starts_with("session-") && (name.ends_with(".json") || name.ends_with(".jsonl"))
        },
    },
    Place {
        agent: "pi",
        variable: ("PI_CODING_AGENT_DIR", "sessions"),
        home: ".pi/agent/sessions",
        depth: 2,
        kind: Kind::File,
        is_session: |name| name.ends_with(".jsonl"),
    },
    Place {
        agent: "openhands",
        variable: ("OPENHANDS_CONVERSATIONS_DIR", ""),
        home: ".openhands/conversations",
        depth: 2,
        kind: Kind::Folder,
        is_session: |name| name == "events",
    },
];

impl Place {
    /// The folder on this machine, whether it exists or not.
    pub fn folder(&self) -> Option<PathBuf> {
        let (name, below) = self.variable;
        let moved = std::env::var_os(name).filter(|value| !value.is_empty());
        let moved = moved.map(|folder| PathBuf::from(folder).join(below));
        moved.or_else(|| Some(std::env::home_dir()?.join(self.home)))
    }
}
