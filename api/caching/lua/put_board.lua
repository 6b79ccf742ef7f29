-- Store a board, or renew its expiry. Gives whether it is new.
local name, text, keep, most, most_bytes = unpack(ARGV)
keep, most, most_bytes = tonumber(keep), tonumber(most), tonumber(most_bytes)
local used, sizes, total = P .. 'boards:used', P .. 'boards:sizes', P .. 'boards:bytes'

local function forget(name)
  call('UNLINK', P .. 'board:' .. name)
  local size = call('HGET', sizes, name)
  if size then
    call('HDEL', sizes, name)
    call('DECRBY', total, size)
  end
  call('ZREM', used, name)
end

for _, old in ipairs(call('ZRANGEBYSCORE', used, '-inf', now - keep, 'LIMIT', 0, 200)) do forget(old) end
-- A different board under the same name was damaged.
local fresh = call('GET', P .. 'board:' .. name) ~= text
if fresh then
  -- Redis may have evicted the board itself and left its entries.
  forget(name)
  while call('ZCARD', used) >= most or tonumber(call('GET', total) or 0) + #text > most_bytes do
    local oldest = call('ZRANGE', used, 0, 0)[1]
    if not oldest then break end
    forget(oldest)
  end
  call('SET', P .. 'board:' .. name, text)
  call('HSET', sizes, name, #text)
  call('INCRBY', total, #text)
end
call('ZADD', used, now, name)
for _, key in ipairs({P .. 'board:' .. name, used, sizes, total}) do call('PEXPIRE', key, keep) end
return fresh and 1 or 0
