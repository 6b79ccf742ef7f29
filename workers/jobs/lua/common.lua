-- The shared code of all steps of the store of jobs: names of keys, and the life, events and end of a job.
-- It precedes every other file here, after the prelude of infra/redis.py (P, call, now).
-- The first two arguments of every step are the milliseconds for which an ended and an open job are kept.

local keep, keep_open = tonumber(ARGV[1]), tonumber(ARGV[2])
local PROGRESS_EVERY_MS = 250  -- the least time between two events of progress
local MOST_EVENTS = 256        -- events stored for a job, roughly: Redis trims by whole blocks
local BATCH = 200              -- the most that one sweep handles of each kind, so that it never blocks Redis
local RESEND_MS = 15000        -- the least time between two messages for a chunk that is not begun
local CALLBACK_MS = 90000000   -- how long a callback is stored: longer than it is retried
local MOST_CALLBACKS_OF_CALLER = 1000  -- a caller with this many waiting callbacks cannot request more
local QUEUES = {'short', 'simulations', 'long'}

-- The record of a job has times in seconds.
local function seconds(ms) return string.format('%.3f', ms / 1000) end
local function record(id) return P .. 'job:' .. id end
local function part(id, name) return P .. 'job:' .. id .. ':' .. name end
local function read(id) return call('HMGET', record(id), unpack(FIELDS)) end
local function is_open(state) return state == 'accepted' or state == 'running' end

-- Extend the life of a key to at least this long.
local function extend(key, ms)
  if call('PTTL', key) < ms then call('PEXPIRE', key, string.format('%.0f', ms)) end
end

local function count(name, by)
  call('HINCRBY', P .. 'counters', name, by)
  extend(P .. 'counters', keep_open)
end

-- Add to a sorted set that lives as long as an open job.
local function note(name, score, member)
  call('ZADD', P .. name, score, member)
  extend(P .. name, keep_open)
end

-- Extend the life of an open job and its other keys.
local function touch(id, queue)
  call('HSET', record(id), 'expires', seconds(now + keep_open))
  extend(record(id), keep_open)
  for _, name in ipairs({'work', 'attempts', 'progress', 'chunks', 'cut', 'events', 'callbacks'}) do
    extend(part(id, name), keep_open)
  end
  note('open:' .. queue, now, id)
  for _, name in ipairs({'queued:' .. queue, 'begun:' .. queue, 'running', 'waiting', 'owed'}) do
    extend(P .. name, keep_open)
  end
end

