//! The protocol: over pipes, over HTTP.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::{Request, Response};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

use crate::{Recall, tools};

/// Why the server ended before its client did. The operator can mend it.
#[derive(Debug, thiserror::Error)]
#[error(
    "the client and this server did not come to terms: {0}; `enfold mcp` is started by an agent, which speaks first"
)]
pub struct ServeError(String);

/// Answers over standard input and output until the client leaves.
pub async fn over_pipes(recall: Recall) -> Result<(), ServeError> {
    let running = recall.serve(stdio()).await.map_err(|error| ServeError(error.to_string()))?;
    running.waiting().await.map_err(|error| ServeError(error.to_string()))?;
    Ok(())
}

/// The same over HTTP, request by request: nothing is kept between two of them.
pub struct OverHttp(StreamableHttpService<Recall, NeverSessionManager>);

impl OverHttp {
    /// Who may ask is decided before: hosts, origins and the token are not looked at here.
    pub fn new(recall: Recall) -> OverHttp {
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true);
        OverHttp(StreamableHttpService::new(move || Ok(recall.clone()), Arc::default(), config))
    }

    /// Answers one request.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<BoxBody<Bytes, Infallible>>
    where
        B: hyper::body::Body + Send + 'static,
        B::Error: std::fmt::Display,
    {
        self.0.handle(request).await
    }
}

impl ServerHandler for Recall {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("enfold", env!("CARGO_PKG_VERSION")))
            .with_instructions(tools::ABOUT)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (recall, tool) = (self.clone(), request.name.to_string());
        let arguments = request.arguments.unwrap_or_default();
        // The store is read: not for a thread that others wait for.
        let done = tokio::task::spawn_blocking(move || recall.answer(&tool, arguments)).await;
        let done = done.map_err(|_| ErrorData::internal_error("this is a fault of Enfold's", None))?;
        match done {
            Some(Ok(text)) => Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into()),
            Some(Err(why)) => Ok(CallToolResult::error(vec![ContentBlock::text(why.to_string())]).into()),
            None => {
                let named =
                    tools::all().iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>().join(", ");
                let why = format!("{}: there is no such tool; there are {named}", request.name);
                Err(ErrorData::invalid_params(why, None))
            }
        }
    }
}
