-- Give a page of a caller's jobs, newest first, and the cursor of the next page; expired jobs are skipped.
local _, _, caller, score, before, most = unpack(ARGV)
local list, rows, at, last = P .. 'caller:' .. caller, {}, 0, ''
most = tonumber(most)
while true do
  local found = call('ZREVRANGEBYSCORE', list, score, '-inf', 'WITHSCORES', 'LIMIT', at, 2 * BATCH)
  for one = 1, #found, 2 do
    local id, when = found[one], found[one + 1]
    -- Jobs of the same millisecond are in reverse order of their ids.
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
