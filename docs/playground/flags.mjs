// The flags as text: what the menus choose is written there, so that there is one place to look.

const value = (flags, name) => new RegExp(`^\\s*--${name}=(.*)$`, "m").exec(flags)?.[1].trim();

/** Returns `flags` with `--name=chosen`, or without the flag if nothing is chosen. */
export function set(flags, name, chosen) {
  const line = new RegExp(`^\\s*--${name}=.*\\n?`, "m");
  const text = chosen ? `--${name}=${chosen}\n` : "";
  if (line.test(flags)) return flags.replace(line, () => text);
  return flags + (flags === "" || flags.endsWith("\n") ? "" : "\n") + text;
}

export function release(flags) {
  return value(flags, "kubernetes-version");
}

/** Returns `flags` in which `plugin` is enabled, if `enables`, or disabled. */
export function switchPlugin(flags, plugin, enables) {
  const names = (name) => (value(flags, name) ?? "").split(",").filter((one) => one !== "" && one !== plugin);
  const [on, off] = [names("enable-admission-plugins"), names("disable-admission-plugins")];
  (enables ? on : off).push(plugin);
  return set(set(flags, "enable-admission-plugins", on.join(",")), "disable-admission-plugins", off.join(","));
}
