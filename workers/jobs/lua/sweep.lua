-- Look after what nobody else does: gives the chunks that have to be sent again. Of all who ask, one is served in a while.
local _, _, every_ms, silent_ms, unheard_ms, most_attempts = unpack(ARGV)
local lost = {}
if not call('SET', P .. 'sweeping', 1, 'NX', 'PX', every_ms) then return lost end
local function older(name, time) return call('ZRANGEBYSCORE', P .. name, '-inf', time, 'LIMIT', 0, BATCH) end

-- Chunks whose worker gives no sign of life.
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
      -- Its record has expired: no worker came for so long.
      call('ZREM', P .. 'open:' .. queue, id)
      pay(id, queue, math.huge)
    end
  end
end
return lost
