//! Addresses of the Services in front of webhooks, which only the user knows outside the cluster.

use std::collections::BTreeMap;

/// The addresses of Services, as given by `--webhook-service`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Services(BTreeMap<(String, String, Option<u16>), Place>);

/// The address of a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Host and port.
    pub address: String,
    /// Whether it speaks HTTP without TLS.
    pub is_plain: bool,
}

impl Services {
    /// Adds the address in `NAMESPACE/NAME[:PORT]=URL`.
    ///
    /// # Errors
    ///
    /// Fails if the text is malformed.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        const FORM: &str = "it is NAMESPACE/NAME[:PORT]=URL";
        let (service, url) = text.split_once('=').ok_or(FORM)?;
        let (namespace, name) = service.split_once('/').ok_or(FORM)?;
        let (name, port) = match name.split_once(':') {
            Some((name, port)) => (name, Some(port.parse().map_err(|_| FORM)?)),
            None => (name, None),
        };
        let (scheme, address) = url.split_once("://").unwrap_or(("https", url));
        let address = address.trim_end_matches('/');
        if namespace.is_empty() || name.is_empty() || address.is_empty() {
            return Err(FORM.to_owned());
        }
        if address.contains('/') {
            return Err("the URL has no path: that of the webhook is used".to_owned());
        }
        let is_plain = match scheme {
            "https" => false,
            "http" => true,
            _ => return Err("the URL begins with https:// or http://".to_owned()),
        };
        let has_port = address.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let default = if is_plain { 80 } else { 443 };
        let address = if has_port { address.to_owned() } else { format!("{address}:{default}") };
        self.0.insert((namespace.to_owned(), name.to_owned(), port), Place { address, is_plain });
        Ok(())
    }

    /// Returns the address of a port of a Service, if that is known.
    pub fn place(&self, namespace: &str, name: &str, port: u16) -> Option<&Place> {
        let at = |port| self.0.get(&(namespace.to_owned(), name.to_owned(), port));
        at(Some(port)).or_else(|| at(None))
    }

    /// Returns the address of `authority`, a host with its port: that which the user gave for the host of a Service,
    /// any other as it is.
    pub fn address(&self, authority: &str) -> String {
        let service = authority.rsplit_once(':').and_then(|(host, port)| {
            let (name, namespace) = host.strip_suffix(".svc")?.split_once('.')?;
            self.place(namespace, name, port.parse().ok()?)
        });
        service.map_or_else(|| authority.to_owned(), |place| place.address.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_more_than_none() {
        let mut services = Services::default();
        for text in ["shop/hook=https://127.0.0.1:8443", "shop/hook:9443=http://localhost"] {
            services.add(text).unwrap();
        }
        assert_eq!(services.address("hook.shop.svc:443"), "127.0.0.1:8443");
        assert_eq!(services.address("hook.shop.svc:9443"), "localhost:80");
        assert_eq!(services.address("hook.other.svc:443"), "hook.other.svc:443");
        assert_eq!(services.address("example.com:443"), "example.com:443");
        for text in ["shop", "shop/hook", "/hook=a", "shop/hook=ftp://a", "shop/hook=https://a/b", "a/b:c=d"]
        {
            assert!(services.add(text).is_err(), "{text}");
        }
    }
}
