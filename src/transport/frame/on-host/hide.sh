# shellcheck shell=sh
# Encrypts lines that contain secret text.

# encipher_value: encrypts stdin and prints the result. openssl gets the key through its environment, which only the
# same user can read; apart from that, the key is only in the shell's memory.
encipher_value() { hiding_key=$hiding_key openssl enc -aes-256-cbc -md sha256 -pass env:hiding_key -a -A 2>/dev/null; }

# hide_lines NAMES: copies lines "NUMBER NAME=VALUE". If NAME is one of NAMES, it prints "NUMBER NAME=~" and the
# encrypted value instead.
hide_lines() {
  while IFS= read -r numbered_line; do
    line_fact=${numbered_line#* }
    case " $1 " in
      *" ${line_fact%%=*} "*) printf '%s=~%s\n' "${numbered_line%%=*}" "$(printf %s "${line_fact#*=}" | encipher_value)" ;;
      *) printf '%s\n' "$numbered_line" ;;
    esac
  done
}
