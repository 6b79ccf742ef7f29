-- Record the result of a callback, and when it is due again, if it is; a host that did not answer is skipped for now.
local _, _, name, outcome, again, again_at, answered = unpack(ARGV)
local QUIET_MS = 5000      -- how long a host is skipped after its first failure to answer; twice as long each time
local QUIETEST_MS = 600000
local caller, host = string.match(name, '^(%x+)%..*%.(%x+)%.%x+$')
count('webhook:' .. outcome, 1)
if again == '' then call('UNLINK', P .. 'call:' .. name, P .. 'call:' .. name .. ':trace') end
if not caller then return end
if again == '' then
  call('ZREM', P .. 'calls:' .. caller, name)
elseif call('SET', P .. 'call:' .. name, again, 'XX', 'KEEPTTL') then
  call('ZADD', P .. 'calls:' .. caller, 'XX', again_at, name)
end
call('ZADD', P .. 'due', 'XX', now, caller)
call('UNLINK', P .. 'calling:' .. caller, P .. 'calling:' .. host)
if answered == '1' then
  call('UNLINK', P .. 'failed:' .. host)
else
  local times = call('INCR', P .. 'failed:' .. host)
  extend(P .. 'failed:' .. host, CALLBACK_MS)
  call('SET', P .. 'quiet:' .. host, 1, 'PX', math.min(QUIETEST_MS, QUIET_MS * 2 ^ math.min(times - 1, 10)))
end
