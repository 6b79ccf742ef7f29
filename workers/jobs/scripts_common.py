"""What all scripts of the store share: names of keys, and how a job lives on, is told of, and ends."""

FIELDS = (
    "about", "estimate", "total", "state", "done", "ahead",
    "created", "started", "finished", "expires", "at", "attempts", "cause",
)  # fmt: skip
"""What is read of the record of a job, in this order."""

PREFIX = "arbiter:"

_TOLD_EVERY_MS = 250
"""The least time between two entries of progress in the story of a job."""

_STORY = 256
"""Entries that are kept of the story of a job, roughly: Redis trims by whole blocks."""

_BATCH = 200
"""What one look after the jobs does of each kind at most, so that it never holds Redis up."""

_CONSTANTS = f"""
local P, FIELDS = '{PREFIX}', {{{", ".join(f"'{name}'" for name in FIELDS)}}}
local TOLD_EVERY_MS, STORY, BATCH = {_TOLD_EVERY_MS}, {_STORY}, {_BATCH}
"""

_FUNCTIONS = """
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keep, keep_open = tonumber(ARGV[1]), tonumber(ARGV[2])

local function record(id) return P .. 'job:' .. id end
local function part(id, name) return P .. 'job:' .. id .. ':' .. name end
local function read(id) return call('HMGET', record(id), unpack(FIELDS)) end
local function is_open(state) return state == 'accepted' or state == 'running' end

-- Let a key live so much longer; never shorter than it would have.
local function extend(key, ms)
  if call('PTTL', key) < ms then call('PEXPIRE', key, string.format('%.0f', ms)) end
end

local function count(name, by)
  call('HINCRBY', P .. 'counters', name, by)
  extend(P .. 'counters', keep_open)
end

-- Let an open job and all that belongs to it live on.
local function touch(id, queue)
  call('HSET', record(id), 'expires', now + keep_open)
  extend(record(id), keep_open)
  for _, name in ipairs({'work', 'free', 'tries', 'leases', 'pieces', 'changes', 'callbacks'}) do
    extend(part(id, name), keep_open)
  end
  call('ZADD', P .. 'open:' .. queue, now, id)
  for _, name in ipairs({'open:' .. queue, 'seen:' .. queue, 'unsent', 'queued'}) do extend(P .. name, keep_open) end
  for _, name in ipairs({'leases', 'waiting', 'owed', 'turns'}) do extend(P .. name, keep_open) end
end

-- Write down how a job stands, in its story.
local function tell(id)
  local seen = call('HMGET', record(id), 'state', 'done', 'ahead', 'attempts', 'expires')
  call('XADD', part(id, 'changes'), 'MAXLEN', '~', STORY, '*',
    's', seen[1], 'd', seen[2] + seen[3], 'a', seen[4], 'e', seen[5], 't', now)
  call('HSET', record(id), 'told', now)
end

local function tell_now_and_then(id)
  if now - call('HGET', record(id), 'told') >= TOLD_EVERY_MS then tell(id) end
end

-- Take work that is done, or will not be done, off what is waiting.
local function pay(id, queue, ms)
  local owed = tonumber(call('HGET', P .. 'owed', id) or 0)
  local paid = math.min(owed, ms)
  if paid == owed then call('HDEL', P .. 'owed', id) end
  if paid == 0 then return end
  if paid < owed then call('HINCRBY', P .. 'owed', id, -paid) end
  call('HINCRBY', P .. 'waiting', queue, -paid)
end

local function new_turn(id, queue)
  local turn = call('INCR', P .. 'turns')
  call('HSET', record(id), 'turn', turn)
  call('ZREM', P .. 'queued', id)
  call('ZADD', P .. 'unsent', now, id)
  return turn
end

-- Put a piece in front of what is free. Gives a turn that has to be published if the job had none.
local function offer(id, queue, piece)
  if call('LPUSH', part(id, 'free'), piece) == 1 then return new_turn(id, queue) end
  return ''
end

local function lease_of(id, piece)
  local found = call('HGET', part(id, 'leases'), piece)
  if not found then return end
  local sound, lease = pcall(cjson.decode, found)
  -- A lease that cannot be read is nobody's, and its piece is lost as one whose worker is gone.
  return sound and type(lease) == 'table' and type(lease.over) == 'number' and lease or {over = 0}
end

local function write_lease(id, piece, lease)
  call('HSET', part(id, 'leases'), piece, cjson.encode(lease))
  call('ZADD', P .. 'leases', now, id .. ':' .. piece)
end

local function drop_lease(id, piece)
  local lease = lease_of(id, piece)
  if lease then
    call('HDEL', part(id, 'leases'), piece)
    if lease.over > 0 and call('EXISTS', record(id)) == 1 then call('HINCRBY', record(id), 'ahead', -lease.over) end
  end
  call('ZREM', P .. 'leases', id .. ':' .. piece)
  return lease
end

local function is_mine(id, piece, token)
  local lease = lease_of(id, piece)
  return call('HGET', record(id), 'state') == 'running' and lease and lease.token == token and lease
end

-- Have a callback called; from here on it needs nothing of the job any more.
local function ring(id, state, finished, name, callback)
  local member = id .. '.' .. state .. '.' .. finished .. '.' .. name
  call('SET', P .. 'call:' .. member, cjson.encode({
    id = id, state = state, ended = tonumber(finished), attempt = 1, callback = cjson.decode(callback)
  }), 'PX', 90000000)
  -- Beside the call and not in it, where workers of the version before would not know what it is.
  local trace = call('HGET', record(id), 'trace')
  if trace then call('SET', P .. 'call:' .. member .. ':trace', trace, 'PX', 90000000) end
  call('ZADD', P .. 'due', now, member)
  extend(P .. 'due', 90000000)
end

-- Bring a job to an end: what it needed is dropped, what it says stays for a while.
local function close(id, state, cause)
  local queue, total = unpack(call('HMGET', record(id), 'queue', 'total'))
  call('HSET', record(id), 'state', state, 'finished', now, 'expires', now + keep, 'ahead', 0, 'at', now)
  if state == 'successful' then call('HSET', record(id), 'done', total) end
  if cause then
    call('HSET', record(id), 'cause', cause)
    count('cause:' .. cjson.decode(cause).code, 1)
  end
  call('HDEL', record(id), 'turn')
  for _, piece in ipairs(call('HKEYS', part(id, 'leases'))) do call('ZREM', P .. 'leases', id .. ':' .. piece) end
  call('ZREM', P .. 'open:' .. queue, id)
  call('ZREM', P .. 'unsent', id)
  call('ZREM', P .. 'queued', id)
  pay(id, queue, math.huge)
  local callbacks = call('HGETALL', part(id, 'callbacks'))
  for at = 1, #callbacks, 2 do ring(id, state, string.format('%.0f', now), callbacks[at], callbacks[at + 1]) end
  for _, name in ipairs({'work', 'free', 'tries', 'leases', 'pieces', 'callbacks'}) do
    call('UNLINK', part(id, name))
  end
  tell(id)
  call('PEXPIRE', record(id), keep)
  call('PEXPIRE', part(id, 'changes'), keep)
  count('job:' .. state, 1)
end

-- A piece's worker is gone. Gives a turn that has to be published, if there is one.
local function lose(id, piece, most_attempts, how)
  local lease = drop_lease(id, piece)
  local state, queue = unpack(call('HMGET', record(id), 'state', 'queue'))
  if not lease or state ~= 'running' then return '' end
  count('lost', 1)
  local tries = tonumber(call('HGET', part(id, 'tries'), piece))
  if tries >= most_attempts then
    local first, stop = string.match(piece, '^(%d+)-(%d+)$')
    local what = 'adding up the pieces'
    if first then what = 'games ' .. first .. ' to ' .. (stop - 1) end
    if how ~= '' then how = ', the last one ' .. how end
    close(id, 'failed', cjson.encode({
      code = 'lost-worker', detail = 'Given up: ' .. tries .. ' workers were lost over ' .. what .. how .. '.'
    }))
    return ''
  end
  call('HINCRBY', record(id), 'attempts', 1)
  tell(id)
  return offer(id, queue, piece)
end

-- Strike off open jobs whose record has expired: no worker came for so long.
local function sweep(queue)
  for _, id in ipairs(call('ZRANGEBYSCORE', P .. 'open:' .. queue, '-inf', now - keep_open, 'LIMIT', 0, BATCH)) do
    if call('EXISTS', record(id)) == 0 then
      call('ZREM', P .. 'open:' .. queue, id)
      call('ZREM', P .. 'unsent', id)
      call('ZREM', P .. 'queued', id)
      pay(id, queue, math.huge)
    end
  end
end

-- A piece was done for the first time.
local function piece_done(id, games, bucket, took_ms)
  local queue, total, estimate = unpack(call('HMGET', record(id), 'queue', 'total', 'estimate'))
  call('HSET', record(id), 'at', now)
  pay(id, queue, math.floor(estimate * games / total))
  count('pieces', 1)
  count('took:' .. bucket, 1)
  count('took_ms', took_ms)
end
"""

COMMON = _CONSTANTS + _FUNCTIONS
"""What is put in front of every script. The first two arguments of each are how long jobs are kept, ended and open."""
