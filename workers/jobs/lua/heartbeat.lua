-- Record that a chunk is running, with its finished games; gives 0 when it is not wanted any more.
local _, _, id, chunk, over = unpack(ARGV)
local state, queue = unpack(call('HMGET', record(id), 'state', 'queue'))
if state ~= 'running' or call('HEXISTS', part(id, 'chunks'), chunk) == 1 then return 0 end
-- A worker that seemed lost need not be replaced.
call('ZREM', P .. 'queued:' .. queue, id .. ':' .. chunk)
note('running', now, id .. ':' .. chunk)
progress(id, chunk, tonumber(over))
return 1
