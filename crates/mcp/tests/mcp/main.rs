//! The tools and the protocol, asked by the client of the protocol's makers and by hand.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod http;
mod pipes;
mod support;
mod tools;
