# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kadmit_global_optspecs
    string join \n color= h/help V/version
end

function __fish_kadmit_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kadmit_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kadmit_using_subcommand
    set -l cmd (__fish_kadmit_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kadmit -n "__fish_kadmit_needs_command" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_needs_command" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "run" -d 'Evaluate manifests against the admission chain'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "diff" -d 'Show what a change of manifests changes in outcomes'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "compare" -d 'Show what a change of the server changes in outcomes, before it is made'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "replay" -d 'Send the requests of audit logs through the chain and compare the answers with the server\'s'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "drift" -d 'Compare manifests with live objects: what applying would change, and what others changed'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "report" -d 'Report stored results again, in any format, combining those of several runs'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "test" -d 'Run suites of requests with expected answers'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "plugins" -d 'List the admission plugins of a release'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "eval" -d 'Evaluate CEL expressions as policies see a request'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "explain" -d 'Explain what an admission plugin does, or what the code of an error means'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "config" -d 'Check or show the configuration of the API server'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "fixtures" -d 'Print the kubectl command that collects the objects that the chain reads'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "levels" -d 'Report the strictest Pod Security level that each namespace could enforce'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "require" -d 'Print what a cluster must have so that it admits manifests'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "fix" -d 'Print or make the smallest edits after which manifests are admitted'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "serve" -d 'Answer requests over HTTPS as kube-apiserver does, without a cluster'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "krm" -d 'Validate the items of a ResourceList on standard input, as a function of kustomize and kpt'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "lsp" -d 'Serve editors on standard input and output (Language Server Protocol)'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "completions" -d 'Print the completions of a shell'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Headlines, diffs and code frames for people'
json\t'One JSON document'
jsonl\t'One JSON document per line for each request'
yaml\t'The admitted objects as the cluster would store them'
blame\t'The admitted objects, every line with its origin'
sarif\t'SARIF 2.1.0, for code scanning'
junit\t'XML of JUnit, a test case for each request'
github\t'Workflow commands of GitHub Actions'
gitlab\t'Code Quality report of GitLab'
tap\t'Test Anything Protocol 14, one test point per request'
markdown\t'Comment on a pull request'
html\t'One page with totals, findings and changes, to be opened in a browser'
policyreport\t'Report and ClusterReport of openreports.io/v1alpha1, one report for each namespace'
policyreport-v1alpha2\t'PolicyReport and ClusterPolicyReport of wgpolicyk8s.io/v1alpha2, likewise'
admissionreview\t'AdmissionReview with the response to each request, one per line'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l path-prefix -d 'Name files from the root of the repository, in which the working directory is PREFIX; for github, gitlab and sarif' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l baseline -d 'Do not fail for denials and warnings that are in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l fail-on -d 'Fail also on this event; a denied request always fails (may be repeated)' -r -f -a "denied\t'A request is denied'
warning\t'The server warns'
mutated\t'A plugin changes an object'
assumed\t'Something about the cluster is assumed or cannot be known'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l coverage -d 'Report which parts of policies are evaluated, and which of their conditions are only ever true or false: in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'What was not evaluated, for people'
json\t'One JSON document'
html\t'One page with the conditions of every expression coloured, to be opened in a browser'
lcov\t'Tracefile of LCOV, for editors and services that show coverage'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l fail-under -d 'Fail if less than this percentage of the policies is covered' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l cache -d 'Keep results in this directory, and evaluate again only the namespaces for which something changed' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l cache-size -d 'Keep at most this much in the directory of --cache, such as 500Mi [default: 2Gi]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s R -l recursive -d 'Read the directories of -f recursively'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s q -l quiet -d 'Print only denied requests'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s v -l verbose -d 'Print also plugins that did nothing, or had no effect because the object is denied'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-diff -d 'Do not print changes line by line'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l all-diffs -d 'Print all changes line by line, including routine ones and repetitions'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l show-secrets -d 'Print the values of Secrets, which are masked otherwise'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-skips -d 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l update-baseline -d 'Write denials and warnings into the file of --baseline, and do not fail for them'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l allow-empty -d 'Succeed when there is nothing to evaluate'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l exit-zero -d 'Succeed despite denied requests, if the input is valid'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s w -l watch -d 'Evaluate again whenever one of the files changes, until interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l after-cluster -d 'Add the objects in this file, directory or pattern to the cluster after the change, in addition to those of --cluster or replacing them (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'For people'
json\t'One JSON document'
markdown\t'Comment on a pull request'
html\t'One page with totals and differences, to be opened in a browser'
sarif\t'SARIF 2.1.0, for code scanning: what is newly denied or warned of'
junit\t'XML of JUnit, a test case for each difference'
github\t'Workflow commands of GitHub Actions: what is newly denied or warned of'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l path-prefix -d 'Name files from the root of the repository, in which the working directory is PREFIX; for github and sarif' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l baseline -d 'Do not fail for denials and warnings that are in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l fail-on -d 'Fail also on this event; a newly denied request always fails (may be repeated)' -r -f -a "denied\t'A request is newly denied'
warning\t'A warning is new'
mutated\t'A plugin changes an object that it did not change before, or changes it in another way'
difference\t'Anything is different'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-diff -d 'Do not print the differences of stored objects line by line'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s q -l quiet -d 'Print only newly denied requests'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l show-secrets -d 'Print the values of Secrets, which are masked otherwise'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-skips -d 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l exit-zero -d 'Succeed despite newly denied requests, if the input is valid'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s w -l watch -d 'Compare again whenever one of the files changes, until interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l before -d 'Configure the server like this before the change (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l after -d 'Configure the server like this after the change (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l to -d 'Emulate this release after the change: short for --after --kubernetes-version=VERSION' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l after-cluster -d 'Add the objects in this file, directory or pattern to the cluster after the change, in addition to those of --cluster or replacing them (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'For people'
json\t'One JSON document'
markdown\t'Comment on a pull request'
html\t'One page with totals and differences, to be opened in a browser'
sarif\t'SARIF 2.1.0, for code scanning: what is newly denied or warned of'
junit\t'XML of JUnit, a test case for each difference'
github\t'Workflow commands of GitHub Actions: what is newly denied or warned of'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l path-prefix -d 'Name files from the root of the repository, in which the working directory is PREFIX; for github and sarif' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l baseline -d 'Do not fail for denials and warnings that are in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l fail-on -d 'Fail also on this event; a newly denied request always fails (may be repeated)' -r -f -a "denied\t'A request is newly denied'
warning\t'A warning is new'
mutated\t'A plugin changes an object that it did not change before, or changes it in another way'
difference\t'Anything is different'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l examples -d 'Print at most this many examples of each effect' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s R -l recursive -d 'Read the directories of -f recursively'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s q -l quiet -d 'Print only newly denied requests'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l show-secrets -d 'Print the values of Secrets, which are masked otherwise'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l no-skips -d 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l exit-zero -d 'Succeed despite newly denied requests, if the input is valid'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s w -l watch -d 'Compare again whenever one of the files changes, until interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l all -d 'Print every object, effect and note'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l cluster -d 'Read the objects that existed before the first event from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l expect -d 'Succeed if at least this share of the judged requests agrees' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l after -d 'Send the requests also to a server configured like this (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l to -d 'Emulate this release after the change: short for --after --kubernetes-version=VERSION' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l after-cluster -d 'Add the objects in this file, directory or pattern to the cluster after the change (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l only -d 'Report only these changes: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l since -d 'Judge only requests that ended at this time or later, such as 2026-01-31T08:00:00Z' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l until -d 'Judge only requests that ended at this time or earlier' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l user -d 'Judge only requests of this user (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -s n -l namespace -d 'Judge only requests in this namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -s o -l output -d 'Print findings in this format' -r -f -a "text\t'For people'
json\t'One JSON object'
jsonl\t'One JSON object per line for each judged request, and one with the findings'"
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand replay" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l live -d 'Read the live objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s l -l prune-selector -d 'Count the live objects with these labels among those of the manifests, as `kubectl apply --prune -l` does' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l ignore-rules -d 'Print the rules with which this tool ignores what the server, plugins and controllers change in fields of the manifests, instead of a report' -r -f -a "argocd\t'`ignoreDifferences` of an Application of Argo CD'
flux\t'`driftDetection.ignore` of a `HelmRelease` of Flux; the `ignore` of a Kustomization has the same entries'
terraform\t'`computed_fields` of `kubernetes_manifest` of Terraform'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'For people'
json\t'One JSON document'
markdown\t'Comment on a pull request'
html\t'One page with every object, to be opened in a browser'
sarif\t'SARIF 2.1.0, for code scanning: fields at their lines in the manifests'
junit\t'XML of JUnit, a test case for each object'
github\t'Workflow commands of GitHub Actions'
blame\t'The live objects, every line with its origin'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l path-prefix -d 'Name files from the root of the repository, in which the working directory is DIR; for github and sarif' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s R -l recursive -d 'Read the directories of -f recursively'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l expect-clean -d 'Fail if something differs, is missing, extra or refused'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s v -l verbose -d 'Print also the objects in sync, and what explains the other differences'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand drift" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Headlines, diffs and code frames for people'
json\t'One JSON document'
jsonl\t'One JSON document per line for each request'
yaml\t'The admitted objects as the cluster would store them'
blame\t'The admitted objects, every line with its origin'
sarif\t'SARIF 2.1.0, for code scanning'
junit\t'XML of JUnit, a test case for each request'
github\t'Workflow commands of GitHub Actions'
gitlab\t'Code Quality report of GitLab'
tap\t'Test Anything Protocol 14, one test point per request'
markdown\t'Comment on a pull request'
html\t'One page with totals, findings and changes, to be opened in a browser'
policyreport\t'Report and ClusterReport of openreports.io/v1alpha1, one report for each namespace'
policyreport-v1alpha2\t'PolicyReport and ClusterPolicyReport of wgpolicyk8s.io/v1alpha2, likewise'
admissionreview\t'AdmissionReview with the response to each request, one per line'"
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l path-prefix -d 'Name files from the root of the repository, in which the working directory is PREFIX; for github, gitlab and sarif' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l baseline -d 'Do not fail for denials and warnings that are in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l fail-on -d 'Fail also on this event; a denied request always fails (may be repeated)' -r -f -a "denied\t'A request is denied'
warning\t'The server warns'
mutated\t'A plugin changes an object'
assumed\t'Something about the cluster is assumed or cannot be known'"
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l prefix -d 'Prefix the names of the manifests in each FILE with its name, without its ending'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s q -l quiet -d 'Print only denied requests'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s v -l verbose -d 'Print also plugins that did nothing, or had no effect because the object is denied'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l no-diff -d 'Do not print changes line by line'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l all-diffs -d 'Print all changes line by line, including routine ones and repetitions'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l show-secrets -d 'Print the values of Secrets, which are masked otherwise'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l no-skips -d 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l update-baseline -d 'Write denials and warnings into the file of --baseline, and do not fail for them'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l allow-empty -d 'Succeed when there is nothing to evaluate'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l exit-zero -d 'Succeed despite denied requests, if the input is valid'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l filter -d 'Run only the cases whose names contain this' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Differences for people'
junit\t'XML of JUnit, a test suite for each file'
json\t'One JSON document'
sarif\t'SARIF 2.1.0, for code scanning: what is not as expected'
github\t'Workflow commands of GitHub Actions: what is not as expected'
markdown\t'Comment on a pull request'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l coverage -d 'Report which parts of policies are evaluated, and which of their conditions are only ever true or false: in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'What was not evaluated, for people'
json\t'One JSON document'
html\t'One page with the conditions of every expression coloured, to be opened in a browser'
lcov\t'Tracefile of LCOV, for editors and services that show coverage'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l fail-under -d 'Fail if less than this percentage of the policies is covered' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l mutate-seconds -d 'Stop trying changes after this many seconds' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l mutate-seed -d 'Try the changes in the order that this number gives' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l init -d 'Create a suite in this directory that expects the current answers' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l update -d 'Update the expectations of the suites to the answers, instead of comparing them'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l mutate -d 'Change the policies of the suites in small ways, and report the changes that no case notices'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l show-secrets -d 'Print the values of Secrets, which are masked otherwise'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s q -l quiet -d 'Print only suites in which something is not as expected'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s w -l watch -d 'Test again whenever a suite or a file next to it changes, until interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l kubernetes-version -d 'List the plugins of this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l distribution -d 'List those of the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -s o -l output -d 'Choose the format of the list' -r -f -a "table\t'A table for people'
wide\t'The table with feature gates, configurations and the objects that plugins read'
json\t'A JSON array'
yaml\t'The same in YAML'"
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s e -l expression -d 'Evaluate this expression, which may begin with a - (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s f -l filename -d 'Read the object of the request from this file; with several documents, evaluate for each of them' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l old -d 'Read the old object of the request from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l params -d 'Read the parameters from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l policy -d 'Let expressions use the variables of the policy in this file, as `variables.NAME`' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l bench -d 'Evaluate this many times, and report the time, the cost and the limits of the server' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l namespace-object -d 'Read the Namespace of the request from this file [default: the one in --cluster]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated): roles and bindings, by which `authorizer` then decides, Namespaces, and definitions of custom resources' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s o -l output -d 'Print results in this format' -r -f -a "text\t'For people'
json\t'One JSON array'"
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s n -l namespace -d 'Use this namespace for objects without one' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l dry-run -d 'Let the request be a dry run'
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand explain" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand explain" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and not __fish_seen_subcommand_from check view help" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and not __fish_seen_subcommand_from check view help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and not __fish_seen_subcommand_from check view help" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and not __fish_seen_subcommand_from check view help" -f -a "check" -d 'Check the flags, the AdmissionConfiguration and the files of plugins'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and not __fish_seen_subcommand_from check view help" -f -a "view" -d 'Show the chain and the configuration of its plugins, with all defaults'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and not __fish_seen_subcommand_from check view help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -s o -l output -d 'Choose the format' -r -f -a "yaml\t'YAML'
json\t'One JSON document'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check the flags, the AdmissionConfiguration and the files of plugins'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "view" -d 'Show the chain and the configuration of its plugins, with all defaults'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l check -d 'Report what is missing among the objects in these files instead' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l cluster -d 'Check also the objects in this file, directory or pattern; those of PATH replace them (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -s n -l namespace -d 'The namespace of objects without one' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l kubernetes-version -d 'Use the levels of this release of Kubernetes [default: the newest]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l only -d 'Report only these namespaces (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l at-least -d 'Fail if a reported namespace could not enforce this level' -r -f -a "baseline\t'No known privilege escalation'
restricted\t'Hardened'"
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -s o -l output -d 'Report in this format' -r -f -a "text\t'For people'
json\t'One JSON document'
markdown\t'Tables and lists for a comment or a ticket'"
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l ignore-non-manifests -d 'Leave out files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand levels" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -s o -l output -d 'Print in this format' -r -f -a "yaml\t'Manifests with comments, to be applied first'
text\t'For people'
json\t'One JSON document'
markdown\t'Lists and a block of manifests for a ticket'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -s R -l recursive -d 'Read the directories of -f recursively'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand require" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -s o -l output -d 'Print in this format' -r -f -a "text\t'The diff on standard output, the rest on standard error'
json\t'One JSON document'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l settings -d 'Read the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l cluster -d 'Read existing objects from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l order -d 'Evaluate the documents in this order [default: needs-first]' -r -f -a "file\t'In the order of writing, file by file, with the server\'s answers to that: 404 before the Namespace exists'
needs-first\t'Objects that others need come first: policies with their parameters, namespaces, definitions, classes, quotas, limits, accounts and roles; all others in the order of writing'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l operation -d 'Send this operation for every document that is not an AdmissionReview; --apply does so as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the existing object, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l exclude -d 'Leave out the manifests that match this pattern: files, or directories with everything in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only the given documents'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l shard -d 'Evaluate the namespaces of one of several runs over the same files, such as 2/8' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l rate -d 'Send this many requests per second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -s n -l namespace -d 'Use this namespace for documents without one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l apply -d 'Send manifests to the server in this way [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change fields that differ from the manifest and remove those of an earlier one'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change fields of other managers'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l as -d 'Send the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l as-group -d 'Send the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l as-uid -d 'Send the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l field-validation -d 'Treat unknown and repeated fields in this way [default: Strict; with an older --kubernetes-version that of its server: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Ignore them'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -s R -l recursive -d 'Read the directories of -f recursively'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l write -d 'Write the edits to the files'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l diff -d 'Print the edits as a diff, which is the default'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l allow-removals -d 'Make edits that remove what was written, such as a host port or a privilege'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l allow-values -d 'Make edits whose value is one of many, such as a limit or a name'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l no-settings -d 'Do not read a settings file'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l each-alone -d 'Evaluate every document alone: against the objects of --cluster and what documents need of the input, such as namespaces, accounts and classes'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l ignore-unknown-kinds -d 'Skip objects of undefined kinds, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l ignore-non-manifests -d 'Skip files and documents that are not manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l no-ignore -d 'Read also hidden files and directories, node_modules, and files that .gitignore and .ignore exclude'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l strict -d 'Assume nothing: neither namespaces nor the work of controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l force-conflicts -d 'Take over fields of other managers, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -l dry-run -d 'Evaluate every request alone: admitted objects do not exist for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand fix" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l cluster -d 'Read objects that exist at first from this file, directory or pattern (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l listen -d 'Listen at this address; port 0 is any free one' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l kubeconfig -d 'Write the kubeconfig of an administrator to this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l ready-file -d 'Write the URL to this file when the server answers' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l user -d 'Know this user by this bearer token, in these groups (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l dump -d 'Write the objects that exist in the end to this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l workloads -d 'Send the requests that controllers send because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Answer only the requests of clients'"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -s o -l output -d 'Report in this format, to the file after a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Headlines, diffs and code frames for people'
json\t'One JSON document'
jsonl\t'One JSON document per line for each request'
yaml\t'The admitted objects as the cluster would store them'
blame\t'The admitted objects, every line with its origin'
sarif\t'SARIF 2.1.0, for code scanning'
junit\t'XML of JUnit, a test case for each request'
github\t'Workflow commands of GitHub Actions'
gitlab\t'Code Quality report of GitLab'
tap\t'Test Anything Protocol 14, one test point per request'
markdown\t'Comment on a pull request'
html\t'One page with totals, findings and changes, to be opened in a browser'
policyreport\t'Report and ClusterReport of openreports.io/v1alpha1, one report for each namespace'
policyreport-v1alpha2\t'PolicyReport and ClusterPolicyReport of wgpolicyk8s.io/v1alpha2, likewise'
admissionreview\t'AdmissionReview with the response to each request, one per line'"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l path-prefix -d 'Name files from the root of the repository, in which the working directory is PREFIX; for github, gitlab and sarif' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l baseline -d 'Do not fail for denials and warnings that are in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l fail-on -d 'Fail also on this event; a denied request always fails (may be repeated)' -r -f -a "denied\t'A request is denied'
warning\t'The server warns'
mutated\t'A plugin changes an object'
assumed\t'Something about the cluster is assumed or cannot be known'"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l kube-apiserver -d 'Read the server\'s flags from this static Pod, systemd unit or list of flags' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l kubernetes-version -d 'Emulate this release of Kubernetes, from 1.10 on [default: 1.37]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l distribution -d 'Emulate the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l webhooks -d 'Handle webhooks in this way: skip notes them, fail treats them as unreachable, recorded reads answers from --webhook-recordings, call calls them over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l admission-controllers -d 'Call the servers at these addresses for each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l admission-controller-service -d 'Call the servers of the Services in this namespace with this label for each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l record -d 'Record the answers of called webhooks in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l webhook-recordings -d 'Read the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l emulated-version -d 'Emulate this release, as kube-apiserver\'s flag does, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l runtime-config -d 'Enable or disable APIs, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l service-cluster-ip-range -d 'Allocate cluster IPs of Services from this range, or from these two of different families' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l service-node-port-range -d 'Allocate node ports of Services from this range [default: 30000-32767]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l ir-namespace-only -d 'Use only samples of the same namespace, with the plugin InitialResources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l explain-migration -d 'Note which Pod Security level is closest to the PodSecurityPolicy (until 1.24) that accepts a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l allow-remote -d 'Allow an address that other machines reach'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l strict -d 'Let Pods on nodes wait for a kubelet when they are deleted, as without controllers'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -s q -l quiet -d 'Print only denied requests'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -s v -l verbose -d 'Print also plugins that did nothing, or had no effect because the object is denied'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l no-diff -d 'Do not print changes line by line'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l all-diffs -d 'Print all changes line by line, including routine ones and repetitions'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l show-secrets -d 'Print the values of Secrets, which are masked otherwise'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l no-skips -d 'Skip nothing, whatever manifests and settings request: whoever writes them cannot hide a refusal'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l update-baseline -d 'Write denials and warnings into the file of --baseline, and do not fail for them'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l allow-empty -d 'Succeed when there is nothing to evaluate'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -l exit-zero -d 'Succeed despite denied requests, if the input is valid'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand serve" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand krm" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand krm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand krm" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand lsp" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand lsp" -l stdio -d 'Use standard input and output, which is the only way; some editors pass this flag'
complete -c kadmit -n "__fish_kadmit_using_subcommand lsp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand lsp" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand completions" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand completions" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "run" -d 'Evaluate manifests against the admission chain'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "diff" -d 'Show what a change of manifests changes in outcomes'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "compare" -d 'Show what a change of the server changes in outcomes, before it is made'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "replay" -d 'Send the requests of audit logs through the chain and compare the answers with the server\'s'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "drift" -d 'Compare manifests with live objects: what applying would change, and what others changed'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "report" -d 'Report stored results again, in any format, combining those of several runs'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "test" -d 'Run suites of requests with expected answers'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "plugins" -d 'List the admission plugins of a release'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "eval" -d 'Evaluate CEL expressions as policies see a request'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "explain" -d 'Explain what an admission plugin does, or what the code of an error means'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "config" -d 'Check or show the configuration of the API server'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "fixtures" -d 'Print the kubectl command that collects the objects that the chain reads'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "levels" -d 'Report the strictest Pod Security level that each namespace could enforce'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "require" -d 'Print what a cluster must have so that it admits manifests'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "fix" -d 'Print or make the smallest edits after which manifests are admitted'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "serve" -d 'Answer requests over HTTPS as kube-apiserver does, without a cluster'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "krm" -d 'Validate the items of a ResourceList on standard input, as a function of kustomize and kpt'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "lsp" -d 'Serve editors on standard input and output (Language Server Protocol)'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "completions" -d 'Print the completions of a shell'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare replay drift report test plugins eval explain config fixtures levels require fix serve krm lsp completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "check" -d 'Check the flags, the AdmissionConfiguration and the files of plugins'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "view" -d 'Show the chain and the configuration of its plugins, with all defaults'
