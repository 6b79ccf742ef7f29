-- Note how a callback went, and when it is due again if it is.
local _, _, name, outcome, again, again_at = unpack(ARGV)
count('webhook:' .. outcome, 1)
if again == '' then
  call('UNLINK', P .. 'call:' .. name, P .. 'call:' .. name .. ':trace')
  call('ZREM', P .. 'due', name)
elseif call('SET', P .. 'call:' .. name, again, 'XX', 'KEEPTTL') then
  call('ZADD', P .. 'due', again_at, name)
end
