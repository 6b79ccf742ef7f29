-- Give a chunk back undone, as if it had not been begun; gives the queue to which it has to be sent.
local _, _, id, chunk = unpack(ARGV)
local state, queue = unpack(call('HMGET', record(id), 'state', 'queue'))
if call('ZREM', P .. 'running', id .. ':' .. chunk) == 0 or state ~= 'running' then return end
call('HINCRBY', part(id, 'attempts'), chunk, -1)
enqueue_again(id, queue, chunk)
return queue
