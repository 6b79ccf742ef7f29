-- Find lost work: gives the chunks that have to be sent again. Only one worker gets them in each interval.
local _, _, every_ms, silent_ms, unheard_ms, most_attempts = unpack(ARGV)
local lost = {}
local last = tonumber(call('GET', P .. 'sweeping') or 0)
if last <= now and now - last < tonumber(every_ms) then return lost end
call('SET', P .. 'sweeping', now, 'PX', keep_open)
local function older(name, time) return call('ZRANGEBYSCORE', P .. name, '-inf', time, 'LIMIT', 0, BATCH) end

-- If the clock was set back, times that are in the future are replaced with now.
local function bring_back(name)
  for _, member in ipairs(call('ZRANGEBYSCORE', P .. name, '(' .. now, '+inf')) do call('ZADD', P .. name, now, member) end
end
if last > now then
  bring_back('running')
  for _, queue in ipairs(QUEUES) do
    bring_back('queued:' .. queue)
    call('UNLINK', P .. 'begun:' .. queue)
  end
end

-- Chunks whose worker sends no heartbeat.
for _, member in ipairs(older('running', now - silent_ms)) do
  local id, chunk = string.match(member, '^(%x+):(%w+)$')
  local queue = id and lose(id, chunk, tonumber(most_attempts), '')
  if queue then lost[#lost + 1] = {id, chunk, queue} end
  if not id then call('ZREM', P .. 'running', member) end
end
for _, queue in ipairs(QUEUES) do
  -- Chunks that others have overtaken in the queue, or that wait though it is empty: their messages are lost, or were
  -- never sent.
  local newest = call('LLEN', queue) == 0 and now or tonumber(call('GET', P .. 'begun:' .. queue) or 0)
  for _, member in ipairs(older('queued:' .. queue, newest - unheard_ms)) do
    local id, chunk = string.match(member, '^(%x+):(%w+)$')
    if not id or not is_open(call('HGET', record(id), 'state')) then
      call('ZREM', P .. 'queued:' .. queue, member)
    elseif call('EXISTS', P .. 'resent:' .. member) == 0 then
      enqueue_again(id, queue, chunk)
      lost[#lost + 1] = {id, chunk, queue}
    end
  end
  for _, id in ipairs(older('open:' .. queue, now - math.floor(keep_open / 2))) do
    if call('EXISTS', record(id)) == 1 then
      touch(id, queue)
    else
      -- Its record has expired: no worker has run for that long.
      call('ZREM', P .. 'open:' .. queue, id)
      pay(id, queue, math.huge)
    end
  end
end
return lost
