# shellcheck shell=sh
#
# Takes a batch of contents. Before this come the assignment of upload_nonce and the arguments TOP FOLDER….
#
# It enters the staging folder and stays in that very directory, whatever somebody makes of its name meanwhile; says "NONCE has
# SHA256  NAME" for what an earlier try left there, and "NONCE ready"; unpacks the tar archive that comes then, and says "NONCE
# came". "NONCE without WHY" says that this host takes contents one by one. GNU and busybox tar: -o gives files to the user who
# unpacks, -m the time of now.

umask 077
LC_ALL=C
export LC_ALL
staging_folder=.furrow.staged

# refuse_batch WHY
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
