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
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "report" -d 'Report stored results again, in any format, and those of several runs as one'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "test" -d 'Run suites of requests with the answers that are expected'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "plugins" -d 'List the admission plugins of a release'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "eval" -d 'Evaluate CEL expressions as policies see a request'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "explain" -d 'Explain what an admission plugin does, or what the code of an error means'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "config" -d 'Check or show the configuration of the API server'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "fixtures" -d 'Print the kubectl command that collects what the chain reads'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "completions" -d 'Print the completions of a shell'
complete -c kadmit -n "__fish_kadmit_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s o -l output -d 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Headlines, diffs and code frames for people'
json\t'One JSON document'
jsonl\t'One JSON document a line for each request'
yaml\t'The admitted objects as the cluster would store them'
blame\t'The admitted objects, every line with who set it'
sarif\t'SARIF 2.1.0, for code scanning'
junit\t'XML of JUnit, a test case a request'
github\t'Workflow commands of GitHub Actions'
gitlab\t'Code Quality report of GitLab'
tap\t'Test Anything Protocol 14, a test point a request'
markdown\t'Comment on a pull request'
html\t'One page with totals, findings and changes, to be opened in a browser'
policyreport\t'Report and ClusterReport of openreports.io/v1alpha1, one for each namespace'
policyreport-v1alpha2\t'PolicyReport and ClusterPolicyReport of wgpolicyk8s.io/v1alpha2'
admissionreview\t'AdmissionReview with the response to each request, one a line'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l baseline -d 'Let what is denied or warned of be no failure if it is in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l fail-on -d 'Fail also when this happens; what is denied always fails (may be repeated)' -r -f -a "denied\t'A request is denied'
warning\t'The server warns'
mutated\t'A plugin changes an object'
assumed\t'Something about the cluster is assumed or cannot be known'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l settings -d 'Take the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l cluster -d 'Let the objects in this file, directory or pattern exist (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l order -d 'Evaluate the documents in this order [default: needs-first for directories, else file]' -r -f -a "file\t'As they are written, file by file, with what the server answers to that: 404 before the Namespace exists'
needs-first\t'What others need comes first: namespaces, classes, quotas, limits, accounts and definitions; all else as it is written'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l operation -d 'What to do with every document that is no AdmissionReview; --apply says it as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the object that exists, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l exclude -d 'Leave out the manifests that fit this pattern: files, or directories with all in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l workloads -d 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only what is written'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l rate -d 'Let this many requests come in a second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s n -l namespace -d 'Put documents that name no namespace into this one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l apply -d 'Send manifests to the server like this [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change what differs from the manifest and remove what an earlier one said'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change what others own'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l as -d 'Make the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l as-group -d 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l as-uid -d 'Make the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l field-validation -d 'Treat unknown and repeated fields like this [default: Strict; with an older --kubernetes-version as its server does: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Say nothing'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s R -l recursive -d 'Read the directories of -f with all that is below them'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s q -l quiet -d 'Print only what is refused'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s v -l verbose -d 'Print also what did nothing, or comes to nothing because the object is refused'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-diff -d 'Do not print changes line by line'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l update-baseline -d 'Write what is denied and warned of into the file of --baseline, and fail for none of it'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l allow-empty -d 'Succeed when there is nothing to evaluate'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l exit-zero -d 'Succeed whatever is denied, if nothing is wrong with the input'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-settings -d 'Take no settings from a file'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s w -l watch -d 'Do it again whenever one of the files changes that are read, until it is interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l each-alone -d 'Evaluate every document against the objects of --cluster alone, with what controllers make of it'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l ignore-unknown-kinds -d 'Leave out objects of kinds that nobody defines, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l ignore-non-manifests -d 'Leave out files and documents that are no manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l no-ignore -d 'Read also hidden files and directories, node_modules, and what .gitignore and .ignore name'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l strict -d 'Take nothing for granted: no namespace is assumed and no controller played'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l force-conflicts -d 'Take over the fields that others own, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -l dry-run -d 'Evaluate every request alone: nothing that is admitted exists for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand run" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s o -l output -d 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'For people'
json\t'One JSON document'
markdown\t'Comment on a pull request'
html\t'One page with totals and differences, to be opened in a browser'
sarif\t'SARIF 2.1.0, for code scanning: what is newly denied or warned of'
junit\t'XML of JUnit, a test case a difference'
github\t'Workflow commands of GitHub Actions: what is newly denied or warned of'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l settings -d 'Take the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l baseline -d 'Let what is denied or warned of be no failure if it is in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l fail-on -d 'Fail also when this happens; what is newly denied always fails (may be repeated)' -r -f -a "denied\t'A request is newly denied'
warning\t'There is a warning that was not there'
mutated\t'A plugin changes an object that it did not change, or otherwise than before'
difference\t'Anything is different'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l cluster -d 'Let the objects in this file, directory or pattern exist (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l order -d 'Evaluate the documents in this order [default: needs-first for directories, else file]' -r -f -a "file\t'As they are written, file by file, with what the server answers to that: 404 before the Namespace exists'
needs-first\t'What others need comes first: namespaces, classes, quotas, limits, accounts and definitions; all else as it is written'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l operation -d 'What to do with every document that is no AdmissionReview; --apply says it as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the object that exists, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l exclude -d 'Leave out the manifests that fit this pattern: files, or directories with all in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l workloads -d 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only what is written'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l rate -d 'Let this many requests come in a second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s n -l namespace -d 'Put documents that name no namespace into this one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l apply -d 'Send manifests to the server like this [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change what differs from the manifest and remove what an earlier one said'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change what others own'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l as -d 'Make the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l as-group -d 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l as-uid -d 'Make the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l field-validation -d 'Treat unknown and repeated fields like this [default: Strict; with an older --kubernetes-version as its server does: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Say nothing'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-diff -d 'Do not print line by line how stored objects differ'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s q -l quiet -d 'Print only what is newly denied'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-settings -d 'Take no settings from a file'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l exit-zero -d 'Succeed whatever is newly denied, if nothing is wrong with the input'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s w -l watch -d 'Do it again whenever one of the files changes that are read, until it is interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l each-alone -d 'Evaluate every document against the objects of --cluster alone, with what controllers make of it'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l ignore-unknown-kinds -d 'Leave out objects of kinds that nobody defines, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l ignore-non-manifests -d 'Leave out files and documents that are no manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l no-ignore -d 'Read also hidden files and directories, node_modules, and what .gitignore and .ignore name'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l strict -d 'Take nothing for granted: no namespace is assumed and no controller played'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l force-conflicts -d 'Take over the fields that others own, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -l dry-run -d 'Evaluate every request alone: nothing that is admitted exists for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand diff" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s f -l filename -d 'Evaluate also this file, or the files directly in this directory, as kubectl does (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l before -d 'Let the server be like this before the change (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l after -d 'Let the server be like this after the change (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l to -d 'Let the server be of this release after the change: short for --after --kubernetes-version=VERSION' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l after-cluster -d 'Let the objects in this file, directory or pattern exist after the change; they add to those of --cluster, or take their place (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s o -l output -d 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'For people'
json\t'One JSON document'
markdown\t'Comment on a pull request'
html\t'One page with totals and differences, to be opened in a browser'
sarif\t'SARIF 2.1.0, for code scanning: what is newly denied or warned of'
junit\t'XML of JUnit, a test case a difference'
github\t'Workflow commands of GitHub Actions: what is newly denied or warned of'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l settings -d 'Take the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l baseline -d 'Let what is denied or warned of be no failure if it is in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l fail-on -d 'Fail also when this happens; what is newly denied always fails (may be repeated)' -r -f -a "denied\t'A request is newly denied'
warning\t'There is a warning that was not there'
mutated\t'A plugin changes an object that it did not change, or otherwise than before'
difference\t'Anything is different'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l examples -d 'Print at most this many examples of what happens in a namespace' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l cluster -d 'Let the objects in this file, directory or pattern exist (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l order -d 'Evaluate the documents in this order [default: needs-first for directories, else file]' -r -f -a "file\t'As they are written, file by file, with what the server answers to that: 404 before the Namespace exists'
needs-first\t'What others need comes first: namespaces, classes, quotas, limits, accounts and definitions; all else as it is written'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l operation -d 'What to do with every document that is no AdmissionReview; --apply says it as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the object that exists, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l exclude -d 'Leave out the manifests that fit this pattern: files, or directories with all in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l workloads -d 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only what is written'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l rate -d 'Let this many requests come in a second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s n -l namespace -d 'Put documents that name no namespace into this one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l apply -d 'Send manifests to the server like this [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change what differs from the manifest and remove what an earlier one said'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change what others own'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l as -d 'Make the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l as-group -d 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l as-uid -d 'Make the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l field-validation -d 'Treat unknown and repeated fields like this [default: Strict; with an older --kubernetes-version as its server does: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Say nothing'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s R -l recursive -d 'Read the directories of -f with all that is below them'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s q -l quiet -d 'Print only what is newly denied'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l no-settings -d 'Take no settings from a file'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l exit-zero -d 'Succeed whatever is newly denied, if nothing is wrong with the input'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s w -l watch -d 'Do it again whenever one of the files changes that are read, until it is interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l each-alone -d 'Evaluate every document against the objects of --cluster alone, with what controllers make of it'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l ignore-unknown-kinds -d 'Leave out objects of kinds that nobody defines, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l ignore-non-manifests -d 'Leave out files and documents that are no manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l no-ignore -d 'Read also hidden files and directories, node_modules, and what .gitignore and .ignore name'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l strict -d 'Take nothing for granted: no namespace is assumed and no controller played'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l force-conflicts -d 'Take over the fields that others own, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -l dry-run -d 'Evaluate every request alone: nothing that is admitted exists for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand compare" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s o -l output -d 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Headlines, diffs and code frames for people'
json\t'One JSON document'
jsonl\t'One JSON document a line for each request'
yaml\t'The admitted objects as the cluster would store them'
blame\t'The admitted objects, every line with who set it'
sarif\t'SARIF 2.1.0, for code scanning'
junit\t'XML of JUnit, a test case a request'
github\t'Workflow commands of GitHub Actions'
gitlab\t'Code Quality report of GitLab'
tap\t'Test Anything Protocol 14, a test point a request'
markdown\t'Comment on a pull request'
html\t'One page with totals, findings and changes, to be opened in a browser'
policyreport\t'Report and ClusterReport of openreports.io/v1alpha1, one for each namespace'
policyreport-v1alpha2\t'PolicyReport and ClusterPolicyReport of wgpolicyk8s.io/v1alpha2'
admissionreview\t'AdmissionReview with the response to each request, one a line'"
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l only -d 'Report only this: denied, changed, warned, or the name of a plugin, a kind or a namespace (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l baseline -d 'Let what is denied or warned of be no failure if it is in this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l fail-on -d 'Fail also when this happens; what is denied always fails (may be repeated)' -r -f -a "denied\t'A request is denied'
warning\t'The server warns'
mutated\t'A plugin changes an object'
assumed\t'Something about the cluster is assumed or cannot be known'"
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l settings -d 'Take the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l prefix -d 'Put the name of each FILE, without its ending, before the names of the manifests in it'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s q -l quiet -d 'Print only what is refused'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s v -l verbose -d 'Print also what did nothing, or comes to nothing because the object is refused'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l no-diff -d 'Do not print changes line by line'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l update-baseline -d 'Write what is denied and warned of into the file of --baseline, and fail for none of it'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l allow-empty -d 'Succeed when there is nothing to evaluate'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l exit-zero -d 'Succeed whatever is denied, if nothing is wrong with the input'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -l no-settings -d 'Take no settings from a file'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand report" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l filter -d 'Run only the cases whose names contain this' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s o -l output -d 'Report in this format, to the file behind a = or else to standard output (may be repeated) [default: text]' -r -f -a "text\t'Differences for people'
junit\t'XML of JUnit, a test suite a file'
json\t'One JSON document'
sarif\t'SARIF 2.1.0, for code scanning: what is not as expected'
github\t'Workflow commands of GitHub Actions: what is not as expected'
markdown\t'Comment on a pull request'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l settings -d 'Take the defaults of flags from this file [default: the nearest kadmit.toml]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l init -d 'Make a suite in this directory in which everything is as it is' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l cluster -d 'Let the objects in this file, directory or pattern exist (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l policy -d 'Try the policies in this file, directory or pattern: one without a binding is bound to everything with Deny (may be repeated)' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l order -d 'Evaluate the documents in this order [default: needs-first for directories, else file]' -r -f -a "file\t'As they are written, file by file, with what the server answers to that: 404 before the Namespace exists'
needs-first\t'What others need comes first: namespaces, classes, quotas, limits, accounts and definitions; all else as it is written'
install\t'As Helm installs them, sorted by kind'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l operation -d 'What to do with every document that is no AdmissionReview; --apply says it as kubectl does' -r -f -a "create\t'Create the object'
update\t'Apply the document to the object that exists, as kubectl apply --server-side does'
delete\t'Delete the object'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l exclude -d 'Leave out the manifests that fit this pattern: files, or directories with all in them (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l workloads -d 'Make the requests that controllers make because of an admitted workload, such as its Pods [default: follow, with --strict ignore]' -r -f -a "follow\t'Send them through the chain as well'
ignore\t'Evaluate only what is written'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l rate -d 'Let this many requests come in a second, for limits on their rate [default: all at once]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s n -l namespace -d 'Put documents that name no namespace into this one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l apply -d 'Send manifests to the server like this [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change what differs from the manifest and remove what an earlier one said'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change what others own'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l as -d 'Make the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l as-group -d 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l as-uid -d 'Make the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l field-validation -d 'Treat unknown and repeated fields like this [default: Strict; with an older --kubernetes-version as its server does: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Say nothing'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l update -d 'Let the suites expect what is, instead of comparing it'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s q -l quiet -d 'Print only suites in which something is not as expected'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l no-settings -d 'Take no settings from a file'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s w -l watch -d 'Do it again whenever a suite or a file next to it changes, until it is interrupted'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l each-alone -d 'Evaluate every document against the objects of --cluster alone, with what controllers make of it'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l recreate -d 'Evaluate the objects of a dump (kubectl get -o yaml) as if they were created anew'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l ignore-unknown-kinds -d 'Leave out objects of kinds that nobody defines, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l ignore-non-manifests -d 'Leave out files and documents that are no manifests, with a note'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l no-ignore -d 'Read also hidden files and directories, node_modules, and what .gitignore and .ignore name'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l strict -d 'Take nothing for granted: no namespace is assumed and no controller played'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l force-conflicts -d 'Take over the fields that others own, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -l dry-run -d 'Evaluate every request alone: nothing that is admitted exists for the others'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand test" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l kubernetes-version -d 'List the plugins of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l distribution -d 'List those of the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -s o -l output -d 'Choose the format of the list' -r -f -a "table\t'A table for people'
wide\t'The table with feature gates, configurations and the objects that plugins read'
json\t'A JSON array'
yaml\t'The same in YAML'"
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand plugins" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s f -l filename -d 'Take the object of the request from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l old -d 'Take the object as it was before the request from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l params -d 'Take the parameters from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l namespace-object -d 'Take the Namespace of the request from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l cluster -d 'Authorize by the roles and bindings in this file, directory or pattern (may be repeated) [default: everything is allowed]' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s o -l output -d 'Print results in this format' -r -f -a "text\t'For people'
json\t'One JSON array'"
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -s n -l namespace -d 'Put documents that name no namespace into this one [default: default]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l apply -d 'Send manifests to the server like this [default: client-side]' -r -f -a "client-side\t'kubectl apply: create the object, or change what differs from the manifest and remove what an earlier one said'
server-side\t'kubectl apply --server-side: the server merges, and refuses to change what others own'
create\t'kubectl create'
replace\t'kubectl replace'
delete\t'kubectl delete'"
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l field-manager -d 'Apply as this field manager, with --apply server-side [default: kubectl]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l as -d 'Make the requests as this user' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l as-group -d 'Make the requests as a member of this group (may be repeated) [default: system:masters for kubernetes-admin]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l as-uid -d 'Make the requests as the user with this UID' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l field-validation -d 'Treat unknown and repeated fields like this [default: Strict; with an older --kubernetes-version as its server does: Warn, before 1.25 Ignore]' -r -f -a "Strict\t'Refuse the object'
Warn\t'Warn'
Ignore\t'Say nothing'"
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l force-conflicts -d 'Take over the fields that others own, with --apply server-side'
complete -c kadmit -n "__fish_kadmit_using_subcommand eval" -l dry-run -d 'Evaluate every request alone: nothing that is admitted exists for the others'
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
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from check" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -s o -l output -d 'Choose the format' -r -f -a "yaml\t'YAML'
json\t'One JSON document'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from view" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "check" -d 'Check the flags, the AdmissionConfiguration and the files of plugins'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "view" -d 'Show the chain and the configuration of its plugins, with all defaults'
complete -c kadmit -n "__fish_kadmit_using_subcommand config; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l check -d 'Say what is missing among the objects in these files instead' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l kube-apiserver -d 'Take the flags of the server that this static Pod, systemd unit or list of flags starts' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l root -d 'Look for the files that --kube-apiserver names below this directory' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l kubernetes-version -d 'Be the server of this release of Kubernetes, from 1.10 on [default: 1.36]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l distribution -d 'Be the servers of this distribution: openshift, origin=1.4 or origin=3.11 [default: kubernetes]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l openshift-config -d 'Read the KubeAPIServerConfig of OpenShift\'s kube-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l openshift-apiserver-config -d 'Read the OpenShiftAPIServerConfig of openshift-apiserver from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l master-config -d 'Read the MasterConfig of an Origin master from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-control-config-file -d 'Read the AdmissionConfiguration of the plugins from this file' -r -F
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l enable-admission-plugins -d 'Enable these plugins in addition to the default ones' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l disable-admission-plugins -d 'Disable these plugins although they are on by default' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-control -d 'Enable exactly these plugins' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l webhooks -d 'Decide what becomes of a request that a webhook is for: skip notes it, fail takes the webhook for unreachable, recorded answers come from --webhook-recordings, call asks it over HTTPS [default: skip]' -r -f -a "skip\t''
fail\t''
recorded\t''
call\t''"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l webhook-service -d 'Call the webhooks of a Service at this address, such as shop/hook:443=https://localhost:8443 (may be repeated)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-controllers -d 'Ask the servers at these addresses about each create and update: host:port, or a URL for HTTPS' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l admission-controller-service -d 'Ask the servers of the Services in this namespace with this label about each create and update' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l record -d 'Write the answers of webhooks that are called into this directory, as recordings' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l webhook-recordings -d 'Take the answers of webhooks from the files in this directory' -r -f -a "(__fish_complete_directories)"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l feature-gates -d 'Set feature gates, such as A=true,B=false' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l emulated-version -d 'Behave as this release, such as 1.35' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l runtime-config -d 'Serve APIs or not, such as scheduling.k8s.io/v1alpha2=true' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l authorization-mode -d 'Authorize by these modes: AlwaysAllow, RBAC, Node [default: AlwaysAllow]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l default-not-ready-toleration-seconds -d 'Tolerate not-ready nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l default-unreachable-toleration-seconds -d 'Tolerate unreachable nodes this long by default [default: 300]' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l ir-namespace-only -d 'Look at samples of the same namespace only, with the plugin of initial resources (until 1.10)' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l explain-migration -d 'Note which Pod Security level comes closest to the policy (until 1.24) that takes a pod' -r
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand fixtures" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand completions" -l color -d 'Use colours never, always or on a terminal; NO_COLOR and CLICOLOR_FORCE are honoured' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set; everywhere if CLICOLOR_FORCE is'
always\t'Everywhere'
never\t'Nowhere'"
complete -c kadmit -n "__fish_kadmit_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kadmit -n "__fish_kadmit_using_subcommand completions" -s V -l version -d 'Print version'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "run" -d 'Evaluate manifests against the admission chain'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "diff" -d 'Show what a change of manifests changes in outcomes'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "compare" -d 'Show what a change of the server changes in outcomes, before it is made'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "report" -d 'Report stored results again, in any format, and those of several runs as one'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "test" -d 'Run suites of requests with the answers that are expected'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "plugins" -d 'List the admission plugins of a release'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "eval" -d 'Evaluate CEL expressions as policies see a request'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "explain" -d 'Explain what an admission plugin does, or what the code of an error means'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "config" -d 'Check or show the configuration of the API server'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "fixtures" -d 'Print the kubectl command that collects what the chain reads'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "completions" -d 'Print the completions of a shell'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and not __fish_seen_subcommand_from run diff compare report test plugins eval explain config fixtures completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "check" -d 'Check the flags, the AdmissionConfiguration and the files of plugins'
complete -c kadmit -n "__fish_kadmit_using_subcommand help; and __fish_seen_subcommand_from config" -f -a "view" -d 'Show the chain and the configuration of its plugins, with all defaults'
