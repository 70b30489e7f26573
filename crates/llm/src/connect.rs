//! Connections: TCP, TLS, the proxy in between, and how long all of that may take.

use std::error::Error as StdError;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::Body;
use hyper::header::{HeaderMap, HeaderValue, PROXY_AUTHORIZATION, USER_AGENT};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{Uri, rt};
use hyper_util::client::legacy::connect::dns::{GaiAddrs, GaiResolver, Name};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::legacy::{Builder, Client};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ClientConfig;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use crate::{Error, Proxy, url};

/// Sends requests, over connections that are kept for the next one.
pub type Http<B> = Client<Connector, B>;

/// How it introduces itself.
pub(crate) const AGENT: HeaderValue = HeaderValue::from_static(concat!("enfold/", env!("CARGO_PKG_VERSION")));

/// Between two signs of life on a silent connection, and how many may go unanswered.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;

type BoxError = Box<dyn StdError + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// A connection that was not made within its time.
#[derive(Debug, thiserror::Error)]
#[error("no connection in time")]
pub(crate) struct Late;

/// A host whose address the name service does not know.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnknownHost(std::io::Error);

/// What sends requests to `to`, with bodies of this type, and the header that its proxy wants with each. Redirects are not
/// followed.
pub fn client<B>(to: &Uri, proxy: Proxy, patience: Duration) -> Result<(Http<B>, Option<HeaderValue>), Error>
where
    B: Body + Send,
    B::Data: Send,
{
    let route = Route::to(to, proxy)?;
    let needs_tls =
        url::is_encrypted(to) || route.proxy().is_some_and(|proxy| url::is_encrypted(proxy.uri()));
    // A server that speaks plain HTTP works on a machine without certificates.
    let tls = needs_tls.then(trust).transpose()?;
    let for_proxy = match &route {
        Route::Forward(proxy) => proxy.basic_auth().cloned(),
        Route::Direct | Route::Tunnel(_) => None,
    };
    let http = Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .build(Connector { tcp: tcp(), tls, route, patience });
    Ok((http, for_proxy))
}

fn tcp() -> HttpConnector<Resolver> {
    let mut tcp = HttpConnector::new_with_resolver(Resolver(GaiResolver::new()));
    // TLS is put on top here, not there.
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp.set_keepalive_interval(Some(KEEPALIVE));
    tcp.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    tcp
}

/// Trusts whom the system trusts. Cryptography is the host's choice, where it made one for the process, else ring.
fn trust() -> Result<TlsConnector, Error> {
    let cryptography = CryptoProvider::get_default().cloned();
    let cryptography = cryptography.unwrap_or_else(|| Arc::new(ring::default_provider()));
    let config = ClientConfig::builder_with_provider(cryptography)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier);
    let config = config.map_err(|why| Error::Setup(format!("no HTTP client: {why}")))?;
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The way to a server.
#[derive(Clone)]
enum Route {
    Direct,
    /// To a proxy that is told the whole URL, for plain HTTP.
    Forward(Intercept),
    /// Through a proxy that passes bytes on, for TLS.
    Tunnel(Intercept),
}

impl Route {
    fn to(server: &Uri, proxy: Proxy) -> Result<Route, Error> {
        let found = match proxy {
            Proxy::Environment => Matcher::from_env().intercept(server),
            Proxy::Direct => None,
        };
        Ok(match found {
            None => Route::Direct,
            Some(proxy) if !matches!(proxy.uri().scheme_str(), Some("http" | "https")) => {
                return Err(Error::Setup(
                    "the proxy variables name a SOCKS proxy: name one that begins with http:// or https://, or \
                     except the host in NO_PROXY"
                        .into(),
                ));
            }
            Some(proxy) if url::is_encrypted(server) => Route::Tunnel(proxy),
            Some(proxy) => Route::Forward(proxy),
        })
    }

    fn proxy(&self) -> Option<&Intercept> {
        match self {
            Route::Direct => None,
            Route::Forward(proxy) | Route::Tunnel(proxy) => Some(proxy),
        }
    }
}

/// Makes connections along one route.
#[derive(Clone)]
pub struct Connector {
    tcp: HttpConnector<Resolver>,
    tls: Option<TlsConnector>,
    route: Route,
    patience: Duration,
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = Connecting<Stream>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Connecting<Stream> {
        let this = self.clone();
        Box::pin(async move {
            let connected = tokio::time::timeout(this.patience, this.connect(to)).await;
            connected.unwrap_or_else(|_| Err(Late.into()))
        })
    }
}

impl Connector {
    async fn connect(mut self, to: Uri) -> Result<Stream, BoxError> {
        match std::mem::replace(&mut self.route, Route::Direct) {
            Route::Direct => self.dial(to).await,
            Route::Forward(proxy) => {
                let stream = self.dial(proxy.uri().clone()).await?;
                Ok(Stream { is_forwarded: true, ..stream })
            }
            Route::Tunnel(proxy) => {
                let mut headers = HeaderMap::from_iter([(USER_AGENT, AGENT)]);
                headers.extend(proxy.basic_auth().map(|auth| (PROXY_AUTHORIZATION, auth.clone())));
                let mut tunnel = Tunnel::new(proxy.uri().clone(), self.clone()).with_headers(headers);
                let stream = tunnel.call(to.clone()).await?;
                self.encrypt(&to, TokioIo::new(stream)).await
            }
        }
    }

    async fn dial(mut self, to: Uri) -> Result<Stream, BoxError> {
        let tcp = self.tcp.call(to.clone()).await?;
        match url::is_encrypted(&to) {
            true => self.encrypt(&to, tcp.into_inner()).await,
            false => Ok(Stream { io: Box::new(tcp), is_forwarded: false }),
        }
    }

    async fn encrypt(
        &self,
        to: &Uri,
        io: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Stream, BoxError> {
        let tls = self.tls.as_ref().expect("made for every route with an encrypted part");
        let name = ServerName::try_from(url::host(to).to_string())?;
        let io = tls.connect(name, io).await?;
        Ok(Stream { io: Box::new(TokioIo::new(io)), is_forwarded: false })
    }
}

/// The system's name service, whose failures can be told from others.
#[derive(Clone)]
struct Resolver(GaiResolver);

impl Service<Name> for Resolver {
    type Response = GaiAddrs;
    type Error = BoxError;
    type Future = Connecting<GaiAddrs>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Connecting<GaiAddrs> {
        let addresses = self.0.call(name);
        Box::pin(async move { addresses.await.map_err(|why| UnknownHost(why).into()) })
    }
}

trait ReadWrite: Read + Write + Send + Unpin {}
impl<T: Read + Write + Send + Unpin> ReadWrite for T {}

/// A connection, encrypted or not.
pub struct Stream {
    io: Box<dyn ReadWrite>,
    is_forwarded: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.is_forwarded)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: ReadBufCursor<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, into)
    }
}

impl rt::Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, bytes)
    }
}
