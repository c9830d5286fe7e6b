<?php

/**
 * Says whether the gateway has signed this body. $header is X-Svc-Signature, $body the bytes as they arrived
 * (file_get_contents('php://input')); after a rotation $secrets has the new secret and the old one.
 */
function is_genuine(string $body, string $header, array $secrets, ?int $now = null): bool
{
    $now ??= (int) (microtime(true) * 1000);
    if (!preg_match('/^t=(\d{1,15}),v1=([0-9a-f]{64})$/D', $header, $fields)) return false;
    [, $t, $v1] = $fields;
    if (abs($now - (int) $t) > 300000) return false; // five minutes, in milliseconds
    foreach ($secrets as $secret) {
        if ($secret !== '' && hash_equals(hash_hmac('sha256', "$t.$body", $secret), $v1)) return true;
    }
    return false;
}
