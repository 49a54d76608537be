# shellcheck shell=sh
# Large content is staged block by block in a file next to its target. The assignments of staged_path, upload_nonce,
# block_units (the block size in units of 64 KiB), cache_option (empty), content_sha and content_size precede this
# script.
#
# The file is written through a descriptor that was checked when it was opened, because a user with write access to the
# folder could replace the file at any time. Korn shells do not pass such descriptors on to a command unless the command
# redirects them (3<&3). dd never reads more bytes than requested, so the next bytes are a command again; if the
# connection is lost, it reads fewer and reports that. With nocache, dd starts writing its data to the disk immediately
# without waiting for it, so the sync at the end has little left to do.

umask 077
LC_ALL=C
export LC_ALL

# end_with_error TEXT: prints the error message of dd without its counts, removes the file and exits.
end_with_error() {
  printf '%s\n' "$1" | sed '/records [io]/d;/ copied/d' >&2
  rm -f -- "$staged_path"
  exit 1
}

# check_records DD-OUTPUT COUNT: exits if dd has read fewer than COUNT whole records, which means that the connection is
# lost.
check_records() { case $1 in "$2+0 "*) ;; *) exit 1 ;; esac }

# write_block NUMBER BYTES: writes one block from stdin to the file and adds a note about it.
write_block() {
  whole_units=$(($2 / 65536))
  rest_bytes=$(($2 % 65536))
  first_unit=$(($1 * block_units))
  [ "$whole_units" = 0 ] || {
    # shellcheck disable=SC2086,SC2154 # the option is one word or none
    dd_output=$(dd bs=65536 iflag=fullblock count=$whole_units seek=$first_unit conv=notrunc $cache_option of=$open_path 2>&1 3<&3) || end_with_error "$dd_output"
    check_records "$dd_output" "$whole_units"
  }
  [ "$rest_bytes" = 0 ] || {
    dd_output=$(dd ibs="$rest_bytes" obs=65536 iflag=fullblock count=1 seek=$((first_unit + whole_units)) conv=notrunc of="$open_path" 2>&1 3<&3) || end_with_error "$dd_output"
    check_records "$dd_output" 1
  }
  echo "$1" >>"$open_path"
}

# print_block NUMBER BYTES: prints a block.
print_block() {
  if [ "$2" = $((block_units * 65536)) ]; then
    dd bs=65536 skip=$(($1 * block_units)) count="$block_units" if="$open_path" 2>/dev/null 3<&3
  else dd bs=65536 skip=$(($1 * block_units)) if="$open_path" 2>/dev/null 3<&3 | head -c "$2"; fi
}

# open_staged: opens the file as descriptor 3 and sets open_path to a path of the open file.
open_staged() {
  exec 3<>"$staged_path" && open_path=/proc/self/fd/3 || exit 1
  [ -e "$open_path" ] || open_path=$staged_path
  [ "$content_size" -gt 8388608 ] && dd oflag=nocache of=/dev/null </dev/null 2>/dev/null && cache_option=oflag=nocache
}
