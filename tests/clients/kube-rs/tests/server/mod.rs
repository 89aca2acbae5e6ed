//! A server of the program, which ends with the test.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tempfile::TempDir;

/// A process of `kadmit serve`: that of `KADMIT`, or the one that `cargo build` left.
pub struct Server {
    process: Child,
    _directory: TempDir,
}

impl Server {
    /// Starts a server and returns it with a client.
    pub async fn start(flags: &[&str]) -> (Self, Client) {
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/debug/kadmit");
        let program = env::var_os("KADMIT").map_or(built, PathBuf::from);
        let directory = TempDir::new().expect("a directory");
        let mut process = Command::new(&program)
            .args(["serve", "--kubeconfig", "config", "--ready-file", "ready"])
            .args(["--disable-admission-plugins", "ServiceAccount"])
            .args(flags)
            .current_dir(directory.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()));
        let began = Instant::now();
        while !directory.path().join("ready").exists() {
            let ended = process.try_wait().expect("a process");
            assert!(ended.is_none(), "{} has ended: {ended:?}", program.display());
            assert!(began.elapsed() < Duration::from_secs(30), "the server is not ready");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let kubeconfig = Kubeconfig::read_from(directory.path().join("config")).expect("a kubeconfig");
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("a configuration");
        let client = Client::try_from(config).expect("a client");
        (Self { process, _directory: directory }, client)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
