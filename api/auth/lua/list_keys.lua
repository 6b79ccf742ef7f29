-- Give the records of all keys.
local found = {}
for _, id in ipairs(call('SMEMBERS', P .. 'apikeys')) do
  local row = look(id)
  if row[1] then found[#found + 1] = {id, row} else call('SREM', P .. 'apikeys', id) end
end
return found
