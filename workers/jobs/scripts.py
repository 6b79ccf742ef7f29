"""The steps by which the record of a job changes, as scripts that Redis runs one at a time and as a whole.

Every step is told the job, and where a worker takes it also the token of its lease, and does nothing when it comes too
late. All times are Redis's own, in milliseconds since 1970, so that clocks of workers need not agree. The scripts name
their keys themselves: one Redis or Valkey (7 or later), no cluster.

A job has at most one *turn*: the number of the one message that may take its next free piece. The numbers only grow,
and a message whose number is not the job's own is stale and does nothing, however often it is delivered. A turn is
noted under `unsent` before it is published and under `queued` after that, so none that is needed can be forgotten.
"""

SUBMIT = """
local _, _, id, queue, about, total, estimate, pieces, work, caller, key, callback_name, callback,
  most_open, most_waiting, most_callbacks, most_listed, most_of_caller, trace = unpack(ARGV)
local mine = P .. 'mine:' .. caller
local list, key = P .. 'caller:' .. caller, key ~= '' and P .. 'key:' .. key
local state = call('HGET', record(id), 'state')
local stands = state == 'successful' or is_open(state)
local owed = math.ceil(tonumber(estimate))

local function load()
  local open, waiting = 0, 0
  for _, name in ipairs({'paths', 'simulations'}) do
    open = open + call('ZCARD', P .. 'open:' .. name)
    waiting = waiting + tonumber(call('HGET', P .. 'waiting', name) or 0)
  end
  return open, waiting
end

local function is_full()
  local open, waiting = load()
  return open >= tonumber(most_open) or waiting + owed > tonumber(most_waiting), waiting
end

if key then
  local before = call('GET', key)
  if before and before ~= id then return {'reused'} end
end
if callback_name ~= '' and call('HEXISTS', part(id, 'callbacks'), callback_name) == 0
    and call('HLEN', part(id, 'callbacks')) >= tonumber(most_callbacks)
    or callback_name ~= '' and call('ZCARD', P .. 'due') >= tonumber(most_open) then
  local _, waiting = load()
  return {'full', waiting}
end
-- Jobs that have ended are struck off the caller's account when it is full, and not before.
local function has_too_many()
  if call('SCARD', mine) < tonumber(most_of_caller) then return false end
  for _, other in ipairs(call('SMEMBERS', mine)) do
    if not is_open(call('HGET', record(other), 'state')) then call('SREM', mine, other) end
  end
  return call('SCARD', mine) >= tonumber(most_of_caller)
end

if not stands and has_too_many() then return {'many'} end
if not stands then
  local full, waiting = is_full()
  if full then
    sweep('paths'); sweep('simulations')
    full, waiting = is_full()
  end
  if full then return {'full', waiting} end
  for _, name in ipairs({'free', 'tries', 'leases', 'pieces', 'changes', 'result', 'callbacks'}) do
    call('UNLINK', part(id, name))
  end
  call('UNLINK', record(id))
  call('HSET', record(id), 'about', about, 'estimate', estimate, 'total', total, 'queue', queue, 'state', 'accepted',
    'done', 0, 'ahead', 0, 'created', now, 'at', now, 'attempts', 0)
  if trace ~= '' then call('HSET', record(id), 'trace', trace) end
  local ranges = cjson.decode(pieces)
  call('HSET', record(id), 'pieces', #ranges)
  call('RPUSH', part(id, 'free'), unpack(ranges))
  call('SET', part(id, 'work'), work, 'PX', keep_open)
  call('HSET', P .. 'owed', id, owed)
  call('HINCRBY', P .. 'waiting', queue, owed)
  new_turn(id, queue)
  touch(id, queue)
  tell(id)
  extend(part(id, 'changes'), keep_open)
  count('job:accepted', 1)
  call('SADD', mine, id)
  extend(mine, keep_open)
elseif is_open(state) then
  -- Somebody else counts on the job now: it is not taken back.
  call('HSET', record(id), 'joined', 1)
end

if callback_name ~= '' then
  if state == 'successful' then
    ring(id, state, call('HGET', record(id), 'finished'), callback_name, callback)
  else
    call('HSET', part(id, 'callbacks'), callback_name, callback)
    extend(part(id, 'callbacks'), keep_open)
  end
end
if key then call('SET', key, id, 'PX', keep_open) end
call('ZADD', list, stands and 'NX' or 'CH', now, id)
call('ZREMRANGEBYRANK', list, 0, -1 - tonumber(most_listed))
extend(list, 2 * keep_open)
local unsent = call('ZSCORE', P .. 'unsent', id) and call('HGET', record(id), 'turn')
return {stands and 'there' or 'fresh', unsent or '', unpack(read(id))}
"""
"""Hand work in: `reused`, `many`, `full`, or the job with a turn that has to be published, if it has one."""

SENT = """
local _, _, id, turn = unpack(ARGV)
if call('HGET', record(id), 'turn') == turn and call('ZREM', P .. 'unsent', id) == 1 then
  call('ZADD', P .. 'queued', now, id)
  extend(P .. 'queued', keep_open)
end
"""
"""Note that a turn is published; it may have been taken already."""

TAKE_BACK = """
local _, _, id, turn, caller, key = unpack(ARGV)
local state, mine, joined, queue = unpack(call('HMGET', record(id), 'state', 'turn', 'joined', 'queue'))
if state ~= 'accepted' or mine ~= turn or joined then return end
call('ZREM', P .. 'open:' .. queue, id)
call('ZREM', P .. 'unsent', id)
call('ZREM', P .. 'queued', id)
pay(id, queue, math.huge)
for _, name in ipairs({'work', 'free', 'changes', 'callbacks'}) do call('UNLINK', part(id, name)) end
call('UNLINK', record(id))
call('ZREM', P .. 'caller:' .. caller, id)
call('SREM', P .. 'mine:' .. caller, id)
if key ~= '' then call('UNLINK', P .. 'key:' .. key) end
count('job:accepted', -1)
"""
"""Undo a job that could not be published, unless somebody else has asked for it or a worker has it."""

DISMISS = """
local _, _, id = unpack(ARGV)
if is_open(call('HGET', record(id), 'state')) then close(id, 'dismissed') end
return read(id)
"""

LISTED = """
local _, _, caller, score, before, most = unpack(ARGV)
local list, rows, at, last = P .. 'caller:' .. caller, {}, 0, ''
most = tonumber(most)
while true do
  local found = call('ZREVRANGEBYSCORE', list, score, '-inf', 'WITHSCORES', 'LIMIT', at, 2 * BATCH)
  for one = 1, #found, 2 do
    local id, when = found[one], found[one + 1]
    -- Those of the same millisecond come by id, backwards as well.
    if before == '' or when ~= score or id < before then
      local row = read(id)
      if row[1] then
        if #rows == most then return {last, rows} end
        rows[#rows + 1], last = {id, row}, when .. ':' .. id
      end
    end
  end
  if #found < 4 * BATCH then return {'', rows} end
  at = at + 2 * BATCH
end
"""
"""Give a page of a caller's jobs, newest first, and the place to go on from; jobs that have expired are passed over."""
