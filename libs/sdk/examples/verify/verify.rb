require 'openssl'

# Says whether the gateway has signed this body. `header` is X-Svc-Signature, `body` the bytes as they arrived
# (request.raw_post in Rails); after a rotation `secrets` has the new secret and the old one.
def genuine?(body, header, secrets, now = (Time.now.to_f * 1000).to_i)
  t, v1 = header.match(/\At=(\d{1,15}),v1=([0-9a-f]{64})\z/)&.captures
  return false if t.nil? || (now - t.to_i).abs > 300_000 # five minutes, in milliseconds

  secrets.reject(&:empty?).any? do |secret|
    expected = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{t}.".b + body.b)
    OpenSSL.fixed_length_secure_compare(expected, v1)
  end
end
