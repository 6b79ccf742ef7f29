-- Store the first result of a chunk. Gives all results to the worker that has stored the last one.
local _, _, id, chunk, data, games, bucket, took_ms = unpack(ARGV)
local state, queue, chunks, total, estimate =
  unpack(call('HMGET', record(id), 'state', 'queue', 'chunks', 'total', 'estimate_ms'))
if state ~= 'running' then return end
if call('HSETNX', part(id, 'chunks'), chunk, data) == 0 then
  count('again', 1)
  return
end
call('HDEL', part(id, 'cut'), chunk)
call('ZREM', P .. 'running', id .. ':' .. chunk)
call('ZREM', P .. 'queued:' .. queue, id .. ':' .. chunk)
pay(id, queue, math.floor(estimate * games / total))
count('chunks', 1)
count('took:' .. bucket, 1)
count('took_ms', took_ms)
progress(id, chunk, tonumber(games))
touch(id, queue)
if call('HLEN', part(id, 'chunks')) < tonumber(chunks) then return end
-- If this worker is lost while adding up, another one does it.
call('HINCRBY', part(id, 'attempts'), 'finish', 1)
note('running', now, id .. ':finish')
return call('HVALS', part(id, 'chunks'))
