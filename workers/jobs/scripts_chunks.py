"""The steps by which workers take pieces, hand them in and lose them, and by which they look after the jobs.

Every step is as those of `workers.jobs.scripts`.
"""

CLAIM = """
local _, _, id, turn, token, worker = unpack(ARGV)
local state, mine, queue = unpack(call('HMGET', record(id), 'state', 'turn', 'queue'))
if not is_open(state) or mine ~= turn then return end
-- The latest turn that has come out of this queue: a job that still waits for an earlier one has been overtaken.
local seen = tonumber(call('GET', P .. 'seen:' .. queue) or 0)
call('SET', P .. 'seen:' .. queue, math.max(seen, tonumber(turn)))
call('HDEL', record(id), 'turn')
call('ZREM', P .. 'unsent', id)
call('ZREM', P .. 'queued', id)
local piece = call('LPOP', part(id, 'free'))
if not piece then return end
call('HINCRBY', part(id, 'tries'), piece, 1)
write_lease(id, piece, {token = token, turn = turn, over = 0, worker = worker})
if state == 'accepted' then
  call('HSET', record(id), 'state', 'running', 'started', now, 'at', now)
  tell(id)
end
local next = call('LLEN', part(id, 'free')) > 0 and new_turn(id, queue) or ''
touch(id, queue)
local parts = piece == 'sum' and call('HVALS', part(id, 'pieces')) or {}
local pieces, trace = unpack(call('HMGET', record(id), 'pieces', 'trace'))
return {piece, next, pieces, trace, call('GET', part(id, 'work')), unpack(parts)}
"""
"""Take the next free piece of a job; gives nothing for a turn that is not the job's."""

BEAT = """
local _, _, id, piece, token, over = unpack(ARGV)
local lease = is_mine(id, piece, token)
if not lease then return 0 end
local more = math.max(0, over - lease.over)
lease.over = lease.over + more
write_lease(id, piece, lease)
if more > 0 then
  call('HINCRBY', record(id), 'ahead', more)
  call('HSET', record(id), 'at', now)
  tell_now_and_then(id)
end
return 1
"""
"""Say that a piece is being worked on, and how far; gives 0 when it is not wanted any more."""

PUT = """
local _, _, id, piece, token, data, games, bucket, took_ms = unpack(ARGV)
if call('HGET', record(id), 'state') ~= 'running' then return end
if call('HSETNX', part(id, 'pieces'), piece, data) == 0 then
  count('again', 1)
  return
end
-- Whoever else holds the piece, or was about to, need not do it again.
local lease = drop_lease(id, piece)
call('LREM', part(id, 'free'), 1, piece)
call('HINCRBY', record(id), 'done', games)
piece_done(id, games, bucket, took_ms)
touch(id, call('HGET', record(id), 'queue'))
if call('HLEN', part(id, 'pieces')) < tonumber(call('HGET', record(id), 'pieces')) then
  tell_now_and_then(id)
  return
end
-- Adding up is a piece like others: if this worker is lost over it, another one does it.
call('HINCRBY', part(id, 'tries'), 'sum', 1)
lease = lease or {turn = '', worker = ''}
write_lease(id, 'sum', {token = token, turn = lease.turn, over = 0, worker = lease.worker})
return call('HVALS', part(id, 'pieces'))
"""
"""Store a piece, the first time it is done. Gives all pieces to the worker that has stored the last one."""

FINISH = """
local _, _, id, result, games, bucket, took_ms = unpack(ARGV)
if call('HGET', record(id), 'state') ~= 'running' then return end
if tonumber(games) > 0 then piece_done(id, games, bucket, took_ms) end
call('SET', part(id, 'result'), result, 'PX', keep)
close(id, 'successful')
"""
"""Store the result, once, and with it that the job was successful."""

FAIL = """
local _, _, id, piece, token, cause = unpack(ARGV)
if is_mine(id, piece, token) then close(id, 'failed', cause) end
"""

