-- Store a new key: `held` with the holder's live keys if there are enough, `taken` if the id exists already.
local id, holder, about, seal, lasts, most, listed = unpack(ARGV)
local every, mine, live = P .. 'apikeys', P .. 'apikeys:' .. holder, {}
for _, other in ipairs(call('SMEMBERS', mine)) do
  local kept, _, _, expires, revoked = unpack(look(other))
  if not kept then
    call('SREM', mine, other)
  elseif not revoked and (not expires or tonumber(expires) > now) then
    live[#live + 1] = other
  end
end
if #live >= tonumber(most) then return {'held', live} end
if call('EXISTS', key_of(id)) == 1 then return {'taken', {}} end
call('HSET', key_of(id), 'about', about, 'seal', seal, 'made', now)
if lasts ~= '' then
  call('HSET', key_of(id), 'expires', now + lasts)
  call('PEXPIRE', key_of(id), string.format('%.0f', lasts + listed))
end
call('SADD', every, id)
call('SADD', mine, id)
return {'made', look(id)}
