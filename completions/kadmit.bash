_kadmit() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    if [[ "${cur}" == "=" ]]; then
        cur=""
    elif [[ "${prev}" == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    if [[ "${COMP_WORDBREAKS}" == *:* && "${COMP_LINE:0:COMP_POINT}" =~ [^[:space:]]+:[^[:space:]:]*$ ]]; then
        cur="${BASH_REMATCH[0]}"
        COMPREPLY=( $(compgen -W "kadmit::baseline kadmit::baseline::gone kadmit::baseline::written kadmit::cache kadmit::cluster::assumed kadmit::cluster::empty kadmit::cluster::ignored kadmit::cluster::object kadmit::comparison::incomparable kadmit::configuration kadmit::configuration::note kadmit::coverage::low kadmit::drift::generated_name kadmit::drift::repeated kadmit::eval::assumed kadmit::eval::object kadmit::fail_on kadmit::fix::write kadmit::input::address kadmit::input::chart kadmit::input::controlled kadmit::input::empty kadmit::input::kustomization kadmit::input::no_file kadmit::input::no_manifest kadmit::input::no_match kadmit::input::no_path kadmit::input::pattern kadmit::input::recursive kadmit::input::shard kadmit::input::terminal kadmit::input::unreadable kadmit::input::watch kadmit::krm::function_config kadmit::krm::resource_list kadmit::kubectl::refused kadmit::library::object kadmit::lsp kadmit::lsp::recreate kadmit::lsp::standard_input kadmit::manifest::depth kadmit::manifest::duplicate_key kadmit::manifest::json kadmit::manifest::separator kadmit::manifest::unreadable kadmit::manifest::utf8 kadmit::manifest::yaml kadmit::mcp kadmit::only kadmit::output kadmit::output::refused kadmit::plugin::unknown kadmit::policy kadmit::policy::cost kadmit::policy::failed_open kadmit::policy::idle kadmit::policy::trial kadmit::policy::types kadmit::replay::difference kadmit::replay::log kadmit::replay::suite kadmit::report::different kadmit::report::quota kadmit::report::result kadmit::request::admission_review kadmit::request::missing_field kadmit::request::not_an_object kadmit::request::unknown_kind kadmit::require::unproved kadmit::secret::masked kadmit::serve kadmit::settings kadmit::settings::file kadmit::settings::unmatched kadmit::skip::expired kadmit::skip::no_reason kadmit::skip::unknown_plugin kadmit::skip::unmatched kadmit::suite::empty kadmit::suite::flags kadmit::suite::format kadmit::suite::no_case kadmit::suite::not_as_expected kadmit::suite::scenario kadmit::suite::update kadmit::usage" -- "${cur}") )
        COMPREPLY=( "${COMPREPLY[@]#"${cur%"${cur##*:}"}"}" )
        return 0
    fi
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="kadmit"
                ;;
            kadmit,compare)
                cmd="kadmit__subcmd__compare"
                ;;
            kadmit,completions)
                cmd="kadmit__subcmd__completions"
                ;;
            kadmit,config)
                cmd="kadmit__subcmd__config"
                ;;
            kadmit,diff)
                cmd="kadmit__subcmd__diff"
                ;;
            kadmit,drift)
                cmd="kadmit__subcmd__drift"
                ;;
            kadmit,eval)
                cmd="kadmit__subcmd__eval"
                ;;
            kadmit,explain)
                cmd="kadmit__subcmd__explain"
                ;;
            kadmit,fix)
                cmd="kadmit__subcmd__fix"
                ;;
            kadmit,fixtures)
                cmd="kadmit__subcmd__fixtures"
                ;;
            kadmit,help)
                cmd="kadmit__subcmd__help"
                ;;
            kadmit,krm)
                cmd="kadmit__subcmd__krm"
                ;;
            kadmit,levels)
                cmd="kadmit__subcmd__levels"
                ;;
            kadmit,lsp)
                cmd="kadmit__subcmd__lsp"
                ;;
            kadmit,plugins)
                cmd="kadmit__subcmd__plugins"
                ;;
            kadmit,replay)
                cmd="kadmit__subcmd__replay"
                ;;
            kadmit,report)
                cmd="kadmit__subcmd__report"
                ;;
            kadmit,require)
                cmd="kadmit__subcmd__require"
                ;;
            kadmit,run)
                cmd="kadmit__subcmd__run"
                ;;
            kadmit,serve)
                cmd="kadmit__subcmd__serve"
                ;;
            kadmit,test)
                cmd="kadmit__subcmd__test"
                ;;
            kadmit__subcmd__config,check)
                cmd="kadmit__subcmd__config__subcmd__check"
                ;;
            kadmit__subcmd__config,view)
                cmd="kadmit__subcmd__config__subcmd__view"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        kadmit)
            opts="-h -V --color --help --version run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__compare)
            opts="-f -R -o -q -w -n -h -V --filename --recursive --before --after --to --after-cluster --output --path-prefix --only --quiet --show-secrets --settings --no-settings --no-skips --baseline --fail-on --exit-zero --watch --examples --all --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --filename)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --before)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --after-cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json markdown html sarif junit github" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json markdown html sarif junit github" -- "${cur}"))
                    return 0
                    ;;
                --path-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "denied warning mutated difference" -- "${cur}"))
                    return 0
                    ;;
                --examples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__completions)
            opts="-h -V --color --help --version bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__config)
            opts="-h -V --color --help --version check view"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__config__subcmd__check)
            opts="-h -V --settings --no-settings --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__config__subcmd__view)
            opts="-o -h -V --output --settings --no-settings --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 3 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "yaml json" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "yaml json" -- "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__diff)
            opts="-o -q -w -n -h -V --after-cluster --no-diff --output --path-prefix --only --quiet --show-secrets --settings --no-settings --no-skips --baseline --fail-on --exit-zero --watch --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --after-cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json markdown html sarif junit github" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json markdown html sarif junit github" -- "${cur}"))
                    return 0
                    ;;
                --path-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "denied warning mutated difference" -- "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__drift)
            opts="-f -R -l -o -v -n -h -V --filename --recursive --live --expect-clean --prune-selector --ignore-rules --output --path-prefix --verbose --settings --no-settings --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --filename)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --live)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --prune-selector)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -l)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ignore-rules)
                    COMPREPLY=($(compgen -W "argocd flux terraform" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json markdown html sarif junit github blame" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json markdown html sarif junit github blame" -- "${cur}"))
                    return 0
                    ;;
                --path-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__eval)
            opts="-e -f -o -n -h -V --expression --filename --old --params --in --policy --bench --compare --namespace-object --cluster --output --namespace --as --as-group --as-uid --dry-run --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --expression)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -e)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --filename)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                -f)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --old)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --params)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --in)
                    COMPREPLY=($(compgen -W "admission dra authentication authorization crd" -- "${cur}"))
                    return 0
                    ;;
                --policy)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --bench)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --compare)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --namespace-object)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__explain)
            opts="-h -V --color --help --version AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OriginNamespaceLifecycle OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook authorization.openshift.io/RestrictSubjectBindings authorization.openshift.io/ValidateRoleBindingRestriction autoscaling.openshift.io/ClusterResourceOverride autoscaling.openshift.io/ManagedNode autoscaling.openshift.io/ManagementCPUsOverride autoscaling.openshift.io/MixedCPUs autoscaling.openshift.io/RunOnceDuration build.openshift.io/BuildByStrategy build.openshift.io/BuildConfigSecretInjector config.openshift.io/DenyDeleteClusterConfiguration config.openshift.io/ValidateAPIRequestCount config.openshift.io/ValidateAPIServer config.openshift.io/ValidateAuthentication config.openshift.io/ValidateConfigNodeV1 config.openshift.io/ValidateConsole config.openshift.io/ValidateFeatureGate config.openshift.io/ValidateImage config.openshift.io/ValidateNetwork config.openshift.io/ValidateOAuth config.openshift.io/ValidateProject config.openshift.io/ValidateScheduler image.openshift.io/ImageLimitRange image.openshift.io/ImagePolicy network.openshift.io/ExternalIPRanger network.openshift.io/RestrictedEndpointsAdmission openshift.io/JenkinsBootstrapper openshift.io/OriginResourceQuota operator.openshift.io/DenyDeleteClusterOperators operator.openshift.io/ValidateDNS operator.openshift.io/ValidateKubeControllerManager project.openshift.io/ProjectRequestLimit quota.openshift.io/ClusterResourceQuota quota.openshift.io/ValidateClusterResourceQuota route.openshift.io/DefaultRoute route.openshift.io/IngressAdmission route.openshift.io/RequiredRouteAnnotations route.openshift.io/RouteHostAssignment route.openshift.io/ValidateRoute scheduling.openshift.io/NodeSelectorAdjuster scheduling.openshift.io/OriginPodNodeEnvironment scheduling.openshift.io/PodNodeConstraints security.openshift.io/DefaultSecurityContextConstraints security.openshift.io/SCCExecRestrictions security.openshift.io/SecurityContextConstraint security.openshift.io/ValidateSecurityContextConstraints storage.openshift.io/CSIInlineVolumeSecurity storage.openshift.io/PerformantSecurityPolicy kadmit::baseline kadmit::baseline::gone kadmit::baseline::written kadmit::cache kadmit::cluster::assumed kadmit::cluster::empty kadmit::cluster::ignored kadmit::cluster::object kadmit::comparison::incomparable kadmit::configuration kadmit::configuration::note kadmit::coverage::low kadmit::drift::generated_name kadmit::drift::repeated kadmit::eval::assumed kadmit::eval::object kadmit::fail_on kadmit::fix::write kadmit::input::address kadmit::input::chart kadmit::input::controlled kadmit::input::empty kadmit::input::kustomization kadmit::input::no_file kadmit::input::no_manifest kadmit::input::no_match kadmit::input::no_path kadmit::input::pattern kadmit::input::recursive kadmit::input::shard kadmit::input::terminal kadmit::input::unreadable kadmit::input::watch kadmit::krm::function_config kadmit::krm::resource_list kadmit::kubectl::refused kadmit::library::object kadmit::lsp kadmit::lsp::recreate kadmit::lsp::standard_input kadmit::manifest::depth kadmit::manifest::duplicate_key kadmit::manifest::json kadmit::manifest::separator kadmit::manifest::unreadable kadmit::manifest::utf8 kadmit::manifest::yaml kadmit::mcp kadmit::only kadmit::output kadmit::output::refused kadmit::plugin::unknown kadmit::policy kadmit::policy::cost kadmit::policy::failed_open kadmit::policy::idle kadmit::policy::trial kadmit::policy::types kadmit::replay::difference kadmit::replay::log kadmit::replay::suite kadmit::report::different kadmit::report::quota kadmit::report::result kadmit::request::admission_review kadmit::request::missing_field kadmit::request::not_an_object kadmit::request::unknown_kind kadmit::require::unproved kadmit::secret::masked kadmit::serve kadmit::settings kadmit::settings::file kadmit::settings::unmatched kadmit::skip::expired kadmit::skip::no_reason kadmit::skip::unknown_plugin kadmit::skip::unmatched kadmit::suite::empty kadmit::suite::flags kadmit::suite::format kadmit::suite::no_case kadmit::suite::not_as_expected kadmit::suite::scenario kadmit::suite::update kadmit::usage"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__fix)
            opts="-f -R -o -n -h -V --filename --recursive --write --diff --allow-removals --allow-values --allow-empty --output --settings --no-settings --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --filename)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__fixtures)
            opts="-h -V --check --cluster --settings --no-settings --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__help)
            opts="-h -V --color --help --version run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help server settings"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__krm)
            opts="-h -V --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__levels)
            opts="-n -o -h -V --cluster --namespace --kubernetes-version --ignore-non-manifests --only --at-least --output --settings --no-settings --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --at-least)
                    COMPREPLY=($(compgen -W "baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json markdown" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json markdown" -- "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__lsp)
            opts="-h -V --stdio --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__plugins)
            opts="-o -h -V --settings --no-settings --kubernetes-version --distribution --output --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "table wide json yaml" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "table wide json yaml" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__replay)
            opts="-n -o -h -V --cluster --expect --after --to --after-cluster --only --since --until --user --namespace --suite --keep --output --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --expect)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --to)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --after-cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --since)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --until)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --user)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --suite)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --keep)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json jsonl markdown html sarif junit github" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json jsonl markdown html sarif junit github" -- "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__report)
            opts="-o -q -v -h -V --prefix --output --path-prefix --title --only --quiet --verbose --no-diff --all-diffs --show-secrets --no-skips --baseline --update-baseline --allow-empty --fail-on --exit-zero --settings --no-settings --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -W "text json jsonl yaml blame parquet sarif junit github gitlab tap markdown html policyreport policyreport-v1alpha2 admissionrequest admissionreview" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json jsonl yaml blame parquet sarif junit github gitlab tap markdown html policyreport policyreport-v1alpha2 admissionrequest admissionreview" -- "${cur}"))
                    return 0
                    ;;
                --path-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "denied warning mutated assumed" -- "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__require)
            opts="-f -R -o -n -h -V --filename --recursive --output --settings --no-settings --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --filename)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "yaml text json markdown" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "yaml text json markdown" -- "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__run)
            opts="-f -R -o -q -v -w -n -h -V --filename --recursive --output --path-prefix --title --only --quiet --verbose --no-diff --all-diffs --show-secrets --no-skips --baseline --update-baseline --allow-empty --fail-on --exit-zero --coverage --fail-under --cost --compare --cache --cache-size --settings --no-settings --watch --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --filename)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -f)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json jsonl yaml blame parquet sarif junit github gitlab tap markdown html policyreport policyreport-v1alpha2 admissionrequest admissionreview" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json jsonl yaml blame parquet sarif junit github gitlab tap markdown html policyreport policyreport-v1alpha2 admissionrequest admissionreview" -- "${cur}"))
                    return 0
                    ;;
                --path-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "denied warning mutated assumed" -- "${cur}"))
                    return 0
                    ;;
                --coverage)
                    COMPREPLY=($(compgen -W "text json html lcov" -- "${cur}"))
                    return 0
                    ;;
                --fail-under)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cost)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --compare)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cache)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --cache-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__serve)
            opts="-o -q -v -h -V --cluster --listen --allow-remote --kubeconfig --ready-file --user --dump --strict --workloads --pods --output --path-prefix --title --only --quiet --verbose --no-diff --all-diffs --show-secrets --no-skips --baseline --update-baseline --allow-empty --fail-on --exit-zero --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --color --help --version"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --listen)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubeconfig)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --ready-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --user)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dump)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --pods)
                    COMPREPLY=($(compgen -W "pending ready" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text json jsonl yaml blame parquet sarif junit github gitlab tap markdown html policyreport policyreport-v1alpha2 admissionrequest admissionreview" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text json jsonl yaml blame parquet sarif junit github gitlab tap markdown html policyreport policyreport-v1alpha2 admissionrequest admissionreview" -- "${cur}"))
                    return 0
                    ;;
                --path-prefix)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --title)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --baseline)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-on)
                    COMPREPLY=($(compgen -W "denied warning mutated assumed" -- "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        kadmit__subcmd__test)
            opts="-o -q -w -n -h -V --filter --update --output --coverage --fail-under --cost --compare --mutate --mutate-seconds --mutate-seed --show-secrets --quiet --settings --no-settings --watch --init --cluster --policy --order --each-alone --recreate --operation --ignore-unknown-kinds --ignore-non-manifests --exclude --no-ignore --strict --workloads --shard --rate --kube-apiserver --root --kubernetes-version --distribution --openshift-config --openshift-apiserver-config --master-config --enforce --admission-control-config-file --enable-admission-plugins --disable-admission-plugins --admission-control --webhooks --webhook-service --admission-controllers --admission-controller-service --record --webhook-recordings --feature-gates --emulated-version --runtime-config --authorization-mode --authorization-config --authentication-config --allow-privileged --default-not-ready-toleration-seconds --default-unreachable-toleration-seconds --service-cluster-ip-range --service-node-port-range --ir-namespace-only --explain-migration --namespace --apply --force-conflicts --field-manager --as --as-group --as-uid --field-validation --dry-run --color --help --version"
            if [[ ${cur} == -* ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --filter)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -W "text junit json sarif github markdown" -- "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -W "text junit json sarif github markdown" -- "${cur}"))
                    return 0
                    ;;
                --coverage)
                    COMPREPLY=($(compgen -W "text json html lcov" -- "${cur}"))
                    return 0
                    ;;
                --fail-under)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cost)
                    COMPREPLY=($(compgen -W "text json" -- "${cur}"))
                    return 0
                    ;;
                --compare)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --mutate-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --mutate-seed)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --settings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --init)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cluster)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --policy)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --order)
                    COMPREPLY=($(compgen -W "file needs-first install" -- "${cur}"))
                    return 0
                    ;;
                --operation)
                    COMPREPLY=($(compgen -W "create update delete" -- "${cur}"))
                    return 0
                    ;;
                --exclude)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --workloads)
                    COMPREPLY=($(compgen -W "follow ignore" -- "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rate)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kube-apiserver)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --root)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kubernetes-version)
                    COMPREPLY=($(compgen -W "1.10 1.11 1.12 1.13 1.14 1.15 1.16 1.17 1.18 1.19 1.20 1.21 1.22 1.23 1.24 1.25 1.26 1.27 1.28 1.29 1.30 1.31 1.32 1.33 1.34 1.35 1.36 1.37" -- "${cur}"))
                    return 0
                    ;;
                --distribution)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --openshift-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --openshift-apiserver-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --master-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enforce)
                    COMPREPLY=($(compgen -W "privileged baseline restricted" -- "${cur}"))
                    return 0
                    ;;
                --admission-control-config-file)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --enable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --disable-admission-plugins)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --admission-control)
                    COMPREPLY=($(compgen -W "AlwaysAdmit AlwaysDeny AlwaysPullImages CertificateApproval CertificateSigning CertificateSubjectRestriction ClusterTrustBundleAttest DefaultIngressClass DefaultStorageClass DefaultTolerationSeconds DenyEscalatingExec DenyExecOnPrivileged DenyServiceExternalIPs EventRateLimit ExtendedResourceToleration ImagePolicyWebhook InitialResources Initializers JobValidation LimitPodHardAntiAffinityTopology LimitRanger MutatingAdmissionPolicy MutatingAdmissionWebhook NamespaceAutoProvision NamespaceExists NamespaceLifecycle NodeDeclaredFeatureValidator NodeRestriction OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize PersistentVolumeLabel PodGroupProtection PodGroupWorkloadExists PodNodeSelector PodPreset PodResizeValidator PodSecurity PodSecurityPolicy PodTolerationRestriction PodTopologyLabels Priority ResourceQuota RuntimeClass SecurityContextDeny ServiceAccount StorageObjectInUseProtection TaintNodesByCondition ValidatingAdmissionPolicy ValidatingAdmissionWebhook" -- "${cur}"))
                    return 0
                    ;;
                --webhooks)
                    COMPREPLY=($(compgen -W "skip fail recorded call" -- "${cur}"))
                    return 0
                    ;;
                --webhook-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controllers)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --admission-controller-service)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --record)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --webhook-recordings)
                    COMPREPLY=()
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o plusdirs
                    fi
                    return 0
                    ;;
                --feature-gates)
                    COMPREPLY=($(compgen -W "APIResponseCompression=false APIServerIdentity=false APIServerWebhookAuthenticationToken=true APIServingWithRoutine=true AllAlpha=true AllBeta=true AllowDNSOnlyNodeCSR=true AllowInsecureKubeletCertificateSigningRequests=true AllowParsingUserUIDFromCertAuth=false AllowServiceExternalIPs=false AllowUnsafeMalformedObjectDeletion=false AtomicFIFO=false AtomicWriteVolumeUserFields=true AuthorizePodWebsocketUpgradeCreatePermission=false CBORServingAndStorage=true CPUManagerPolicyAlphaOptions=true CPUManagerPolicyBetaOptions=false CRDObservedGenerationTracking=false CRIListStreaming=true CSIVolumeHealth=true ChangeContainerStatusOnKubeletRestart=true ClearingNominatedNodeNameAfterBinding=false ClientsAllowCARotation=false ClientsAllowCBOR=true ClientsAllowTLSCacheGC=false ClientsPreferCBOR=true CloudControllerManagerWatchBasedRoutesReconciliation=true CloudControllerManagerWebhook=true ClusterTrustBundle=false ClusterTrustBundleProjection=false ComponentFlagz=false ComponentStatusz=false CompositePodGroup=true ConcurrentWatchObjectDecode=false ConsistentListFromCacheSkipTimeoutFallback=true ConstrainedImpersonation=false ContainerCheckpoint=false ContainerRestartRules=false ContainerStopSignals=true ContextualLogging=false ControllerManagerReleaseLeaderElectionLockOnExit=true CoordinatedLeaderElection=true CrossNamespaceVolumeDataSource=true CustomCPUCFSQuotaPeriod=false DRAConsumableCapacity=false DRADerivedAttributes=true DRADeviceBindingConditions=false DRADeviceCompatibilityGroups=true DRADeviceTaintRules=false DRADeviceTaints=false DRAFractionalCapacityRange=true DRAListTypeAttributes=true DRANodeAllocatableResources=true DRAOptionalNodeOperations=true DRAPartitionableDevices=false DRAPartitionableDevicesType=true DRAResourceClaimGranularStatusAuthorization=false DRAResourcePoolStatus=true DRASchedulerFilterTimeout=false DRAWorkloadResourceClaims=true DeclarativeValidationBeta=false DefaultPodSysctls=true DeploymentReplicaSetTerminatingReplicas=false DetectCacheInconsistency=false EmptyDirVolumeMode=true EnvFiles=false EtcdRangeStream=false EventedPLEG=true EvictionRequestAPI=true ExcludeAdmissionWebhookVirtualResources=false ExtendWebSocketsToKubelet=false GRPCContainerProbeTLS=true GenericWorkload=true GracefulNodeShutdown=false GracefulNodeShutdownBasedOnPodPriority=false H2CContainerProbe=true HPAGeneration=false HPAOptimizedSelectorStore=false HPAScaleToZero=false HugepageAwareEviction=false ImageVolumeWithDigest=true InOrderInformersBatchProcess=false InPlacePodLevelResourcesVerticalScaling=false InPlacePodVerticalScalingExclusiveCPUs=true InPlacePodVerticalScalingExclusiveMemory=true InPlacePodVerticalScalingMemoryBackedVolumes=true InPlacePodVerticalScalingSchedulerPreemption=true InformerResourceVersion=false InterPodAffinityHostnameFastPath=true KMSv1=true KubeProxyIPVS=false KubeProxyNFTablesLocalhostNodePorts=true KubeletAllocatedPodsEndpoint=true KubeletCrashLoopBackOffMax=false KubeletEnsureSecretPulledImages=false KubeletInUserNamespace=false KubeletPodResourcesListUseActivePods=false KubeletRegistrationGetOnExistsOnly=true KubeletSeparateDiskGC=false KubeletServiceAccountTokenForCredentialProviders=false ListFromCacheSnapshot=false LocalStorageCapacityIsolationFSQuotaMonitoring=true LoggingAlphaOptions=true LoggingBetaOptions=false ManifestBasedAdmissionControlConfig=false MatchLabelKeysInPodTopologySpread=false MatchLabelKeysInPodTopologySpreadSelectorMerge=false MaxUnavailableStatefulSet=false MemoryQoS=false MinimumKubeletVersion=true MutablePVNodeAffinity=true MutablePodResourcesForSuspendedJobs=false MutableSchedulingDirectivesForSuspendedJobs=false MutatingAdmissionPolicy=false NFTablesNetlink=false NativeHistograms=false NodeControllerLeaseCircuitBreaker=false NodeLifecycleConditions=true NominatedNodeNameForExpectation=false OpenAPIEnums=false OpportunisticBatching=false PersistentVolumeClaimUnusedSinceTime=false PodAndContainerStatsFromCRI=true PodCertificateRequest=false PodDeletionCost=false PodGroupPreemptionPolicy=true PodLevelResourceManagers=true PodLevelResources=false PodLevelResourcesFixDefaulting=false PodLevelResourcesFixKubeletQOSClass=false PodLogsQuerySplitStreams=true PodTopologyLabelsAdmission=false PodsAPI=false PortForwardWebsockets=false QOSReserved=true ReduceDefaultCrashLoopBackOffDecay=true ReloadKubeletClientCAFile=false ReloadKubeletServerCertificateFile=false RemoteRequestHeaderUID=false ResourceHealthStatus=false ResourceHealthStatusMessage=false RestartAllContainersOnContainerExits=false RotateKubeletServerCertificate=false RouteExternalCertificate=true RuntimeClassInImageCriApi=true SELinuxMount=false SchedulerAsyncAPICalls=true SchedulerAsyncPreemption=false SchedulerPopFromBackoffQ=false SchedulerPreQueueingHints=true ServiceAccountNodeAudienceRestriction=false ServiceCIDRStatusFieldWiping=false ShardedListAndWatch=true SizeBasedListCostEstimate=false StaleControllerConsistencyDaemonSet=false StaleControllerConsistencyHPA=false StaleControllerConsistencyJob=false StaleControllerConsistencyReplicaSet=false StaleControllerConsistencyStatefulSet=false StatefulSetRecreateStrategy=true StatefulSetSemanticRevisionComparison=false StorageCapacityScoring=false StorageNamespaceIndex=false StoragePerformantSecurityPolicy=true StorageVersionAPI=true StorageVersionHash=false StorageVersionMigrator=false StrictIPCIDRValidation=false StructuredAuthenticationConfigurationEgressSelector=false StructuredAuthenticationConfigurationJWKSMetrics=false TaintTolerationComparisonOperators=true TokenRequestServiceAccountUIDValidation=false TopologyAwareWorkloadScheduling=true TopologyManagerPolicyAlphaOptions=true TopologyManagerPolicyBetaOptions=false TranslateStreamCloseWebsocketRequests=false UnauthenticatedHTTP2DOSMitigation=false UnknownVersionInteroperabilityProxy=false UnlockWhileProcessingFIFO=false UserNamespacesHostNetworkSupport=true VolumeBindMountOptions=true VolumeLimitScaling=false WatchList=false WatchListClient=false WatchListCompression=false WebhookRoundTripLoadBalancing=false WindowsCPUAndMemoryAffinity=true WindowsGracefulNodeShutdown=false WindowsHostNetwork=true WorkloadWithJob=true" -- "${cur}"))
                    return 0
                    ;;
                --emulated-version)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --runtime-config)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-mode)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --authorization-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --authentication-config)
                    local oldifs
                    if [ -n "${IFS+x}" ]; then
                        oldifs="$IFS"
                    fi
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f "${cur}"))
                    if [ -n "${oldifs+x}" ]; then
                        IFS="$oldifs"
                    fi
                    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
                        compopt -o filenames
                    fi
                    return 0
                    ;;
                --allow-privileged)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-not-ready-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --default-unreachable-toleration-seconds)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-cluster-ip-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --service-node-port-range)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --ir-namespace-only)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --explain-migration)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --namespace)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -n)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --apply)
                    COMPREPLY=($(compgen -W "client-side server-side create replace delete" -- "${cur}"))
                    return 0
                    ;;
                --field-manager)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-group)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --as-uid)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --field-validation)
                    COMPREPLY=($(compgen -W "Strict Warn Ignore" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _kadmit -o nosort -o bashdefault -o default kadmit
else
    complete -F _kadmit -o bashdefault -o default kadmit
fi
