-- Revoke a key, and give its record.
local id, listed = unpack(ARGV)
if call('EXISTS', key_of(id)) == 1 and call('HSETNX', key_of(id), 'revoked', now) == 1 then
  call('PEXPIRE', key_of(id), listed)
end
return look(id)
