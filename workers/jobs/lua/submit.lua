-- Submit work: gives 'reused', 'many', 'share' with the caller's waiting work, 'full' with all waiting work, or
-- 'there' or 'fresh' with the queue to send its first chunk to, if any, and the job. The record is written before
-- anything is sent, so that no accepted job is lost.
local _, _, id, queue, kind, game, question, owner, total, estimate, chunks, work, caller, key, callback_name, callback,
  most_open, most_waiting, most_callbacks, most_listed, most_of_caller, most_waiting_of_caller, trace = unpack(ARGV)
local open_of_caller, list = P .. 'mine:' .. caller, P .. 'caller:' .. caller
local key_name = key ~= '' and P .. 'key:' .. key
local state = call('HGET', record(id), 'state')
local stands = state == 'successful' or is_open(state)
local owed = math.ceil(tonumber(estimate))

local function load()
  local open, waiting = 0, 0
  for _, name in ipairs(QUEUES) do
    open = open + call('ZCARD', P .. 'open:' .. name)
    waiting = waiting + tonumber(call('HGET', P .. 'waiting', name) or 0)
  end
  return open, waiting
end

local function has_too_many_callbacks()
  if callback_name == '' then return false end
  local is_new = call('HEXISTS', part(id, 'callbacks'), callback_name) == 0
  return is_new and call('HLEN', part(id, 'callbacks')) >= tonumber(most_callbacks)
    or call('ZCARD', P .. 'due') >= tonumber(most_open)
    or call('ZCARD', P .. 'calls:' .. caller) >= MOST_CALLBACKS_OF_CALLER
end

-- Count the caller's open jobs, their estimated time, and those that wait for `simulations`.
local function load_of_caller()
  local open, waiting, simulations = 0, 0, 0
  for _, other in ipairs(call('SMEMBERS', open_of_caller)) do
    local its_state, its_queue = unpack(call('HMGET', record(other), 'state', 'queue'))
    if is_open(its_state) then
      open, waiting = open + 1, waiting + tonumber(call('HGET', P .. 'owed', other) or 0)
      if its_queue == 'simulations' then simulations = simulations + 1 end
    else
      call('SREM', open_of_caller, other)
    end
  end
  return open, waiting, simulations
end

if key_name then
  local before = call('GET', key_name)
  if before and before ~= id then return {'reused'} end
end
if has_too_many_callbacks() then
  local _, waiting = load()
  return {'full', waiting}
end

-- Sent again for a job that is not begun and has no waiting message: its gateway may have died before sending it.
if stands then queue = call('HGET', record(id), 'queue') or queue end
local to_send = state == 'accepted' and call('LLEN', queue) == 0
if not stands then
  local open_jobs, waiting_of_caller, simulations = load_of_caller()
  if open_jobs >= tonumber(most_of_caller) then return {'many'} end
  if waiting_of_caller + owed > tonumber(most_waiting_of_caller) then return {'share', waiting_of_caller} end
  -- Simulations take turns chunk by chunk, and so do their callers: further ones of a caller wait in the long queue.
  if queue == 'simulations' and simulations > 0 then queue = 'long' end
  local open, waiting = load()
  if open >= tonumber(most_open) or waiting + owed > tonumber(most_waiting) then return {'full', waiting} end
  call('UNLINK', record(id))
  for _, name in ipairs({'attempts', 'progress', 'chunks', 'events', 'result', 'callbacks'}) do
    call('UNLINK', part(id, name))
  end
  call('HSET', record(id), 'kind', kind, 'game', game, 'question', question, 'owner', owner, 'caller', caller,
    'estimate_ms', estimate,
    'total', total, 'queue', queue, 'state', 'accepted',
    'created', seconds(now), 'at', seconds(now), 'done', 0, 'attempts', 0, 'chunks', chunks, 'started_chunks', 1)
  if trace ~= '' then call('HSET', record(id), 'trace', trace) end
  call('SET', part(id, 'work'), work, 'PX', keep_open)
  call('HSET', P .. 'owed', id, owed)
  call('HINCRBY', P .. 'waiting', queue, owed)
  enqueue(id, queue, '0')
  to_send = true
  touch(id, queue)
  report(id)
  extend(part(id, 'events'), keep_open)
  count('job:accepted', 1)
  call('SADD', open_of_caller, id)
  extend(open_of_caller, keep_open)
end

if callback_name ~= '' then
  if state == 'successful' then
    schedule_callback(id, state, call('HGET', record(id), 'finished'), callback_name, callback)
  else
    call('HSET', part(id, 'callbacks'), callback_name, callback)
    extend(part(id, 'callbacks'), keep_open)
  end
end
if key_name then call('SET', key_name, id, 'PX', keep_open) end
call('ZADD', list, stands and 'NX' or 'CH', now, id)
call('ZREMRANGEBYRANK', list, 0, -1 - tonumber(most_listed))
extend(list, 2 * keep_open)
return {stands and 'there' or 'fresh', to_send and queue or '', unpack(read(id))}
