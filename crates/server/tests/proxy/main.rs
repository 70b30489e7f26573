//! The proxy over real HTTP on loopback, between a client and a scripted model.

#![allow(clippy::unwrap_used)]

mod api;
mod faults;
mod recall;
mod relay;
mod security;
mod sessions;
mod support;
mod traces;
