-- Store a ruling; if there are too many, delete the oldest.
local id, ruling, keep_s, most, most_bytes, most_deleted = unpack(ARGV)
local list, bytes = P .. 'rulings', P .. 'rulings:bytes'
call('SET', P .. 'ruling:' .. id, ruling, 'EX', keep_s)
local count, total = call('LPUSH', list, id .. ' ' .. #ruling), call('INCRBY', bytes, #ruling)
for _ = 1, most_deleted do
  if count <= tonumber(most) and total <= tonumber(most_bytes) then break end
  local oldest = call('RPOP', list)
  if not oldest then
    call('SET', bytes, 0)
    break
  end
  local old, size = string.match(oldest, '^(%x+) (%d+)$')
  call('UNLINK', P .. 'ruling:' .. (old or ''))
  count, total = count - 1, call('DECRBY', bytes, size or 0)
end
for _, key in ipairs({list, bytes}) do call('EXPIRE', key, keep_s) end
