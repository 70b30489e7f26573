//! Long sessions over a real store and a real server on loopback.

#![allow(clippy::unwrap_used)]

mod support;

mod bad_models;
mod crash;
mod no_room;
mod processes;
mod rounds;
mod servers;
