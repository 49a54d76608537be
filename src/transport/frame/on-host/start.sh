# shellcheck shell=sh
# The first commands of a session's shell: they set a fixed environment and clear the variables whose values are not
# known yet.

umask 022
LC_ALL=C
export LC_ALL
unset CDPATH ENV BASH_ENV GREP_OPTIONS POSIXLY_CORRECT
cd /
session_folder=
state_folder=
state_folders=
claim_file=
scope_was_tried=
folder_is_new=
four_kib=
case $PATH in */sbin*) ;; *)
  PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
  export PATH
  ;;
esac
