# shellcheck shell=sh
#
# One more way for the blocks of a staged file: it reads the line INODE, says "NONCE open", takes "w NUMBER BYTES" with that
# many bytes, says "NONCE done NUMBER" for each, and ends at the line "end".

echo "$upload_nonce ready"
read -r wanted_inode && [ -f "$staged_path" ] && [ ! -L "$staged_path" ] || exit 1
open_staged
[ "$(stat -Lc %i "$open_path" 3<&3)" = "$wanted_inode" ] || {
  echo "$staged_path was replaced by somebody else" >&2
  exit 1
}
while read -r order_word block_number block_bytes && [ "$order_word" = w ]; do
  write_block "$block_number" "$block_bytes" || exit 1
  echo "$upload_nonce done $block_number"
done
exit 0
