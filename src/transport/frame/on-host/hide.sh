# shellcheck shell=sh
#
# Lines that hold secret text.

# encipher_value: passes stdin on enciphered. The key goes to openssl by its environment, which only its user may read, and is
# otherwise in the shell's memory alone.
encipher_value() { hiding_key=$hiding_key openssl enc -aes-256-cbc -md sha256 -pass env:hiding_key -a -A 2>/dev/null; }

# hide_lines NAMES: passes lines "NUMBER NAME=VALUE" on; those of these names with ~ and the value enciphered.
hide_lines() {
  while IFS= read -r numbered_line; do
    line_fact=${numbered_line#* }
    case " $1 " in
      *" ${line_fact%%=*} "*) printf '%s=~%s\n' "${numbered_line%%=*}" "$(printf %s "${line_fact#*=}" | encipher_value)" ;;
      *) printf '%s\n' "$numbered_line" ;;
    esac
  done
}
