# shellcheck shell=sh
# The keeper of a staged file receives blocks and hashes the content. It finds or creates the file for the content that
# content_sha and content_size identify, and prints "NONCE have INODE NOTES". The notes follow the content in the file
# and list what has arrived: "SHA256 SIZE", then the numbers of blocks, then "verified SHA256 SIZE". The keeper then
# reads lines: "w NUMBER BYTES" followed by that many bytes, or "h NUMBER BYTES" for a block that a lane wrote. They
# arrive in the order of the blocks, so the keeper hashes the content while it is sent. After "end" and "judge" it
# answers "NONCE verified" or "NONCE wrong SHA256". If "judge" is missing, the connection was lost, and the file is kept
# as it is. Later sessions trust the note "verified" without hashing the content again, so the content must be on the disk
# before the note: otherwise the note may survive a power loss that the content does not.

# make_staged: creates a sparse file of the size of the content, replacing an old one, and adds the first note.
make_staged() {
  rm -f -- "$staged_path"
  staged_notes="$content_sha $content_size"
  (
    set -C
    : >"$staged_path"
  ) && dd_output=$(dd bs=1 count=0 seek="$content_size" of="$staged_path" 2>&1 </dev/null) && printf '\n%s\n' "$staged_notes" >>"$staged_path" || end_with_error "$dd_output"
}

if [ -f "$staged_path" ] && [ ! -L "$staged_path" ] && [ -O "$staged_path" ]; then
  staged_notes=$(tail -c "+$((content_size + 2))" -- "$staged_path" | head -c 65536 | tr -d '\0')
  case $staged_notes in "$content_sha $content_size" | "$content_sha $content_size
"*) ;; *) make_staged ;; esac
else make_staged; fi
open_staged
# shellcheck disable=SC2086,SC2116 # joins several lines into one
printf '%s\n' "$upload_nonce have $(stat -Lc %i $open_path 3<&3) $(echo $staged_notes)"
hash_command=sha256sum
[ "$content_size" -gt 8388608 ] && for faster_command in 'stdbuf -i 65536 openssl dgst -sha256 -r' 'openssl dgst -sha256 -r'; do
  $faster_command </dev/null >/dev/null 2>&1 && hash_command=$faster_command && break
done
content_hash=$(while read -r order_word block_number block_bytes && [ "$order_word" != end ]; do
  [ "$order_word" = h ] || write_block "$block_number" "$block_bytes" || exit 1
  print_block "$block_number" "$block_bytes" || exit 1
done | $hash_command)
read -r order_word && [ "$order_word" = judge ] || exit 1
content_hash=${content_hash%% *}
if [ "$content_hash" = "$content_sha" ]; then
  sync "$open_path" 2>/dev/null 3<&3 || sync
  dd_output=$( (echo "verified $content_sha $content_size" | cat >>"$open_path") 2>&1) || end_with_error "$dd_output"
  echo "$upload_nonce verified"
else
  rm -f -- "$staged_path"
  echo "$upload_nonce wrong $content_hash"
fi
exit 0
