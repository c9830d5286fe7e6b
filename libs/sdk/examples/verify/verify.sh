#!/bin/sh
# verify.sh <file of the body> <X-Svc-Signature> <secret> [old secret]: ends with 0 where the gateway has signed these bytes.
# For trying by hand: other users of the machine can read a secret on a command line.
body=$1 header=$2
shift 2
printf %s "$header" | tr '\n' ' ' | grep -Eq '^t=[1-9][0-9]{0,14},v1=[0-9a-f]{64}$' || exit 1
t=${header#t=} t=${t%%,*} v1=${header##*=}
age=$((${NOW_MS:-$(date +%s)000} - t))
[ "${age#-}" -le 300000 ] || exit 1 # five minutes, in milliseconds
sha256() { openssl dgst -sha256 "$@" | sed 's/.*= //'; }
for secret; do
  expected=$({ printf '%s.' "$t"; cat "$body"; } | sha256 -hmac "${secret:?}")
  # Hashes of both are compared: how long that takes says nothing about the signature.
  [ "$(printf %s "$expected" | sha256)" = "$(printf %s "$v1" | sha256)" ] && exit 0
done
exit 1
