-- Give a chunk back undone, as if it had not been begun; gives the queue to which it has to be sent. A job that is too
-- long for its queue moves `to` another with it.
local _, _, id, chunk, to = unpack(ARGV)
local state, queue = unpack(call('HMGET', record(id), 'state', 'queue'))
if call('ZREM', P .. 'running', id .. ':' .. chunk) == 0 or state ~= 'running' then return end
call('HINCRBY', part(id, 'attempts'), chunk, -1)
if to ~= '' and to ~= queue then
  move(id, queue, to)
  queue = to
end
enqueue_again(id, queue, chunk)
return queue
