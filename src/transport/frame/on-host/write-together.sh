# shellcheck shell=sh
# Writes several files together.

# write_together FOLDER OWNER 'MODE NUMBER NAME…'…: writes new files in one folder together, with the same result as
# write_file: it writes them into a temporary folder inside FOLDER, then syncs and moves all of them. The functions
# write_file0, write_file1, … print their contents. Fails if one of the files already exists or anything else goes
# wrong; the caller then writes them one by one.
write_together() {
  target_folder=$1
  files_owner=$2
  went_wrong=
  new_names=
  shift 2
  set -f
  umask 077
  new_folder=${target_folder%/}/.furrow.new
  if [ -d "$new_folder" ] && [ ! -L "$new_folder" ] && [ -O "$new_folder" ]; then rm -rf -- "$new_folder"; fi
  mkdir -- "$new_folder" && cd -- "$new_folder" || return 1
  for file_list in "$@"; do
    list_mode=${file_list%% *}
    content_number=
    names_of_list=
    for list_word in ${file_list#* }; do
      if [ -z "$content_number" ]; then
        content_number=$list_word
        continue
      fi
      if [ -e "$target_folder/$list_word" ] || [ -L "$target_folder/$list_word" ] || ! "write_file$content_number" >"$list_word"; then
        went_wrong=1
        break 2
      fi
      content_number=
      names_of_list="$names_of_list $list_word"
    done
    # shellcheck disable=SC2086 # split on purpose: the names have no spaces
    chmod "$list_mode" $names_of_list || went_wrong=1
    new_names=$new_names$names_of_list
  done
  # shellcheck disable=SC2086 # split on purpose: the names have no spaces
  if [ -z "$went_wrong" ] && { [ -z "$files_owner" ] || chown -- "$files_owner" $new_names; }; then
    { sync $new_names 2>/dev/null || sync; } && mv -f -- $new_names "$target_folder/" || went_wrong=1
  else went_wrong=1; fi
  cd /
  rm -rf -- "$new_folder"
  [ -z "$went_wrong" ]
}
