# shellcheck shell=sh
# A lane is an additional channel for the blocks of a staged file. It prints "NONCE ready" and reads the line INODE.
# Then it reads lines "w NUMBER BYTES", each followed by that many bytes, and prints "NONCE done NUMBER" after each
# block. It ends at the line "end".

echo "$upload_nonce ready"
read -r wanted_inode && [ -f "$staged_path" ] && [ ! -L "$staged_path" ] || exit 1
open_staged
[ "$(stat -Lc %i "$open_path" 3<&3)" = "$wanted_inode" ] || {
  echo "$staged_path was replaced by another program" >&2
  exit 1
}
while read -r order_word block_number block_bytes && [ "$order_word" = w ]; do
  write_block "$block_number" "$block_bytes" || exit 1
  echo "$upload_nonce done $block_number"
done
exit 0
