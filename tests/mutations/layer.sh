#!/bin/bash
# layer.sh BUILD ROOM COMMAND...: runs a command in a mount namespace, in the tree. Layers in memory, at the empty folder
# ROOM, lie over the tree and BUILD: what the command writes there is gone at its end. A broken program may rename files
# over devices, so root's commands get their own /dev.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$1" != --inside ]; then
    as=()
    [ "$(id -u)" = 0 ] || as=(--user --map-root-user)
    exec unshare "${as[@]}" --mount "$0" --inside "$(id -u):$(id -g)" "$@"
fi
user=$2 build=$3 room=$4
shift 4

layer_over() { # layer_over FOLDER NAME
    mkdir "$room/$2" "$room/$2.work"
    mount -t overlay overlay -o "lowerdir=$1,upperdir=$room/$2,workdir=$room/$2.work" "$1"
}

mount -t tmpfs tmpfs "$room"
layer_over "$tree" tree
[[ $build == "$tree"/* ]] || layer_over "$build" build
mkdir "$room/tmp"
export TMPDIR=$room/tmp
cd "$tree"
[ "${user%:*}" = 0 ] || exec unshare --user --map-user "${user%:*}" --map-group "${user#*:}" "$@"
mount -t tmpfs -o mode=755 tmpfs /dev
mknod -m 666 /dev/null c 1 3; mknod -m 666 /dev/zero c 1 5; mknod -m 666 /dev/full c 1 7
mknod -m 666 /dev/random c 1 8; mknod -m 666 /dev/urandom c 1 9; mknod -m 666 /dev/tty c 5 0
ln -s /proc/self/fd /dev/fd; ln -s fd/0 /dev/stdin; ln -s fd/1 /dev/stdout; ln -s fd/2 /dev/stderr
mkdir -m 1777 /dev/shm
mkdir /dev/pts # of terminals, which tests open
mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts
ln -s pts/ptmx /dev/ptmx
exec "$@"
