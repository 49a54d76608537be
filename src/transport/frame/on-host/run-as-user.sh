# shellcheck shell=sh
#
# Runs one step as another user.

# run_as_user USER COMMAND…: runs a command as another user, with that user's home directory.
run_as_user() {
  user_name=$1
  shift
  passwd_line=$(getent passwd "$user_name" 2>/dev/null || grep "^$user_name:" /etc/passwd) || {
    echo "user $user_name does not exist" >&2
    return 1
  }
  passwd_line=${passwd_line%:*}
  HOME=${passwd_line##*:}
  USER=$user_name
  LOGNAME=$user_name
  export HOME USER LOGNAME
  if command -v runuser >/dev/null 2>&1; then exec runuser -u "$user_name" -- "$@"; fi
  # shellcheck disable=SC2016 # the inner shell expands the variables
  exec su -s /bin/sh -c 'exec "$0" "$@"' -- "$user_name" "$@"
}
