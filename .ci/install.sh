# install.sh is for the scripts beside it, which source it: how they install what is missing. They have a function say.

# as_root COMMAND… runs a command that needs root.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		say "cannot run \"$*\": neither root nor sudo"
		return 1
	fi
}

# install PACKAGE… installs packages where there is apt-get.
install() {
	if ! command -v apt-get >/dev/null; then
		say "missing: $*, and no apt-get to install it; install it and run again"
		return 1
	fi
	say "installing $*"
	# An existing package list will often do; a stale one is renewed.
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2 ||
		{ as_root apt-get update >&2 &&
			as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >&2; } ||
		{ say "could not install $*; install it by hand and run again"; return 1; }
}