FAIL_TURN = """
local _, _, id, turn, cause = unpack(ARGV)
if call('HGET', record(id), 'state') ~= 'running' then return end
for _, piece in ipairs(call('HKEYS', part(id, 'leases'))) do
  if lease_of(id, piece).turn == turn then return close(id, 'failed', cause) end
end
"""
"""End a job over the piece that was taken in that turn."""

GIVE_BACK = """
local _, _, id, piece, token = unpack(ARGV)
if not is_mine(id, piece, token) then return {} end
drop_lease(id, piece)
call('HINCRBY', part(id, 'tries'), piece, -1)
local queue = call('HGET', record(id), 'queue')
tell(id)
return {queue, offer(id, queue, piece)}
"""
"""Give a piece back undone, as if it had not been taken."""

LOSE = """
local _, _, id, turn, most_attempts, how = unpack(ARGV)
local queue = call('HGET', record(id), 'queue')
for _, piece in ipairs(call('HKEYS', part(id, 'leases'))) do
  if lease_of(id, piece).turn == turn then return {queue, lose(id, piece, tonumber(most_attempts), how)} end
end
return {}
"""
"""Free the piece that was taken in a turn whose process is known to have ended."""

TEND = """
local _, _, guard_ms, lease_ms, unsent_ms, stall_ms, retry_ms, most_attempts = unpack(ARGV)
local turns, due = {}, {}
if not call('SET', P .. 'tending', 1, 'NX', 'PX', guard_ms) then return {turns, due} end
local function older(name, ms)
  return call('ZRANGEBYSCORE', P .. name, '-inf', now - ms, 'LIMIT', 0, BATCH)
end
local function publish(id, queue, turn)
  if turn ~= '' then turns[#turns + 1] = {id, queue, tostring(turn)} end
end

for _, member in ipairs(older('leases', lease_ms)) do
  local id, piece = string.match(member, '^(.-):(.+)$')
  publish(id, call('HGET', record(id), 'queue'), lose(id, piece, tonumber(most_attempts), ''))
end
for _, id in ipairs(older('unsent', unsent_ms)) do
  local queue, turn = unpack(call('HMGET', record(id), 'queue', 'turn'))
  if turn then
    call('ZADD', P .. 'unsent', now, id)
    publish(id, queue, turn)
  else
    call('ZREM', P .. 'unsent', id)
  end
end
-- Queues are first in, first out: a turn that others have overtaken, or that is missing from an empty queue, is lost.
for _, id in ipairs(older('queued', stall_ms)) do
  local queue, turn = unpack(call('HMGET', record(id), 'queue', 'turn'))
  if not turn then
    call('ZREM', P .. 'queued', id)
  elseif call('LLEN', queue) == 0 or tonumber(turn) < tonumber(call('GET', P .. 'seen:' .. queue) or 0) then
    publish(id, queue, new_turn(id, queue))
  end
end
for _, queue in ipairs({'paths', 'simulations'}) do
  sweep(queue)
  for _, id in ipairs(older('open:' .. queue, math.floor(keep_open / 2))) do
    if call('EXISTS', record(id)) == 1 then touch(id, queue) end
  end
end
for _, member in ipairs(older('due', 0)) do
  if call('EXISTS', P .. 'call:' .. member) == 1 then
    call('ZADD', P .. 'due', now + retry_ms, member)
    due[#due + 1] = member
  else
    call('ZREM', P .. 'due', member)
  end
end
return {turns, due}
"""
"""Look after what nobody else does: gives the turns that have to be published and the callbacks that are due."""

CALLED = """
local _, _, name, outcome, again, again_at = unpack(ARGV)
count('webhook:' .. outcome, 1)
if again == '' then
  call('UNLINK', P .. 'call:' .. name, P .. 'call:' .. name .. ':trace')
  call('ZREM', P .. 'due', name)
elseif call('SET', P .. 'call:' .. name, again, 'XX', 'KEEPTTL') then
  call('ZADD', P .. 'due', again_at, name)
end
"""
"""Note how a callback went, and when it is due again if it is."""
