//! Connections: taken, answered, and at the end drained.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use enfold_mcp::{OverHttp, Recall, Scope};
use enfold_store::{Store, since_1970};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;

use crate::answer::{Answer, Refusal, boxed, whole};
use crate::config::{Config, Home};
use crate::guard::{Guard, Wanted};
use crate::headers::{self, Carried};
use crate::hub::Hub;
use crate::relay::{self, Outgoing, Relay};
use crate::route::{Route, route};
use crate::tally::{Tally, Totals};
use crate::threads::Threads;
use crate::traces::{Exporter, Tracer};
use crate::{api, dashboard, model};

/// How long a client may take for the head of a request.
const HEAD: Duration = Duration::from_secs(30);

/// Between two signs of life for those who listen to events.
const PING: Duration = Duration::from_secs(15);

/// What all requests share.
pub(crate) struct App {
    pub(crate) config: Config,
    pub(crate) secret: Vec<u8>,
    pub(crate) threads: Threads,
    pub(crate) relay: Relay,
    pub(crate) hub: Arc<Hub>,
    pub(crate) tally: Tally,
    pub(crate) tracer: Option<Tracer>,
    guard: Guard,
    recall: OverHttp,
}

/// Why the server cannot be started. The operator can mend it.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address.
    #[error("cannot listen at {address}: {why}; choose another with --listen")]
    Listen {
        /// Which one.
        address: SocketAddr,
        /// What the system says.
        why: String,
    },
    /// Others than this machine could ask.
    #[error(
        "{0} can be reached from other machines, and everybody there could use it: ask for the token with --token, or listen at 127.0.0.1"
    )]
    Exposed(SocketAddr),
    /// No client for an upstream.
    #[error(transparent)]
    Upstream(#[from] Box<enfold_llm::Error>),
}

/// Whether others than this machine may ask, with the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only this machine.
    Loopback,
    /// Whoever has the token.
    Token,
}

/// A server that listens.
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    exporter: Option<Exporter>,
}

impl Bound {
    /// Listens. Nothing is answered before [`Bound::serve`].
    pub async fn new(
        config: Config,
        home: Home,
        store: Arc<dyn Store>,
        reach: Reach,
    ) -> Result<Bound, ServeError> {
        if !config.listen.ip().is_loopback() && reach == Reach::Loopback {
            return Err(ServeError::Exposed(config.listen));
        }
        let failed =
            |why: std::io::Error| ServeError::Listen { address: config.listen, why: why.to_string() };
        let listener = TcpListener::bind(config.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let relay = Relay::new(&config.upstreams, config.proxy)?;
        let hub = Arc::new(Hub::new(config.log.clone(), since_1970));
        let sink = {
            let hub = hub.clone();
            let tell = move |session: &str, event: &enfold::session::Event| {
                let data = serde_json::from_str(&event.data()).unwrap_or_default();
                hub.tell(session, event.name(), data);
            };
            Arc::new(tell)
        };
        let recall = {
            let store = store.clone();
            OverHttp::new(Recall::new(Arc::new(move || Ok(store.clone())), Scope::default()))
        };
        let threads = Threads::new(store, home.secret.clone(), config.clone(), sink, since_1970);
        let guard = Guard::new(address, config.hosts.clone(), home.token);
        let traces = config.traces.clone().map(|traces| Exporter::new(traces, config.proxy, hub.clone()));
        let (tracer, exporter) = traces.transpose()?.unzip();
        let (secret, tally) = (home.secret, Tally::default());
        let app = App { config, secret, threads, relay, hub, tally, tracer, guard, recall };
        Ok(Bound { listener, address, app: Arc::new(app), exporter })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The sums so far, to be asked while it serves.
    pub fn totals(&self) -> impl Fn() -> Totals + Send + Sync + use<> {
        let app = self.app.clone();
        move || app.tally.totals()
    }

    /// Answers until `end` comes true; then takes no more connections, and lets streams go on for the configured grace.
    pub async fn serve(mut self, end: impl Future<Output = ()>) {
        let (over, is_over) = tokio::sync::oneshot::channel::<()>();
        let exporting = self.exporter.take().map(|exporter| {
            tokio::spawn(exporter.run(async {
                let _ = is_over.await;
            }))
        });
        let connections = GracefulShutdown::new();
        let mut end = std::pin::pin!(end);
        let mut ping = tokio::time::interval(PING);
        loop {
            tokio::select! {
                () = &mut end => break,
                _ = ping.tick() => self.app.hub.ping(),
                accepted = self.listener.accept() => {
                    // A connection that could not be taken, for want of files or memory, is the client's to try again.
                    let Ok((stream, _)) = accepted else { continue };
                    let _ = stream.set_nodelay(true);
                    let app = self.app.clone();
                    let service = service_fn(move |request| {
                        let app = app.clone();
                        async move { Ok::<_, Infallible>(answer(&app, request).await) }
                    });
                    let connection = http1::Builder::new()
                        .timer(TokioTimer::new())
                        .header_read_timeout(HEAD)
                        .serve_connection(TokioIo::new(stream), service);
                    tokio::spawn(connections.watch(connection));
                }
            }
        }
        self.app.hub.close();
        drop(self.listener);
        let _ = tokio::time::timeout(self.app.config.grace, connections.shutdown()).await;
        let _ = over.send(());
        if let Some(exporting) = exporting {
            let _ = exporting.await;
        }
    }
}

async fn answer(app: &Arc<App>, request: Request<Incoming>) -> Answer {
    match take(app, request).await {
        Ok(answer) => answer,
        Err(refusal) => refusal.into_answer(),
    }
}

async fn take(app: &Arc<App>, request: Request<Incoming>) -> Result<Answer, Refusal> {
    let (mut request, body) = request.into_parts();
    app.guard.admit(&mut request)?;
    let method = request.method.clone();
    match route(&app.config.upstreams, &method, &request.uri, &request.headers) {
        Route::Health => Ok(whole(StatusCode::OK, "text/plain; charset=utf-8", "ok\n")),
        Route::Metrics => {
            app.guard.check(&request, Wanted::Passage)?;
            let text = app.tally.totals().prometheus();
            Ok(whole(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text))
        }
        // The same for everybody, and nothing of anybody's: what it shows it asks for with the token.
        Route::Dashboard(path) => dashboard::answer(&path).ok_or_else(no_such_path),
        Route::Api(path) => {
            app.guard.check(&request, Wanted::Sessions)?;
            api::answer(app, &method, &path, request.uri.query()).await
        }
        Route::Mcp => {
            app.guard.check(&request, Wanted::Sessions)?;
            Ok(app.recall.answer(Request::from_parts(request, body)).await.map(boxed))
        }
        Route::Model(to) => {
            app.guard.check(&request, Wanted::Passage)?;
            model::answer(app, to, request, body).await
        }
        Route::Pass(upstream, path) => {
            app.guard.check(&request, Wanted::Passage)?;
            let headers = headers::to_upstream(&request.headers, Carried::Verbatim);
            let outgoing = Outgoing { upstream, path: &path, method, headers, body: boxed(body) };
            let answer = app.relay.send(outgoing).await?;
            Ok(relay::pass_on(answer, Vec::new(), None, drop))
        }
        Route::Nothing => Err(no_such_path()),
    }
}

fn no_such_path() -> Refusal {
    let message =
        "no provider has this path; base URLs end in the address of this server, or in /v1 for OpenAI";
    Refusal::new(StatusCode::NOT_FOUND, "no_such_path", message)
}
