-- Give the callbacks to call now, one at a time for each caller and each host. A callback is checked again when its
-- call is over, or after `busy_ms` if no worker has reported it by then.
local busy_ms = tonumber(ARGV[3])
local HOST_BUSY_MS = 1000  -- time until a callback is checked again whose host is being called

-- Give a caller's next callback, and mark its host as being called; one whose host is busy or skipped comes later.
local function next_of(calls)
  for _, member in ipairs(call('ZRANGEBYSCORE', calls, '-inf', now, 'LIMIT', 0, BATCH)) do
    local host = string.match(member, '%.(%x+)%.%x+$')
    if not host or call('EXISTS', P .. 'call:' .. member) == 0 then
      call('ZREM', calls, member)
    else
      local quiet_ms = call('PTTL', P .. 'quiet:' .. host)
      if quiet_ms <= 0 and call('SET', P .. 'calling:' .. host, 1, 'NX', 'PX', busy_ms) then
        call('ZADD', calls, now + busy_ms, member)
        return member
      end
      call('ZADD', calls, now + (quiet_ms > 0 and quiet_ms or HOST_BUSY_MS), member)
    end
  end
end

local due = {}
for _, caller in ipairs(call('ZRANGEBYSCORE', P .. 'due', '-inf', now, 'LIMIT', 0, BATCH)) do
  local calls, calling = P .. 'calls:' .. caller, P .. 'calling:' .. caller
  local is_busy = call('EXISTS', calling) == 1
  local member = not is_busy and next_of(calls) or nil
  if member then call('SET', calling, 1, 'PX', busy_ms) end
  local _, first = unpack(call('ZRANGE', calls, 0, 0, 'WITHSCORES'))
  if is_busy or member then
    call('ZADD', P .. 'due', now + call('PTTL', calling), caller)
  elseif first then
    call('ZADD', P .. 'due', first, caller)
  else
    call('ZREM', P .. 'due', caller)
  end
  due[#due + 1] = member
end
return due
