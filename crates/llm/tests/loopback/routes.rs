//! The way to a server: certificates, and proxies named in the environment.

use std::sync::Arc;

use enfold_llm::{Api, CancellationToken, Client, Endpoint, Error, Fault, Key, Options, Proxy};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::server::{Server, json};
use crate::{KEY, ask, options};

const FINE: &str = r#"{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}"#;

/// For `localhost` and 127.0.0.1, valid for a hundred years, signed by an authority that nobody else trusts.
const CERTIFICATE: &[u8] = include_bytes!("tls/localhost.pem");
const CERTIFICATE_KEY: &[u8] = include_bytes!("tls/localhost.key.pem");
const AUTHORITY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/loopback/tls/authority.pem");

const URL: &str = "ENFOLD_TEST_ASKS_THIS_URL";

/// Asks `url` in a process with these variables, since a process cannot change its own safely. Returns what it printed.
async fn asked_with(url: &str, variables: &[(&str, &str)]) -> String {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "routes::asks_for_another_test", "--nocapture"]);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        child.env_remove(name).env_remove(name.to_uppercase());
    }
    child.env(URL, url).envs(variables.iter().copied());
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
#[allow(clippy::print_stdout)]
async fn asks_for_another_test() {
    let Ok(url) = std::env::var(URL) else { return };
    let endpoint = Endpoint::at(Api::Chat, &url, Some(Key::new(KEY).unwrap())).unwrap();
    let through_proxy = Options { proxy: Proxy::Environment, ..options() };
    println!(
        "{:?}",
        match Client::new(endpoint, through_proxy) {
            Ok(client) => client.ask(&ask(), &CancellationToken::new()).await,
            Err(error) => Err(error),
        }
    );
}

/// A server that answers over TLS; returns its port.
async fn encrypted(address: &str) -> u16 {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(CERTIFICATE_KEY).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind((address, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let head = read_head(&mut stream).await;
            assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{head}");
            assert!(head.contains(&format!("host: localhost:{port}\r\n")), "{head}");
            let length = FINE.len();
            let answer =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{FINE}");
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    port
}

/// A proxy that connects whom it is asked to connect; returns its port, and what it was asked once it was.
async fn tunnel() -> (u16, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let head = read_head(&mut client).await;
        let host = head.split(' ').nth(1).unwrap();
        let mut server = TcpStream::connect(host.replace("localhost", "127.0.0.1")).await.unwrap();
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
        let _ = copy_bidirectional(&mut client, &mut server).await;
        head
    });
    (port, asked)
}

async fn read_head(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

// Elsewhere the system's own store of certificates is asked, which no variable changes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_certificate_that_the_system_trusts_is_accepted() {
    let url = format!("https://localhost:{}", encrypted("127.0.0.1").await);
    let said = asked_with(&url, &[("SSL_CERT_FILE", AUTHORITY)]).await;
    assert!(said.contains(r#"text: "fine""#), "{said}");
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_not_accepted() {
    let url = format!("https://localhost:{}", encrypted("127.0.0.1").await);
    let client = Client::new(Endpoint::at(Api::Chat, &url, None).unwrap(), options());
    let error = match client {
        Ok(client) => client.ask(&ask(), &CancellationToken::new()).await.unwrap_err(),
        // A machine without any certificates.
        Err(error) => error,
    };
    assert!(matches!(error, Error::Network { fault: Fault::Tls, .. } | Error::Setup(_)), "{error:?}");
    assert!(!error.is_transient());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_certificate_for_another_host_is_not_accepted() {
    let url = format!("https://127.0.0.2:{}", encrypted("127.0.0.2").await);
    let said = asked_with(&url, &[("SSL_CERT_FILE", AUTHORITY)]).await;
    assert!(said.contains("fault: Tls"), "{said}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_encrypted_request_goes_through_a_proxy_unseen() {
    let server = encrypted("127.0.0.1").await;
    let (port, asked) = tunnel().await;
    let proxy = format!("http://user:pass%20word@127.0.0.1:{port}");
    let url = format!("https://localhost:{server}");
    let said = asked_with(&url, &[("SSL_CERT_FILE", AUTHORITY), ("HTTPS_PROXY", &proxy)]).await;
    assert!(said.contains(r#"text: "fine""#), "{said}");
    let head = asked.await.unwrap();
    assert!(head.starts_with(&format!("CONNECT localhost:{server} HTTP/1.1\r\n")), "{head}");
    assert!(head.to_lowercase().contains("proxy-authorization: basic dxnlcjpwyxnzihdvcmq=\r\n"), "{head}");
    assert!(!head.contains(KEY), "{head}");
}

#[tokio::test]
async fn a_plain_request_names_the_whole_url_and_the_user_to_the_proxy() {
    let proxy = Server::start(vec![json(200, FINE)]).await;
    let named = proxy.url.replace("http://", "http://user:word@");
    let said = asked_with("http://vllm:8000", &[("http_proxy", &named)]).await;
    assert!(said.contains(r#"text: "fine""#), "{said}");
    let head = proxy.requests.lock().unwrap()[0].head.clone();
    assert!(head.starts_with("POST http://vllm:8000/v1/chat/completions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: Basic dXNlcjp3b3Jk"), "{head}");
}

#[tokio::test]
async fn a_host_that_is_excepted_is_asked_directly() {
    let server = Server::start(vec![json(200, FINE)]).await;
    let variables = [("ALL_PROXY", "http://127.0.0.1:1"), ("NO_PROXY", "127.0.0.0/8")];
    let said = asked_with(&server.url, &variables).await;
    assert!(said.contains(r#"text: "fine""#), "{said}");
}

#[tokio::test]
async fn a_kind_of_proxy_that_is_not_supported_is_named() {
    let said = asked_with("http://vllm:8000", &[("ALL_PROXY", "socks5://127.0.0.1:1")]).await;
    assert!(said.contains("SOCKS") && said.contains("NO_PROXY"), "{said}");
}
