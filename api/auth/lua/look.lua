-- The shared code of the steps: reading the record of a key.
local function key_of(id) return P .. 'apikey:' .. id end
local function look(id) return call('HMGET', key_of(id), 'about', 'seal', 'made', 'expires', 'revoked') end
