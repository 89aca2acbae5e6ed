//! The feature gates that the code asks about, as names that the compiler checks.
//!
//! Source: `k8s.io/component-base/featuregate.Feature`.

/// Defines [`Feature`] with a variant for each name.
macro_rules! features {
    (of the release: $($current:ident)*; removed before it: $($removed:ident $(($on:literal))?)*;) => {
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

            /// Returns the minor of the first release in which a gate that is gone was on by default, if that matters.
            pub const fn on_since(self) -> Option<u32> {
                match self {
                    $($(Self::$removed => Some($on),)?)*
                    _ => None,
                }
            }
        }
    };
}

features! {
    of the release:
        APIServerWebhookAuthenticationToken
        AllowInsecureKubeletCertificateSigningRequests
        AllowUnsafeMalformedObjectDeletion
        AtomicWriteVolumeUserFields
        CRDObservedGenerationTracking
        CSIVolumeHealth
        ClearingNominatedNodeNameAfterBinding
        ClusterTrustBundle
        ClusterTrustBundleProjection
        CompositePodGroup
        ContainerRestartRules
        ContainerStopSignals
        CoordinatedLeaderElection
        CrossNamespaceVolumeDataSource
        CustomResourceFieldSelectors
        DRAConsumableCapacity
        DRADerivedAttributes
        DRADeviceBindingConditions
        DRADeviceCompatibilityGroups
        DRADeviceTaints
        DRAExtendedResource
        DRAListTypeAttributes
        DRANodeAllocatableResources
        DRAOptionalNodeOperations
        DRAPartitionableDevices
        DRAPartitionableDevicesType
        DRAResourceClaimDeviceStatus
        DRAResourceClaimGranularStatusAuthorization
        DRAWorkloadResourceClaims
        DeploymentReplicaSetTerminatingReplicas
        DynamicResourceAllocation
        EmptyDirVolumeMode
        EnvFiles
        EvictionRequestAPI
        ExcludeAdmissionWebhookVirtualResources
        GRPCContainerProbeTLS
        GenericWorkload
        GitRepoVolumeDriver
        H2CContainerProbe
        HPAConfigurableTolerance
        HPAScaleToZero
        HostnameOverride
        ImageVolume
        ImageVolumeWithDigest
        InPlacePodLevelResourcesVerticalScaling
        InPlacePodVerticalScaling
        InPlacePodVerticalScalingInitContainers
        InPlacePodVerticalScalingSchedulerPreemption
        JobBackoffLimitPerIndex
        JobManagedBy
        JobPodReplacementPolicy
        JobSuccessPolicy
        ManifestBasedAdmissionControlConfig
        MatchLabelKeysInPodAffinity
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
        NodeInclusionPolicyInPodTopologySpread
        PodCertificateRequest
        PodDeletionCost
        PodGroupPreemptionPolicy
        PodLevelResources
        PodLifecycleSleepAction
        PodLifecycleSleepActionAllowZero
        PodSchedulingReadiness
        PodTopologyLabelsAdmission
        PreferSameTrafficDistribution
        ProcMountType
        RecoverVolumeExpansionFailure
        RecursiveReadOnlyMounts
        RelaxedDNSSearchValidation
        RelaxedEnvironmentVariableValidation
        RelaxedServiceNameValidation
        ResourceHealthStatus
        ResourceHealthStatusMessage
        RestartAllContainersOnContainerExits
        RetryGenerateName
        SELinuxChangePolicy
        SELinuxMount
        SELinuxMountReadWriteOncePod
        ServiceAccountNodeAudienceRestriction
        ServiceCIDRStatusFieldWiping
        SidecarContainers
        StatefulSetRecreateStrategy
        StrictIPCIDRValidation
        SupplementalGroupsPolicy
        TaintTolerationComparisonOperators
        TokenRequestServiceAccountUIDValidation
        TopologyAwareWorkloadScheduling
        UserNamespacesHostNetworkSupport
        UserNamespacesSupport
        VolumeAttributesClass
        VolumeBindMountOptions
        VolumeLimitScaling
        WorkloadAwarePreemption
        WorkloadWithJob;
    removed before it:
        BoundServiceAccountTokenVolume
        CSIInlineVolume
        CSINodeExpandSecret(27)
        DaemonSetUpdateSurge
        DefaultIngressClass
        ElasticIndexedJob
        EphemeralContainers
        ExpandedDNSConfig
        HPAContainerMetrics
        HugePageStorageMediumSize
        IPv6DualStack
        Initializers
        JobPodFailurePolicy(26)
        LoadBalancerIPMode(30)
        MinDomainsInPodTopologySpread(27)
        MixedProtocolLBService
        PDBUnhealthyPodEvictionPolicy(27)
        PersistentVolumeLastPhaseTransitionTime(29)
        PodHostIPs(29)
        PodPriority
        PodSecurity
        ReadWriteOncePod(27)
        RunAsGroup
        RuntimeClass
        SecurityContextDeny
        ServiceTrafficDistribution(31)
        SkipReadOnlyValidationGCE
        StatefulSetAutoDeletePVC(27)
        StatefulSetStartOrdinal(27)
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
