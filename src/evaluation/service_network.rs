//! The network of Services: addresses and node ports, and those that requests do not name if the server issues values.

use std::sync::Arc;

use crate::admission::{Evidence, Refusal};
use crate::cluster::Cluster;
use crate::evaluation::server::{Answer, Call, Server};
use gotext::net::parse_ip_sloppy;
use kube_api::field::Path;
use kube_api::resources::{IP_ADDRESSES, SERVICE_CIDRS, SERVICES};
use kube_api::version::Version;
use kube_api::{Object, Status, Value, kinds};
use kube_registry::{Allocated, AllocationError, Allocator, Holder, ServiceNetwork};

/// The first release whose server creates a `ServiceCIDR` for its range.
const SERVICE_CIDR: Version = Version::minor(33);

/// Returns `network`, completed from the Services of `cluster`.
pub(super) fn of_cluster(network: ServiceNetwork, cluster: &Cluster) -> ServiceNetwork {
    let services = cluster.list_all(&SERVICES);
    let address = |service: &Object| parse_ip_sloppy(service.text(["spec", "clusterIP"]));
    let own = cluster.get(&SERVICES, "default", "kubernetes").as_deref().and_then(address);
    let addresses = services.iter().flat_map(|service| {
        let all = service.list(["spec", "clusterIPs"]).iter().filter_map(Value::as_str);
        all.filter_map(parse_ip_sloppy).chain(address(service))
    });
    network.guessed(own, addresses)
}

/// Gives the Service of the server itself its address, unless it has one.
pub(super) fn settle_own(network: &ServiceNetwork, cluster: &Cluster, release: Version) {
    let own = cluster.get(&SERVICES, "default", "kubernetes");
    if let Some(own) = own.filter(|own| own.text(["spec", "clusterIP"]).is_empty()) {
        let mut own = Object::clone(&own);
        network.give_own_address(&mut own, release);
        cluster.put(&SERVICES, Arc::new(own));
    }
}

impl Server<'_> {
    /// Allocates the addresses and ports that a Service, which may replace `old`, names.
    ///
    /// Source: `beginCreate`, `beginUpdate` of the storage of Services
    pub(super) fn allocate(
        self,
        object: &mut Object,
        old: Option<&Object>,
        call: &Call,
        answer: &mut Answer,
    ) -> Result<(), Refusal> {
        if !object.kind.is(kinds::SERVICE) || !call.sub_resource.is_empty() {
            return Ok(());
        }
        let network = &self.service_network();
        let allocated = || {
            let services = self.cluster.list_all(&SERVICES);
            let addresses = self.cluster.list_all(&IP_ADDRESSES);
            let names = addresses.iter().map(|address| address.name());
            Allocated::of(services.iter().map(AsRef::as_ref), names)
        };
        let allocator =
            Allocator { network, allocated: &allocated, profile: self.profile, dry_run: call.dry_run };
        let mut result = allocator.begin(object, old, &mut answer.trace.notes);
        if self.clock.is_some() && result.is_ok() {
            result = allocator.choose(object);
        }
        result.map_err(|error| match error {
            AllocationError::Invalid(errors, holder) => {
                let errors = kube_registry::as_of_release(errors, object, self.profile);
                let status = call.target.strategy.refusal(&object.kind, object.name(), &errors);
                let refusal =
                    Refusal::from(status).at_all(errors.iter().filter_map(|error| error.path.clone()));
                match holder {
                    Some(Holder { namespace, name }) => {
                        refusal.because(Evidence::named(SERVICES, namespace, name, "has it"))
                    }
                    None => refusal,
                }
            }
            AllocationError::Internal(error) => {
                let path = Path::new("spec").child("healthCheckNodePort");
                Refusal::from(Status::new_internal_error(&error)).at(path)
            }
            AllocationError::Full(error) => Status::new_internal_error(&error).into(),
            AllocationError::Plain(error) => {
                Refusal::from(Status::from_error(error)).at(Path::new("spec").child("ports"))
            }
        })
    }

    fn service_network(self) -> ServiceNetwork {
        if self.profile.release() < SERVICE_CIDR {
            return self.services.clone();
        }
        let objects = self.cluster.list_all(&SERVICE_CIDRS);
        self.services.with_service_cidrs(objects.iter().map(AsRef::as_ref))
    }
}
