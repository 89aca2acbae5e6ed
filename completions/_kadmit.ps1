
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'kadmit' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'kadmit'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'kadmit' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Evaluate manifests against the admission chain')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what a change of manifests changes in outcomes')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Show what a change of the server changes in outcomes, before it is made')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Send the requests of audit logs through the chain and compare the answers with the server''s')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Report stored results again, in any format, combining those of several runs')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run suites of requests with expected answers')
            [CompletionResult]::new('plugins', 'plugins', [CompletionResultType]::ParameterValue, 'List the admission plugins of a release')
            [CompletionResult]::new('eval', 'eval', [CompletionResultType]::ParameterValue, 'Evaluate CEL expressions as policies see a request')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain what an admission plugin does, or what the code of an error means')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Check or show the configuration of the API server')
            [CompletionResult]::new('fixtures', 'fixtures', [CompletionResultType]::ParameterValue, 'Print the kubectl command that collects the objects that the chain reads')
            [CompletionResult]::new('levels', 'levels', [CompletionResultType]::ParameterValue, 'Report the strictest Pod Security level that each namespace could enforce')
            [CompletionResult]::new('krm', 'krm', [CompletionResultType]::ParameterValue, 'Validate the items of a ResourceList on standard input, as a function of kustomize and kpt')
            [CompletionResult]::new('lsp', 'lsp', [CompletionResultType]::ParameterValue, 'Serve editors on standard input and output (Language Server Protocol)')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions of a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kadmit;run' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--path-prefix', '--path-prefix', [CompletionResultType]::ParameterName, 'Name files from the root of the repository, in which the working directory is DIR; for github, gitlab and sarif')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Do not fail for denials and warnings that are in this file')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Fail also on this event; a denied request always fails (may be repeated)')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Read existing objects from this file, directory or pattern (may be repeated)')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Evaluate the documents in this order [default: needs-first]')
            [CompletionResult]::new('--operation', '--operation', [CompletionResultType]::ParameterName, 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)')
            [CompletionResult]::new('--workloads', '--workloads', [CompletionResultType]::ParameterName, 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Send this many requests per second, for limits on their rate [default: all at once]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Send manifests to the server in this way [default: client-side]')
            [CompletionResult]::new('--field-manager', '--field-manager', [CompletionResultType]::ParameterName, 'Apply as this field manager, with --apply server-side [default: kubectl]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Send the requests as this user')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Send the requests as the user with this UID')
            [CompletionResult]::new('--field-validation', '--field-validation', [CompletionResultType]::ParameterName, 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read the directories of -f recursively')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read the directories of -f recursively')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only denied requests')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only denied requests')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print also plugins that did nothing, or had no effect because the object is denied')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print also plugins that did nothing, or had no effect because the object is denied')
            [CompletionResult]::new('--no-diff', '--no-diff', [CompletionResultType]::ParameterName, 'Do not print changes line by line')
            [CompletionResult]::new('--all-diffs', '--all-diffs', [CompletionResultType]::ParameterName, 'Print all changes line by line, including routine ones and repetitions')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Print the values of Secrets, which are masked otherwise')
            [CompletionResult]::new('--no-skips', '--no-skips', [CompletionResultType]::ParameterName, 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal')
            [CompletionResult]::new('--update-baseline', '--update-baseline', [CompletionResultType]::ParameterName, 'Write denials and warnings into the file of --baseline, and do not fail for them')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Succeed when there is nothing to evaluate')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Succeed despite denied requests, if the input is valid')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Evaluate again whenever one of the files changes, until interrupted')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Evaluate again whenever one of the files changes, until interrupted')
            [CompletionResult]::new('--each-alone', '--each-alone', [CompletionResultType]::ParameterName, 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes')
            [CompletionResult]::new('--recreate', '--recreate', [CompletionResultType]::ParameterName, 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew')
            [CompletionResult]::new('--ignore-unknown-kinds', '--ignore-unknown-kinds', [CompletionResultType]::ParameterName, 'Skip objects of undefined kinds, with a note')
            [CompletionResult]::new('--ignore-non-manifests', '--ignore-non-manifests', [CompletionResultType]::ParameterName, 'Skip files and documents that are not manifests, with a note')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Assume nothing: neither namespaces nor the work of controllers')
            [CompletionResult]::new('--force-conflicts', '--force-conflicts', [CompletionResultType]::ParameterName, 'Take over fields of other managers, with --apply server-side')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Evaluate every request alone: admitted objects do not exist for the others')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;diff' {
            [CompletionResult]::new('--after-cluster', '--after-cluster', [CompletionResultType]::ParameterName, 'Add the objects in this file, directory or pattern to the cluster after the change, in addition to those of --cluster or replacing them (may be repeated)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--path-prefix', '--path-prefix', [CompletionResultType]::ParameterName, 'Name files from the root of the repository, in which the working directory is DIR; for github and sarif')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Do not fail for denials and warnings that are in this file')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Fail also on this event; a newly denied request always fails (may be repeated)')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Read existing objects from this file, directory or pattern (may be repeated)')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Evaluate the documents in this order [default: needs-first]')
            [CompletionResult]::new('--operation', '--operation', [CompletionResultType]::ParameterName, 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)')
            [CompletionResult]::new('--workloads', '--workloads', [CompletionResultType]::ParameterName, 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Send this many requests per second, for limits on their rate [default: all at once]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Send manifests to the server in this way [default: client-side]')
            [CompletionResult]::new('--field-manager', '--field-manager', [CompletionResultType]::ParameterName, 'Apply as this field manager, with --apply server-side [default: kubectl]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Send the requests as this user')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Send the requests as the user with this UID')
            [CompletionResult]::new('--field-validation', '--field-validation', [CompletionResultType]::ParameterName, 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--no-diff', '--no-diff', [CompletionResultType]::ParameterName, 'Do not print the differences of stored objects line by line')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only newly denied requests')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only newly denied requests')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Print the values of Secrets, which are masked otherwise')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('--no-skips', '--no-skips', [CompletionResultType]::ParameterName, 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Succeed despite newly denied requests, if the input is valid')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Compare again whenever one of the files changes, until interrupted')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Compare again whenever one of the files changes, until interrupted')
            [CompletionResult]::new('--each-alone', '--each-alone', [CompletionResultType]::ParameterName, 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes')
            [CompletionResult]::new('--recreate', '--recreate', [CompletionResultType]::ParameterName, 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew')
            [CompletionResult]::new('--ignore-unknown-kinds', '--ignore-unknown-kinds', [CompletionResultType]::ParameterName, 'Skip objects of undefined kinds, with a note')
            [CompletionResult]::new('--ignore-non-manifests', '--ignore-non-manifests', [CompletionResultType]::ParameterName, 'Skip files and documents that are not manifests, with a note')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Assume nothing: neither namespaces nor the work of controllers')
            [CompletionResult]::new('--force-conflicts', '--force-conflicts', [CompletionResultType]::ParameterName, 'Take over fields of other managers, with --apply server-side')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Evaluate every request alone: admitted objects do not exist for the others')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;compare' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Configure the server like this before the change (may be repeated)')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Configure the server like this after the change (may be repeated)')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Emulate this release after the change: short for --after --kubernetes-version=VERSION')
            [CompletionResult]::new('--after-cluster', '--after-cluster', [CompletionResultType]::ParameterName, 'Add the objects in this file, directory or pattern to the cluster after the change, in addition to those of --cluster or replacing them (may be repeated)')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--path-prefix', '--path-prefix', [CompletionResultType]::ParameterName, 'Name files from the root of the repository, in which the working directory is DIR; for github and sarif')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Do not fail for denials and warnings that are in this file')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Fail also on this event; a newly denied request always fails (may be repeated)')
            [CompletionResult]::new('--examples', '--examples', [CompletionResultType]::ParameterName, 'Print at most this many examples of each effect')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Read existing objects from this file, directory or pattern (may be repeated)')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Evaluate the documents in this order [default: needs-first]')
            [CompletionResult]::new('--operation', '--operation', [CompletionResultType]::ParameterName, 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)')
            [CompletionResult]::new('--workloads', '--workloads', [CompletionResultType]::ParameterName, 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Send this many requests per second, for limits on their rate [default: all at once]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Send manifests to the server in this way [default: client-side]')
            [CompletionResult]::new('--field-manager', '--field-manager', [CompletionResultType]::ParameterName, 'Apply as this field manager, with --apply server-side [default: kubectl]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Send the requests as this user')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Send the requests as the user with this UID')
            [CompletionResult]::new('--field-validation', '--field-validation', [CompletionResultType]::ParameterName, 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-R', '-R ', [CompletionResultType]::ParameterName, 'Read the directories of -f recursively')
            [CompletionResult]::new('--recursive', '--recursive', [CompletionResultType]::ParameterName, 'Read the directories of -f recursively')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only newly denied requests')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only newly denied requests')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Print the values of Secrets, which are masked otherwise')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('--no-skips', '--no-skips', [CompletionResultType]::ParameterName, 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Succeed despite newly denied requests, if the input is valid')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Compare again whenever one of the files changes, until interrupted')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Compare again whenever one of the files changes, until interrupted')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Print every object, effect and note')
            [CompletionResult]::new('--each-alone', '--each-alone', [CompletionResultType]::ParameterName, 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes')
            [CompletionResult]::new('--recreate', '--recreate', [CompletionResultType]::ParameterName, 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew')
            [CompletionResult]::new('--ignore-unknown-kinds', '--ignore-unknown-kinds', [CompletionResultType]::ParameterName, 'Skip objects of undefined kinds, with a note')
            [CompletionResult]::new('--ignore-non-manifests', '--ignore-non-manifests', [CompletionResultType]::ParameterName, 'Skip files and documents that are not manifests, with a note')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Assume nothing: neither namespaces nor the work of controllers')
            [CompletionResult]::new('--force-conflicts', '--force-conflicts', [CompletionResultType]::ParameterName, 'Take over fields of other managers, with --apply server-side')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Evaluate every request alone: admitted objects do not exist for the others')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;replay' {
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Read the objects that existed before the first event from this file, directory or pattern (may be repeated)')
            [CompletionResult]::new('--expect', '--expect', [CompletionResultType]::ParameterName, 'Succeed if at least this share of the judged requests agrees')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print findings in this format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print findings in this format')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;report' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--path-prefix', '--path-prefix', [CompletionResultType]::ParameterName, 'Name files from the root of the repository, in which the working directory is DIR; for github, gitlab and sarif')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Do not fail for denials and warnings that are in this file')
            [CompletionResult]::new('--fail-on', '--fail-on', [CompletionResultType]::ParameterName, 'Fail also on this event; a denied request always fails (may be repeated)')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--prefix', '--prefix', [CompletionResultType]::ParameterName, 'Prefix the names of the manifests in each FILE with its name, without its ending')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only denied requests')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only denied requests')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print also plugins that did nothing, or had no effect because the object is denied')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print also plugins that did nothing, or had no effect because the object is denied')
            [CompletionResult]::new('--no-diff', '--no-diff', [CompletionResultType]::ParameterName, 'Do not print changes line by line')
            [CompletionResult]::new('--all-diffs', '--all-diffs', [CompletionResultType]::ParameterName, 'Print all changes line by line, including routine ones and repetitions')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Print the values of Secrets, which are masked otherwise')
            [CompletionResult]::new('--no-skips', '--no-skips', [CompletionResultType]::ParameterName, 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal')
            [CompletionResult]::new('--update-baseline', '--update-baseline', [CompletionResultType]::ParameterName, 'Write denials and warnings into the file of --baseline, and do not fail for them')
            [CompletionResult]::new('--allow-empty', '--allow-empty', [CompletionResultType]::ParameterName, 'Succeed when there is nothing to evaluate')
            [CompletionResult]::new('--exit-zero', '--exit-zero', [CompletionResultType]::ParameterName, 'Succeed despite denied requests, if the input is valid')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;test' {
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Run only the cases whose names contain this')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--init', '--init', [CompletionResultType]::ParameterName, 'Create a suite in this directory that expects the current answers')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Read existing objects from this file, directory or pattern (may be repeated)')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'Evaluate the documents in this order [default: needs-first]')
            [CompletionResult]::new('--operation', '--operation', [CompletionResultType]::ParameterName, 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)')
            [CompletionResult]::new('--workloads', '--workloads', [CompletionResultType]::ParameterName, 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'Send this many requests per second, for limits on their rate [default: all at once]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Use this namespace for documents without one [default: default]')
            [CompletionResult]::new('--apply', '--apply', [CompletionResultType]::ParameterName, 'Send manifests to the server in this way [default: client-side]')
            [CompletionResult]::new('--field-manager', '--field-manager', [CompletionResultType]::ParameterName, 'Apply as this field manager, with --apply server-side [default: kubectl]')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Send the requests as this user')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Send the requests as the user with this UID')
            [CompletionResult]::new('--field-validation', '--field-validation', [CompletionResultType]::ParameterName, 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--update', '--update', [CompletionResultType]::ParameterName, 'Update the expectations of the suites to the answers, instead of comparing them')
            [CompletionResult]::new('--show-secrets', '--show-secrets', [CompletionResultType]::ParameterName, 'Print the values of Secrets, which are masked otherwise')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Print only suites in which something is not as expected')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Print only suites in which something is not as expected')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-w', '-w', [CompletionResultType]::ParameterName, 'Test again whenever a suite or a file next to it changes, until interrupted')
            [CompletionResult]::new('--watch', '--watch', [CompletionResultType]::ParameterName, 'Test again whenever a suite or a file next to it changes, until interrupted')
            [CompletionResult]::new('--each-alone', '--each-alone', [CompletionResultType]::ParameterName, 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes')
            [CompletionResult]::new('--recreate', '--recreate', [CompletionResultType]::ParameterName, 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew')
            [CompletionResult]::new('--ignore-unknown-kinds', '--ignore-unknown-kinds', [CompletionResultType]::ParameterName, 'Skip objects of undefined kinds, with a note')
            [CompletionResult]::new('--ignore-non-manifests', '--ignore-non-manifests', [CompletionResultType]::ParameterName, 'Skip files and documents that are not manifests, with a note')
            [CompletionResult]::new('--no-ignore', '--no-ignore', [CompletionResultType]::ParameterName, 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Assume nothing: neither namespaces nor the work of controllers')
            [CompletionResult]::new('--force-conflicts', '--force-conflicts', [CompletionResultType]::ParameterName, 'Take over fields of other managers, with --apply server-side')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Evaluate every request alone: admitted objects do not exist for the others')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;plugins' {
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'List the plugins of this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'List those of the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Choose the format of the list')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Choose the format of the list')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;eval' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'Read the object of the request from this file')
            [CompletionResult]::new('--filename', '--filename', [CompletionResultType]::ParameterName, 'Read the object of the request from this file')
            [CompletionResult]::new('--old', '--old', [CompletionResultType]::ParameterName, 'Read the old object of the request from this file')
            [CompletionResult]::new('--params', '--params', [CompletionResultType]::ParameterName, 'Read the parameters from this file')
            [CompletionResult]::new('--namespace-object', '--namespace-object', [CompletionResultType]::ParameterName, 'Read the Namespace of the request from this file')
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Authorize by the roles and bindings in this file, directory or pattern (may be repeated) [default: everything is allowed]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Print results in this format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Print results in this format')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'Use this namespace for objects without one')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'Use this namespace for objects without one')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Send the requests as this user')
            [CompletionResult]::new('--as-group', '--as-group', [CompletionResultType]::ParameterName, 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]')
            [CompletionResult]::new('--as-uid', '--as-uid', [CompletionResultType]::ParameterName, 'Send the requests as the user with this UID')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Let the request be a dry run')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;explain' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;config' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check the flags, the AdmissionConfiguration and the files of plugins')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'Show the chain and the configuration of its plugins, with all defaults')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kadmit;config;check' {
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;config;view' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Choose the format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Choose the format')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;config;help' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check the flags, the AdmissionConfiguration and the files of plugins')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'Show the chain and the configuration of its plugins, with all defaults')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kadmit;config;help;check' {
            break
        }
        'kadmit;config;help;view' {
            break
        }
        'kadmit;config;help;help' {
            break
        }
        'kadmit;fixtures' {
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Report what is missing among the objects in these files instead')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--kube-apiserver', '--kube-apiserver', [CompletionResultType]::ParameterName, 'Read the server''s flags from this static Pod, systemd unit or list of flags')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Look for the files that --kube-apiserver names below this directory')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Emulate this release of Kubernetes, from 1.10 on [default: 1.36]')
            [CompletionResult]::new('--distribution', '--distribution', [CompletionResultType]::ParameterName, 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]')
            [CompletionResult]::new('--openshift-config', '--openshift-config', [CompletionResultType]::ParameterName, 'Read the KubeAPIServerConfig of OpenShift''s kube-apiserver from this file')
            [CompletionResult]::new('--openshift-apiserver-config', '--openshift-apiserver-config', [CompletionResultType]::ParameterName, 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file')
            [CompletionResult]::new('--master-config', '--master-config', [CompletionResultType]::ParameterName, 'Read the MasterConfig of an Origin master from this file')
            [CompletionResult]::new('--admission-control-config-file', '--admission-control-config-file', [CompletionResultType]::ParameterName, 'Read the AdmissionConfiguration of the plugins from this file')
            [CompletionResult]::new('--enable-admission-plugins', '--enable-admission-plugins', [CompletionResultType]::ParameterName, 'Enable these plugins in addition to the default ones')
            [CompletionResult]::new('--disable-admission-plugins', '--disable-admission-plugins', [CompletionResultType]::ParameterName, 'Disable these plugins although they are on by default')
            [CompletionResult]::new('--admission-control', '--admission-control', [CompletionResultType]::ParameterName, 'Enable exactly these plugins')
            [CompletionResult]::new('--webhooks', '--webhooks', [CompletionResultType]::ParameterName, 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]')
            [CompletionResult]::new('--webhook-service', '--webhook-service', [CompletionResultType]::ParameterName, 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)')
            [CompletionResult]::new('--admission-controllers', '--admission-controllers', [CompletionResultType]::ParameterName, 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS')
            [CompletionResult]::new('--admission-controller-service', '--admission-controller-service', [CompletionResultType]::ParameterName, 'Call the servers of the Services in this namespace with this label for each create and update')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Record the answers of called webhooks in this directory')
            [CompletionResult]::new('--webhook-recordings', '--webhook-recordings', [CompletionResultType]::ParameterName, 'Read the answers of webhooks from the files in this directory')
            [CompletionResult]::new('--feature-gates', '--feature-gates', [CompletionResultType]::ParameterName, 'Set feature gates, such as A=true,B=false')
            [CompletionResult]::new('--emulated-version', '--emulated-version', [CompletionResultType]::ParameterName, 'Emulate this release, as kube-apiserver''s flag does, such as 1.35')
            [CompletionResult]::new('--runtime-config', '--runtime-config', [CompletionResultType]::ParameterName, 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true')
            [CompletionResult]::new('--authorization-mode', '--authorization-mode', [CompletionResultType]::ParameterName, 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]')
            [CompletionResult]::new('--default-not-ready-toleration-seconds', '--default-not-ready-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate not-ready nodes this long by default [default: 300]')
            [CompletionResult]::new('--default-unreachable-toleration-seconds', '--default-unreachable-toleration-seconds', [CompletionResultType]::ParameterName, 'Tolerate unreachable nodes this long by default [default: 300]')
            [CompletionResult]::new('--service-cluster-ip-range', '--service-cluster-ip-range', [CompletionResultType]::ParameterName, 'Allocate cluster IPs of Services from this range, or from these two of different families')
            [CompletionResult]::new('--service-node-port-range', '--service-node-port-range', [CompletionResultType]::ParameterName, 'Allocate node ports of Services from this range [default: 30000-32767]')
            [CompletionResult]::new('--ir-namespace-only', '--ir-namespace-only', [CompletionResultType]::ParameterName, 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)')
            [CompletionResult]::new('--explain-migration', '--explain-migration', [CompletionResultType]::ParameterName, 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;levels' {
            [CompletionResult]::new('--cluster', '--cluster', [CompletionResultType]::ParameterName, 'Check also the objects in this file, directory or pattern; those of PATH replace them (may be repeated)')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The namespace of objects without one')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The namespace of objects without one')
            [CompletionResult]::new('--kubernetes-version', '--kubernetes-version', [CompletionResultType]::ParameterName, 'Use the levels of this release of Kubernetes [default: the newest]')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Report only these namespaces (may be repeated)')
            [CompletionResult]::new('--at-least', '--at-least', [CompletionResultType]::ParameterName, 'Fail if a reported namespace could not enforce this level')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Report in this format')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Report in this format')
            [CompletionResult]::new('--settings', '--settings', [CompletionResultType]::ParameterName, 'Read the defaults of flags from this file [default: the nearest kadmit.toml]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--ignore-non-manifests', '--ignore-non-manifests', [CompletionResultType]::ParameterName, 'Leave out files and documents that are not manifests, with a note')
            [CompletionResult]::new('--no-settings', '--no-settings', [CompletionResultType]::ParameterName, 'Do not read a settings file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;krm' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;lsp' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('--stdio', '--stdio', [CompletionResultType]::ParameterName, 'Use standard input and output, which is the only way; some editors pass this flag')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'kadmit;help' {
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Evaluate manifests against the admission chain')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what a change of manifests changes in outcomes')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Show what a change of the server changes in outcomes, before it is made')
            [CompletionResult]::new('replay', 'replay', [CompletionResultType]::ParameterValue, 'Send the requests of audit logs through the chain and compare the answers with the server''s')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Report stored results again, in any format, combining those of several runs')
            [CompletionResult]::new('test', 'test', [CompletionResultType]::ParameterValue, 'Run suites of requests with expected answers')
            [CompletionResult]::new('plugins', 'plugins', [CompletionResultType]::ParameterValue, 'List the admission plugins of a release')
            [CompletionResult]::new('eval', 'eval', [CompletionResultType]::ParameterValue, 'Evaluate CEL expressions as policies see a request')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain what an admission plugin does, or what the code of an error means')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Check or show the configuration of the API server')
            [CompletionResult]::new('fixtures', 'fixtures', [CompletionResultType]::ParameterValue, 'Print the kubectl command that collects the objects that the chain reads')
            [CompletionResult]::new('levels', 'levels', [CompletionResultType]::ParameterValue, 'Report the strictest Pod Security level that each namespace could enforce')
            [CompletionResult]::new('krm', 'krm', [CompletionResultType]::ParameterValue, 'Validate the items of a ResourceList on standard input, as a function of kustomize and kpt')
            [CompletionResult]::new('lsp', 'lsp', [CompletionResultType]::ParameterValue, 'Serve editors on standard input and output (Language Server Protocol)')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print the completions of a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kadmit;help;run' {
            break
        }
        'kadmit;help;diff' {
            break
        }
        'kadmit;help;compare' {
            break
        }
        'kadmit;help;replay' {
            break
        }
        'kadmit;help;report' {
            break
        }
        'kadmit;help;test' {
            break
        }
        'kadmit;help;plugins' {
            break
        }
        'kadmit;help;eval' {
            break
        }
        'kadmit;help;explain' {
            break
        }
        'kadmit;help;config' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Check the flags, the AdmissionConfiguration and the files of plugins')
            [CompletionResult]::new('view', 'view', [CompletionResultType]::ParameterValue, 'Show the chain and the configuration of its plugins, with all defaults')
            break
        }
        'kadmit;help;config;check' {
            break
        }
        'kadmit;help;config;view' {
            break
        }
        'kadmit;help;fixtures' {
            break
        }
        'kadmit;help;levels' {
            break
        }
        'kadmit;help;krm' {
            break
        }
        'kadmit;help;lsp' {
            break
        }
        'kadmit;help;completions' {
            break
        }
        'kadmit;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
