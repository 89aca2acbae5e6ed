//! The feature gates that the code asks about, as names that the compiler checks.
//!
//! Source: `k8s.io/component-base/featuregate.Feature`.

/// Defines [`Feature`] with a variant for each name.
macro_rules! features {
    (of the release: $($current:ident)*; removed before it: $($removed:ident)*;) => {
        /// The name of a feature gate, as Kubernetes spells it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Feature {
            $(#[doc = concat!("`", stringify!($current), "`")] $current,)*
            $(#[doc = concat!("`", stringify!($removed), "`, which newer releases do not have")] $removed,)*
        }

        impl Feature {
            /// Every name.
            pub const ALL: &[Self] = &[$(Self::$current,)* $(Self::$removed),*];

            #[cfg(test)]
            const REMOVED: &[Self] = &[$(Self::$removed),*];

            /// Returns the name in `--feature-gates`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$current => stringify!($current),)*
                    $(Self::$removed => stringify!($removed),)*
                }
            }
        }
    };
}

features! {
    of the release:
        AllowInsecureKubeletCertificateSigningRequests
        CRDObservedGenerationTracking
        ClearingNominatedNodeNameAfterBinding
        ClusterTrustBundle
        ClusterTrustBundleProjection
        ContainerRestartRules
        ContainerStopSignals
        CoordinatedLeaderElection
        CrossNamespaceVolumeDataSource
        DRAConsumableCapacity
        DRADeviceBindingConditions
        DRADeviceTaints
        DRAExtendedResource
        DRAListTypeAttributes
        DRANodeAllocatableResources
        DRAPartitionableDevices
        DRAResourceClaimDeviceStatus
        DRAResourceClaimGranularStatusAuthorization
        DRAWorkloadResourceClaims
        DeploymentReplicaSetTerminatingReplicas
        DynamicResourceAllocation
        EnvFiles
        GenericWorkload
        HPAConfigurableTolerance
        HPAScaleToZero
        HostnameOverride
        ImageVolumeWithDigest
        InPlacePodLevelResourcesVerticalScaling
        InPlacePodVerticalScaling
        InPlacePodVerticalScalingInitContainers
        ManifestBasedAdmissionControlConfig
        MatchLabelKeysInPodTopologySpread
        MatchLabelKeysInPodTopologySpreadSelectorMerge
        MaxUnavailableStatefulSet
        MultiCIDRServiceAllocator
        MutableCSINodeAllocatableCount
        MutablePVNodeAffinity
        MutablePodResourcesForSuspendedJobs
        MutableSchedulingDirectivesForSuspendedJobs
        MutatingAdmissionPolicy
        NodeDeclaredFeatures
        PodCertificateRequest
        PodDeletionCost
        PodLevelResources
        PodTopologyLabelsAdmission
        ProcMountType
        RecoverVolumeExpansionFailure
        RelaxedDNSSearchValidation
        RelaxedEnvironmentVariableValidation
        RelaxedServiceNameValidation
        ResourceHealthStatus
        ResourceHealthStatusMessage
        RestartAllContainersOnContainerExits
        RetryGenerateName
        SELinuxMount
        ServiceAccountNodeAudienceRestriction
        StrictIPCIDRValidation
        TaintTolerationComparisonOperators
        TopologyAwareWorkloadScheduling
        UserNamespacesHostNetworkSupport
        VolumeAttributesClass
        VolumeLimitScaling
        WorkloadAwarePreemption
        WorkloadWithJob;
    removed before it:
        BoundServiceAccountTokenVolume
        CSIInlineVolume
        DaemonSetUpdateSurge
        DefaultIngressClass
        ElasticIndexedJob
        EphemeralContainers
        ExpandedDNSConfig
        HPAContainerMetrics
        HugePageStorageMediumSize
        IPv6DualStack
        Initializers
        MixedProtocolLBService
        PodPriority
        PodSecurity
        RunAsGroup
        RuntimeClass
        SecurityContextDeny
        SkipReadOnlyValidationGCE
        StorageObjectInUseProtection
        TaintNodesByCondition
        ValidatingAdmissionPolicy
        VolumeScheduling;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::find;

    #[test]
    fn names_a_gate_of_the_release_or_one_that_was_removed() {
        for feature in Feature::ALL {
            let is_listed = find(feature.name()).is_some();
            assert_eq!(is_listed, !Feature::REMOVED.contains(feature), "{feature:?} in gates.txt");
        }
    }
}
