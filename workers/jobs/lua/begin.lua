-- Begin a chunk that was sent; gives nothing for one that was not, that is begun already, or whose job has ended.
-- The newest chunk causes the next one to be sent: so a job has one message in the queue for any number of workers.
local _, _, id, chunk = unpack(ARGV)
local state, queue, chunks, started, trace =
  unpack(call('HMGET', record(id), 'state', 'queue', 'chunks', 'started_chunks', 'trace'))
if not is_open(state) then return end
local member = id .. ':' .. chunk
local place = call('ZSCORE', P .. 'queued:' .. queue, member)
if not place then return end
call('ZREM', P .. 'queued:' .. queue, member)
note('running', now, member)
call('HINCRBY', part(id, 'attempts'), chunk, 1)
-- Queues are first in, first out: a chunk that was sent before this one and still waits has lost its message.
local newest = tonumber(call('GET', P .. 'begun:' .. queue) or 0)
if tonumber(place) > newest then call('SET', P .. 'begun:' .. queue, place) end
if state == 'accepted' then
  call('HSET', record(id), 'state', 'running', 'started', seconds(now), 'at', seconds(now))
  report(id)
end
local following = ''
if tonumber(chunk) == started - 1 and tonumber(started) < tonumber(chunks) then
  following = started
  call('HINCRBY', record(id), 'started_chunks', 1)
  enqueue(id, queue, following)
end
touch(id, queue)
local parts = chunk == 'finish' and call('HVALS', part(id, 'chunks')) or {}
return {queue, following, chunks, trace, call('GET', part(id, 'work')), call('HGET', part(id, 'cut'), chunk), parts}