-- Add an event with the current state of the job.
local function report(id)
  local event = {'MAXLEN', '~', MOST_EVENTS, '*'}
  for at, value in ipairs(read(id)) do
    if value then event[#event + 1], event[#event + 2] = FIELDS[at], value end
  end
  call('XADD', part(id, 'events'), unpack(event))
  call('HSET', record(id), 'reported', now)
end

-- Record the finished games of a chunk. A repeated chunk adds none until it has more.
local function progress(id, chunk, over)
  local more = over - tonumber(call('HGET', part(id, 'progress'), chunk) or 0)
  if more <= 0 then return end
  call('HSET', part(id, 'progress'), chunk, over)
  extend(part(id, 'progress'), keep_open)
  call('HINCRBY', record(id), 'done', more)
  call('HSET', record(id), 'at', seconds(now))
  if math.abs(now - call('HGET', record(id), 'reported')) >= PROGRESS_EVERY_MS then report(id) end
end

-- Subtract work that is done, or will not be done, from the waiting work.
local function pay(id, queue, ms)
  local owed = tonumber(call('HGET', P .. 'owed', id) or 0)
  local paid = math.min(owed, ms)
  if paid == owed then call('HDEL', P .. 'owed', id) end
  if paid == 0 then return end
  if paid < owed then call('HINCRBY', P .. 'owed', id, -paid) end
  call('HINCRBY', P .. 'waiting', queue, -paid)
end

-- Record that a chunk is sent for the first time: its position in the queue is now.
local function enqueue(id, queue, chunk)
  note('queued:' .. queue, now, id .. ':' .. chunk)
end

-- Record that a chunk is sent again. Its position is unknown, because either message may arrive first.
local function enqueue_again(id, queue, chunk)
  note('queued:' .. queue, 0, id .. ':' .. chunk)
  call('SET', P .. 'resent:' .. id .. ':' .. chunk, 1, 'PX', RESEND_MS)
end

-- Schedule a callback; from here on it is independent of the job. `name` consists of its host and its url.
local function schedule_callback(id, state, finished, name, callback)
  local caller, trace = unpack(call('HMGET', record(id), 'caller', 'trace'))
  caller = caller or '0'  -- for a damaged record
  local member = caller .. '.' .. id .. '.' .. state .. '.' .. finished .. '.' .. name
  call('SET', P .. 'call:' .. member, cjson.encode({
    id = id, state = state, ended = tonumber(finished), attempt = 1, callback = cjson.decode(callback)
  }), 'PX', CALLBACK_MS)
  if trace then call('SET', P .. 'call:' .. member .. ':trace', trace, 'PX', CALLBACK_MS) end
  call('ZADD', P .. 'calls:' .. caller, now, member)
  call('ZADD', P .. 'due', 'LT', now, caller)
  extend(P .. 'calls:' .. caller, CALLBACK_MS)
  extend(P .. 'due', CALLBACK_MS)
end

-- Remove the waiting and running chunks of a job.
local function forget_chunks(id, queue, started)
  local members = {id .. ':finish'}
  for chunk = 0, (tonumber(started) or 0) - 1 do members[#members + 1] = id .. ':' .. chunk end
  call('ZREM', P .. 'queued:' .. queue, unpack(members))
  call('ZREM', P .. 'running', unpack(members))
end

-- End a job: its working data is deleted, its record stays for a while.
local function close(id, state, cause)
  local queue, total, started = unpack(call('HMGET', record(id), 'queue', 'total', 'started_chunks'))
  call('HSET', record(id), 'state', state, 'finished', seconds(now), 'expires', seconds(now + keep), 'at', seconds(now))
  if state == 'successful' then call('HSET', record(id), 'done', total) end
  if cause then
    call('HSET', record(id), 'cause', cause)
    count('cause:' .. cjson.decode(cause).code, 1)
  end
  forget_chunks(id, queue, started)
  call('ZREM', P .. 'open:' .. queue, id)
  pay(id, queue, math.huge)
  local callbacks = call('HGETALL', part(id, 'callbacks'))
  for at = 1, #callbacks, 2 do
    schedule_callback(id, state, seconds(now), callbacks[at], callbacks[at + 1])
  end
  for _, name in ipairs({'work', 'attempts', 'progress', 'chunks', 'cut', 'callbacks'}) do call('UNLINK', part(id, name)) end
  report(id)
  call('PEXPIRE', record(id), keep)
  call('PEXPIRE', part(id, 'events'), keep)
  count('job:' .. state, 1)
end

-- The worker of a chunk is lost. Gives the queue to send the chunk to again; nil if it is not sent again.
local function lose(id, chunk, most_attempts, how)
  local found = call('ZREM', P .. 'running', id .. ':' .. chunk) == 1
  local state, queue, chunks = unpack(call('HMGET', record(id), 'state', 'queue', 'chunks'))
  if not found or state ~= 'running' then return end
  count('lost', 1)
  local attempts = tonumber(call('HGET', part(id, 'attempts'), chunk) or 0)
  if attempts >= most_attempts then
    local what = 'adding up the chunks'
    if chunk ~= 'finish' then what = 'chunk ' .. (chunk + 1) .. ' of ' .. chunks end
    if how ~= '' then how = ', the last one ' .. how end
    close(id, 'failed', cjson.encode({
      code = 'lost-worker', detail = 'Given up: ' .. attempts .. ' workers were lost over ' .. what .. how .. '.'
    }))
    return
  end
  call('HINCRBY', record(id), 'attempts', 1)
  enqueue_again(id, queue, chunk)
  report(id)
  return queue
end
