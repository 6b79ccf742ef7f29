-- Give a chunk back undone, as if it had not been begun; gives the queue to send it to. A job that is too long for its
-- queue moves `to` another with it. The games `counted` of a chunk that was cut are stored for the next worker.
local _, _, id, chunk, to, counted = unpack(ARGV)
local state, queue = unpack(call('HMGET', record(id), 'state', 'queue'))
if call('ZREM', P .. 'running', id .. ':' .. chunk) == 0 or state ~= 'running' then return end
call('HINCRBY', part(id, 'attempts'), chunk, -1)
if counted ~= '' then
  call('HSET', part(id, 'cut'), chunk, counted)
  extend(part(id, 'cut'), keep_open)
end
if to ~= '' then
  local owed = tonumber(call('HGET', P .. 'owed', id) or 0)
  call('HINCRBY', P .. 'waiting', queue, -owed)
  call('HINCRBY', P .. 'waiting', to, owed)
  call('ZREM', P .. 'open:' .. queue, id)
  call('HSET', record(id), 'queue', to)
  queue = to
  touch(id, queue)
end
enqueue_again(id, queue, chunk)
return queue
