# shellcheck shell=sh
# Receives the files of a batch. The assignment of upload_nonce and the arguments TOP FOLDER… precede this script.
#
# The script enters the staging folder and stays in it, even if another user renames or replaces the folder. It prints
# "NONCE has SHA256  NAME" for each file that an earlier attempt left there, and "NONCE ready". Then it unpacks a tar
# archive from stdin and prints "NONCE came". "NONCE without WHY" means that this host can only take the files one by
# one. In GNU and busybox tar, -o gives the files to the user who unpacks them, and -m sets their modification time to
# the present.

umask 077
LC_ALL=C
export LC_ALL
staging_folder=.furrow.staged

# refuse_batch WHY: reports that this host cannot receive a batch, and exits.
refuse_batch() {
  printf '%s\n' "$upload_nonce without $1"
  exit 0
}

command -v tar >/dev/null 2>&1 || refuse_batch tar
cd -P -- "$1" 2>/dev/null && batch_parent=$(pwd -P) || refuse_batch folder
shift
[ -e $staging_folder ] || [ -L $staging_folder ] || mkdir $staging_folder || exit 1
cd $staging_folder 2>/dev/null && [ "$(pwd -P)" = "${batch_parent%/}/$staging_folder" ] && [ -O . ] && chmod 700 . || refuse_batch folder
device_numbers=$(stat -Lc %d -- . "$@" 2>/dev/null) || refuse_batch folder
[ "$(printf '%s\n' "$device_numbers" | sort -u | wc -l)" -eq 1 ] || refuse_batch folder
find . -type f -exec sha256sum {} + | sed "s/^/$upload_nonce has /"
printf '%s\n' "$upload_nonce ready"
tar -xomf - || exit 1
printf '%s\n' "$upload_nonce came"
exit 0
