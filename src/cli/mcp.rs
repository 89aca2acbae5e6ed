//! `kadmit mcp`: tools for assistants on standard input and output (Model Context Protocol).
//!
//! A tool runs a command of this program in a process of its own and returns what it prints. So an answer is that of the
//! command, a bug ends one call and not the session, and nothing but the protocol reaches standard output.

mod tools;

use std::process::{Output, Stdio};
use std::{env, io};

use clap::Args;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::cli::Exit;
use crate::cli::color::Colors;
use crate::cli::console;
use crate::code::Code;
use crate::report::Diagnostic;

use tools::{Call, TOOLS};

/// Serve assistants on standard input and output (Model Context Protocol)
///
/// The tools evaluate, explain, compare and fix are the commands run, explain, compare and fix. They read the files that
/// a call names and neither write files nor call webhooks; kadmit.toml is not read.
#[derive(Debug, Args)]
pub(super) struct Mcp {}

impl Mcp {
    #[expect(clippy::unused_self, reason = "every subcommand is executed so")]
    pub(super) fn execute(&self, colors: Colors) -> Exit {
        match serve() {
            Ok(()) => Exit::Admitted,
            Err(message) => {
                let message = format!("the session broke off: {message}");
                console::refuse(&[Diagnostic::input(Code::Mcp, message)], colors)
            }
        }
    }
}

/// Answers calls until the client closes standard input.
fn serve() -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(async {
        let running = Server.serve(rmcp::transport::stdio()).await.map_err(|error| error.to_string())?;
        running.waiting().await.map(drop).map_err(|error| error.to_string())
    })
}

struct Server;

/// Longer answers cost an assistant more than they tell it, and clients cut them without a word.
const MAX_ANSWER_BYTES: usize = 100_000;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("kadmit", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "kadmit runs Kubernetes' admission chain offline. Evaluate manifests before you propose them, and fix \
                 or explain what is refused.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(tools::Tool::described).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool \"{}\"", request.name), None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let call = tool.call(&arguments).map_err(|message| ErrorData::invalid_params(message, None))?;
        tokio::select! {
            output = run(&call) => match output {
                Ok(output) => Ok(result(&output).into()),
                Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
            },
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }
}

/// Runs the command of a call. It ends when its answer is no longer awaited.
async fn run(call: &Call) -> io::Result<Output> {
    let mut command = Command::new(env::current_exe()?);
    command.args(&call.words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn()?;
    let mut input = child.stdin.take().expect("a pipe");
    let write = async move {
        // A command that refuses its flags does not read its input.
        drop(input.write_all(call.input.as_bytes()).await);
    };
    let ((), output) = tokio::join!(write, child.wait_with_output());
    output
}

/// Returns what a command printed. A refused manifest is an answer; wrong input and bugs are errors.
fn result(output: &Output) -> CallToolResult {
    let texts = [&output.stdout, &output.stderr].map(|bytes| shortened(&String::from_utf8_lossy(bytes)));
    let content: Vec<ContentBlock> =
        texts.into_iter().filter(|text| !text.is_empty()).map(ContentBlock::text).collect();
    let is_answer = output.status.code().is_some_and(|status| status <= i32::from(Exit::Denied.status()));
    if is_answer { CallToolResult::success(content) } else { CallToolResult::error(content) }
}

/// Returns the first lines of an answer that is too long, and says how much is missing.
fn shortened(text: &str) -> String {
    if text.len() <= MAX_ANSWER_BYTES {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(MAX_ANSWER_BYTES)];
    let head = head.rfind('\n').map_or(head, |end| &head[..=end]);
    let missing = text.len() - head.len();
    format!("{head}[{missing} more bytes are left out: name fewer manifests, or the output \"text\"]")
}
