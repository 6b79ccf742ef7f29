-- Undo a job whose first chunk could not be sent, unless somebody else has asked for it or a worker has it.
local _, _, id, created, caller, key = unpack(ARGV)
local state, mine, joined, queue = unpack(call('HMGET', record(id), 'state', 'created', 'joined', 'queue'))
if state ~= 'accepted' or mine ~= created or joined then return end
forget_chunks(id, queue, 1)
call('ZREM', P .. 'open:' .. queue, id)
pay(id, queue, math.huge)
for _, name in ipairs({'work', 'events', 'callbacks'}) do call('UNLINK', part(id, name)) end
call('UNLINK', record(id))
call('ZREM', P .. 'caller:' .. caller, id)
call('SREM', P .. 'mine:' .. caller, id)
if key ~= '' then call('UNLINK', P .. 'key:' .. key) end
count('job:accepted', -1)
